// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
// The physical limits that a message passing library is measured against, between two processes on two cores:
// a flag and a payload in one and in two cache lines, the best copy schemes, sockets. Prints lines "NAME
// VALUE".
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <new>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;
constexpr std::size_t kLine = 64;
constexpr std::size_t kLargest = std::size_t{64} << 20;
constexpr std::size_t kChunk = 64 * 1024;
constexpr std::size_t kChunks = 8;

double seconds() {
  const char* text = std::getenv("BENCH_SECONDS");
  const double value = text ? std::atof(text) : 0;
  return value > 0 ? value : 0.05;
}

[[noreturn]] void die(const char* what) {
  std::perror(what);
  std::_Exit(1);
}

void pin(unsigned nth) {
  cpu_set_t all, one;
  if (sched_getaffinity(0, sizeof all, &all) != 0) die("sched_getaffinity");
  CPU_ZERO(&one);
  for (unsigned core = 0, seen = 0; core < CPU_SETSIZE; ++core) {
    if (CPU_ISSET(core, &all) && seen++ == nth) CPU_SET(core, &one);
  }
  if (CPU_COUNT(&one) == 1) sched_setaffinity(0, sizeof one, &one);
}

struct alignas(kLine) Flag {
  std::atomic<std::uint64_t> value;
  std::uint64_t payload;
};

struct Shared {
  Flag request, answer;                             // which round, for agreeing on counts
  Flag one[2];                                      // flag and payload in one line, each way
  Flag flag[2];                                     // the flag alone ...
  alignas(kLine) std::uint64_t data[2][kLine / 8];  // ... and its payload in a line of its own
  Flag filled[2], emptied[2];                       // chunks
  alignas(kLine) char chunks[2][kChunks][kChunk];
  pid_t pids[2];
  std::uint64_t buffers[2];  // addresses, for reading the other's memory
};

struct Side {
  Shared& shared;
  int me;
  int socket;
  char* buffer;
};

void relax() {
  __builtin_ia32_pause();
}
void await(const std::atomic<std::uint64_t>& value, std::uint64_t wanted) {
  while (value.load(std::memory_order_acquire) < wanted) relax();
}

// `body(count)` on both sides with growing counts until side 0 finds it long enough; seconds for one, best of
// three.
double time_both(Side& side, const std::function<void(std::uint64_t)>& body) {
  static std::uint64_t round = 0;
  Shared& s = side.shared;
  double best = 1e9;
  std::uint64_t count = 1;
  for (int timed = 0; timed < 3;) {
    ++round;
    if (side.me == 0) {
      s.request.payload = count;
      s.request.value.store(round, std::memory_order_release);
      await(s.answer.value, round);
    } else {
      await(s.request.value, round);
      count = s.request.payload;
      s.answer.value.store(round, std::memory_order_release);
    }
    const auto begin = Clock::now();
    body(count);
    const double took = std::chrono::duration<double>(Clock::now() - begin).count();
    // Side 0 decides; side 1 follows: the count is 0 when all is said.
    ++round;
    if (side.me == 0) {
      const bool long_enough = took >= seconds() / 3;
      if (long_enough) best = std::min(best, took / static_cast<double>(count)), ++timed;
      s.request.payload = static_cast<std::uint64_t>(timed);
      s.request.value.store(round, std::memory_order_release);
      if (!long_enough)
        count *= took > 0 ? std::clamp<std::uint64_t>(static_cast<std::uint64_t>(seconds() / 2 / took), 2, 16)
                          : 16;
    } else {
      await(s.request.value, round);
      timed = static_cast<int>(s.request.payload);
    }
    if (side.me == 0) await(s.answer.value, round);
    if (side.me == 1) s.answer.value.store(round, std::memory_order_release);
  }
  return best;
}

void say(const Side& side, const char* name, double value) {
  if (side.me == 0) std::printf("%s %.5g\n", name, value);
}
void say_sized(const Side& side, const char* name, std::size_t size, double value) {
  if (side.me == 0) std::printf("%s.%zu %.5g\n", name, size, value);
}

volatile std::uint64_t g_sink;

