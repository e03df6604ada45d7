// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/perf/options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <optional>

namespace hawser::tools {

namespace {

constexpr std::uint64_t kLargest = std::uint64_t{64} << 20;
constexpr const char* kExamples =
    "Examples:\n"
    "  hawser perf                                        shm and tcp, MPI level, 1 B to 64 MiB\n"
    "  hawser perf --level btl --transport shm --sizes 8,64,4K\n"
    "  hawser perf --json before.json                     keep it, and later:\n"
    "  hawser perf --compare before.json --svg both.svg   a picture of both\n"
    "\n"
    "Latency is half a round trip. For the message rate, up to 64 messages (and 64 MiB) are under way at a "
    "time.\n"
    "At the BTL and the BML level messages go to handlers that do not copy them.\n";

std::optional<std::uint64_t> size_of(const std::string& word) {
  char* end = nullptr;
  const std::uint64_t number = std::strtoull(word.c_str(), &end, 10);
  std::string unit = end;
  if (word.empty() || word[0] < '0' || word[0] > '9' || unit.size() > 1) return std::nullopt;
  const std::uint64_t factor = unit.empty() ? 1 : unit == "K" ? 1 << 10 : unit == "M" ? 1 << 20 : 0;
  if (factor == 0 || number < 1 || number > kLargest / factor) return std::nullopt;
  return number * factor;
}

/// "8,64,4K" or, for powers of two, "1:64M". Empty: it is neither.
std::vector<std::uint64_t> sizes_of(const std::string& text) {
  std::vector<std::uint64_t> sizes;
  if (const auto colon = text.find(':'); colon != std::string::npos) {
    const auto first = size_of(text.substr(0, colon)), last = size_of(text.substr(colon + 1));
    if (!first || !last) return {};
    for (std::uint64_t size = *first; size <= *last; size *= 2) sizes.push_back(size);
    return sizes;
  }
  for (const std::string& word : CLI::detail::split(text, ',')) {
    const auto size = size_of(word);
    if (!size) return {};
    sizes.push_back(*size);
  }
  std::ranges::sort(sizes);
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  return sizes;
}

struct Raw {
  std::string sizes = "1:64M";
  std::string test = "both";
  std::string transports = "shm,tcp";
};

void declare(CLI::App& app, PerfOptions& options, Raw& raw) {
  app.add_option("--transport", raw.transports, "BTLs to measure, one after the other")
      ->capture_default_str()
      ->option_text("NAME,...");
  app.add_option("--level", options.plan.level,
                 "of the stack: a module's messages, all rails of a peer, or MPI")
      ->check(CLI::IsMember({"btl", "bml", "mpi"}))
      ->capture_default_str()
      ->option_text("btl|bml|mpi");
  app.add_option("--test", raw.test, "what to measure")
      ->check(CLI::IsMember({"latency", "rate", "both"}))
      ->capture_default_str()
      ->option_text("latency|rate|both");
  app.add_option("--sizes", raw.sizes,
                 "bytes of a message, 1 to 64M: a list, or powers of two from one to another")
      ->capture_default_str()
      ->option_text("N,...|FROM:TO");
  app.add_option("--seconds", options.plan.seconds, "for each figure")
      ->check(CLI::Range(0.0001, 60.0))
      ->capture_default_str();
  app.add_option("--json", options.json, "write the figures to a file (- is stdout, in place of the text)")
      ->option_text("FILE");
  app.add_option("--svg", options.svg, "write a picture to a file (- is stdout, in place of the text)")
      ->option_text("FILE");
  app.add_option("--compare", options.compare, "set an earlier run beside this one: a file that --json wrote")
      ->option_text("FILE");
  app.add_option("--wrap", options.wrap, "as for `hawser run`: put this before each rank's program")
      ->option_text("COMMAND");
  add_given_options(app, options.given);
  app.footer(kExamples);
}

/// "" or what is wrong.
std::string take(const Raw& raw, PerfOptions& out) {
  out.plan.sizes = sizes_of(raw.sizes);
  if (out.plan.sizes.empty())
    return fmt::format("--sizes {}: neither a list as in 8,64,4K nor a range as in 1:64M; 1 B to 64 MiB",
                       raw.sizes);
  out.transports = CLI::detail::split(raw.transports, ',');
  for (const std::string& name : out.transports) {
    if (name.empty() || name == "self")
      return fmt::format("--transport {}: names BTLs that join two ranks, as in shm,tcp", raw.transports);
  }
  for (const auto& [name, value] : out.given.mca) {
    if (name == "btl") return "--mca btl: here --transport says which BTLs are used";
  }
  if (out.json == "-" && out.svg == "-") return "--json - and --svg - both write to stdout";
  out.plan.latency = raw.test != "rate";
  out.plan.rate = raw.test != "latency";
  return "";
}

}  // namespace

int parse_perf(int argc, char** argv, PerfOptions& out, bool& go_on) {
  CLI::App app("Latency, bandwidth and message rate between two ranks that are started for it.",
               "hawser perf");
  Raw raw;
  declare(app, out, raw);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  const std::string wrong = take(raw, out);
  go_on = wrong.empty();
  if (!go_on) fmt::print(stderr, "hawser perf: {}\n", wrong);
  return 2;
}

std::vector<std::string> PerfPlan::words() const {
  std::vector<std::string> out{kPerfRankWord, level, latency ? "1" : "0", rate ? "1" : "0",
                               fmt::format("{}", seconds)};
  for (const std::uint64_t size : sizes) out.push_back(fmt::format("{}", size));
  return out;
}

bool parse_perf_rank(int argc, char** argv, PerfPlan& out) {
  if (argc < 7) return false;
  out.level = argv[2];
  out.latency = argv[3][0] == '1';
  out.rate = argv[4][0] == '1';
  out.seconds = std::atof(argv[5]);
  for (int i = 6; i < argc; ++i) {
    const auto size = size_of(argv[i]);
    if (!size) return false;
    out.sizes.push_back(*size);
  }
  return true;
}

}  // namespace hawser::tools
