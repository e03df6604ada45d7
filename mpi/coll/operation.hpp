// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <new>
#include <vector>

#include "mpi/activity.hpp"
#include "mpi/coll/schedule.hpp"
#include "mpi/objects.hpp"

namespace hawser::mpi::coll {

inline constexpr const char* kWhyWrongSize =
    "a member of the communicator gave a different amount of data to the collective, or failed in it";
inline constexpr const char* kWhyOwnSizes =
    "what this member gives to itself and what it wants to get from itself are of different sizes";

/// The tag of the next collective on `comm`: equal in all members, by the order of their calls. A wrap meets
/// none that is still under way.
inline int next_tag(Comm& comm) noexcept {
  constexpr std::uint32_t kTags = 1u << 30;
  return static_cast<int>(comm.coll_sequence.fetch_add(1, std::memory_order_relaxed) % kTags);
}

/// How a collective ended. `why`: for people, may be null.
struct Outcome {
  Errc error = Errc::kOk;
  const char* why = nullptr;
};

/// A collective under way in this process: runs its schedule over the communicator's collective channel. One
/// thread at a time: who started it, then the progress role.
///
/// Once something fails, the schedule still goes on, so that nobody hangs: it sends messages of a wrong size
/// instead of its data, and whoever gets one fails too. The first failure is the operation's.
class Operation final : public Activity {
 public:
  Operation() noexcept;

  /// From the pool: empty, with a tag of its own on `comm`.
  static Operation& take(Comm& comm, const Op* op);

  /// Room for every transfer, so that nothing is asked for once it runs.
  void reserve() { transfers_.reserve(schedule.steps().size()); }
  /// Goes on as far as it can without waiting. True: the schedule is at its end.
  bool advance() noexcept;
  /// Runs it to the end, and gives it back to the pool.
  Outcome run_to_end() noexcept;
  /// Runs it from now on by progress; the user has the other claim.
  void run_by_progress() noexcept;
  /// Back to the pool, unused.
  void give_back() noexcept;

  Progress poll() noexcept override;

  // Of a persistent collective, which is one operation again and again:
  /// From the first step, once it has ended.
  void restart() noexcept;
  /// The progress role's part of it; kEnded: the status is final.
  Progress step() noexcept;
  /// What it needs lives from the first to the second.
  void retain_all() noexcept;
  void release_all() noexcept;

  Schedule schedule;
  Operation* next_free = nullptr;  // in the pool

 private:
  struct Transfer {
    pml::Request* request;
    std::uint64_t size;  // of a receive: what must come
    bool receive;
  };
  bool transfers_done() noexcept;
  void end_transfer(const Transfer& transfer) noexcept;
  void start(const Step& step);
  void send(const Step& step);
  void note(Errc error, const char* why) noexcept;
  void finish() noexcept;
  static void release_operation(pml::Request& self) noexcept;

  Comm* comm_ = nullptr;
  const Op* op_ = nullptr;
  int tag_ = 0;
  std::size_t at_ = 0;  // the next step
  std::vector<Transfer> transfers_;
  std::size_t first_pending_ = 0;  // all transfers before it are done
};

}  // namespace hawser::mpi::coll
