// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/topo/peer.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <optional>

#include "framework/base/fd.hpp"

namespace hawser::tools {

namespace {

using interfaces::IpAddress;

constexpr std::size_t kMaxFile = 16u << 20;  // bytes; a description with the most addresses is far smaller

constexpr int kPatienceMs = 60'000;  // without a byte; it may be asked for on a host far away

constexpr const char* kExpected =
    "expected is a file of `hawser topo --json`, \"-\" for stdin, or addresses such as "
    "10.9.0.2/24,fd00::2/64@1000";

// Why no process can have that address; nothing: one can.
const char* nobodys(const IpAddress& address) {
  const auto* first = address.bytes.data();
  const auto* last = first + address.bits() / 8;
  if (std::all_of(first, last, [](unsigned char byte) { return byte == 0; }))
    return "it stands for any address";
  const bool v4 = address.family == interfaces::Family::kV4;
  if (v4 ? *first >> 4 == 0xe : *first == 0xff) return "it is a multicast group";
  if (v4 && std::all_of(first, last, [](unsigned char byte) { return byte == 0xff; }))
    return "it is broadcast";
  return nullptr;
}

std::optional<std::uint32_t> number_of(std::string_view text) {
  std::uint32_t value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || read.ec != std::errc() || read.ptr != text.data() + text.size()) return std::nullopt;
  return value;
}

// The prefix of our network that an address lies in; all bits if it lies in none.
unsigned likely_prefix(const IpAddress& address, const TopoHost& ours) {
  unsigned longest = 0;
  for (const auto& nic : ours.nics) {
    for (const auto& own : nic.addresses) {
      const auto& interface = own.interface;
      const bool inside = address.in_network(interface.address, interface.prefix);
      if (inside && interface.prefix < address.bits()) longest = std::max(longest, interface.prefix);
    }
  }
  return longest ? longest : address.bits();
}

// One entry: "10.9.0.2/24@1000".
Result<TopoNic> nic_of_entry(std::string_view entry, std::uint32_t index, const TopoHost& ours) {
  TopoNic nic;
  nic.index = index;
  interfaces::Interface interface;
  std::string_view rest = entry;
  if (const auto at = rest.find('@'); at != rest.npos) {
    const auto speed = number_of(rest.substr(at + 1));
    if (!speed) return make_error(Errc::kInvalid, "after @ a speed in Mbit/s is expected");
    nic.speed_mbps = *speed;
    rest = rest.substr(0, at);
  }
  const auto slash = rest.find('/');
  const auto address = IpAddress::parse(rest.substr(0, slash));
  if (!address) return make_error(Errc::kInvalid, "an address such as 10.9.0.2 or fd00::2 is expected");
  if (const char* why = nobodys(*address))
    return make_error(Errc::kInvalid, "no process has the address {}: {}", address->text(), why);
  const auto prefix = slash == rest.npos ? likely_prefix(*address, ours) : number_of(rest.substr(slash + 1));
  if (!prefix || *prefix > address->bits()) {
    return make_error(Errc::kInvalid, "after / a prefix of 0 to {} bits is expected", address->bits());
  }
  interface.address = *address;
  interface.prefix = *prefix;
  interface.index = index;
  interface.speed_mbps = nic.speed_mbps;
  if (address->scope() == interfaces::Scope::kLoopback) nic.properties = interfaces::kLoopback;
  interface.properties = nic.properties;
  nic.addresses.push_back({interface, ""});
  return nic;
}

// Whether the text is meant as addresses: a file may have any other name.
bool begins_with_address(const std::string& text) {
  return IpAddress::parse(std::string_view(text).substr(0, text.find_first_of("/@,"))).has_value();
}

Result<std::string> content(int fd, const std::string& from) {
  std::string bytes(kMaxFile + 1, '\0');
  std::size_t size = 0;
  while (size < bytes.size()) {
    pollfd look{fd, POLLIN, 0};
    if (retry_eintr([&] { return ::poll(&look, 1, kPatienceMs); }) == 0)
      return make_error(Errc::kTimedOut, "reading {}: nothing came in {} s", from, kPatienceMs / 1000);
    const auto got = retry_eintr([&] { return ::read(fd, bytes.data() + size, bytes.size() - size); });
    if (got < 0) return system_error("reading " + from, errno);
    if (got == 0) break;
    size += static_cast<std::size_t>(got);
  }
  bytes.resize(size);
  if (bytes.size() > kMaxFile) {
    return make_error(Errc::kInvalid, "{}: longer than {} MiB: not written by `hawser topo --json`", from,
                      kMaxFile >> 20);
  }
  return bytes;
}

// A shell's <(...) is a pipe that is open already; a named one may never get a writer.
bool is_own_descriptor(const std::string& path) {
  return path == "/dev/stdin" || path.rfind("/dev/fd/", 0) == 0 || path.rfind("/proc/self/fd/", 0) == 0;
}

Result<Fd> open_file(const std::string& path) {
  const int wait = is_own_descriptor(path) ? 0 : O_NONBLOCK;
  Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | wait));
  struct stat facts {};
  if (!fd || ::fstat(fd.get(), &facts) != 0) {
    return make_error(Errc::kNotFound, "--peer {}; {}", system_error(path, errno).text, kExpected);
  }
  if (S_ISREG(facts.st_mode) || (S_ISFIFO(facts.st_mode) && is_own_descriptor(path))) return fd;
  return make_error(Errc::kInvalid, "--peer {}: {}; {}", path,
                    S_ISFIFO(facts.st_mode)  ? "a named pipe, which may have no writer: give it on stdin"
                    : S_ISDIR(facts.st_mode) ? "a directory"
                                             : "not a regular file",
                    kExpected);
}

}  // namespace

Result<TopoHost> peer_of_addresses(const std::string& text, const TopoHost& ours) {
  TopoHost host;
  host.name = text;
  host.from = "--peer " + text;
  std::string_view rest = text;
  for (std::uint32_t index = 1; index <= kMaxPublished; ++index) {
    const auto comma = rest.find(',');
    const std::string_view entry = rest.substr(0, comma);
    auto nic = nic_of_entry(entry, index, ours);
    if (!nic) {
      return make_error(Errc::kInvalid, "--peer {}: entry {} \"{}\", at character {}: {}", text, index, entry,
                        text.size() - rest.size() + 1, nic.error().text);
    }
    host.nics.push_back(std::move(*nic));
    if (comma == rest.npos) return host;
    rest.remove_prefix(comma + 1);
  }
  return make_error(Errc::kInvalid, "--peer: more than {} addresses", kMaxPublished);
}

Result<TopoHost> read_peer(const std::string& text, const TopoHost& ours) {
  if (text.empty()) return make_error(Errc::kInvalid, "--peer \"\": empty; {}", kExpected);
  if (text == "-") {
    auto bytes = content(STDIN_FILENO, "stdin");
    if (!bytes) return bytes.error();
    return peer_of_json(*bytes, "stdin");
  }
  if (begins_with_address(text)) return peer_of_addresses(text, ours);
  const auto file = open_file(text);
  if (!file) return file.error();
  auto bytes = content(file->get(), text);
  if (!bytes) return bytes.error();
  return peer_of_json(*bytes, text);
}

}  // namespace hawser::tools
