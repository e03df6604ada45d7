// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "framework/modex/channel.hpp"
#include "tools/run/guardian.hpp"
#include "tools/run/input.hpp"
#include "tools/run/output.hpp"
#include "tools/run/program.hpp"
#include "tools/run/server.hpp"
#include "tools/run/spawn.hpp"

namespace hawser::tools {

/// One job from the first rank's start to the exit status. Single-threaded; everything is an event.
///
/// A rank's process stays a zombie until the job is over, so its id, which also names its process group,
/// cannot come to mean another process.
class Job final : public ServerEvents {
 public:
  Job(const Options& options, const Commands& commands);
  int run();

 private:
  struct Rank {
    pid_t pid = -1;
    bool ended = false;
    Fd control;
    std::unique_ptr<modex::Channel> channel;
    std::unique_ptr<Stream> output;
    std::unique_ptr<Stream> error;
  };

  // start (job_start.cpp)
  void take_over_signals();
  void take_all_descriptors();
  bool start_ranks();
  int start_rank(std::uint32_t rank, const cpu_set_t* cores);
  std::vector<std::string> environment_for(std::uint32_t rank, int control) const;
  std::string why_not_started(std::uint32_t rank, int failed) const;

  // events
  void loop();
  void run_timers();
  int next_timeout_ms() const;
  void on_signal();
  void on_user_signal(int signal);
  void suspend();
  void on_control(std::uint32_t rank);
  void drain_control(std::uint32_t rank);
  void arm_control(std::uint32_t rank);
  void close_control(std::uint32_t rank);
  void reap(std::optional<std::uint32_t> except);
  void judge_exit(std::uint32_t rank, int code, int status);
  void send(std::uint32_t rank, const modex::protocol::SharedFrame& frame) override;
  void on_abort(std::uint32_t rank, int code, const std::string& text) override;
  void on_fault(std::uint32_t rank, const std::string& text) override;

  // the end
  void end(int status, std::string summary, int signal);
  void kill_groups(int signal);
  void finish_output();
  std::string who(std::uint32_t rank) const;
  bool all_ended() const;
  bool streams_open() const;

  const Options& options_;
  const Commands& commands_;
  Poll poll_;
  Sink out_;
  Sink err_;
  Sink* err_sink_;  // out_, if both lead to the same file
  Input input_;
  Guardian guardian_;
  SignalSettings signals_;
  rlimit open_files_{};  // as it was given to us, and so to the ranks
  Fd signal_fd_;
  btl::Job job_;
  std::unique_ptr<ModexServer> server_;
  std::vector<Rank> ranks_;
  std::vector<std::string> base_environment_;
  std::string host_;
  std::optional<Deadline> timeout_at_;
  std::optional<int> status_;  // of the first failure; the job is being ended
  std::string summary_;
  bool reaping_ = false;
  std::optional<Deadline> kill_at_;  // when patience ends
};

}  // namespace hawser::tools
