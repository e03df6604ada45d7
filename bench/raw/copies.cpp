// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
// Large messages through shared memory: the best of several ways to copy in and out of it (each message is
// copied twice, by two cores at once), and of one copy by the kernel (by the receiver, or each side a half).
#include <sys/uio.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "bench/raw/pair.hpp"

namespace raw {
namespace {

struct Scheme {
  std::size_t chunk, slots;
  bool strings;          // written with string instructions, which memcpy takes later
  std::size_t together;  // messages whose chunks take turns
};

/// Few chunks stay in cache, many let the two sides drift apart; up to some size a message has up to four.
/// Messages that take turns win where they have one buffer.
std::vector<Scheme> schemes(std::size_t size, std::size_t most_together) {
  constexpr std::size_t kKiB = 1024;
  std::vector<Scheme> all;
  for (const std::size_t area : {16 * kKiB, 128 * kKiB, kArea}) {
    for (const std::size_t most : {kKiB, 2 * kKiB, 4 * kKiB, 16 * kKiB, 32 * kKiB, 64 * kKiB}) {
      const std::size_t chunk = std::min(size, most);
      if (chunk * 2 > area || chunk * 4 < std::min(size, 64 * kKiB)) continue;
      const std::size_t slots = std::min(area / chunk, kMaxSlots);
      all.push_back({chunk, slots, false, 1});
      if (chunk <= 4 * kKiB) all.push_back({chunk, slots, true, 1});
      if (most_together > 1) all.push_back({chunk, slots, false, most_together});
      if (chunk == size) break;
    }
  }
  return all;
}

void write(char* to, const char* from, std::size_t size, bool strings) {
  if (strings) {
    asm volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(size) : : "memory");
  } else {
    std::memcpy(to, from, size);
  }
}

/// The two directions of one side: what it has sent and received, in chunks.
class Pipes {
 public:
  Pipes(Side& side, Scheme scheme) : s_(side.shared), me_(side.me), scheme_(scheme) {}

  /// Both sides have to be at the same point: all that was sent is received.
  void restart() {
    sent_ = received_ = 0;
    for (auto& flag : s_.filled[me_]) flag.value.store(0, std::memory_order_release);
    s_.emptied[1 - me_].value.store(0, std::memory_order_release);
  }

  bool can_send() const {
    return sent_ < scheme_.slots ||
           s_.emptied[me_].value.load(std::memory_order_acquire) > sent_ - scheme_.slots;
  }
  bool can_receive() const {
    const auto& flag = s_.filled[1 - me_][received_ % scheme_.slots];
    return flag.value.load(std::memory_order_acquire) == received_ + 1;
  }
  void send(const char* from, std::size_t size) {
    const std::size_t slot = sent_ % scheme_.slots;
    write(s_.chunks[me_] + slot * scheme_.chunk, from, size, scheme_.strings);
    s_.filled[me_][slot].value.store(++sent_, std::memory_order_release);
  }
  void receive(char* to, std::size_t size) {
    std::memcpy(to, s_.chunks[1 - me_] + received_ % scheme_.slots * scheme_.chunk, size);
    s_.emptied[1 - me_].value.store(++received_, std::memory_order_release);
  }

 private:
  Shared& s_;
  int me_;
  Scheme scheme_;
  std::uint64_t sent_ = 0, received_ = 0;
};

/// How far a side is with the messages of one way.
struct Course {
  std::size_t size, chunk, step, together;
  std::size_t left;  // messages
  std::size_t at = 0, message = 0, turn = 0;

