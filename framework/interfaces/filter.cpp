// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "framework/interfaces/filter.hpp"

#include <algorithm>
#include <charconv>
#include <map>

namespace hawser::interfaces {
namespace {

std::string_view trim(std::string_view text) noexcept {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

Result<Selector> parse_network(std::string_view entry, std::size_t slash) {
  Selector selector;
  selector.text = entry;
  selector.is_network = true;
  const auto network = IpAddress::parse(entry.substr(0, slash));
  const std::string_view digits = entry.substr(slash + 1);
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), selector.prefix);
  const bool number = read.ec == std::errc() && read.ptr == digits.data() + digits.size() && !digits.empty();
  if (!network || !number || selector.prefix > network->bits()) {
    return make_error(Errc::kInvalid, "\"{}\" is not a network: write it like 10.9.0.0/16 or fd00::/8",
                      entry);
  }
  selector.network = *network;
  return selector;
}

Result<Selector> parse_one(std::string_view entry) {
  if (entry.empty()) {
    return make_error(Errc::kInvalid, "an empty entry: write names or networks with single commas between");
  }
  if (const auto slash = entry.find('/'); slash != entry.npos) return parse_network(entry, slash);
  Selector selector;
  selector.text = entry;
  if (const auto address = IpAddress::parse(entry)) {  // an address alone means just that one
    selector.is_network = true;
    selector.network = *address;
    selector.prefix = address->bits();
  }
  return selector;
}

bool any_selects(const std::vector<Selector>& selectors, const Interface& interface) noexcept {
  return std::any_of(selectors.begin(), selectors.end(),
                     [&](const Selector& s) { return s.selects(interface); });
}

std::vector<Interface> without_family(const std::vector<Interface>& all, int disabled) {
  std::vector<Interface> kept;
  for (const Interface& interface : all) {
    if (static_cast<int>(interface.address.family) != disabled) kept.push_back(interface);
  }
  return kept;
}

// " that btl_tcp_disable_family = 6 leaves", if it leaves any out.
std::string family_text(const Wish& wish, std::string_view prefix) {
  if (wish.disable_family == 0) return "";
  return fmt::format(" that {}disable_family = {} leaves", prefix, wish.disable_family);
}

Result<Selected> included(const std::vector<Interface>& all, const Wish& wish, std::string_view prefix) {
  const auto selectors = parse_selectors(wish.include);
  if (!selectors) return make_error(Errc::kInvalid, "{}if_include: {}", prefix, selectors.error().text);
  Selected result;
  for (Interface interface : all) {
    if (!any_selects(*selectors, interface)) continue;
    interface.properties |= kNamed;
    result.interfaces.push_back(std::move(interface));
  }
  for (const Selector& selector : *selectors) {
    if (std::none_of(all.begin(), all.end(), [&](const Interface& i) { return selector.selects(i); })) {
      const std::string about = fmt::format("{}if_include: \"{}\" matches no interface{}", prefix,
                                            selector.text, family_text(wish, prefix));
      result.notes.push_back({about, fmt::format("{}; present: {}", about, list_text(all))});
    }
  }
  if (result.interfaces.empty()) {
    return make_error(Errc::kNotFound, "{}if_include = \"{}\" matches no usable address{}; present: {}",
                      prefix, wish.include, family_text(wish, prefix), list_text(all));
  }
  return result;
}

}  // namespace

bool Selector::selects(const Interface& interface) const noexcept {
  if (is_network) return interface.address.in_network(network, prefix);
  return interface.name == text || interface.label == text;
}

Result<std::vector<Selector>> parse_selectors(std::string_view list) {
  std::vector<Selector> result;
  if (trim(list).empty()) return result;
  for (;;) {
    const auto comma = list.find(',');
    auto selector = parse_one(trim(list.substr(0, comma)));
    if (!selector) return selector.error();
    result.push_back(std::move(*selector));
    if (comma == list.npos) return result;
    list.remove_prefix(comma + 1);
  }
}

Result<Selected> select(const std::vector<Interface>& all, const Wish& wish, std::string_view prefix) {
  const bool has_include = !trim(wish.include).empty();
  const bool has_exclude = !trim(wish.exclude).empty();
  if (has_include && has_exclude) {
    return make_error(Errc::kInvalid,
                      "{0}if_include = \"{1}\" and {0}if_exclude = \"{2}\" are both set: give one of them",
                      prefix, wish.include, wish.exclude);
  }
  if (wish.disable_family != 0 && wish.disable_family != 4 && wish.disable_family != 6) {
    return make_error(Errc::kInvalid, "{}disable_family = {}: it is 0, 4 or 6", prefix, wish.disable_family);
  }
  const std::vector<Interface> allowed = without_family(all, wish.disable_family);
  if (has_include) return included(allowed, wish, prefix);
  const auto excluded = parse_selectors(wish.exclude);
  if (!excluded) return make_error(Errc::kInvalid, "{}if_exclude: {}", prefix, excluded.error().text);
  Selected result;
  for (const Interface& interface : allowed) {
    if (!any_selects(*excluded, interface)) result.interfaces.push_back(interface);
  }
  if (result.interfaces.empty()) {
    return make_error(Errc::kNotFound,
                      "no usable address is left ({0}if_exclude = \"{1}\", {0}disable_family = {2}); "
                      "present: {3}",
                      prefix, wish.exclude, wish.disable_family, list_text(all));
  }
  return result;
}

std::vector<Interface> without_needless(const std::vector<Interface>& all) {
  std::vector<Interface> kept;
  for (const auto& interface : all) {
    const bool link_local = interface.address.scope() == Scope::kLink;
    const bool has_other = std::any_of(all.begin(), all.end(), [&](const Interface& other) {
      return other.index == interface.index && other.address.scope() != Scope::kLink;
    });
    if (!link_local || !has_other || interface.has(kNamed)) kept.push_back(interface);
  }
  return kept;
}

std::string list_text(const std::vector<Interface>& all) {
  if (all.empty()) return "none";
  std::map<std::string, std::string> by_name;
  for (const Interface& interface : all) {
    std::string& addresses = by_name[interface.name];
    if (!addresses.empty()) addresses += ", ";
    addresses += fmt::format("{}/{}", interface.address.text(), interface.prefix);
  }
  std::string text;
  for (const auto& [name, addresses] : by_name) {
    if (!text.empty()) text += ", ";
    text += fmt::format("{} ({})", name, addresses);
  }
  return text;
}

}  // namespace hawser::interfaces
