// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "framework/interfaces/route_dump.hpp"

#include <linux/fib_rules.h>
#include <linux/rtnetlink.h>

#include <algorithm>
#include <tuple>

#include "framework/base/wire.hpp"

namespace hawser::interfaces {
namespace {

constexpr std::uint32_t kLoopbackIndex = 1;  // in every network namespace, by the kernel's rule
constexpr std::size_t kMaxSourceTables = 64;

struct Bytes {
  const unsigned char* data = nullptr;
  std::size_t size = 0;

  WireReader reader() const noexcept { return {data, size}; }
};

// A header whose first member counts the bytes of header and body together; then the padding up to 4 bytes.
// Nothing if the length cannot be.
template <class Header>
bool take_record(WireReader& in, Header& header, Bytes& body) noexcept {
  if (!in.take(&header, sizeof header)) return false;
  std::size_t length = 0;
  if constexpr (std::is_same_v<Header, nlmsghdr>) {
    length = header.nlmsg_len;
  } else if constexpr (std::is_same_v<Header, rtattr>) {
    length = header.rta_len;
  } else {
    length = header.rtnh_len;
  }
  if (length < sizeof header || length - sizeof header > in.left()) return false;
  body.size = length - sizeof header;
  body.data = in.skip(body.size);
  in.skip(std::min<std::size_t>(in.left(), (4 - length % 4) % 4));
  return true;
}

IpAddress masked(IpAddress address, unsigned prefix) noexcept {
  for (unsigned bit = prefix; bit < 8 * address.bytes.size(); ++bit) {
    address.bytes[bit / 8] &= static_cast<unsigned char>(~(0x80u >> bit % 8));
  }
  return address;
}

// One route, while its attributes are read.
class RouteReader {
 public:
  RouteReader(const rtmsg& header, RouteDump& dump) : header_(header), dump_(dump) {
    route_.network.family = header.rtm_family == AF_INET ? Family::kV4 : Family::kV6;
    route_.prefix = header.rtm_dst_len;
  }

  void read(WireReader in) {
    while (in.left() != 0) {
      rtattr attribute{};
      Bytes body;
      if (!take_record(in, attribute, body)) return fail();
      take(attribute.rta_type & NLA_TYPE_MASK, body);
    }
    if (!dump_.tables.count(table_)) return;
    // Without a destination it is the default route; with a prefix, the destination must have been there.
    if (route_.prefix != 0 && !has_network_) return fail();
    if (hops_.size != 0) return read_hops();
    add(interface_, gateway_, header_.rtm_flags);
  }

 private:
  void take(unsigned type, Bytes body) {
    WireReader in = body.reader();
    if (type == RTA_OIF) {
      interface_ = in.get<std::uint32_t>();
    } else if (type == RTA_TABLE) {
      table_ = in.get<std::uint32_t>();  // has room for numbers that the header has not
    } else if (type == RTA_GATEWAY || type == RTA_VIA) {
      gateway_ = true;
    } else if (type == RTA_MULTIPATH) {
      hops_ = body;
    } else if (type == RTA_DST) {
      has_network_ = in.take(route_.network.bytes.data(), route_.network.bits() / 8) && in.done();
    }
    if (!in.ok()) fail();
  }

  void read_hops() {
    WireReader in = hops_.reader();
    while (in.left() != 0) {
      rtnexthop hop{};
      Bytes body;
      if (!take_record(in, hop, body)) return fail();
      bool gateway = false;
      for (WireReader inner = body.reader(); inner.left() != 0;) {
        rtattr attribute{};
        Bytes ignored;
        if (!take_record(inner, attribute, ignored)) return fail();
        const unsigned type = attribute.rta_type & NLA_TYPE_MASK;
        gateway = gateway || type == RTA_GATEWAY || type == RTA_VIA;
      }
      add(static_cast<std::uint32_t>(hop.rtnh_ifindex), gateway, hop.rtnh_flags);
    }
  }

  void add(std::uint32_t interface, bool gateway, unsigned flags) {
    if (interface == 0 || interface == kLoopbackIndex || (flags & RTNH_F_DEAD)) return;
    Route route = route_;
    route.network = masked(route.network, route.prefix);
    if (route.prefix != 0 && route.network.scope() == Scope::kLink) return;
    route.interface = interface;
    route.direct = !gateway;
    dump_.routes.push_back(route);
  }

