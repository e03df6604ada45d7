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
  /// False: there is none of that id any more.
  bool cancel(std::uint64_t id) noexcept;
  /// Takes out the earliest, of several at one time the first that was added, if it is due at `now_ns`.
  bool take_due(std::uint64_t now_ns, Call& call) noexcept;
  /// When the earliest is due; kNever: there is none.
  std::uint64_t next() const noexcept { return by_time_.empty() ? kNever : by_time_.begin()->first; }

 private:
  struct Timer {
    std::uint64_t at_ns;
    Call call;
  };
  using ById = std::map<std::uint64_t, Timer>;
  using ByTime = std::set<std::pair<std::uint64_t, std::uint64_t>>;  // time, id

  void make_room() noexcept;

  ById by_id_;
  ByTime by_time_;
  ById spare_;
  ByTime spare_times_;
  std::uint64_t last_id_ = 0;
};

}  // namespace hawser::progress
