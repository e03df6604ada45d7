// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

#include "framework/base/cpu.hpp"
#include "framework/base/fd.hpp"
#include "framework/base/heavy_barrier.hpp"
#include "framework/base/result.hpp"

namespace hawser::shm {

// How a sleeping process is woken, without a costly instruction in each send.
//
//   sleeper (arm)                                poster (post a message, or give room back)
//   S1  armed = 1            (relaxed)           P1  publish: Slot::word or tail   (release)
//   S2  heavy barrier                            P2  light barrier
//   S3  look at rings and tails again            P3  read armed or want_room       (relaxed)
//       empty: sleep in epoll                        1: exchange to 0; whoever got the 1 writes a byte to the
//       pipe
//
// Without S2 and P2 both could read the old value: the message lies there, and nobody rings. A full fence in
// P2 would cost every message some 20 ns. Instead S2 is membarrier(GLOBAL_EXPEDITED), which makes every
// running thread of every registered process pass a full fence; P2 is then only a bar to the compiler. So the
// cost sits where one is about to sleep anyway. It holds if the sleeper can call it (a flag in its segment,
// or in its sender line) and the poster registered for it; else P2 is a real fence, and S2 is one in any
// case. Pairs: armed with Slot::word and `announced` (senders wake a receiver); want_room with tail (a
// receiver wakes a sender whose post was refused). Failure: the byte cannot be written because the pipe is
// full: then there is a byte in it already, which wakes.

/// The pipe on which a process can be woken by its peers.
class Doorbell {
 public:
  Result<void> make();
  int watched() const noexcept { return reading_.get(); }
  int published() const noexcept { return writing_.get(); }
  void drain() noexcept;

 private:
  Fd reading_;
  Fd writing_;
};

/// The writing end of a peer's doorbell.
Result<Fd> open_doorbell(std::uint32_t pid, std::int32_t number);
/// Whoever takes the flag down writes the byte.
bool ring(std::atomic<std::uint32_t>& flag, int doorbell) noexcept;
/// P3 and the ring. True: a byte was written.
inline bool ring_if_set(std::atomic<std::uint32_t>& flag, int doorbell) noexcept {
  return HAWSER_UNLIKELY(flag.load(std::memory_order_relaxed) != 0) && ring(flag, doorbell);
}

}  // namespace hawser::shm
