// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
// What waking costs where nobody spins: the core of the sleeper is idle too, and has to be woken with it.
#include <linux/futex.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <vector>

#include "bench/raw/pair.hpp"

namespace raw {
namespace {

std::uint64_t now_ns() {
  const auto since = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(std::chrono::nanoseconds(since).count());
}

std::uint32_t* word_of(Flag& flag) {
  return reinterpret_cast<std::uint32_t*>(&flag.value);
}

/// Side 1 sleeps in `sleep(turn)`, side 0 calls `ring(turn)` after 20 ms: the median until side 1 runs, in
/// us.
template <class Ring, class Sleep>
void time_wakes(Side& side, const char* name, Ring&& ring, Sleep&& sleep) {
  constexpr std::uint32_t kTimes = 15;
  Flag& answer = side.shared.emptied[0];
  answer.value.store(0, std::memory_order_release);
  std::vector<double> took;
  for (std::uint32_t turn = 1; turn <= kTimes; ++turn) {
    if (side.me == 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      const std::uint64_t begin = now_ns();
      ring(turn);
      await(answer.value, turn);
      took.push_back(static_cast<double>(answer.payload - begin) / 1e3);
    } else {
      sleep(turn);
      answer.payload = now_ns();
      answer.value.store(turn, std::memory_order_release);
    }
  }
  if (side.me != 0) return;
  std::ranges::nth_element(took, took.begin() + kTimes / 2);
  say(side, name, took[kTimes / 2]);
}

}  // namespace

void wake(Side& side) {
  Flag& bell = side.shared.filled[0][0];
  bell.value.store(0, std::memory_order_release);
  std::atomic_ref<std::uint32_t> word(*word_of(bell));
  time_wakes(
      side, "raw.wake",
      [&](std::uint32_t turn) {
        word.store(turn, std::memory_order_release);
        ::syscall(SYS_futex, word_of(bell), FUTEX_WAKE, 1, nullptr, nullptr, 0);
      },
      [&](std::uint32_t turn) {
        while (word.load(std::memory_order_acquire) != turn)
          ::syscall(SYS_futex, word_of(bell), FUTEX_WAIT, turn - 1, nullptr, nullptr, 0);
      });
}

void wake_socket(Side& side) {
  char bytes[8] = {};
  time_wakes(
      side, "raw.wake_socket",
      [&](std::uint32_t) {
        if (::send(side.sockets[0], bytes, sizeof bytes, 0) != sizeof bytes) die("send");
      },
      [&](std::uint32_t) {
        if (::recv(side.sockets[0], bytes, sizeof bytes, MSG_WAITALL) != sizeof bytes) die("recv");
      });
}

}  // namespace raw