void lines(Side& side) {
  Shared& s = side.shared;
  static std::uint64_t at = 0;
  const double one = time_both(side, [&](std::uint64_t count) {
    for (const std::uint64_t end = at + count; at < end;) {
      ++at;
      if (side.me == 1) await(s.one[0].value, at);
      s.one[side.me].payload = at;
      s.one[side.me].value.store(at, std::memory_order_release);
      if (side.me == 0) await(s.one[1].value, at);
    }
  });
  static std::uint64_t at2 = 0;
  const double two = time_both(side, [&](std::uint64_t count) {
    std::uint64_t sum = 0;  // the payload is read, as a receiver would
    for (const std::uint64_t end = at2 + count; at2 < end;) {
      ++at2;
      if (side.me == 1) {
        await(s.flag[0].value, at2);
        sum += s.data[0][0];
      }
      s.data[side.me][0] = at2;
      s.flag[side.me].value.store(at2, std::memory_order_release);
      if (side.me == 0) {
        await(s.flag[1].value, at2);
        sum += s.data[1][0];
      }
    }
    g_sink = sum;
  });
  say(side, "raw.line", one / 2 * 1e6);
  say(side, "raw.two_lines", two / 2 * 1e6);
}

struct Pipe {  // one direction through the chunks
  Shared& s;
  int way;
  std::uint64_t filled = 0, emptied = 0;
  std::size_t chunk;

  void send(const char* from, std::size_t size) {
    for (std::size_t done = 0; done < size; done += chunk) {
      if (filled >= kChunks) await(s.emptied[way].value, filled - kChunks + 1);
      std::memcpy(s.chunks[way][filled % kChunks], from + done, std::min(chunk, size - done));
      s.filled[way].value.store(++filled, std::memory_order_release);
    }
  }
  void receive(char* to, std::size_t size) {
    for (std::size_t done = 0; done < size; done += chunk) {
      await(s.filled[way].value, emptied + 1);
      std::memcpy(to + done, s.chunks[way][emptied % kChunks], std::min(chunk, size - done));
      s.emptied[way].value.store(++emptied, std::memory_order_release);
    }
  }
};

// Latency: there and back. Stream: `window` messages one way, then a flag.
void copies(Side& side, const std::vector<std::size_t>& sizes) {
  Shared& s = side.shared;
  static Pipe pipes[2] = {{s, 0, 0, 0, kChunk}, {s, 1, 0, 0, kChunk}};
  for (const std::size_t size : sizes) {
    double best = 1e9, best_stream = 1e9;
    for (const std::size_t chunk : {std::size_t{4096}, std::size_t{8192}, std::size_t{32768}, kChunk}) {
      if (chunk != kChunk && chunk >= size) continue;
      pipes[0].chunk = pipes[1].chunk = chunk;
      best = std::min(best, time_both(side, [&](std::uint64_t count) {
                              for (std::uint64_t i = 0; i < count; ++i) {
                                if (side.me == 1) pipes[0].receive(side.buffer, size);
                                pipes[side.me].send(side.buffer, size);
                                if (side.me == 0) pipes[1].receive(side.buffer, size);
                              }
                            }) / 2);
      best_stream = std::min(best_stream, time_both(side, [&](std::uint64_t count) {
                               for (std::uint64_t i = 0; i < count; ++i) {
                                 if (side.me == 0) pipes[0].send(side.buffer, size);
                                 if (side.me == 1) pipes[0].receive(side.buffer, size);
                               }
                             }));
    }
    say_sized(side, "raw.copy", size, best * 1e6);
    say_sized(side, "raw.copy_stream", size, static_cast<double>(size) / best_stream / 1e6);
  }
}

void read_other(Side& side, std::size_t offset, std::size_t size) {
  iovec local{side.buffer + offset, size};
  iovec remote{reinterpret_cast<void*>(side.shared.buffers[1 - side.me] + offset), size};
  if (process_vm_readv(side.shared.pids[1 - side.me], &local, 1, &remote, 1, 0) != static_cast<ssize_t>(size))
    die("process_vm_readv");
}

void single_copies(Side& side, const std::vector<std::size_t>& sizes) {
  Shared& s = side.shared;
  static std::uint64_t at = 0;
  for (const std::size_t size : sizes) {
    const double half =
        time_both(side,
                  [&](std::uint64_t count) {
                    for (const std::uint64_t end = at + count; at < end;) {
                      ++at;
                      if (side.me == 1) {
                        await(s.one[0].value, at + (std::uint64_t{1} << 60));
                        read_other(side, 0, size);
                      }
                      s.one[side.me].value.store(at + (std::uint64_t{1} << 60), std::memory_order_release);
                      if (side.me == 0) {
                        await(s.one[1].value, at + (std::uint64_t{1} << 60));
                        read_other(side, 0, size);
                      }
                    }
                  }) /
        2;
    say_sized(side, "raw.readv", size, half * 1e6);
    say_sized(side, "raw.readv_stream", size, static_cast<double>(size) / half / 1e6);
  }
}

