// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/run/job.hpp"

#include <fmt/format.h>
#include <sys/epoll.h>
#include <sys/random.h>
#include <sys/signalfd.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace hawser::tools {

using namespace std::chrono_literals;

namespace {

constexpr auto kGrace = 2s;         // from asking the ranks to end to killing them
constexpr auto kOutputWait = 2s;    // for pipes that a grandchild keeps open
constexpr auto kInputTick = 250ms;  // how often we look whether the terminal is ours again
constexpr int kTimeoutStatus = 124;

int timeout_until(Deadline at) {
  const auto span = std::chrono::ceil<std::chrono::milliseconds>(at - Clock::now()).count();
  return static_cast<int>(std::clamp<std::int64_t>(span, 0, 3600000));
}

}  // namespace

int Job::run() {
  const bool has_secret = ::getrandom(job_.secret, sizeof job_.secret, 0) == sizeof job_.secret &&
                          ::getrandom(&job_.id, sizeof job_.id, 0) == sizeof job_.id;
  if (!has_secret || !guardian_.start()) {
    fmt::print(stderr, "hawser run: cannot start: {}\n", std::strerror(errno));
    return 1;
  }
  server_ = std::make_unique<ModexServer>(job_, *this);
  const auto adjust = [this] {
    for (Rank& rank : ranks_) {
      if (rank.output) rank.output->adjust();
      if (rank.error) rank.error->adjust();
    }
  };
  for (Sink* sink : {&out_, &err_}) {
    sink->on_room = adjust;
    sink->on_closed = [this] { end(128 + SIGPIPE, "", SIGTERM); };  // as `yes | head` would end: quietly
  }
  take_over_signals();
  take_all_descriptors();
  if (options_.timeout_s > 0) {
    const auto span = std::chrono::duration<double>(std::min(options_.timeout_s, 1e8));
    timeout_at_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(span);
  }
  start_ranks();
  loop();
  finish_output();
  guardian_.dismiss();
  for (const Rank& rank : ranks_) {
    if (rank.pid > 0) ::waitpid(rank.pid, nullptr, 0);
  }
  return status_.value_or(0);
}

void Job::loop() {
  while (!all_ended()) {
    poll_.run(next_timeout_ms());
    run_timers();
  }
}

int Job::next_timeout_ms() const {
  std::optional<Deadline> next = server_->next_deadline();
  const auto consider = [&next](const std::optional<Deadline>& at) {
    if (at && (!next || *at < *next)) next = at;
  };
  consider(kill_at_);
  if (!status_) consider(timeout_at_);
  if (input_.is_waiting()) consider(Clock::now() + kInputTick);
  return next ? timeout_until(*next) : -1;
}

void Job::run_timers() {
  const Deadline now = Clock::now();
  server_->run_timers(now);
  input_.tick();
  if (kill_at_ && *kill_at_ <= now) {
    kill_groups(SIGKILL);
    kill_at_ = now + kGrace;  // and again, should one be between two programs
  }
  if (!status_ && timeout_at_ && *timeout_at_ <= now) {
    end(kTimeoutStatus,
        fmt::format("the job took longer than {} s (--timeout) and was ended", options_.timeout_s), SIGTERM);
  }
}

void Job::on_signal() {
  signalfd_siginfo info;
  bool child = false;
  while (::read(signal_fd_.get(), &info, sizeof info) == sizeof info) {
    if (info.ssi_signo == SIGCHLD) {
      child = true;
    } else {
      on_user_signal(static_cast<int>(info.ssi_signo));
    }
  }
  if (child) reap(std::nullopt);
}

void Job::on_user_signal(int signal) {
  if (signal == SIGUSR1 || signal == SIGUSR2 || signal == SIGCONT) return kill_groups(signal);
  if (signal == SIGTSTP) return suspend();
  if (status_) kill_groups(SIGKILL);  // asked a second time
  if (status_ || all_ended()) {
    out_.drop();  // only the reader of our output can still hold us
    err_.drop();
  }
  end(128 + signal, fmt::format("ended by signal {} ({})", signal, ::strsignal(signal)), signal);
}

/// Ctrl-Z: the ranks are in groups of their own, so they are stopped and continued by us.
void Job::suspend() {
  kill_groups(SIGTSTP);
  ::raise(SIGSTOP);
}

void Job::send(std::uint32_t rank, const modex::protocol::SharedFrame& frame) {
  Rank& who = ranks_[rank];
  if (!who.channel) return;
  who.channel->send(frame);
  arm_control(rank);
}

void Job::arm_control(std::uint32_t rank) {
  Rank& who = ranks_[rank];
  poll_.change(who.control.get(), who.channel->has_output() ? EPOLLIN | EPOLLOUT : EPOLLIN);
}

void Job::on_control(std::uint32_t rank) {
  if (!ranks_[rank].channel) return;
  ranks_[rank].channel->flush();
  drain_control(rank);
  if (ranks_[rank].channel) arm_control(rank);
}

