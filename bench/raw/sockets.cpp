// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
// What TCP gives without a library: there and back, spinning and blocking; streams by the best of several
// ways to call the kernel.
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>

#include "bench/raw/pair.hpp"

namespace raw {
namespace {

bool again(const char* what) {
  if (errno != EAGAIN && errno != EINTR) die(what);
  return true;
}

/// How far one way of a side is.
struct Course {
  char* buffer;
  std::size_t size;
  std::size_t left;  // messages
  std::size_t at = 0;

  void advance(ssize_t bytes) {
    at += static_cast<std::size_t>(bytes);
    if (at == size) at = 0, --left;
  }
};

struct Way {
  bool spin;
  std::size_t piece;  // most bytes for one call
  int socket = 0;     // of Side::sockets
};

void step_send(int fd, Course& c, Way way) {
  const ssize_t n =
      ::send(fd, c.buffer + c.at, std::min(c.size - c.at, way.piece), way.spin ? MSG_DONTWAIT : 0);
  if (n > 0) c.advance(n);
  if (n < 0) again("send");
}

void step_receive(int fd, Course& c, Way way) {
  const ssize_t n =
      ::recv(fd, c.buffer + c.at, std::min(c.size - c.at, way.piece), way.spin ? MSG_DONTWAIT : 0);
  if (n == 0) die("recv: the other side ended");
  if (n > 0) c.advance(n);
  if (n < 0) again("recv");
}

void pass(Side& side, Course out, Course in, Way way) {
  while (out.left > 0 || in.left > 0) {
    if (out.left > 0) step_send(side.sockets[way.socket], out, way);
    if (in.left > 0) step_receive(side.sockets[way.socket], in, way);
  }
}

double bounce(Side& side, std::size_t size, bool spin) {
  const Way way{spin, size};
  const Course nothing{nullptr, size, 0};
  return time_both(side,
                   [&](std::uint64_t count) {
                     for (std::uint64_t i = 0; i < count; ++i) {
                       if (side.me == 1) pass(side, nothing, {side.in, size, 1}, way);
                       pass(side, {side.out, size, 1}, nothing, way);
                       if (side.me == 0) pass(side, nothing, {side.in, size, 1}, way);
                     }
                   }) /
         2;
}

double stream(Side& side, std::size_t size, std::size_t window, bool both, Way way) {
  const std::size_t sent = both || side.me == 0 ? window : 0;
  const std::size_t received = both || side.me == 1 ? window : 0;
  return time_both(side, [&](std::uint64_t count) {
    for (std::uint64_t i = 0; i < count; ++i) {
      pass(side, {side.out, size, sent}, {side.in, size, received}, way);
      const Course nothing{nullptr, 1, 0}, end{side.in, 1, 1};
      if (side.me == 1) pass(side, end, nothing, way);
      if (side.me == 0) pass(side, nothing, end, way);
    }
  });
}

}  // namespace

void socket_latency(Side& side, std::size_t size) {
  say(side, "raw.socket_spin." + std::to_string(size), bounce(side, size, true) * 1e6);
  if (size <= 64) say(side, "raw.socket_block." + std::to_string(size), bounce(side, size, false) * 1e6);
}

void socket_stream(Side& side, std::size_t size, std::size_t window) {
  constexpr std::size_t kSmall = 128 * 1024, kMiddle = 512 * 1024;
  for (const bool both : {false, true}) {
    double best = 1e9;
    for (const Way way :
         {Way{true, size}, Way{true, kMiddle}, Way{true, kSmall}, Way{false, size}, Way{true, size, 1},
          Way{true, kSmall, 1}, Way{true, size, 2}, Way{true, kMiddle, 2}}) {
      // Blocking, both would wait for room to send and none would receive; a piece above the size is the
      // size.
      if ((both && !way.spin) || (way.spin && way.piece > size)) continue;
      best = std::min(best, stream(side, size, window, both, way));
    }
    const std::string name = std::string("raw.socket_stream.") + (both ? "both" : "one") + ".same.";
    say(side, name + std::to_string(size), static_cast<double>((both ? 2 : 1) * window * size) / best / 1e6);
  }
}

}  // namespace raw
