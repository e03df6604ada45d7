// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/run/arguments.hpp"

#include <fmt/format.h>

#include <string_view>

#include "framework/mca/nearest.hpp"

namespace hawser::tools {
namespace {

struct Known {
  const char* typed;  // without dashes
  const char* name;   // what CLI11 sees; null: understood, and refused
  int values;
};

constexpr Known kKnown[] = {
    {"n", "n", 1},
    {"np", "n", 1},
    {"c", "n", 1},
    {"mca", "mca", 2},
    {"gmca", "mca", 2},
    {"tune", "tune", 1},
    {"x", "x", 1},
    {"bind-to", "bind-to", 1},
    {"tag-output", "tag-output", 0},
    {"timeout", "timeout", 1},
    {"wrap", "wrap", 1},
    {"wdir", "wdir", 1},
    {"wd", "wdir", 1},
    {"oversubscribe", "oversubscribe", 0},
    {"allow-run-as-root", "allow-run-as-root", 0},
    {"stdin", "stdin", 1},
    {"q", "quiet", 0},
    {"quiet", "quiet", 0},
    {"version", "version", 0},
    {"V", "version", 0},
    {"help", "help", 0},
    {"h", "help", 0},
    {"host", nullptr, 1},
    {"H", nullptr, 1},
    {"hostfile", nullptr, 1},
    {"machinefile", nullptr, 1},
};

const Known* find(std::string_view typed) {
  for (const Known& known : kKnown) {
    if (typed == known.typed) return &known;
  }
  return nullptr;
}

Failure unknown(const std::string& word, std::string_view typed) {
  std::vector<std::string> names;
  for (const Known& known : kKnown) {
    if (known.name) names.emplace_back(known.typed);
  }
  const std::string near = mca::nearest(typed, names);
  if (near.empty()) return {fmt::format("there is no option {}; see hawser run --help", word)};
  return {
      fmt::format("there is no option {}; did you mean {}{}?", word, near.size() == 1 ? "-" : "--", near)};
}

}  // namespace

std::optional<Failure> split_arguments(int argc, char** argv, Arguments& out) {
  int at = 1;
  for (; at < argc; ++at) {
    const std::string word = argv[at];
    if (word == "--") {
      ++at;
      break;
    }
    if (word.size() < 2 || word[0] != '-') break;
    std::string_view typed = std::string_view(word).substr(word[1] == '-' ? 2 : 1);
    const auto equals = typed.find('=');
    std::optional<std::string> value;
    if (equals != std::string_view::npos) {
      value = typed.substr(equals + 1);
      typed = typed.substr(0, equals);
    }
    const Known* known = find(typed);
    if (!known) return unknown(word, typed);
    if (!known->name) {
      return Failure{fmt::format("{} is not supported: hawser run starts ranks on this machine only", word)};
    }
    if (known->values == 0 && value) return Failure{fmt::format("{} takes no value", word)};
    for (int i = value ? 1 : 0; i < known->values; ++i) {
      if (++at >= argc) {
        return Failure{
            fmt::format("{} needs {}", word, known->values == 2 ? "a NAME and a VALUE" : "a value")};
      }
      value = value ? *value + kPairMark + argv[at] : argv[at];
    }
    out.own.push_back(std::string("--") + known->name + (value ? "=" + *value : ""));
  }
  for (; at < argc; ++at) out.program.emplace_back(argv[at]);
  return std::nullopt;
}

}  // namespace hawser::tools
