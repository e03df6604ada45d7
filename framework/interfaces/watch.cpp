// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "framework/interfaces/watch.hpp"

#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <sys/socket.h>

#include <cerrno>

namespace hawser::interfaces {
namespace {

constexpr std::size_t kRoom = 16 * 1024;  // bytes; a datagram that does not fit is cut, which does no harm

bool tells_of_change(const unsigned char* bytes, std::size_t size) noexcept {
  auto left = static_cast<unsigned>(size);
  for (auto* at = reinterpret_cast<const nlmsghdr*>(bytes); NLMSG_OK(at, left); at = NLMSG_NEXT(at, left)) {
    switch (at->nlmsg_type) {
      case RTM_NEWLINK:
      case RTM_DELLINK:
      case RTM_NEWADDR:
      case RTM_DELADDR:
        return true;
      default:
        break;
    }
  }
  return false;
}

}  // namespace

Result<Watch> Watch::open() {
  Fd fd(::socket(AF_NETLINK, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, NETLINK_ROUTE));
  if (!fd) return system_error("opening a netlink socket", errno);
  sockaddr_nl own{};
  own.nl_family = AF_NETLINK;
  own.nl_groups = RTMGRP_LINK | RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR;
  if (::bind(fd.get(), reinterpret_cast<const sockaddr*>(&own), sizeof own) != 0) {
    return system_error("asking the kernel for changes of interfaces", errno);
  }
  return Watch(std::move(fd));
}

bool Watch::drain() noexcept {
  bool changed = false;
  for (;;) {
    alignas(nlmsghdr) unsigned char bytes[kRoom];
    sockaddr_nl from{};
    socklen_t from_size = sizeof from;
    const ssize_t got = retry_eintr([&] {
      return ::recvfrom(fd_.get(), bytes, sizeof bytes, MSG_DONTWAIT, reinterpret_cast<sockaddr*>(&from),
                        &from_size);
    });
    if (got < 0 && errno == ENOBUFS) {
      changed = true;  // some were lost
      continue;
    }
    if (got <= 0) return changed;
    const bool of_kernel = from.nl_pid == 0;  // other processes may send to us, too
    changed = changed || (of_kernel && tells_of_change(bytes, static_cast<std::size_t>(got)));
  }
}

}  // namespace hawser::interfaces
