// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <iterator>

#include "framework/base/counters.hpp"
#include "framework/base/spin_mutex.hpp"
#include "framework/base/thread_slot.hpp"

/// What a rank shows of itself while it runs: a memory file without a name, which `hawser top` maps read-only
/// by way of /proc/PID/fd. Whoever reads it bounds-checks everything; the sizes in the header say what is
/// there.
namespace hawser::live {

inline constexpr const char* kFileName = "hawser_live";      // of the memory file
inline constexpr std::uint64_t kMagic = 0x3145564c52535748;  // "HWSRLVE1"
inline constexpr std::uint32_t kVersion = 2;

/// Of one rail to one peer, as this rank sends on it.
enum class RailCounter : std::uint16_t {
  kMessages,
  kBytes,
  kRefused,
  kSentAgain,
  kReads,
  kReadBytes,
  kCount
};
inline constexpr CounterInfo kRailCounterInfo[] = {
    {"messages", "messages",
     "messages given to the rail, with the slices of long ones; acknowledgements are not"},
    {"bytes", "bytes", "data of these, without headers"},
    {"refused", "posts", "posts that the rail had no room for; they were made again later"},
    {"sent_again", "messages", "messages that the rail may have lost and that were put into the queue again"},
    {"reads", "operations", "reads of the peer's memory"},
    {"read_bytes", "bytes", "bytes read from the peer's memory"},
};
static_assert(std::size(kRailCounterInfo) == static_cast<std::size_t>(RailCounter::kCount),
              "describe every counter");

enum class RailState : std::uint32_t {
  kNone,        // no record
  kUp,          // carries messages, or would
  kConnecting,  // is being connected
  kAside,       // is no rail just now: others serve while it is being connected, or its interface went away
  kProbing,     // failed, and is tried again now and then
  kFailed,
  kCount
};
const char* to_text(RailState state) noexcept;

using RailCounts = Counters<RailCounter>;

/// A rail, and what went over it. Where several threads may call, the record goes on with counts for each of
/// them (RailOfThreads): a job of many ranks has many rails, and they are to take little.
struct alignas(kCacheLine) Rail {
  std::atomic<RailState> state{RailState::kNone};
  std::uint32_t peer = 0;
  char component[16] = {};  // zero-terminated, as the next one
  char module[36] = {};
  const std::uint32_t threads;  // have counts of their own behind the record
  RailCounts counts;

  explicit Rail(std::uint32_t of_threads = 0) noexcept : threads(of_threads) {}

  /// A message of `size` bytes went. Any thread.
  void count_sent(std::uint64_t size) noexcept { add(RailCounter::kMessages, 1, RailCounter::kBytes, size); }
  /// Two that change together; any thread.
  void add(RailCounter first, std::uint64_t n, RailCounter second, std::uint64_t m) noexcept {
    if (HAWSER_UNLIKELY(g_many_threads)) return add_of_thread(first, n, second, m);
    counts.add(first, n);
    counts.add(second, m);
  }
  /// Any thread.
  void add(RailCounter counter, std::uint64_t n = 1) noexcept {
    if (HAWSER_UNLIKELY(g_many_threads)) return add_of_thread(counter, n, counter, 0);
    counts.add(counter, n);
  }
  /// The sum as it is now. `of_threads`: so many have counts behind the record, as far as whoever reads
  /// knows.
  std::uint64_t sum(RailCounter counter, std::uint32_t of_threads) const noexcept;
  std::uint64_t sum(RailCounter counter) const noexcept { return sum(counter, threads); }

 private:
  void add_of_thread(RailCounter first, std::uint64_t n, RailCounter second, std::uint64_t m) noexcept;
};

struct RailOfThreads : Rail {
  RailOfThreads() noexcept : Rail(kThreadSlots) {}
  RailCounts of_thread[kThreadSlots];
};

// Out of line: the code around the other way stays small.
[[gnu::noinline]] inline void Rail::add_of_thread(RailCounter first, std::uint64_t n, RailCounter second,
                                                  std::uint64_t m) noexcept {
  const unsigned slot = thread_slot();
  if (HAWSER_LIKELY(slot < threads)) {
    RailCounts& own = static_cast<RailOfThreads*>(this)->of_thread[slot];
    own.add(first, n);
    own.add(second, m);
  } else {
    counts.add_shared(first, n);
    counts.add_shared(second, m);
  }
}

inline std::uint64_t Rail::sum(RailCounter counter, std::uint32_t of_threads) const noexcept {
  std::uint64_t sum = counts.get(counter);
  for (std::uint32_t i = 0; i < of_threads; ++i) {
    sum += static_cast<const RailOfThreads*>(this)->of_thread[i].get(counter);
  }
  return sum;
}

struct alignas(kCacheLine) Peer {
  std::atomic<std::int64_t> pending{0};  // messages that the rails had no room for; below 0 for a moment
  std::atomic<std::uint32_t> unacknowledged{0};  // messages of a guarded peer
  std::atomic<std::uint32_t> failed{0};          // 1: given up
};

/// A context of matching: a communicator has one for its point-to-point messages and one for collectives.
struct alignas(kCacheLine) Channel {
  std::atomic<std::uint32_t> open{0};
  std::atomic<std::uint32_t> context{0};
  std::atomic<std::uint32_t> posted{0};      // receives that wait for a message
  std::atomic<std::uint32_t> unexpected{0};  // messages that wait for a receive
  std::atomic<std::uint32_t> ahead{0};       // messages that came before their turn
  // Who opened it has a number that no other channel of the process gets: a record is used again.
  std::atomic<std::uint64_t> serial{0};
};

/// Where records of one kind lie: `count` of them, `size` bytes each, `at` bytes from the start.
struct Table {
  std::uint64_t at;
  std::uint32_t size;
  std::uint32_t count;
};

struct alignas(kCacheLine) Header {
  std::uint64_t magic;
  std::uint32_t version;
  std::uint32_t rank;
  std::uint32_t ranks;  // of the job
  std::uint64_t job;
  std::uint64_t file_size;  // bytes; sealed
  Table peers;              // by rank
  Table channels;           // those with `open`
  Table rails;              // the first `rails_used`
  std::atomic<std::uint32_t> rails_used{0};
  std::atomic<std::uint32_t> asleep{0};    // 1: blocks in Hawser until something comes
  std::atomic<std::int64_t> transfers{0};  // long messages that wait for room on every rail
  std::atomic<std::uint32_t> no_room{0};   // records that the file had no room for
};

// What a file has at most. It is sparse, so its size alone says nothing of how much there is to read.
inline constexpr std::uint32_t kMostPeers = 1u << 16;
inline constexpr std::uint32_t kMostChannels = 256;
inline constexpr std::uint32_t kMostRails = 1u << 14;
inline constexpr std::uint64_t kMostBytes = sizeof(Header) + std::uint64_t{sizeof(Peer)} * kMostPeers +
                                            std::uint64_t{sizeof(Channel)} * kMostChannels +
                                            std::uint64_t{sizeof(RailOfThreads)} * kMostRails;

}  // namespace hawser::live
