// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>

namespace hawser::progress {

/// Sleeps while `word` is `value`, up to `longest_ns` (UINT64_MAX: for ever), or until it is woken. May
/// return early.
template <class Word>
void futex_wait(const std::atomic<Word>& word, Word value, std::uint64_t longest_ns) noexcept {
  static_assert(sizeof(std::atomic<Word>) == 4);
  const timespec longest{static_cast<time_t>(longest_ns / 1'000'000'000),
                         static_cast<long>(longest_ns % 1'000'000'000)};
  ::syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, static_cast<std::uint32_t>(value),
            longest_ns == UINT64_MAX ? nullptr : &longest, nullptr, 0);
}

template <class Word>
void futex_wake(std::atomic<Word>& word, int count) noexcept {
  static_assert(sizeof(std::atomic<Word>) == 4);
  ::syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, count, nullptr, nullptr, 0);
}

}  // namespace hawser::progress
