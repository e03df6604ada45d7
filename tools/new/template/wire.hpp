// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
// What one rank says to another: how-to, section 12. Both are on one machine, so structs travel as they are.
#pragma once

#include <sys/socket.h>
#include <sys/un.h>

#include "framework/btl/host.hpp"

namespace btl_ferry {

namespace btl = hawser::btl;

/// What a rank publishes: where it is called, and how much it sends and takes at once.
struct Door {
  std::uint64_t largest = 0;             // message
  socklen_t size = sizeof(sockaddr_un);  // of the address
  sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
  sockaddr* general() noexcept { return reinterpret_cast<sockaddr*>(&address); }
};

/// Who calls whom: the name of the caller's socket, so it is there as soon as the call is.
struct Hello {
  std::uint64_t magic = 0x3159525245464248;  // another when the meaning of any byte changes
  std::uint64_t job = 0;
  std::uint64_t nonce = 0;  // no two sockets may have one name
  std::uint32_t from = 0;
  std::uint32_t to = 0;

  bool is_for(const btl::Job& our) const noexcept {
    return magic == Hello{}.magic && job == our.id && to == our.rank && from < our.size && from != our.rank;
  }
};

/// Stands before each message; its header and its data follow.
struct Frame {
  enum Kind : std::uint16_t { kMessage = 1, kGoodbye = 2 };
  std::uint32_t size = 0;  // of the data
  btl::Tag tag = 0;
  std::uint8_t header_size = 0;
  std::uint16_t kind = kMessage;

  std::size_t total() const noexcept { return sizeof(Frame) + header_size + std::size_t{size}; }
  /// `room`: of the buffer that it will be read to. A length from outside is never trusted.
  bool is_sane(std::size_t room) const noexcept {
    return (kind == kMessage || kind == kGoodbye) && header_size <= btl::kMaxHeader && total() <= room;
  }
};

}  // namespace btl_ferry
