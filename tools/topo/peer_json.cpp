// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>

#include "tools/topo/format.hpp"
#include "tools/topo/peer.hpp"

namespace hawser::tools {

namespace {

using Json = nlohmann::json;

// What is wrong, and where; leaves the reader through its fence.
struct Fault {
  std::string text;
};

// A value of the description with the way to it: "/nics/0/addresses/1/prefix".
class Field {
 public:
  Field(const Json& value, std::string path) : value_(value), path_(std::move(path)) {}

  [[noreturn]] void fault(const std::string& expected) const {
    constexpr std::size_t kShown = 60;
    std::string found = value_.dump(-1, ' ', true, Json::error_handler_t::replace);
    if (found.size() > kShown) found = found.substr(0, kShown) + "...";
    throw Fault{fmt::format("at {}: expected {}, found {}", path_.empty() ? "/" : path_, expected, found)};
  }

  bool has(const char* key) const {
    return value_.is_object() && value_.contains(key) && !value_[key].is_null();
  }
  Field at(const char* key) const {
    if (!value_.is_object()) fault("an object");
    if (!value_.contains(key))
      throw Fault{fmt::format("at {}: there is no \"{}\"", path_.empty() ? "/" : path_, key)};
    return {value_[key], path_ + "/" + key};
  }
  std::vector<Field> items() const {
    if (!value_.is_array()) fault("a list");
    std::vector<Field> result;
    for (std::size_t i = 0; i < value_.size(); ++i)
      result.emplace_back(value_[i], fmt::format("{}/{}", path_, i));
    return result;
  }
  std::string text() const {
    if (!value_.is_string()) fault("a text");
    return value_.get<std::string>();
  }
  bool flag() const {
    if (!value_.is_boolean()) fault("true or false");
    return value_.get<bool>();
  }
  std::uint64_t number(std::uint64_t least, std::uint64_t most) const {
    const bool fits = value_.is_number_unsigned() && value_.get<std::uint64_t>() >= least &&
                      value_.get<std::uint64_t>() <= most;
    if (!fits) fault(fmt::format("a number from {} to {}", least, most));
    return value_.get<std::uint64_t>();
  }
  std::uint32_t number32() const {
    return static_cast<std::uint32_t>(number(0, std::numeric_limits<std::uint32_t>::max()));
  }

