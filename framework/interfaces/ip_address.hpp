// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/socket.h>

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace hawser::interfaces {

enum class Family : std::uint8_t { kV4 = 4, kV6 = 6 };

/// How far an address reaches.
enum class Scope : std::uint8_t { kLoopback, kLink, kPrivate, kGlobal };

/// An address of either family. Plain data; ordered by family, then bytes.
struct IpAddress {
  Family family = Family::kV4;            // which kind
  std::array<unsigned char, 16> bytes{};  // kV4 uses the first four; the others are zero

  /// By family, then bytes.
  auto operator<=>(const IpAddress&) const = default;

  /// How long it is.
  unsigned bits() const noexcept { return family == Family::kV4 ? 32 : 128; }
  /// How far it reaches.
  Scope scope() const noexcept;
  /// The first `prefix` bits are equal, and so is the family.
  bool in_network(const IpAddress& network, unsigned prefix) const noexcept;
  /// "10.9.0.1", "fe80::1"
  std::string text() const;

  /// What `text` writes; nothing: it is no address.
  static std::optional<IpAddress> parse(std::string_view text);
  /// Nothing: of another family.
  static std::optional<IpAddress> from(const sockaddr* address) noexcept;
};

/// A socket address, ready for bind and connect.
struct SocketAddress {
  sockaddr_storage storage{};  // the first `size` bytes
  socklen_t size = 0;          // bytes

  /// As system calls want it.
  const sockaddr* get() const noexcept { return reinterpret_cast<const sockaddr*>(&storage); }
  /// "10.9.0.1:4711" or "[fe80::1]:4711"
  std::string text() const;
};

/// `scope_id` is the kernel index of the interface; used for link-local addresses of IPv6 only.
SocketAddress socket_address(const IpAddress& address, std::uint16_t port, std::uint32_t scope_id) noexcept;
/// The port of a bound socket; 0 if there is none.
std::uint16_t port_of(int fd) noexcept;

}  // namespace hawser::interfaces