  void fail() noexcept { dump_.malformed = true; }

  const rtmsg& header_;
  RouteDump& dump_;
  Route route_;
  bool has_network_ = false;
  std::uint32_t table_ = header_.rtm_table;
  std::uint32_t interface_ = 0;
  bool gateway_ = false;
  Bytes hops_;
};

void read_route(WireReader in, RouteDump& dump) {
  rtmsg header{};
  if (!in.take(&header, sizeof header)) {
    dump.malformed = true;
    return;
  }
  const bool v4 = header.rtm_family == AF_INET;
  if (!v4 && header.rtm_family != AF_INET6) return;
  if (header.rtm_type != RTN_UNICAST) return;
  if ((header.rtm_flags & RTM_F_CLONED) || header.rtm_src_len != 0) return;  // not for every packet
  if (header.rtm_dst_len > (v4 ? 32 : 128)) {
    dump.malformed = true;
    return;
  }
  RouteReader(header, dump).read(in);
}

// A host with an address on each of several networks often has a table for each, chosen by the source.
void read_rule(WireReader in, RouteDump& dump) {
  fib_rule_hdr header{};
  if (!in.take(&header, sizeof header)) {
    dump.malformed = true;
    return;
  }
  std::uint32_t table = header.table;
  while (in.left() != 0) {
    rtattr attribute{};
    Bytes body;
    if (!take_record(in, attribute, body)) {
      dump.malformed = true;
      return;
    }
    if ((attribute.rta_type & NLA_TYPE_MASK) == FRA_TABLE) table = body.reader().get<std::uint32_t>();
  }
  const bool by_source = header.src_len != 0 && header.dst_len == 0 && header.tos == 0;
  const bool inverted = header.flags & FIB_RULE_INVERT;
  if (header.action == FR_ACT_TO_TBL && by_source && !inverted &&
      dump.source_tables.size() < kMaxSourceTables) {
    dump.source_tables.insert(table);
  }
}

// The answer to the request as a whole: at the end of a dump, or instead of one.
void read_verdict(WireReader in, RouteDump& dump) noexcept {
  const auto code = in.get<std::int32_t>();
  if (in.ok() && code < 0) dump.error = -code;
  dump.done = true;
}

}  // namespace

void read_datagram(std::string_view bytes, std::uint32_t sequence, RouteDump& dump) {
  WireReader in(bytes.data(), bytes.size());
  while (in.left() != 0 && !dump.done) {
    nlmsghdr header{};
    Bytes body;
    if (!take_record(in, header, body)) {
      dump.malformed = true;
      return;
    }
    if (header.nlmsg_seq != sequence) continue;
    if (header.nlmsg_flags & NLM_F_DUMP_INTR) dump.interrupted = true;
    if (header.nlmsg_type == NLMSG_DONE || header.nlmsg_type == NLMSG_ERROR) {
      read_verdict(body.reader(), dump);
    } else if (header.nlmsg_type == RTM_NEWROUTE) {
      read_route(body.reader(), dump);
    } else if (header.nlmsg_type == RTM_NEWRULE) {
      read_rule(body.reader(), dump);
    }
  }
}

std::vector<Route> in_order(std::vector<Route> routes, std::size_t limit) {
  const auto key = [](const Route& r) {  // of two ways through one interface, the one without a gateway first
    return std::tuple(r.network, -static_cast<int>(r.prefix), r.interface, !r.direct);
  };
  const auto by_key = [&](const Route& a, const Route& b) { return key(a) < key(b); };
  std::sort(routes.begin(), routes.end(), by_key);
  const auto same = [](const Route& a, const Route& b) {
    return a.network == b.network && a.prefix == b.prefix && a.interface == b.interface;
  };
  routes.erase(std::unique(routes.begin(), routes.end(), same), routes.end());
  if (routes.size() <= limit) return routes;
  std::stable_sort(routes.begin(), routes.end(),
                   [](const Route& a, const Route& b) { return a.prefix < b.prefix; });
  routes.resize(limit);
  std::sort(routes.begin(), routes.end(), by_key);
  return routes;
}

}  // namespace hawser::interfaces
