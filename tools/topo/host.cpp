// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/topo/host.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace hawser::tools {

namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// What is left of a number without zeros in front; longer is larger.
std::string_view take_number(std::string_view& text) {
  std::size_t end = 0;
  while (end < text.size() && is_digit(text[end])) ++end;
  std::string_view number = text.substr(0, end);
  text.remove_prefix(end);
  number.remove_prefix(std::min(number.find_first_not_of('0'), number.size()));
  return number;
}

// "dum12": "dum" and 12. Numbers that would not come out the same again are part of the stem.
struct Numbered {
  std::string_view stem;
  std::uint64_t number = 0;
  bool has_number = false;
};

Numbered split(std::string_view name) {
  constexpr std::size_t kDigits = 9;
  std::size_t at = name.size();
  while (at > 0 && is_digit(name[at - 1])) --at;
  std::string_view digits = name.substr(at);
  if (digits.empty() || digits.size() > kDigits || (digits.size() > 1 && digits[0] == '0')) return {name};
  Numbered result{name.substr(0, at), 0, true};
  for (char c : digits) result.number = result.number * 10 + static_cast<std::uint64_t>(c - '0');
  return result;
}

// How many names from `first` on count up with one stem.
std::size_t run_length(const std::vector<std::string>& names, std::size_t first) {
  Numbered start = split(names[first]);
  std::size_t length = 1;
  for (; start.has_number && first + length < names.size(); ++length) {
    Numbered next = split(names[first + length]);
    if (!next.has_number || next.stem != start.stem || next.number != start.number + length) break;
  }
  return length;
}

int group_of(const TopoNic& nic) {
  if (nic.properties & interfaces::kLoopback) return 3;
  if (!nic.used()) return 2;
  return penalties(nic) ? 1 : 0;
}

// Bytes of the UTF-8 sequence at the start of `text`; 0: there is none, or it is a control character.
std::size_t printable(std::string_view text) {
  auto byte = [text](std::size_t at) { return static_cast<unsigned char>(text[at]); };
  if (byte(0) < 0x20 || byte(0) == 0x7f) return 0;
  if (byte(0) < 0x80) return 1;
  std::size_t length = byte(0) >= 0xf0 ? 4 : byte(0) >= 0xe0 ? 3 : 2;
  if (byte(0) < 0xc2 || byte(0) > 0xf4 || text.size() < length) return 0;
  std::uint32_t code = byte(0) & (0x7fu >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
    code = code << 6 | (byte(i) & 0x3fu);
  }
  constexpr std::uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  bool surrogate = code >= 0xd800 && code < 0xe000;
  bool control = code < 0xa0 || (code >= 0x200b && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069) ||
                 code == 0xfeff || (code & 0xfffe) == 0xfffe;
  return code < kLeast[length] || code > 0x10ffff || surrogate || control ? 0 : length;
}

}  // namespace

bool TopoNic::used() const {
  return std::ranges::any_of(addresses, &TopoAddress::used);
}

std::size_t TopoHost::used_addresses() const {
  std::size_t count = 0;
  for (const auto& nic : nics) {
    count += static_cast<std::size_t>(std::ranges::count_if(nic.addresses, &TopoAddress::used));
  }
  return count;
}

const TopoNic* TopoHost::nic(std::uint32_t index) const {
  auto found = std::ranges::find(nics, index, &TopoNic::index);
  return found == nics.end() ? nullptr : &*found;
}

std::uint32_t penalties(const TopoNic& nic) {
  using namespace interfaces;
  return nic.properties & (kBridgeWithoutPorts | kNoCarrier | kTunnel | kPointToPoint | kNoNeighbours);
}

bool natural_less(std::string_view a, std::string_view b) {
  std::string_view whole_a = a;
  std::string_view whole_b = b;
  while (!a.empty() && !b.empty()) {
    if (is_digit(a[0]) && is_digit(b[0])) {
      std::string_view left = take_number(a);
      std::string_view right = take_number(b);
      if (left.size() != right.size()) return left.size() < right.size();
      if (left != right) return left < right;
    } else if (a[0] != b[0]) {
      return a[0] < b[0];
    } else {
      a.remove_prefix(1);
      b.remove_prefix(1);
    }
  }
  if (a.empty() != b.empty()) return a.empty();
  return whole_a < whole_b;
}

void sort_nics(std::vector<TopoNic>& nics) {
  std::ranges::sort(nics, [](const TopoNic& a, const TopoNic& b) {
    int left = group_of(a);
    int right = group_of(b);
    if (left != right) return left < right;
    if (a.speed_mbps != b.speed_mbps) return a.speed_mbps > b.speed_mbps;
    if (a.name != b.name) return natural_less(a.name, b.name);
    return a.index < b.index;
  });
}

std::string fold_names(std::vector<std::string> names) {
  constexpr std::size_t kWorthFolding = 3;
  std::ranges::sort(names, natural_less);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  std::string out;
  for (std::size_t i = 0; i < names.size();) {
    std::size_t length = run_length(names, i);
    if (!out.empty()) out += ", ";
    if (length >= kWorthFolding) {
      out += names[i] + ".." + names[i + length - 1];
      i += length;
    } else {
      out += names[i++];
    }
  }
  return out;
}

std::string speed_text(std::uint32_t mbps) {
  if (mbps == 0) return "unknown";
  if (mbps < 1000) return fmt::format("{} Mbit/s", mbps);
  return fmt::format("{:.4g} Gbit/s", mbps / 1000.0);
}

std::string clean(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    std::size_t length = printable(text);
    out += length == 0 ? std::string_view("?") : text.substr(0, length);
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return out;
}

}  // namespace hawser::tools
