// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/top/top.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>

#include "framework/base/clock.hpp"
#include "tools/common/terminal.hpp"
#include "tools/top/find.hpp"
#include "tools/top/report.hpp"

namespace hawser::tools {

namespace {

constexpr double kUsualInterval = 1;    // seconds
constexpr double kLeastInterval = 0.1;  // seconds

struct Options {
  std::string target;
  bool once = false;
  bool json = false;
  double interval = 0;  // seconds; 0: not given
};

using Watches = std::map<pid_t, Watch>;

/// Until the interval is over, or all of them have ended.
void wait_for_next(const Watches& watches, double seconds) {
  const std::uint64_t end = now_ns() + static_cast<std::uint64_t>(seconds * 1e9);
  std::vector<pollfd> running;
  for (const auto& [pid, watch] : watches) running.push_back({watch.process_fd(), POLLIN, 0});
  while (!running.empty()) {
    const std::uint64_t now = now_ns();
    if (now >= end) return;
    const int left_ms = static_cast<int>((end - now) / 1'000'000) + 1;
    if (::poll(running.data(), running.size(), left_ms) <= 0) continue;
    std::erase_if(running, [](const pollfd& one) { return one.revents != 0; });
  }
}

Looks look_at_all(const Watches& watches) {
  Looks looks;
  for (const auto& [pid, watch] : watches) looks.emplace(pid, watch.look());
  return looks;
}

/// Cut to what the terminal has room for.
std::string cut(const std::string& text) {
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_row < 4) return text;
  std::size_t end = 0;
  for (unsigned line = 0; line + 2 < size.ws_row; ++line) {
    end = text.find('\n', end);
    if (end == std::string::npos) return text;
    ++end;
  }
  const auto more = std::count(text.begin() + static_cast<std::ptrdiff_t>(end), text.end(), '\n');
  return more == 0 ? text : text.substr(0, end) + fmt::format("... and {} lines more\n", more);
}

bool print(const std::string& text) {
  return std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
}

std::string report(const Looks& looks, const Looks& before, const Options& options) {
  if (options.json) return looks_json(looks, before);
  return ranks_text(looks, before, wants_colour());
}

/// One table after the other: on a terminal each in the place of the one before.
int follow(const Target& target, Watches& watches, const Options& options) {
  const bool terminal = ::isatty(STDOUT_FILENO) == 1 && wants_colour() && !options.json;
  const double interval = options.interval == 0 ? kUsualInterval : options.interval;
  Looks before;
  for (bool first = true;; first = false) {
    const Looks looks = look_at_all(watches);
    const std::string text = report(looks, before, options);
    const std::string lead = terminal ? "\x1b[H\x1b[2J" : first || options.json ? "" : "\n";
    if (!print(lead + (terminal ? cut(text) : text))) return 0;  // nobody reads it any more
    before = looks;
    wait_for_next(watches, interval);
    if (!target.update(watches)) break;
  }
  if (!options.json) print("It has ended.\n");
  return 0;
}

int show_once(const Watches& watches, const Options& options) {
  Looks before;
  if (options.interval != 0) {
    before = look_at_all(watches);
    wait_for_next(watches, options.interval);
  }
  print(report(look_at_all(watches), before, options));
  return 0;
}

int show(const Options& options) {
  Watches watches;
  if (options.target.empty()) {
    watches = find_ranks();
    const Looks looks = look_at_all(watches);
    print(options.json ? looks_json(looks, {}) : jobs_text(looks, wants_colour()));
    return 0;
  }
  auto target = Target::parse(options.target);
  auto found = target ? target->update(watches) : Result<void>(target.error());
  if (!found) {
    fmt::print(stderr, "hawser top: {}\n", found.error().text);
    return 1;
  }
  return options.once ? show_once(watches, options) : follow(*target, watches, options);
}

}  // namespace

int top_main(int argc, char** argv) {
  CLI::App app(
      "What a running job does: its ranks, their queues and rails. The job is not stopped, and does not "
      "notice.",
      "hawser top");
  Options options;
  auto* target =
      app.add_option(
             "target", options.target,
             "a rank by its process; or a job by its name, the beginning of it, or the process of its "
             "launcher. Without it: which jobs there are, once")
          ->type_name("PID|JOB");
  app.add_flag("--once", options.once,
               "one table, and no more; with --interval two looks so far apart, for rates");
  app.add_flag("--json", options.json, "for programs: each look as one line of JSON");
  app.add_option("--interval", options.interval, "between two looks; usually 1")
      ->needs(target)
      ->type_name("SECONDS")
      ->check(CLI::Range(kLeastInterval, 86400.0));
  app.footer(
      "posted: receives that wait for a message; unexpected: messages that wait for a receive; ahead: "
      "messages that "
      "came before their turn; pending: messages that found no room on any rail; transfers: long ones "
      "likewise; "
      "unacknowledged: kept until the peer says that it has them. Counters are of what a rank sends.");
  try {
    app.parse(argc, argv);
    return show(options);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  } catch (const std::exception& failure) {
    fmt::print(stderr, "hawser top: {}\n", failure.what());
    return 1;
  }
}

}  // namespace hawser::tools