void Job::drain_control(std::uint32_t rank) {
  Rank& who = ranks_[rank];
  if (!who.channel) return;
  auto received = who.channel->receive();
  while (who.channel) {
    auto frame = who.channel->next();
    if (!frame) {
      on_fault(rank, "cannot be understood: " + frame.error().text);
      return close_control(rank);
    }
    if (!*frame) break;
    server_->on_frame(rank, **frame);
  }
  if (!received) close_control(rank);  // the rank closed it; how the rank ends is judged when it does
}

void Job::close_control(std::uint32_t rank) {
  Rank& who = ranks_[rank];
  if (!who.channel) return;
  poll_.remove(who.control.get());
  who.channel.reset();
  who.control.reset();
}

void Job::reap(std::optional<std::uint32_t> except) {
  if (reaping_) return;  // from within: an abort that a dead rank had sent
  reaping_ = true;
  struct Death {
    std::uint32_t rank;
    int code;
    int status;
  };
  std::vector<Death> deaths;
  for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank) {
    siginfo_t info{};
    if (ranks_[rank].ended || ranks_[rank].pid <= 0 || rank == except) continue;
    const auto id = static_cast<id_t>(ranks_[rank].pid);
    if (::waitid(P_PID, id, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == 0) continue;
    deaths.push_back({rank, info.si_code, info.si_status});
  }
  // Who was killed is rather the cause; who exited, rather one that noticed.
  std::stable_partition(deaths.begin(), deaths.end(),
                        [](const Death& death) { return death.code != CLD_EXITED; });
  for (const Death& death : deaths) {
    ranks_[death.rank].ended = true;
    drain_control(death.rank);  // all that it said before it ended comes first
    judge_exit(death.rank, death.code, death.status);
    close_control(death.rank);
    if (death.rank == options_.stdin_rank) input_.stop();
  }
  reaping_ = false;
}

void Job::judge_exit(std::uint32_t rank, int code, int status) {
  const bool was_joined = server_->is_joined(rank);
  if (code != CLD_EXITED) {
    const auto how = fmt::format("was killed by signal {} ({}{})", status, ::strsignal(status),
                                 code == CLD_DUMPED ? ", core dumped" : "");
    server_->on_exit(rank, how);
    return end(128 + status, fmt::format("{} {}; the job was ended", who(rank), how), SIGTERM);
  }
  const auto how = fmt::format("exited with status {}", status);
  server_->on_exit(rank, was_joined ? how + " without MPI_Finalize" : how);
  if (status != 0) {
    end(status, fmt::format("{} {}; the job was ended", who(rank), how), SIGTERM);
  } else if (was_joined) {
    end(1, fmt::format("{} {} without MPI_Finalize; the job was ended", who(rank), how), SIGTERM);
  }
}

void Job::on_abort(std::uint32_t rank, int code, const std::string& text) {
  reap(rank);  // a rank that died before is the first failure, not the one that noticed
  const int status = (code & 0xff) != 0 ? code & 0xff : 1;
  end(status,
      fmt::format("{} aborted the job with code {}{}{}", who(rank), status, text.empty() ? "" : ": ", text),
      SIGTERM);
}

void Job::on_fault(std::uint32_t rank, const std::string& text) {
  end(1, fmt::format("{} {}; the job was ended", who(rank), text), SIGTERM);
}

/// The first failure counts; the ranks are asked to end, and killed if they do not.
void Job::end(int status, std::string summary, int signal) {
  if (status_) return;
  status_ = status;
  summary_ = std::move(summary);
  kill_groups(signal);
  kill_groups(SIGCONT);
  kill_at_ = Clock::now() + kGrace;
}

void Job::kill_groups(int signal) {
  for (const Rank& rank : ranks_) {
    if (rank.pid > 0) ::kill(-rank.pid, signal);
  }
}

/// Passes on what the ranks left in their pipes; ends what they left running; then speaks, if there is a
/// reason.
void Job::finish_output() {
  input_.stop();
  if (status_) kill_groups(SIGKILL);
  Deadline give_up = Clock::now() + kOutputWait;
  while (streams_open() && Clock::now() < give_up) {
    poll_.run(timeout_until(give_up));
    if (out_.is_full() || err_.is_full())
      give_up = Clock::now() + kOutputWait;  // it is the reader who is slow
  }
  kill_groups(SIGKILL);
  for (Rank& rank : ranks_) {
    if (rank.output) rank.output->finish();
    if (rank.error) rank.error->finish();
  }
  if (status_ && !summary_.empty() && !options_.quiet)
    err_sink_->write(this, "hawser run: " + summary_ + "\n");
  while (!out_.is_empty() || !err_.is_empty()) poll_.run(-1);
}

std::string Job::who(std::uint32_t rank) const {
  return fmt::format("rank {} (pid {}, host {})", rank, ranks_[rank].pid, host_);
}

bool Job::all_ended() const {
  return std::all_of(ranks_.begin(), ranks_.end(), [](const Rank& rank) { return rank.ended; });
}

bool Job::streams_open() const {
  return std::any_of(ranks_.begin(), ranks_.end(), [](const Rank& rank) {
    return (rank.output && rank.output->is_open()) || (rank.error && rank.error->is_open());
  });
}

}  // namespace hawser::tools
