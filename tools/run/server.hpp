// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "framework/base/clock.hpp"
#include "framework/modex/protocol.hpp"

namespace hawser::tools {

/// What the modex server wants done; implemented by the job.
class ServerEvents {
 public:
  /// Never blocks: a rank that does not read has its frames queued, and `frame` is shared, not copied.
  virtual void send(std::uint32_t rank, const modex::protocol::SharedFrame& frame) = 0;
  /// The rank ended the job itself.
  virtual void on_abort(std::uint32_t rank, int code, const std::string& text) = 0;
  /// The rank did what it must not do.
  virtual void on_fault(std::uint32_t rank, const std::string& text) = 0;

 protected:
  ~ServerEvents() = default;
};

/// The launcher's half of the modex: messages in, messages out; no sockets, no processes, one thread.
///
/// A rank may be several processes one after the other (`sh -c 'a; b'`): each is an epoch. The n-th process
/// of a rank meets the n-th processes of the others; data, fences and leaving belong to an epoch.
class ModexServer {
 public:
  ModexServer(const btl::Job& job, ServerEvents& events);

  void on_frame(std::uint32_t rank, const modex::protocol::Frame& frame);
  /// The rank's process has ended; `text` says how ("exited with status 0").
  void on_exit(std::uint32_t rank, const std::string& text);
  /// Processes of all ranks whose data is kept.
  std::size_t epochs() const;
  /// Whether a process of the rank joined and has not left.
  bool is_joined(std::uint32_t rank) const { return ranks_[rank].joined; }
  std::optional<Deadline> next_deadline() const;
  void run_timers(Deadline now);

 private:
  struct Parked {  // a get whose answer is not there yet
    std::uint32_t rank;
    std::uint64_t id;
  };
  struct Epoch {  // one process of one rank
    std::optional<std::string> blob;
    std::string ended;  // how it left; "" while it may still come or is there
    std::uint64_t fences_entered = 0;
    std::vector<Parked> parked;
  };
  struct Rank {
    std::map<std::uint32_t, Epoch> epochs;
    std::uint32_t epoch = 0;  // of the process that is joined or joined last
    std::uint32_t joins = 0;
    std::uint32_t pid = 0;
    bool joined = false;
    std::string exited;  // how; "" while it runs
  };
  struct FenceId {
    std::uint32_t epoch;
    std::uint64_t number;
    auto operator<=>(const FenceId&) const = default;
  };
  struct FenceState {
    std::map<std::uint32_t, bool> entered;  // rank, whether it collects
    Deadline deadline = Deadline::max();
    std::uint64_t timeout_ms = 0;
    std::optional<modex::protocol::FenceDone> failed;
  };

  void drop_old_epochs();
  void on_hello(std::uint32_t rank, const modex::protocol::Hello& hello);
  void on_commit(std::uint32_t rank, modex::protocol::Commit commit);
  void on_fence(std::uint32_t rank, const modex::protocol::Fence& fence);
  void on_get(std::uint32_t rank, const modex::protocol::Get& get);
  void on_report(std::uint32_t rank, const modex::protocol::Report& report);
  void on_leave(std::uint32_t rank);
  void malformed(std::uint32_t rank);

  Epoch& epoch_of(std::uint32_t rank, std::uint32_t epoch) { return ranks_[rank].epochs[epoch]; }
  std::string how_ended(std::uint32_t rank, std::uint32_t epoch);
  void end_epoch(std::uint32_t rank, std::uint32_t epoch);
  void answer_get(std::uint32_t to, std::uint64_t id, std::uint32_t about, std::uint32_t epoch);
  void judge_fence(FenceId id);
  modex::protocol::SharedFrame collected(FenceId id);
  void complete_fence(FenceId id, FenceState& state);
  void fail_fence(FenceId id, FenceState& state, Errc code, std::string text);
  void forget_fence(FenceId id);
  std::string missing(FenceId id, const FenceState& state) const;
  template <class M>
  void send(std::uint32_t rank, const M& message) {
    events_.send(rank, std::make_shared<const std::string>(modex::protocol::encode(message)));
  }

  btl::Job job_;
  ServerEvents& events_;
  std::vector<Rank> ranks_;
  std::map<FenceId, FenceState> fences_;
  std::set<std::string> topics_;
};

}  // namespace hawser::tools