  bool over() const { return left == 0; }
  std::size_t offset() const { return (message + turn) * step + at; }
  std::size_t piece() const { return std::min(chunk, size - at); }
  void advance() {
    const std::size_t now = std::min(together, left);
    if (++turn < now) return;
    turn = 0;
    at += chunk;
    if (at >= size) at = 0, message += now, left -= now;
  }
};

struct Stream {
  std::size_t size, step;
  bool sends, receives;
};

void pass(Side& side, Pipes& pipes, Scheme scheme, Stream stream, std::size_t window) {
  Course out{stream.size, scheme.chunk, stream.step, scheme.together, stream.sends ? window : 0};
  Course in{stream.size, scheme.chunk, stream.step, scheme.together, stream.receives ? window : 0};
  while (!out.over() || !in.over()) {
    bool moved = false;
    if (!out.over() && pipes.can_send())
      pipes.send(side.out + out.offset(), out.piece()), out.advance(), moved = true;
    if (!in.over() && pipes.can_receive())
      pipes.receive(side.in + in.offset(), in.piece()), in.advance(), moved = true;
    if (!moved) relax();
  }
}

/// Side 0 goes on when side 1 has all.
void flag_back(Side& side, std::uint64_t& at) {
  ++at;
  if (side.me == 1) side.shared.one[1].value.store(at, std::memory_order_release);
  if (side.me == 0) await(side.shared.one[1].value, at);
}

/// Neither goes on before the other is here.
void meet(Side& side, std::uint64_t& at) {
  ++at;
  side.shared.one[side.me].value.store(at, std::memory_order_release);
  await(side.shared.one[1 - side.me].value, at);
}

std::uint64_t g_at = std::uint64_t{1} << 40;  // above what other limits stored in these flags

double best_of_schemes(Side& side, const std::vector<Scheme>& all,
                       const std::function<void(Pipes&, Scheme)>& once) {
  double best = 1e9;
  for (const Scheme scheme : all) {
    Pipes pipes(side, scheme);
    meet(side, g_at);
    pipes.restart();
    meet(side, g_at);
    best = std::min(best, time_both(side, [&](std::uint64_t count) {
                      for (std::uint64_t i = 0; i < count; ++i) once(pipes, scheme);
                    }));
  }
  return best;
}

void reach(Side& side, bool write, std::size_t offset, std::size_t size) {
  iovec local{(write ? side.out : side.in) + offset, size};
  iovec remote{(write ? side.in : side.out) + offset, size};  // the same addresses in both
  const auto call = write ? process_vm_writev : process_vm_readv;
  if (call(side.shared.pids[1 - side.me], &local, 1, &remote, 1, 0) != static_cast<ssize_t>(size))
    die("process_vm_readv or process_vm_writev");
}

}  // namespace

void copy_latency(Side& side, std::size_t size) {
  const double both = best_of_schemes(side, schemes(size, 1), [&](Pipes& pipes, Scheme scheme) {
    if (side.me == 1) pass(side, pipes, scheme, {size, 0, false, true}, 1);
    pass(side, pipes, scheme, {size, 0, true, false}, 1);
    if (side.me == 0) pass(side, pipes, scheme, {size, 0, false, true}, 1);
  });
  say(side, "raw.copy." + std::to_string(size), both / 2 * 1e6);
}

void copy_stream(Side& side, std::size_t size, std::size_t window, bool each) {
  const std::size_t step = each ? size : 0;
  const std::size_t together = each || size < std::size_t{1} << 20 ? 1 : 4;
  for (const bool both : {false, true}) {
    const Stream stream{size, step, both || side.me == 0, both || side.me == 1};
    const double took = best_of_schemes(side, schemes(size, together), [&](Pipes& pipes, Scheme scheme) {
      pass(side, pipes, scheme, stream, window);
      flag_back(side, g_at);
    });
    const std::string name =
        std::string("raw.copy_stream.") + (both ? "both." : "one.") + (each ? "each." : "same.");
    say(side, name + std::to_string(size), static_cast<double>((both ? 2 : 1) * window * size) / took / 1e6);
  }
}

// One way, the receiver copies all, or each side a half of each message; both ways, each side copies what it
// receives.
void single_stream(Side& side, std::size_t size, std::size_t window, bool each) {
  const std::size_t step = each ? size : 0;
  const auto stream = [&](bool both, bool halves) {
    const std::size_t sent = halves ? size / 2 : 0;  // by the sender
    return time_both(side, [&](std::uint64_t count) {
      for (std::uint64_t i = 0; i < count; ++i) {
        for (std::size_t w = 0; w < window; ++w) {
          if (side.me == 0 && halves) reach(side, true, w * step, sent);
          if (side.me == 1 || both) reach(side, false, w * step + sent, size - sent);
          if (halves) meet(side, g_at);
        }
        flag_back(side, g_at);
      }
    });
  };
  const double bytes = static_cast<double>(window * size);
  const std::string kind = (each ? "each." : "same.") + std::to_string(size);
  say(side, "raw.single_stream.one." + kind,
      bytes / std::min(stream(false, false), stream(false, true)) / 1e6);
  say(side, "raw.single_stream.both." + kind, 2 * bytes / stream(true, false) / 1e6);
}

}  // namespace raw
