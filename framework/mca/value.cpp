// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "framework/mca/value.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <limits>
#include <optional>

#include "framework/mca/nearest.hpp"

namespace hawser::mca {

namespace {

constexpr std::int64_t kMaxInt = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kMinInt = std::numeric_limits<std::int64_t>::min();

struct Unit {
  std::string_view suffix;
  std::uint64_t factor;
};

constexpr std::array kSizeUnits{Unit{"", 1},           Unit{"k", 1ull << 10},  Unit{"kb", 1ull << 10},
                                Unit{"m", 1ull << 20}, Unit{"mb", 1ull << 20}, Unit{"g", 1ull << 30},
                                Unit{"gb", 1ull << 30}};
constexpr std::array kTimeUnits{Unit{"ns", 1}, Unit{"us", 1'000}, Unit{"ms", 1'000'000},
                                Unit{"s", 1'000'000'000}, Unit{"min", 60'000'000'000}};

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

/// Digits at the front of a text, and what follows them.
struct Number {
  bool negative = false;
  std::uint64_t magnitude = 0;
  std::string_view rest;
};

Error refuse(std::string_view text, std::string_view what, const ParamRow& row) {
  return make_error(Errc::kInvalid, "\"{}\" {}; allowed: {}", text, what, allowed_text(row));
}

Result<Number> split_number(std::string_view text, const ParamRow& row) {
  Number number;
  std::string_view digits = text;
  if (!digits.empty() && (digits.front() == '-' || digits.front() == '+')) {
    number.negative = digits.front() == '-';
    digits.remove_prefix(1);
  }
  bool hex = digits.size() > 2 && digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X');
  if (hex) digits.remove_prefix(2);
  // from_chars takes no sign for an unsigned number, no blanks, and tells overflow apart.
  auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), number.magnitude, hex ? 16 : 10);
  if (error == std::errc::result_out_of_range) return refuse(text, "is too large a number", row);
  if (error != std::errc{}) return refuse(text, "is not a number", row);
  number.rest = digits.substr(static_cast<std::size_t>(end - digits.data()));
  return number;
}

/// The number with its sign, if it can be held at all.
std::optional<std::int64_t> signed_value(const Number& number, std::uint64_t factor) {
  std::uint64_t product = 0;
  if (__builtin_mul_overflow(number.magnitude, factor, &product)) return std::nullopt;
  if (!number.negative) {
    if (product > static_cast<std::uint64_t>(kMaxInt)) return std::nullopt;
    return static_cast<std::int64_t>(product);
  }
  if (product > static_cast<std::uint64_t>(kMaxInt) + 1) return std::nullopt;
  if (product == static_cast<std::uint64_t>(kMaxInt) + 1) return kMinInt;
  return -static_cast<std::int64_t>(product);
}

Result<std::int64_t> ranged(const Number& number, std::uint64_t factor, std::string_view text,
                            const ParamRow& row) {
  auto value = signed_value(number, factor);
  if (!value) return refuse(text, number.negative ? "is too small a number" : "is too large a number", row);
  if (*value < row.min) return refuse(text, "is too small", row);
  if (*value > row.max) return refuse(text, "is too large", row);
  return *value;
}

Result<Value> parse_bool(std::string_view text, const ParamRow& row) {
  static constexpr std::array<std::string_view, 5> kTrue{"true", "yes", "on", "enabled", "1"};
  static constexpr std::array<std::string_view, 5> kFalse{"false", "no", "off", "disabled", "0"};
  std::string word = lower(text);
  if (std::ranges::find(kTrue, word) != kTrue.end()) return Value(true);
  if (std::ranges::find(kFalse, word) != kFalse.end()) return Value(false);
  return refuse(text, "is neither true nor false", row);
}

Result<Value> parse_int(std::string_view text, const ParamRow& row) {
  auto number = split_number(text, row);
  if (!number) return number.error();
  if (!number->rest.empty()) return refuse(text, "is not a whole number", row);
  auto value = ranged(*number, 1, text, row);
  if (!value) return value.error();
  return Value(*value);
}

Result<std::uint64_t> factor_of(std::string_view suffix, std::string_view text, const ParamRow& row) {
  std::string wanted = lower(trim(suffix));
  bool time = row.type == ParamType::kTime;
  if (time && wanted.empty()) wanted = row.unit;
  auto look = [&](const auto& units) -> std::optional<std::uint64_t> {
    for (const Unit& unit : units) {
      if (unit.suffix == wanted) return unit.factor;
    }
    return std::nullopt;
  };
  auto factor = time ? look(kTimeUnits) : look(kSizeUnits);
  if (factor) return *factor;
  const char* known = time ? "has no unit of time; units are ns, us, ms, s and min"
                           : "has no unit of size; units are k, m and g (1k is 1024), also kb, mb and gb";
  return refuse(text, known, row);
}

Result<Value> parse_scaled(std::string_view text, const ParamRow& row) {
  if (std::string_view(row.choices) == "auto" && text == "auto") return Value(kAuto);
  auto number = split_number(text, row);
  if (!number) return number.error();
  auto factor = factor_of(number->rest, text, row);
  if (!factor) return factor.error();
  auto value = ranged(*number, *factor, text, row);
  if (!value) return value.error();
  if (*value < 0) return refuse(text, "is negative", row);
  return Value(static_cast<std::uint64_t>(*value));
}

Result<Value> parse_choice(std::string_view text, const ParamRow& row) {
  auto words = choice_words(row);
  if (std::ranges::find(words, text) != words.end()) return Value(std::string(text));
  return make_error(Errc::kInvalid, "\"{}\" is not known; allowed: {}{}", text, allowed_text(row),
                    did_you_mean(text, words));
}

/// A bound in the largest unit that divides it: 65536 is 64k.
template <class Units>
std::string in_units(std::int64_t value, const Units& units) {
  const Unit* best = nullptr;
  for (const Unit& unit : units) {
    bool fits = value != 0 && value % static_cast<std::int64_t>(unit.factor) == 0;
    if (fits && (!best || unit.factor > best->factor)) best = &unit;
  }
  if (!best) return fmt::format("{}", value);
  return fmt::format("{}{}", value / static_cast<std::int64_t>(best->factor), best->suffix);
}

std::string bound_text(std::int64_t value, ParamType type) {
  if (type == ParamType::kSize) return in_units(value, kSizeUnits);
  if (type == ParamType::kTime) return in_units(value, kTimeUnits);
  return fmt::format("{}", value);
}

std::string range_text(const ParamRow& row) {
  bool open_low = row.min == kMinInt;
  bool open_high = row.max == kMaxInt;
  std::string low = bound_text(row.min, row.type);
  std::string high = bound_text(row.max, row.type);
  std::string range;
  if (open_low && open_high) {
    range = "any whole number";
  } else if (open_high) {
    range = low + " or more";
  } else if (open_low) {
    range = high + " or less";
  } else {
    range = low + " to " + high;
  }
  // Times carry their unit already.
  if (row.type != ParamType::kTime && row.unit[0] != '\0') range += fmt::format(" {}", row.unit);
  if (row.choices[0] != '\0') range += fmt::format(", or {}", row.choices);
  return range;
}

}  // namespace

