// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "framework/interfaces/ip_address.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>

#include <cstring>

namespace hawser::interfaces {
namespace {

Scope scope_v4(const std::array<unsigned char, 16>& b) noexcept {
  if (b[0] == 127) return Scope::kLoopback;
  if (b[0] == 169 && b[1] == 254) return Scope::kLink;
  const bool shared_space = b[0] == 100 && (b[1] & 0xc0) == 64;  // RFC 6598
  if (b[0] == 10 || (b[0] == 172 && (b[1] & 0xf0) == 16) || (b[0] == 192 && b[1] == 168) || shared_space) {
    return Scope::kPrivate;
  }
  return Scope::kGlobal;
}

Scope scope_v6(const std::array<unsigned char, 16>& b) noexcept {
  in6_addr address;
  std::memcpy(&address, b.data(), sizeof address);
  if (IN6_IS_ADDR_LOOPBACK(&address)) return Scope::kLoopback;
  if (IN6_IS_ADDR_LINKLOCAL(&address)) return Scope::kLink;
  if ((b[0] & 0xfe) == 0xfc) return Scope::kPrivate;
  return Scope::kGlobal;
}

}  // namespace

Scope IpAddress::scope() const noexcept {
  return family == Family::kV4 ? scope_v4(bytes) : scope_v6(bytes);
}

bool IpAddress::in_network(const IpAddress& network, unsigned prefix) const noexcept {
  if (family != network.family || prefix > bits()) return false;
  const unsigned whole = prefix / 8;
  if (std::memcmp(bytes.data(), network.bytes.data(), whole) != 0) return false;
  const unsigned rest = prefix % 8;
  if (rest == 0) return true;
  const unsigned mask = 0xffu << (8 - rest) & 0xffu;
  return ((bytes[whole] ^ network.bytes[whole]) & mask) == 0;
}

std::string IpAddress::text() const {
  char buffer[INET6_ADDRSTRLEN] = "";
  ::inet_ntop(family == Family::kV4 ? AF_INET : AF_INET6, bytes.data(), buffer, sizeof buffer);
  return buffer;
}

std::optional<IpAddress> IpAddress::parse(std::string_view text) {
  const std::string copy(text);
  IpAddress address;
  if (::inet_pton(AF_INET, copy.c_str(), address.bytes.data()) == 1) return address;
  address.family = Family::kV6;
  if (::inet_pton(AF_INET6, copy.c_str(), address.bytes.data()) == 1) return address;
  return std::nullopt;
}

std::optional<IpAddress> IpAddress::from(const sockaddr* address) noexcept {
  if (!address) return std::nullopt;
  IpAddress result;
  if (address->sa_family == AF_INET) {
    sockaddr_in in;
    std::memcpy(&in, address, sizeof in);
    std::memcpy(result.bytes.data(), &in.sin_addr, 4);
    return result;
  }
  if (address->sa_family != AF_INET6) return std::nullopt;
  sockaddr_in6 in;
  std::memcpy(&in, address, sizeof in);
  result.family = Family::kV6;
  std::memcpy(result.bytes.data(), &in.sin6_addr, 16);
  return result;
}

std::string SocketAddress::text() const {
  const auto address = IpAddress::from(get());
  if (!address) return "unknown address";
  sockaddr_in in;  // the port lies at the same place in both families
  std::memcpy(&in, &storage, sizeof in);
  if (in.sin_port == 0) return address->text();
  if (address->family == Family::kV4) return fmt::format("{}:{}", address->text(), ntohs(in.sin_port));
  return fmt::format("[{}]:{}", address->text(), ntohs(in.sin_port));
}

SocketAddress socket_address(const IpAddress& address, std::uint16_t port, std::uint32_t scope_id) noexcept {
  SocketAddress result;
  if (address.family == Family::kV4) {
    sockaddr_in in{};
    in.sin_family = AF_INET;
    in.sin_port = htons(port);
    std::memcpy(&in.sin_addr, address.bytes.data(), 4);
    std::memcpy(&result.storage, &in, sizeof in);
    result.size = sizeof in;
    return result;
  }
  sockaddr_in6 in{};
  in.sin6_family = AF_INET6;
  in.sin6_port = htons(port);
  std::memcpy(&in.sin6_addr, address.bytes.data(), 16);
  if (address.scope() == Scope::kLink) in.sin6_scope_id = scope_id;
  std::memcpy(&result.storage, &in, sizeof in);
  result.size = sizeof in;
  return result;
}

std::uint16_t port_of(int fd) noexcept {
  SocketAddress address;
  address.size = sizeof address.storage;
  if (::getsockname(fd, reinterpret_cast<sockaddr*>(&address.storage), &address.size) != 0) return 0;
  sockaddr_in in;
  std::memcpy(&in, &address.storage, sizeof in);
  return ntohs(in.sin_port);
}

}  // namespace hawser::interfaces
