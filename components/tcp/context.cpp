// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "components/tcp/context.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <algorithm>
#include <filesystem>
#include <iterator>

namespace hawser::tcp {
namespace {

void set_option(int fd, int level, int name, int value) noexcept {
  ::setsockopt(fd, level, name, &value,
               sizeof value);  // a hint that is refused changes speed, not the result
}

}  // namespace

void tune_socket(int fd, const Params& params) noexcept {
  constexpr int kProbes = 3;
  const int silence = static_cast<int>(params.silence_timeout_ns / 1'000'000'000);
  set_option(fd, IPPROTO_TCP, TCP_NODELAY, 1);
  // Finds a silent loss while nothing is under way; Endpoint::check_silence finds it while something is. Not
  // TCP_USER_TIMEOUT: it would also end connections to a peer that merely computes for long with its receive
  // window full.
  set_option(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
  set_option(fd, IPPROTO_TCP, TCP_KEEPIDLE, std::max(1, silence / 2));
  set_option(fd, IPPROTO_TCP, TCP_KEEPINTVL, std::max(1, silence / 2 / kProbes));
  set_option(fd, IPPROTO_TCP, TCP_KEEPCNT, kProbes);
  if (params.sndbuf != 0) set_option(fd, SOL_SOCKET, SO_SNDBUF, static_cast<int>(params.sndbuf));
  if (params.rcvbuf != 0) set_option(fd, SOL_SOCKET, SO_RCVBUF, static_cast<int>(params.rcvbuf));
}

// More under way than the caches hold makes both directions together half as fast, and so does a sender that
// is paced (bbr): there is no line to be gentle with. Over a long line, real or made by rules for a test, so
// little would be too little, and the kernel chooses.
void tune_within_machine(int fd, const Params& params) noexcept {
  constexpr std::uint32_t kShortUs = 1'000;
  constexpr int kInCache = 192 * 1024;
  constexpr char kNotPaced[] = "reno";  // in every kernel; where it is not permitted, all stays as it is
  tcp_info info{};
  socklen_t size = sizeof info;
  if (::getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &size) != 0 || info.tcpi_rtt >= kShortUs) return;
  ::setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, kNotPaced, sizeof kNotPaced - 1);
  if (params.sndbuf == 0) set_option(fd, SOL_SOCKET, SO_SNDBUF, kInCache);
}

std::string file_limit_text() noexcept {
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  std::error_code error;  // with no descriptor left the folder cannot be read: then all are in use
  std::uint64_t open = 0;
  try {
    for (std::filesystem::directory_iterator at("/proc/self/fd", error), end; !error && at != end;
         at.increment(error)) {
      ++open;
    }
  } catch (const std::bad_alloc&) {
    error = std::make_error_code(std::errc::not_enough_memory);
  }
  return words("{} of at most {} files are open", error ? limit.rlim_cur : open, limit.rlim_cur);
}

}  // namespace hawser::tcp