Result<Value> parse_value(const ParamRow& row, std::string_view text) {
  switch (row.type) {
    case ParamType::kBool:
      return parse_bool(text, row);
    case ParamType::kInt:
      return parse_int(text, row);
    case ParamType::kSize:
    case ParamType::kTime:
      return parse_scaled(text, row);
    case ParamType::kString:
      return Value(std::string(text));
    case ParamType::kChoice:
      return parse_choice(text, row);
  }
  return make_error(Errc::kUnsupported, "type {} of parameters is unknown",
                    static_cast<std::uint32_t>(row.type));
}

std::string allowed_text(const ParamRow& row) {
  switch (row.type) {
    case ParamType::kBool:
      return "true, yes, on, enabled, 1, or false, no, off, disabled, 0";
    case ParamType::kInt:
    case ParamType::kSize:
    case ParamType::kTime:
      return range_text(row);
    case ParamType::kString:
      return "any text";
    case ParamType::kChoice:
      return fmt::format("{}", fmt::join(choice_words(row), ", "));
  }
  return "";
}

std::vector<std::string> choice_words(const ParamRow& row) {
  std::vector<std::string> words;
  std::string_view rest = row.choices;
  while (!rest.empty()) {
    std::size_t bar = rest.find('|');
    words.emplace_back(rest.substr(0, bar));
    rest = bar == std::string_view::npos ? std::string_view{} : rest.substr(bar + 1);
  }
  return words;
}

const char* to_text(ParamType type) noexcept {
  switch (type) {
    case ParamType::kBool:
      return "bool";
    case ParamType::kInt:
      return "int";
    case ParamType::kSize:
      return "size";
    case ParamType::kTime:
      return "time";
    case ParamType::kString:
      return "string";
    case ParamType::kChoice:
      return "choice";
  }
  return "unknown";
}

std::string_view trim(std::string_view text) noexcept {
  constexpr std::string_view kBlanks = " \t\r\n\v\f";
  std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

}  // namespace hawser::mca
