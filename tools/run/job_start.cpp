// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
// Starting: signals, environment, sockets and pipes, processes.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/epoll.h>
#include <sys/random.h>
#include <sys/signalfd.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <map>
#include <string_view>

#include "framework/modex/cores.hpp"
#include "tools/run/job.hpp"

extern char** environ;

namespace hawser::tools {
namespace {

constexpr unsigned kDescriptorsPerRank = 3, kDescriptorsBeside = 20;
constexpr int kControlFdFrom = 60;  // out of the way of shell scripts, which use small numbers

/// Variables of a launcher above us that must not reach our ranks.
bool is_ours(std::string_view entry) {
  static constexpr std::string_view kNames[] = {
      "HAWSER_CONTROL_FD=",    "HAWSER_RANK=",          "HAWSER_SIZE=",
      "HAWSER_LOCAL_RANK=",    "HAWSER_LAUNCH_MCA=",    "HAWSER_LAUNCH_TUNE=",
      "OMPI_COMM_WORLD_RANK=", "OMPI_COMM_WORLD_SIZE=", "OMPI_COMM_WORLD_LOCAL_RANK="};
  return std::any_of(std::begin(kNames), std::end(kNames),
                     [&](auto name) { return entry.starts_with(name); });
}

std::vector<std::string> make_base_environment(const Options& options) {
  std::vector<std::string> all;
  for (char** entry = environ; *entry; ++entry) {
    const std::string_view text = *entry;
    const bool replaced = std::any_of(options.variables.begin(), options.variables.end(),
                                      [&](const auto& set) { return text.starts_with(set.first + "="); });
    if (!is_ours(text) && !replaced) all.emplace_back(text);
  }
  std::map<std::string, std::string> set;
  for (const auto& [name, value] : options.variables) set[name] = value;  // the last one counts
  for (const auto& [name, value] : set) all.push_back(name + "=" + value);
  std::string mca;
  for (const auto& [name, value] : options.mca) mca += (mca.empty() ? "" : "\x1f") + name + "=" + value;
  if (!mca.empty()) all.push_back("HAWSER_LAUNCH_MCA=" + mca);
  std::string tune;
  for (const std::string& file : options.tune) tune += (tune.empty() ? "" : ":") + file;
  if (!tune.empty()) all.push_back("HAWSER_LAUNCH_TUNE=" + tune);
  return all;
}

bool ignore(int signal) {
  struct sigaction before {};
  struct sigaction after {};
  after.sa_handler = SIG_IGN;
  ::sigaction(signal, &after, &before);
  return before.sa_handler == SIG_IGN;
}

/// The CPUs that we may use, one for each rank in turn.
std::vector<cpu_set_t> cores_to_bind() {
  std::vector<cpu_set_t> list;
  cpu_set_t mine;
  if (::sched_getaffinity(0, sizeof mine, &mine) != 0) return list;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (!CPU_ISSET(cpu, &mine)) continue;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    list.push_back(one);
  }
  return list;
}

struct Pipe {
  Fd read;
  Fd write;
  int open() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return errno;
    read.reset(ends[0]);
    write.reset(ends[1]);
    ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
    return 0;
  }
};

/// Our end and the rank's.
int open_control(Fd& ours, Fd& theirs) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return errno;
  ours.reset(ends[0]);
  theirs.reset(ends[1]);
  // Where no number is as high as that, the one it has must do.
  const int high = ::fcntl(ends[1], F_DUPFD_CLOEXEC, kControlFdFrom);
  if (high >= 0) theirs.reset(high);
  return 0;
}

}  // namespace

Job::Job(const Options& options, const Commands& commands)
    : options_(options),
      commands_(commands),
      out_(poll_, STDOUT_FILENO),
      err_(poll_, STDERR_FILENO),
      err_sink_(same_file(STDOUT_FILENO, STDERR_FILENO) ? &out_ : &err_),
      input_(poll_),
      job_{},
      ranks_(options.ranks),
      base_environment_(make_base_environment(options)) {
  std::array<char, 256> host{};
  ::gethostname(host.data(), host.size() - 1);
  host_ = host.data();
  job_.size = options.ranks;
  job_.local_size = options.ranks;
  job_.cores = modex::count_cores();
}