void send_all(int fd, const char* from, std::size_t size, bool spin) {
  for (std::size_t done = 0; done < size;) {
    const ssize_t n = ::send(fd, from + done, size - done, spin ? MSG_DONTWAIT : 0);
    if (n > 0) done += static_cast<std::size_t>(n);
    if (n < 0 && errno != EAGAIN && errno != EINTR) die("send");
  }
}
void receive_all(int fd, char* to, std::size_t size, bool spin) {
  for (std::size_t done = 0; done < size;) {
    const ssize_t n = ::recv(fd, to + done, size - done, spin ? MSG_DONTWAIT : 0);
    if (n > 0) done += static_cast<std::size_t>(n);
    if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR)) die("recv");
  }
}

void sockets(Side& side, const std::vector<std::size_t>& latencies, const std::vector<std::size_t>& streams) {
  const auto bounce = [&](std::size_t size, bool spin) {
    return time_both(side,
                     [&](std::uint64_t count) {
                       for (std::uint64_t i = 0; i < count; ++i) {
                         if (side.me == 1) receive_all(side.socket, side.buffer, size, spin);
                         send_all(side.socket, side.buffer, size, spin);
                         if (side.me == 0) receive_all(side.socket, side.buffer, size, spin);
                       }
                     }) /
           2;
  };
  for (const std::size_t size : latencies) say_sized(side, "raw.socket_spin", size, bounce(size, true) * 1e6);
  say_sized(side, "raw.socket_block", 8, bounce(8, false) * 1e6);
  for (const std::size_t size : streams) {
    constexpr int kWindow = 16;
    const double took = time_both(side, [&](std::uint64_t count) {
      char end = 0;
      for (std::uint64_t i = 0; i < count; ++i) {
        for (int w = 0; w < kWindow; ++w) {
          if (side.me == 0) send_all(side.socket, side.buffer, size, false);
          if (side.me == 1) receive_all(side.socket, side.buffer, size, false);
        }
        if (side.me == 1) send_all(side.socket, &end, 1, false);
        if (side.me == 0) receive_all(side.socket, &end, 1, false);
      }
    });
    say_sized(side, "raw.socket_stream", size, kWindow * static_cast<double>(size) / took / 1e6);
  }
}

// A connection over loopback: the two ends, before the fork.
void connect_pair(int ends[2]) {
  const int listener = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  if (::bind(listener, reinterpret_cast<sockaddr*>(&address), size) != 0 || ::listen(listener, 1) != 0)
    die("listen");
  ::getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size);
  ends[0] = ::socket(AF_INET, SOCK_STREAM, 0);
  if (::connect(ends[0], reinterpret_cast<sockaddr*>(&address), size) != 0) die("connect");
  ends[1] = ::accept(listener, nullptr, nullptr);
  if (ends[1] < 0) die("accept");
  ::close(listener);
  const int on = 1;
  for (int i = 0; i < 2; ++i) ::setsockopt(ends[i], IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

void run(Side side) {
  pin(static_cast<unsigned>(side.me));
  side.shared.pids[side.me] = getpid();
  side.shared.buffers[side.me] = reinterpret_cast<std::uint64_t>(side.buffer);
  std::memset(side.buffer, side.me, kLargest);
  lines(side);
  copies(side, {1024, 4096, 65536, 1 << 20, 4 << 20});
  single_copies(side, {65536, 1 << 20, 4 << 20});
  sockets(side, {8, 65536}, {65536, 1 << 20, 64 << 20});
}

}  // namespace

int main() {
  void* memory = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  char* buffer =
      static_cast<char*>(mmap(nullptr, kLargest, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  if (memory == MAP_FAILED || buffer == MAP_FAILED) die("mmap");
  auto* shared = new (memory) Shared{};
  int ends[2];
  connect_pair(ends);
  const pid_t child = fork();
  if (child < 0) die("fork");
  run({*shared, child == 0 ? 1 : 0, ends[child == 0 ? 1 : 0], buffer});
  if (child == 0) std::_Exit(0);
  int status = 0;
  waitpid(child, &status, 0);
  return status == 0 ? 0 : 1;
}
