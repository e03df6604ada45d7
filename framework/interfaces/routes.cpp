// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "framework/interfaces/routes.hpp"

#include <linux/fib_rules.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <cerrno>

#include "framework/base/fd.hpp"
#include "framework/interfaces/route_dump.hpp"

namespace hawser::interfaces {
namespace {

constexpr int kTries = 4;  // a table that changes while it is told is asked for again
constexpr std::size_t kDatagramRoom = 64UL * 1024;  // the kernel fills at most half of that
constexpr std::size_t kPruneAt = 16 * kMaxRoutes;   // routes in memory, of tables of any size
constexpr std::size_t kMaxDatagrams = 16UL * 1024;  // some millions of routes
constexpr std::uint32_t kSequence = 1;              // of the only request on a socket
constexpr timeval kPatience{0, 200'000};            // between two datagrams; the kernel answers at once

constexpr const char* kWhat = "reading the routing table";

struct Question {
  unsigned short type = RTM_GETROUTE;  // or RTM_GETRULE
  int family = AF_INET;
  std::set<std::uint32_t> tables;  // the main one, and more
};

Result<Fd> open_socket() {
  Fd fd(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE));
  if (!fd) return system_error(kWhat, errno);
  if (::setsockopt(fd.get(), SOL_SOCKET, SO_RCVTIMEO, &kPatience, sizeof kPatience) != 0) {
    return system_error(kWhat, errno);
  }
  // Lets the kernel leave out other tables; older ones do not know it, and we look again anyway.
  const int on = 1;
  ::setsockopt(fd.get(), SOL_NETLINK, NETLINK_GET_STRICT_CHK, &on, sizeof on);
  return fd;
}

// The header of a question about rules has the same size and family as that about routes, and is else empty.
static_assert(sizeof(rtmsg) == sizeof(fib_rule_hdr));

rtmsg about(const Question& question) {
  rtmsg header{};
  header.rtm_family = static_cast<unsigned char>(question.family);
  if (question.type != RTM_GETROUTE) return header;
  header.rtm_type = RTN_UNICAST;
  if (question.tables.size() == 1) header.rtm_table = RT_TABLE_MAIN;
  return header;
}

Result<void> ask(int fd, const Question& question) {
  struct {
    nlmsghdr header;
    rtmsg body;
  } request{};
  request.header.nlmsg_len = sizeof request;
  request.header.nlmsg_type = question.type;
  request.header.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
  request.header.nlmsg_seq = kSequence;
  request.body = about(question);
  sockaddr_nl kernel{};
  kernel.nl_family = AF_NETLINK;
  const auto sent = retry_eintr([&] {
    return ::sendto(fd, &request, sizeof request, 0, reinterpret_cast<const sockaddr*>(&kernel),
                    sizeof kernel);
  });
  if (sent < 0) return system_error(kWhat, errno);
  return {};
}

// One datagram of the kernel; empty: it came from somebody else.
Result<std::string_view> receive(int fd, std::vector<char>& room) {
  sockaddr_nl sender{};
  iovec part{room.data(), room.size()};
  msghdr message{};
  message.msg_name = &sender;
  message.msg_namelen = sizeof sender;
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  const auto size = retry_eintr([&] { return ::recvmsg(fd, &message, 0); });
  if (size < 0) return system_error(kWhat, errno);
  if (message.msg_flags & MSG_TRUNC) return make_error(Errc::kSystem, "{}: an answer was cut off", kWhat);
  if (sender.nl_pid != 0) return std::string_view();
  return std::string_view(room.data(), static_cast<std::size_t>(size));
}

Result<RouteDump> dump_once(const Question& question) {
  auto fd = open_socket();  // a fresh one each time: leftovers of a broken dump do not matter
  if (!fd) return fd.error();
  if (auto asked = ask(fd->get(), question); !asked) return asked.error();
  RouteDump dump;
  dump.tables = question.tables;
  std::vector<char> room(kDatagramRoom);
  for (std::size_t count = 0; !dump.done; ++count) {
    if (count == kMaxDatagrams) return make_error(Errc::kSystem, "{}: it does not end", kWhat);
    const auto bytes = receive(fd->get(), room);
    if (!bytes) return bytes.error();
    read_datagram(*bytes, kSequence, dump);
    if (dump.malformed) return make_error(Errc::kSystem, "{}: an answer that cannot be read", kWhat);
    if (dump.routes.size() > kPruneAt) dump.routes = in_order(std::move(dump.routes), kMaxRoutes);
  }
  if (dump.error != 0) return system_error(kWhat, dump.error);
  return dump;
}

Result<RouteDump> dump(const Question& question) {
  for (int tries = 0; tries < kTries; ++tries) {
    auto result = dump_once(question);
    if (!result || !result->interrupted) return result;
  }
  return make_error(Errc::kSystem, "{}: it changed each of the {} times we read it", kWhat, kTries);
}

Result<std::vector<Route>> routes_of(int family) {
  Question question{RTM_GETROUTE, family, {kMainTable}};
  // A kernel without rules has one table for all.
  if (auto rules = dump({RTM_GETRULE, family, {}})) question.tables.merge(rules->source_tables);
  auto answer = dump(question);
  if (!answer) return answer.error();
  return std::move(answer->routes);
}

}  // namespace

Result<std::vector<Route>> routes() {
  auto all = routes_of(AF_INET);
  if (!all) return all.error();
  const auto more = routes_of(AF_INET6);
  if (!more) return more.error();
  all->insert(all->end(), more->begin(), more->end());
  return in_order(std::move(*all), kMaxRoutes);
}

}  // namespace hawser::interfaces
