// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "framework/interfaces/watch.hpp"

#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>

namespace hawser::interfaces {
namespace {

constexpr std::size_t kRoom = 16UL * 1024;  // bytes; a datagram that does not fit is cut, which does no harm

// Local, cached and multicast routes say nothing about the way to a peer.
bool is_way(const nlmsghdr& header) noexcept {
  if (header.nlmsg_len < NLMSG_LENGTH(sizeof(rtmsg))) return false;
  const auto& route = *static_cast<const rtmsg*>(NLMSG_DATA(&header));
  return route.rtm_type == RTN_UNICAST && !(route.rtm_flags & RTM_F_CLONED);
}

Change told(const unsigned char* bytes, std::size_t size) noexcept {
  Change result = Change::kNone;
  auto left = static_cast<unsigned>(size);
  for (auto* at = reinterpret_cast<const nlmsghdr*>(bytes); NLMSG_OK(at, left); at = NLMSG_NEXT(at, left)) {
    switch (at->nlmsg_type) {
      case RTM_NEWLINK:
      case RTM_DELLINK:
      case RTM_NEWADDR:
      case RTM_DELADDR:
        return Change::kInterfaces;
      case RTM_NEWROUTE:
      case RTM_DELROUTE:
        if (is_way(*at)) result = Change::kRoutes;
        break;
      default:
        break;
    }
  }
  return result;
}

}  // namespace

Result<Watch> Watch::open() {
  Fd fd(::socket(AF_NETLINK, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, NETLINK_ROUTE));
  if (!fd) return system_error("opening a netlink socket", errno);
  sockaddr_nl own{};
  own.nl_family = AF_NETLINK;
  own.nl_groups =
      RTMGRP_LINK | RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR | RTMGRP_IPV4_ROUTE | RTMGRP_IPV6_ROUTE;
  if (::bind(fd.get(), reinterpret_cast<const sockaddr*>(&own), sizeof own) != 0) {
    return system_error("asking the kernel for changes of interfaces", errno);
  }
  return Watch(std::move(fd));
}

Change Watch::drain() noexcept {
  Change change = Change::kNone;
  for (;;) {
    alignas(nlmsghdr) unsigned char bytes[kRoom];
    sockaddr_nl from{};
    socklen_t from_size = sizeof from;
    const ssize_t got = retry_eintr([&] {
      return ::recvfrom(fd_.get(), bytes, sizeof bytes, MSG_DONTWAIT, reinterpret_cast<sockaddr*>(&from),
                        &from_size);
    });
    if (got < 0 && errno == ENOBUFS) {
      change = Change::kInterfaces;  // some were lost
      continue;
    }
    if (got <= 0) return change;
    const bool of_kernel = from.nl_pid == 0;  // other processes may send to us, too
    if (of_kernel) change = std::max(change, told(bytes, static_cast<std::size_t>(got)));
  }
}

}  // namespace hawser::interfaces
