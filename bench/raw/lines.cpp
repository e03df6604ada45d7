// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
// What a small message cannot beat: a flag with its payload, in one cache line and in two, there and back.
#include <algorithm>

#include "bench/raw/pair.hpp"

namespace raw {
namespace {

volatile std::uint64_t g_sink;  // the payload is read, as a receiver would

/// With a pause in the loop or without: which is quicker depends on where the cores are.
template <bool Pause>
void await_line(const std::atomic<std::uint64_t>& value, std::uint64_t wanted) {
  while (value.load(std::memory_order_acquire) < wanted) {
    if (Pause) relax();
  }
}

template <bool Pause>
double one_line(Side& side, std::uint64_t& at) {
  Shared& s = side.shared;
  return time_both(side, [&](std::uint64_t count) {
    std::uint64_t sum = 0;
    for (const std::uint64_t end = at + count; at < end;) {
      ++at;
      if (side.me == 1) await_line<Pause>(s.one[0].value, at), sum += s.one[0].payload;
      s.one[side.me].payload = at;
      s.one[side.me].value.store(at, std::memory_order_release);
      if (side.me == 0) await_line<Pause>(s.one[1].value, at), sum += s.one[1].payload;
    }
    g_sink = sum;
  });
}

template <bool Pause>
double two_lines(Side& side, std::uint64_t& at) {
  Shared& s = side.shared;
  return time_both(side, [&](std::uint64_t count) {
    std::uint64_t sum = 0;
    for (const std::uint64_t end = at + count; at < end;) {
      ++at;
      if (side.me == 1) await_line<Pause>(s.flag[0].value, at), sum += s.data[0][0];
      s.data[side.me][0] = at;
      s.flag[side.me].value.store(at, std::memory_order_release);
      if (side.me == 0) await_line<Pause>(s.flag[1].value, at), sum += s.data[1][0];
    }
    g_sink = sum;
  });
}

}  // namespace

void probe(Side& side) {
  std::uint64_t at = side.shared.flag[0].value.load();
  say(side, "raw.probe", two_lines<true>(side, at) / 2 * 1e6);
}

void lines(Side& side) {
  std::uint64_t one = side.shared.one[0].value.load(), two = side.shared.flag[0].value.load();
  say(side, "raw.line", std::min(one_line<true>(side, one), one_line<false>(side, one)) / 2 * 1e6);
  say(side, "raw.two_lines", std::min(two_lines<true>(side, two), two_lines<false>(side, two)) / 2 * 1e6);
}

}  // namespace raw
