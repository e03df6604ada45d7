// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "components/tcp/hot_set.hpp"

#include "components/tcp/endpoint.hpp"

namespace hawser::tcp {
namespace {

// After so many passes in vain a connection is read once in a pass instead of several times, then in some
// passes only, then not at all: other transports are polled between.
constexpr std::uint32_t kEager = 16;
constexpr std::uint32_t kPatient = 128;
constexpr std::uint32_t kOver = 1024;
constexpr std::uint32_t kSome = 8;  // one pass of so many
constexpr int kTries = 4;

int tries(std::uint32_t misses) noexcept {
  if (HAWSER_LIKELY(misses < kEager)) return kTries;
  return misses < kPatient || misses % kSome == 0 ? 1 : 0;
}

}  // namespace

void HotSet::heard(Endpoint& endpoint) noexcept {
  if (endpoint.heard_in_sleep != sleeps_) {
    endpoint.heard_in_sleep = sleeps_;
    return;
  }
  for (std::size_t i = 0; i < count_; ++i) {
    if (entries_[i].endpoint == &endpoint) return;
  }
  if (count_ == kMost || endpoint.in_bulk() || !endpoint.watch_bytes(false)) return;
  entries_[count_++] = {&endpoint, 0};
}

int HotSet::poll_all() noexcept {
  int moved = 0;
  for (std::size_t i = 0; i < count_;) {
    Endpoint& endpoint = *entries_[i].endpoint;
    const int reads = tries(entries_[i].misses);
    const int got = reads != 0 ? endpoint.serve(reads) : 0;
    moved += got;
    if (i == count_ || entries_[i].endpoint != &endpoint) continue;  // it broke, and another took its place
    entries_[i].misses = got != 0 ? 0 : entries_[i].misses + 1;
    if (endpoint.in_bulk() || entries_[i].misses >= kOver) {
      cool(i);
    } else {
      ++i;
    }
  }
  return moved;
}

void HotSet::cool(std::size_t index) noexcept {
  entries_[index].endpoint->watch_bytes(true);
  entries_[index] = entries_[--count_];
}

void HotSet::cool_all() noexcept {
  while (count_ != 0) cool(count_ - 1);
  ++sleeps_;
}

void HotSet::forget(Endpoint& endpoint) noexcept {
  for (std::size_t i = 0; i < count_; ++i) {
    if (entries_[i].endpoint != &endpoint) continue;
    return cool(i);
  }
}

}  // namespace hawser::tcp
