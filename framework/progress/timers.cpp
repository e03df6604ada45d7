// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "framework/progress/timers.hpp"

#include <new>

namespace hawser::progress {

void Timers::make_room() noexcept {
  try {
    while (spare_.size() < kAhead) spare_.emplace(++last_id_, Timer{});
    while (spare_times_.size() < kAhead) spare_times_.emplace(0, ++last_id_);
  } catch (const std::bad_alloc&) {
    // What there is serves; the next call tries again.
  }
}

// Nodes change containers, and so nothing is allocated.
std::uint64_t Timers::add(std::uint64_t at_ns, Call call) noexcept {
  make_room();
  if (spare_.empty() || spare_times_.empty()) return 0;
  const std::uint64_t id = ++last_id_;
  auto timer = spare_.extract(spare_.begin());
  timer.key() = id;
  timer.mapped() = {at_ns, call};
  by_id_.insert(std::move(timer));
  auto time = spare_times_.extract(spare_times_.begin());
  time.value() = {at_ns, id};
  by_time_.insert(std::move(time));
  return id;
}

bool Timers::cancel(std::uint64_t id) noexcept {
  const auto timer = by_id_.find(id);
  if (timer == by_id_.end()) return false;
  spare_times_.insert(by_time_.extract({timer->second.at_ns, id}));
  spare_.insert(by_id_.extract(timer));
  return true;
}

bool Timers::take_due(std::uint64_t now_ns, Call& call) noexcept {
  if (next() > now_ns) return false;
  const std::uint64_t id = by_time_.begin()->second;
  call = by_id_.find(id)->second.call;
  return cancel(id);
}

}  // namespace hawser::progress