 private:
  const Json& value_;
  std::string path_;
};

interfaces::IpAddress read_address(const Field& field) {
  const auto address = interfaces::IpAddress::parse(field.text());
  if (!address) field.fault("an address of IPv4 or IPv6");
  return *address;
}

std::uint32_t read_properties(const Field& field) {
  std::uint32_t properties = 0;
  for (const Field& item : field.items()) {
    const std::string word = item.text();
    const auto* known =
        std::ranges::find_if(kPropertyWords, [&](const auto& entry) { return entry.word == word; });
    if (known == std::end(kPropertyWords)) {
      std::vector<std::string_view> words;
      for (const auto& entry : kPropertyWords) words.emplace_back(entry.word);
      item.fault(fmt::format("one of {}", fmt::join(words, ", ")));
    }
    properties |= known->property;
  }
  return properties;
}

interfaces::Locality read_locality(const Field& field) {
  const std::string word = field.text();
  for (std::size_t i = 0; i < std::size(kLocalityWords); ++i) {
    if (word == kLocalityWords[i]) return static_cast<interfaces::Locality>(i);
  }
  field.fault(fmt::format("one of {}", fmt::join(kLocalityWords, ", ")));
}

TopoAddress read_nic_address(const Field& field, const TopoNic& nic) {
  TopoAddress result;
  interfaces::Interface& interface = result.interface;
  interface.name = nic.name;
  interface.label = field.has("label") ? field.at("label").text() : nic.name;
  interface.index = nic.index;
  interface.address = read_address(field.at("address"));
  interface.prefix = static_cast<unsigned>(field.at("prefix").number(0, interface.address.bits()));
  interface.speed_mbps = nic.speed_mbps;
  interface.mtu = nic.mtu;
  interface.properties = nic.properties;
  interface.numa_node = nic.numa_node;
  interface.locality = nic.locality;
  if (field.has("named") && field.at("named").flag()) interface.properties |= interfaces::kNamed;
  const bool used = !field.has("used") || field.at("used").flag();
  if (!used) result.why_not = field.has("why_not") ? field.at("why_not").text() : "";
  if (!used && result.why_not.empty()) result.why_not = "not used there";
  return result;
}

TopoNic read_nic(const Field& field) {
  TopoNic nic;
  nic.name = field.at("name").text();
  nic.index = field.at("index").number32();
  if (field.has("up")) nic.up = field.at("up").flag();
  if (field.has("speed_mbps")) nic.speed_mbps = field.at("speed_mbps").number32();
  if (field.has("mtu")) nic.mtu = field.at("mtu").number32();
  if (field.has("numa_node")) nic.numa_node = static_cast<int>(field.at("numa_node").number(0, 1 << 20));
  if (field.has("locality")) nic.locality = read_locality(field.at("locality"));
  if (field.has("properties")) nic.properties = read_properties(field.at("properties"));
  for (const Field& item : field.at("addresses").items())
    nic.addresses.push_back(read_nic_address(item, nic));
  return nic;
}

interfaces::Route read_route(const Field& field) {
  interfaces::Route route;
  route.network = read_address(field.at("network"));
  route.prefix = static_cast<unsigned>(field.at("prefix").number(0, route.network.bits()));
  route.interface = field.at("interface").number32();
  route.direct = field.at("direct").flag();
  return route;
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

void read_boot_id(const Field& field, unsigned char (&out)[16]) {
  const std::string digits = field.text();
  bool good = digits.size() == 2 * sizeof out;
  for (std::size_t i = 0; good && i < sizeof out; ++i) {
    const int high = hex_digit(digits[2 * i]);
    const int low = hex_digit(digits[2 * i + 1]);
    good = high >= 0 && low >= 0;
    out[i] = static_cast<unsigned char>(high << 4 | low);
  }
  if (!good) field.fault("32 hexadecimal digits");
}

void read_host(const Field& field, TopoHost& host) {
  constexpr auto kAny = std::numeric_limits<std::uint64_t>::max();
  host.name = field.at("name").text();
  if (field.has("boot_id")) read_boot_id(field.at("boot_id"), host.proc.boot_id);
  if (field.has("net_namespace")) host.proc.net_namespace = field.at("net_namespace").number(0, kAny);
  if (field.has("pid_namespace")) host.proc.pid_namespace = field.at("pid_namespace").number(0, kAny);
}

void check_head(const Field& root) {
  const Field kind = root.at("kind");
  if (kind.text() != kTopoKind)
    kind.fault(fmt::format("\"{}\": the output of `hawser topo --json`", kTopoKind));
  const Field format = root.at("format");
  if (format.number(0, 1 << 20) != kTopoFormat) {
    format.fault(fmt::format("{}, the format of this version of hawser", kTopoFormat));
  }
}

TopoHost read_description(const Field& root) {
  constexpr std::uint64_t kMostLinks = 64;
  constexpr std::size_t kMostNics = 4096;
  check_head(root);
  TopoHost host;
  read_host(root.at("host"), host);
  if (root.has("links")) host.links = static_cast<std::uint32_t>(root.at("links").number(1, kMostLinks));
  const auto nics = root.at("nics").items();
  if (nics.size() > kMostNics) throw Fault{fmt::format("at /nics: more than {} interfaces", kMostNics)};
  for (const Field& item : nics) {
    TopoNic nic = read_nic(item);
    if (host.nic(nic.index)) item.at("index").fault("an index that no other interface has");
    host.nics.push_back(std::move(nic));
  }
  if (host.used_addresses() > kMaxPublished) {
    throw Fault{fmt::format("at /nics: {} used addresses, expected at most {}", host.used_addresses(),
                            kMaxPublished)};
  }
  if (root.has("routes")) {
    for (const Field& item : root.at("routes").items()) host.routes.push_back(read_route(item));
  }
  sort_nics(host.nics);
  return host;
}

// "line 3, column 14"
std::string place_of(const std::string& bytes, std::size_t offset) {
  const auto end = bytes.begin() + static_cast<std::ptrdiff_t>(std::min(offset, bytes.size()));
  const auto line = std::count(bytes.begin(), end, '\n') + 1;
  const auto start = std::find(std::make_reverse_iterator(end), bytes.rend(), '\n').base();
  return fmt::format("line {}, column {}", line, end - start + 1);
}

}  // namespace

Result<TopoHost> peer_of_json(const std::string& bytes, const std::string& from) {
  try {
    const Json parsed = Json::parse(bytes);
    TopoHost host = read_description(Field(parsed, ""));
    host.from = from;
    return host;
  } catch (const Json::parse_error& error) {
    // Its own text begins with a number and a place that counts differently.
    const std::string_view what = error.what();
    const auto colon = what.find(": ");
    const std::size_t offset = error.byte > 0 ? error.byte - 1 : 0;
    return make_error(Errc::kInvalid, "{}: {}: expected the output of `hawser topo --json`: {}", from,
                      place_of(bytes, offset), clean(colon == what.npos ? what : what.substr(colon + 2)));
  } catch (const Fault& fault) {
    return make_error(Errc::kInvalid, "{}: {}", from, clean(fault.text));
  }
}

}  // namespace hawser::tools
