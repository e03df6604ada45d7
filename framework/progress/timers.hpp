// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <utility>

namespace hawser::progress {

/// Calls that are due at some time. Memory for more of them is taken ahead, and that of those that are over
/// is kept: when memory runs out, `kAhead` more can still be set before `add` fails. Under its owner's lock.
class Timers {
 public:
  static constexpr std::uint64_t kNever = UINT64_MAX;
  static constexpr std::size_t kAhead = 64;

  struct Call {
    void (*function)(void*) noexcept;
    void* context;
  };

  /// An id; 0: no memory, nothing is set.
  std::uint64_t add(std::uint64_t at_ns, Call call) noexcept;
  /// One that is kept until `drop`, and takes no memory when it is set. An id; nothing is set yet.
  std::uint64_t make(Call call);
  /// Sets one that was made; if it is set for an earlier time, that stays. `cancel` unsets it.
  void set(std::uint64_t id, std::uint64_t at_ns) noexcept;
  void drop(std::uint64_t id) noexcept;
  /// False: there is none of that id any more.
  bool cancel(std::uint64_t id) noexcept;
  /// Takes out the earliest, of several at one time the first that was added, if it is due at `now_ns`.
  bool take_due(std::uint64_t now_ns, Call& call) noexcept;
  /// When the earliest is due; kNever: there is none.
  std::uint64_t next() const noexcept { return by_time_.empty() ? kNever : by_time_.begin()->first; }

 private:
  using ByTime = std::set<std::pair<std::uint64_t, std::uint64_t>>;  // time, id
  struct Timer {
    std::uint64_t at_ns;
    Call call;
    bool made;
    ByTime::node_type unset;  // of one that was made, while it is not set: its entry
  };
  using ById = std::map<std::uint64_t, Timer>;

  void make_room() noexcept;
  void unset(ById::iterator timer) noexcept;

  ById by_id_;
  ByTime by_time_;
  ById spare_;
  ByTime spare_times_;
  std::uint64_t last_id_ = 0;
};

}  // namespace hawser::progress
