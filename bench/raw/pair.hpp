// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

namespace raw {

constexpr std::size_t kLine = 64;
constexpr std::size_t kLargest = std::size_t{64} << 20;  // the buffer of a side, each for out and in
constexpr std::size_t kArea = 512 * 1024;                // for chunks, each way
constexpr std::size_t kMaxSlots = 128;

struct alignas(kLine) Flag {
  std::atomic<std::uint64_t> value;
  std::uint64_t payload;
};

/// What both processes see.
struct Shared {
  Flag request, answer;                             // which round, for agreeing on counts
  Flag one[2];                                      // flag and payload in one line, each way
  Flag flag[2];                                     // the flag alone ...
  alignas(kLine) std::uint64_t data[2][kLine / 8];  // ... and its payload in a line of its own
  Flag filled[2][kMaxSlots];                        // a chunk's flag: which use of the slot
  Flag emptied[2];
  alignas(4096) char chunks[2][kArea];
  pid_t pids[2];
};

/// One of the two processes.
struct Side {
  Shared& shared;
  int me;
  int sockets[3];  // connections: as it comes; not paced, its send buffer in the caches; not paced
  char* out;
  char* in;
};

[[noreturn]] void die(const char* what);

inline void relax() {
  __builtin_ia32_pause();
}
inline void await(const std::atomic<std::uint64_t>& value, std::uint64_t wanted) {
  while (value.load(std::memory_order_acquire) < wanted) relax();
}

/// `body(count)` on both sides with growing counts until side 0 finds it long enough (BENCH_SECONDS / 3);
/// seconds for one, best of three.
double time_both(Side& side, const std::function<void(std::uint64_t)>& body);

/// "NAME VALUE" on standard output, from side 0.
void say(const Side& side, const std::string& name, double value);

// The limits. Latencies are half round trips in us; streams are `window` messages and a flag back, in MB/s.
void probe(Side& side);
void lines(Side& side);
void wake(Side& side);
void wake_socket(Side& side);
void copy_latency(Side& side, std::size_t size);
void copy_stream(Side& side, std::size_t size, std::size_t window, bool each);
void single_stream(Side& side, std::size_t size, std::size_t window, bool each);
void socket_latency(Side& side, std::size_t size);
void socket_stream(Side& side, std::size_t size, std::size_t window);

}  // namespace raw
