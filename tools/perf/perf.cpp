// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/perf/perf.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <exception>
#include <fstream>

#include "framework/base/fd.hpp"
#include "tools/common/output.hpp"
#include "tools/common/terminal.hpp"
#include "tools/perf/options.hpp"
#include "tools/perf/results.hpp"

namespace hawser::tools {

namespace {

constexpr const char* kCommand = "hawser perf";

int fail(const std::string& text) {
  fmt::print(stderr, "{}: error: {}\n", kCommand, text);
  return 1;
}

/// On a terminal only; a correct run prints nothing but its figures.
class Progress {
 public:
  explicit Progress(std::size_t steps) : on_(::isatty(STDERR_FILENO) == 1), steps_(steps) {}
  ~Progress() { wipe(); }

  void show(const std::string& words) {
    if (!on_) return;
    constexpr std::size_t kWidth = 30;
    const std::size_t full = steps_ == 0 ? kWidth : kWidth * done_ / steps_;
    fmt::print(stderr, "\r\033[K[{}{}] {}", std::string(full, '#'), std::string(kWidth - full, '.'), words);
    std::fflush(stderr);
  }
  void step() { ++done_; }
  void wipe() {
    if (on_) fmt::print(stderr, "\r\033[K");
  }

 private:
  bool on_;
  std::size_t steps_;
  std::size_t done_ = 0;
};

std::string own_path() {
  char path[4096];
  const ssize_t size = ::readlink("/proc/self/exe", path, sizeof path);
  return size > 0 ? std::string(path, static_cast<std::size_t>(size)) : "hawser";
}

/// `hawser run` with this program as its two ranks.
std::vector<std::string> launch_words(const PerfOptions& options, const std::string& transport) {
  const std::string self = own_path();
  std::vector<std::string> out{self, "run", "-n", "2", "--bind-to", "core", "--stdin", "none"};
  out.insert(out.end(), {"--mca", "btl", "self," + transport});
  for (const auto& [name, value] : options.given.mca) out.insert(out.end(), {"--mca", name, value});
  for (const std::string& file : options.given.tune) out.insert(out.end(), {"--tune", file});
  if (!options.wrap.empty()) out.insert(out.end(), {"--wrap", options.wrap});
  out.insert(out.end(), {self, "perf"});
  for (std::string& word : options.plan.words()) out.push_back(std::move(word));
  return out;
}

/// Starts a command with its standard output in `out`. -1: errno says why.
pid_t start(std::vector<std::string> words, Fd& out) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return -1;
  out = Fd(ends[0]);
  const Fd other(ends[1]);
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const pid_t command = ::getpid();
  const pid_t pid = ::fork();
  if (pid == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);  // no ranks without the command that asked for them
    if (::getppid() != command) ::_exit(127);
    ::dup2(ends[1], STDOUT_FILENO);
    ::execv(argv[0], argv.data());
    ::_exit(127);
  }
  return pid;
}

/// Measures one transport. The exit status of the job; what it had to say it said itself.
int measure(const PerfOptions& options, PerfSeries& series, Progress& progress) {
  const auto words = [&](std::size_t at) {
    return at < options.plan.sizes.size()
               ? fmt::format("{}, {}", series.transport, size_words(options.plan.sizes[at]))
               : series.transport;
  };
  progress.show(words(0));
  Fd output;
  const pid_t pid = start(launch_words(options, series.transport), output);
  if (pid < 0) return fail(fmt::format("the ranks were not started: {}", std::strerror(errno)));
  std::FILE* lines = ::fdopen(output.release(), "r");
  char* line = nullptr;
  std::size_t room = 0;
  while (lines && ::getline(&line, &room, lines) > 0) {
    auto point = point_from_json(line);
    if (!point) continue;  // a program that starts the ranks for us says something of its own
    series.points.push_back(std::move(*point));
    progress.step();
    progress.show(words(series.points.size()));
  }
  std::free(line);
  if (lines) std::fclose(lines);
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFSIGNALED(status)) return 128 + WTERMSIG(status);
  return WEXITSTATUS(status);
}

PerfRun empty_run(const PerfOptions& options) {
  char host[256] = "unknown", date[32] = "";
  ::gethostname(host, sizeof host - 1);
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  ::gmtime_r(&now, &utc);
  std::strftime(date, sizeof date, "%Y-%m-%d %H:%M", &utc);
  return {options.plan.level, host, date, {}};
}

int run(const PerfOptions& options) {
  PerfRun earlier;
  if (!options.compare.empty()) {
    auto read = read_run(options.compare);
    if (!read) return fail(read.error().text);
    earlier = std::move(*read);
  }
  const PerfRun* const beside = options.compare.empty() ? nullptr : &earlier;
  PerfRun now = empty_run(options);
  Progress progress(options.transports.size() * options.plan.sizes.size());
  for (const std::string& transport : options.transports) {
    now.series.push_back({transport, {}});
    if (const int status = measure(options, now.series.back(), progress); status != 0) return status;
    if (now.series.back().points.size() != options.plan.sizes.size())
      return fail(fmt::format("{}: the ranks ended before all was measured", transport));
  }
  progress.wipe();
  int status = 0;
  if (!options.json.empty()) status = write_out(kCommand, options.json, run_json(now));
  if (!options.svg.empty())
    status = std::max(status, write_out(kCommand, options.svg, perf_svg(now, beside)));
  if (options.json != "-" && options.svg != "-")
    status = std::max(status, write_out(kCommand, "-", perf_text(now, beside)));
  return status;
}

}  // namespace

int perf_main(int argc, char** argv) {
  if (argc > 1 && std::strcmp(argv[1], kPerfRankWord) == 0) {
    PerfPlan plan;
    return parse_perf_rank(argc, argv, plan) ? run_perf_rank(plan)
                                             : fail("a rank was started with odd words");
  }
  PerfOptions options;
  bool go_on = false;
  const int status = parse_perf(argc, argv, options, go_on);
  try {
    return go_on ? run(options) : status;
  } catch (const std::exception& failure) {
    return fail(failure.what());
  }
}

}  // namespace hawser::tools