void Job::take_over_signals() {
  signals_.pipe_ignored = ignore(SIGPIPE);
  signals_.ttin_ignored = ignore(SIGTTIN);
  signals_.ttou_ignored = ignore(SIGTTOU);
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGCHLD, SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGTSTP, SIGCONT}) {
    sigaddset(&set, signal);
  }
  ::sigprocmask(SIG_BLOCK, &set, &signals_.mask);
  ::signal(SIGCHLD, SIG_DFL);  // an inherited "ignore" would reap the ranks behind our back
  signal_fd_.reset(::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
  poll_.add(signal_fd_.get(), EPOLLIN, [this](std::uint32_t) { on_signal(); });
}

/// The launcher holds three descriptors for each rank. Programs get the limit that the user has: select()
/// cannot go beyond 1024.
void Job::take_all_descriptors() {
  if (::getrlimit(RLIMIT_NOFILE, &open_files_) != 0) return;
  rlimit most = open_files_;
  most.rlim_cur = most.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &most);
}

std::string Job::why_not_started(std::uint32_t rank, int failed) const {
  if (failed == EMFILE) {
    return fmt::format(
        "rank {} of {} could not be started: the launcher may have {} open files and needs about {}; "
        "raise that limit (ulimit -n), or start fewer ranks",
        rank, options_.ranks, static_cast<unsigned long long>(open_files_.rlim_max),
        kDescriptorsPerRank * options_.ranks + kDescriptorsBeside);
  }
  return fmt::format("rank {} could not be started: {}: {}", rank, commands_[rank].file,
                     std::strerror(failed));
}

std::vector<std::string> Job::environment_for(std::uint32_t rank, int control) const {
  std::vector<std::string> all = base_environment_;
  all.push_back(fmt::format("HAWSER_CONTROL_FD={}", control));
  for (const char* prefix : {"HAWSER_", "OMPI_COMM_WORLD_"}) {  // the second for programs that look for it
    all.push_back(fmt::format("{}RANK={}", prefix, rank));
    all.push_back(fmt::format("{}SIZE={}", prefix, options_.ranks));
    all.push_back(fmt::format("{}LOCAL_RANK={}", prefix, rank));
  }
  return all;
}

int Job::start_rank(std::uint32_t rank, const cpu_set_t* cores) {
  Rank& who = ranks_[rank];
  Pipe output;
  Pipe error;
  Fd control;
  if (const int failed = output.open()) return failed;
  if (const int failed = error.open()) return failed;
  if (const int failed = open_control(who.control, control)) return failed;
  Fd input = rank == options_.stdin_rank ? input_.open() : Fd();
  if (!input) input.reset(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  if (!input) return errno;

  Start start;
  start.command = &commands_[rank];
  start.environment = environment_for(rank, control.get());
  start.input = input.get();
  start.output = output.write.get();
  start.error = error.write.get();
  start.control = control.get();
  start.cores = cores;
  start.open_files = open_files_.rlim_max != 0 ? &open_files_ : nullptr;
  const pid_t pid = spawn(start, signals_);
  if (pid < 0) return -pid;
  who.pid = pid;
  guardian_.add_group(pid);
  who.output->open(std::move(output.read));
  who.error->open(std::move(error.read));
  who.channel = std::make_unique<modex::Channel>(who.control.get(), modex::protocol::kMaxFromRank);
  poll_.add(who.control.get(), EPOLLIN, [this, rank](std::uint32_t) { on_control(rank); });
  return 0;
}

bool Job::start_ranks() {
  const std::vector<cpu_set_t> cores = options_.bind_to_core ? cores_to_bind() : std::vector<cpu_set_t>();
  const bool bind = options_.ranks <= cores.size();
  const bool raw = options_.ranks == 1 && !options_.tag_output;
  for (std::uint32_t rank = 0; rank < options_.ranks; ++rank) {
    const auto prefix = [&](const char* stream) {
      return options_.tag_output ? fmt::format("[1,{}]<{}>:", rank, stream) : std::string();
    };
    ranks_[rank].output = std::make_unique<Stream>(poll_, out_, prefix("stdout"), raw);
    ranks_[rank].error = std::make_unique<Stream>(poll_, *err_sink_, prefix("stderr"), raw);
  }
  for (std::uint32_t rank = 0; rank < options_.ranks; ++rank) {
    const int failed = start_rank(rank, bind ? &cores[rank] : nullptr);
    if (failed == 0) continue;
    for (std::uint32_t rest = rank; rest < options_.ranks; ++rest) ranks_[rest].ended = true;
    const int status = failed == ENOENT ? 127 : failed == EACCES || failed == ENOEXEC ? 126 : 1;
    end(status, why_not_started(rank, failed), SIGTERM);
    return false;
  }
  input_.start();
  return true;
}

}  // namespace hawser::tools
