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
  timer.mapped() = {at_ns, call, false, {}};
  by_id_.insert(std::move(timer));
  auto time = spare_times_.extract(spare_times_.begin());
  time.value() = {at_ns, id};
  by_time_.insert(std::move(time));
  return id;
}

std::uint64_t Timers::make(Call call) {
  const std::uint64_t id = ++last_id_;
  ByTime entry{{0, id}};
  by_id_.emplace(id, Timer{0, call, true, entry.extract(entry.begin())});
  return id;
}

void Timers::set(std::uint64_t id, std::uint64_t at_ns) noexcept {
  Timer& timer = by_id_.find(id)->second;
  const bool is_set = timer.unset.empty();
  if (is_set && timer.at_ns <= at_ns) return;
  auto entry = is_set ? by_time_.extract({timer.at_ns, id}) : std::move(timer.unset);
  timer.at_ns = at_ns;
  entry.value() = {at_ns, id};
  by_time_.insert(std::move(entry));
}

void Timers::drop(std::uint64_t id) noexcept {
  cancel(id);
  by_id_.erase(id);
}

bool Timers::cancel(std::uint64_t id) noexcept {
  const auto timer = by_id_.find(id);
  if (timer == by_id_.end() || !timer->second.unset.empty()) return false;
  unset(timer);
  return true;
}

void Timers::unset(ById::iterator timer) noexcept {
  auto entry = by_time_.extract({timer->second.at_ns, timer->first});
  if (timer->second.made) {
    timer->second.unset = std::move(entry);
    return;
  }
  spare_times_.insert(std::move(entry));
  spare_.insert(by_id_.extract(timer));
}

bool Timers::take_due(std::uint64_t now_ns, Call& call) noexcept {
  if (next() > now_ns) return false;
  const auto timer = by_id_.find(by_time_.begin()->second);
  call = timer->second.call;
  unset(timer);
  return true;
}

}  // namespace hawser::progress
