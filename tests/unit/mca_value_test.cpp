// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
// The one parser of values.
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>

#include "framework/mca/value.hpp"

namespace hawser::mca {
namespace {

bool g_bool;
std::int64_t g_int;
std::uint64_t g_unsigned;
const char* g_text;

const ParamRow kBoolRow = param_bool("b", &g_bool, "false", 1, "a switch");
const ParamRow kPort = param_int("port_min", &g_int, "1024", {1, 65535}, 1, "a port");
const ParamRow kAny = param_int("any", &g_int, "0", {}, 1, "a number");
const ParamRow kEager = param_size("eager", &g_unsigned, "64k", {64, 16 << 20}, 1, "a size");
const ParamRow kBig =
    param_size("big", &g_unsigned, "0", {0, std::numeric_limits<std::int64_t>::max()}, 1, "a size");
const ParamRow kWait = param_time("wait", &g_unsigned, "1s", {1'000, 3'600'000'000'000}, 1, "a time", "ms");
const ParamRow kSpin = param_time_or_auto("spin", &g_unsigned, "auto", {0, 1'000'000'000}, 1, "a time", "us");
const ParamRow kChoice = param_choice("mode", &g_text, "warn", "warn|ignore|error", 1, "a word");
const ParamRow kText = param_string("text", &g_text, "", 1, "a text");

struct Good {
  const ParamRow* row;
  const char* text;
  Value value;
};
struct Bad {
  const ParamRow* row;
  const char* text;
  const char* says;
};

TEST(Value, TakesWhatIsAllowed) {
  const Good table[] = {
      {&kBoolRow, "true", true},
      {&kBoolRow, "YES", true},
      {&kBoolRow, "on", true},
      {&kBoolRow, "Enabled", true},
      {&kBoolRow, "1", true},
      {&kBoolRow, "false", false},
      {&kBoolRow, "no", false},
      {&kBoolRow, "off", false},
      {&kBoolRow, "disabled", false},
      {&kBoolRow, "0", false},
      {&kPort, "1", std::int64_t{1}},
      {&kPort, "65535", std::int64_t{65535}},
      {&kPort, "0x10", std::int64_t{16}},
      {&kPort, "+7", std::int64_t{7}},
      {&kPort, "0010", std::int64_t{10}},
      {&kAny, "-5", std::int64_t{-5}},
      {&kAny, "9223372036854775807", std::numeric_limits<std::int64_t>::max()},
      {&kAny, "-9223372036854775808", std::numeric_limits<std::int64_t>::min()},
      {&kEager, "64", std::uint64_t{64}},
      {&kEager, "64k", std::uint64_t{65536}},
      {&kEager, "64kb", std::uint64_t{65536}},
      {&kEager, "64K", std::uint64_t{65536}},
      {&kEager, "64 KB", std::uint64_t{65536}},
      {&kEager, "1m", std::uint64_t{1} << 20},
      {&kEager, "16M", std::uint64_t{16} << 20},
      {&kBig, "2g", std::uint64_t{2} << 30},
      {&kBig, "0x10", std::uint64_t{16}},
      {&kBig, "0x10k", std::uint64_t{16384}},
      {&kBig, "0x10b", std::uint64_t{0x10b}},
      {&kBig, "0", std::uint64_t{0}},
      {&kWait, "5", std::uint64_t{5'000'000}},
      {&kWait, "5us", std::uint64_t{5'000}},
      {&kWait, "5000ns", std::uint64_t{5'000}},
      {&kWait, "2 s", std::uint64_t{2'000'000'000}},
      {&kWait, "60min", std::uint64_t{3'600'000'000'000}},
      {&kSpin, "auto", kAuto},
      {&kSpin, "0", std::uint64_t{0}},
      {&kSpin, "20", std::uint64_t{20'000}},
      {&kChoice, "ignore", std::string("ignore")},
      {&kText, "", std::string()},
      {&kText, "a b", std::string("a b")},
  };
  for (const Good& good : table) {
    auto value = parse_value(*good.row, good.text);
    ASSERT_TRUE(value) << good.row->name << " = " << good.text << ": " << value.error().text;
    EXPECT_EQ(*value, good.value) << good.row->name << " = " << good.text;
  }
}

TEST(Value, RefusesWhatIsNot) {
  const Bad table[] = {
      {&kBoolRow, "", "neither true nor false"},
      {&kBoolRow, "2", "neither"},
      {&kBoolRow, "tru", "neither"},
      {&kPort, "", "not a number"},
      {&kPort, "0", "too small; allowed: 1 to 65535"},
      {&kPort, "70000", "too large"},
      {&kPort, "-1", "too small"},
      {&kPort, "12x", "not a whole number"},
      {&kPort, "1 2", "not a whole number"},
      {&kPort, "1k", "not a whole number"},
      {&kPort, "1.5", "not a whole number"},
      {&kPort, "many", "not a number"},
      {&kPort, "0x", "not a whole number"},
      {&kPort, "- 5", "not a number"},
      {&kPort, "--5", "not a number"},
      {&kPort, "1000000000000000000000000", "too large a number"},
      {&kAny, "9223372036854775808", "too large a number"},
      {&kAny, "-9223372036854775809", "too small a number"},
      {&kEager, "63", "too small; allowed: 64 to 16m bytes"},
      {&kEager, "16777217", "too large"},
      {&kEager, "17m", "too large"},
      {&kEager, "64q", "units are k, m and g"},
      {&kEager, "64kk", "units are"},
      {&kEager, "k", "not a number"},
      {&kEager, "-1", "too small"},
      {&kEager, "1,000", "units are"},
      {&kEager, "64:128", "units are"},
      {&kBig, "17179869184g", "too large a number"},
      {&kBig, "18446744073709551616", "too large a number"},
      {&kBig, "18446744073709551615", "too large a number"},
      {&kEager, "auto", "not a number"},
      {&kWait, "5 hours", "units are ns, us, ms, s and min"},
      {&kWait, "1ns", "too small; allowed: 1us to 60min"},
      {&kWait, "auto", "not a number"},
      {&kSpin, "automatic", "allowed: 0 to 1s, or auto"},
      {&kChoice, "eror", "did you mean \"error\"?"},
      {&kChoice, "WARN", "allowed: warn, ignore, error"},
      {&kChoice, "", "allowed: warn, ignore, error"},
      {&kChoice, "warn|ignore", "not known"},
  };
  for (const Bad& bad : table) {
    auto value = parse_value(*bad.row, bad.text);
    ASSERT_FALSE(value) << bad.row->name << " = " << bad.text;
    EXPECT_EQ(value.error().code, Errc::kInvalid);
    EXPECT_NE(value.error().text.find(bad.says), std::string::npos)
        << bad.row->name << " = " << bad.text << ": " << value.error().text;
  }
}

}  // namespace
}  // namespace hawser::mca
