// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
// The physical limits that a message passing library is measured against, between two processes on two cores.
// Prints lines "NAME VALUE". Each argument is a limit:
//   probe                     two cache lines, quickly: how far apart the cores are
//   lines                     a flag and a payload in one and in two cache lines
//   wake                      a process that sleeps for 20 ms is woken by a futex
//   wake_socket               likewise, in a receive from a TCP socket
//   copy:SIZE                 a message through shared memory, there and back
//   stream:SIZE:WINDOW:KIND   messages one way and both ways; KIND: same (one buffer) or each (one a message)
//   socket:SIZE               TCP, there and back
//   socket_stream:SIZE:WINDOW
//
// BENCH_NAMESPACES="A,B" and BENCH_ADDRESS (of A): the ends of the connection are in two network namespaces.
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>
#include <vector>

#include "bench/raw/pair.hpp"

namespace raw {
namespace {

void pin(unsigned nth) {
  cpu_set_t all, one;
  if (sched_getaffinity(0, sizeof all, &all) != 0) die("sched_getaffinity");
  CPU_ZERO(&one);
  for (unsigned core = 0, seen = 0; core < CPU_SETSIZE; ++core) {
    if (CPU_ISSET(core, &all) && seen++ == nth) CPU_SET(core, &one);
  }
  if (CPU_COUNT(&one) == 1) sched_setaffinity(0, sizeof one, &one);
}

std::string text_of(const char* variable, const char* otherwise) {
  const char* text = std::getenv(variable);
  return text && *text ? text : otherwise;
}

/// A socket lives in the namespace that its maker was in.
void enter_namespace(const std::string& name) {
  if (name.empty()) return;
  const int fd = ::open(("/run/netns/" + name).c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0 || ::setns(fd, CLONE_NEWNET) != 0) die(("namespace " + name).c_str());
  ::close(fd);
}

/// Connections, before the fork: ends[side][which].
void connect_pairs(int ends[2][3]) {
  constexpr int kInCache = 192 * 1024;
  constexpr char kNotPaced[] = "reno";
  const std::string both = text_of("BENCH_NAMESPACES", ",");
  const std::size_t comma = both.find(',');
  enter_namespace(both.substr(0, comma));
  const int listener = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  socklen_t size = sizeof address;
  address.sin_family = AF_INET;
  if (::inet_pton(AF_INET, text_of("BENCH_ADDRESS", "127.0.0.1").c_str(), &address.sin_addr) != 1)
    die("BENCH_ADDRESS");
  if (::bind(listener, reinterpret_cast<sockaddr*>(&address), size) != 0 || ::listen(listener, 3) != 0)
    die("listen");
  ::getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size);
  enter_namespace(comma == std::string::npos ? "" : both.substr(comma + 1));
  for (int which = 0; which < 3; ++which) {
    ends[1][which] = ::socket(AF_INET, SOCK_STREAM, 0);
    if (::connect(ends[1][which], reinterpret_cast<sockaddr*>(&address), size) != 0) die("connect");
    ends[0][which] = ::accept(listener, nullptr, nullptr);
    if (ends[0][which] < 0) die("accept");
    const int on = 1;
    for (int side = 0; side < 2; ++side) {
      ::setsockopt(ends[side][which], IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
      if (which == 1) ::setsockopt(ends[side][which], SOL_SOCKET, SO_SNDBUF, &kInCache, sizeof kInCache);
      if (which != 0)
        ::setsockopt(ends[side][which], IPPROTO_TCP, TCP_CONGESTION, kNotPaced, sizeof kNotPaced - 1);
    }
  }
  ::close(listener);
}

struct Request {
  std::string what, kind;
  std::size_t size = 0, window = 1;
};

Request parse(const std::string& word) {
  Request request;
  std::string* const fields[] = {&request.what, nullptr, nullptr, &request.kind};
  std::size_t begin = 0;
  for (int i = 0; i < 4 && begin <= word.size(); ++i) {
    const std::size_t end = std::min(word.find(':', begin), word.size());
    const std::string field = word.substr(begin, end - begin);
    if (fields[i]) *fields[i] = field;
    if (i == 1) request.size = std::strtoull(field.c_str(), nullptr, 10);
    if (i == 2) request.window = std::strtoull(field.c_str(), nullptr, 10);
    begin = end + 1;
  }
  return request;
}

bool possible(const Request& r) {
  if (r.what == "lines" || r.what == "probe" || r.what == "wake" || r.what == "wake_socket") return true;
  if (r.size < 1 || r.window < 1 || r.size > kLargest) return false;
  if (r.what == "copy" || r.what == "socket" || r.what == "socket_stream") return true;
  if (r.what != "stream") return false;
  return r.kind == "same" || (r.kind == "each" && r.size * r.window <= kLargest);
}

void measure(Side& side, const Request& r) {
  if (r.what == "probe") probe(side);
  if (r.what == "lines") lines(side);
  if (r.what == "wake") wake(side);
  if (r.what == "wake_socket") wake_socket(side);
  if (r.what == "copy") copy_latency(side, r.size);
  if (r.what == "socket") socket_latency(side, r.size);
  if (r.what == "socket_stream") socket_stream(side, r.size, r.window);
  if (r.what != "stream") return;
  copy_stream(side, r.size, r.window, r.kind == "each");
  single_stream(side, r.size, r.window, r.kind == "each");
}

char* memory(std::size_t size, int sharing) {
  void* where = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, sharing | MAP_ANONYMOUS, -1, 0);
  if (where == MAP_FAILED) die("mmap");
  return static_cast<char*>(where);
}

/// Touches what the limits will use: two sides of 128 MiB would take longer than what is measured.
void touch(Side& side, const std::vector<Request>& requests) {
  std::size_t most = 1;
  for (const Request& r : requests) most = std::max(most, r.size * (r.kind == "each" ? r.window : 1));
  std::memset(side.out, 1 + side.me, most);
  std::memset(side.in, 1 + side.me, most);
}

int run(const std::vector<Request>& requests) {
  auto* shared = new (memory(sizeof(Shared), MAP_SHARED)) Shared{};
  char* const out = memory(kLargest, MAP_PRIVATE);
  char* const in = memory(kLargest, MAP_PRIVATE);
  int ends[2][3];
  connect_pairs(ends);
  const pid_t child = ::fork();
  if (child < 0) die("fork");
  const int me = child == 0 ? 1 : 0;
  Side side{*shared, me, {ends[me][0], ends[me][1], ends[me][2]}, out, in};
  for (const int fd : ends[1 - me]) ::close(fd);
  pin(static_cast<unsigned>(me));
  shared->pids[me] = ::getpid();
  touch(side, requests);
  for (const Request& request : requests) measure(side, request);
  if (me == 1) std::_Exit(0);
  int status = 0;
  ::waitpid(child, &status, 0);
  return status == 0 ? 0 : 1;
}

}  // namespace
}  // namespace raw

int main(int argc, char** argv) {
  std::vector<raw::Request> requests;
  for (int i = 1; i < argc; ++i) {
    requests.push_back(raw::parse(argv[i]));
    if (raw::possible(requests.back())) continue;
    std::fprintf(stderr, "limits: \"%s\" is no limit; see the top of bench/raw/limits.cpp\n", argv[i]);
    return 2;
  }
  if (requests.empty()) requests.push_back(raw::parse("lines"));
  return raw::run(requests);
}
