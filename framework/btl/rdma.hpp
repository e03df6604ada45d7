// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "framework/btl/descriptor.hpp"
#include "framework/btl/endpoint.hpp"
#include "framework/btl/posted.hpp"

namespace hawser::btl {

inline constexpr std::size_t kKeySize = 24;

/// Names registered memory to peers; opaque bytes that travel in a rendezvous header.
struct RemoteKey {
  unsigned char bytes[kKeySize];  // as register_memory wrote them
};

/// The optional ability of a module to read and write a peer's memory. Whether it works with a given peer is
/// known once the endpoint is built: Module::rdma(endpoint) gives null where it is not permitted.
class Rdma {
 public:
  /// Makes [base, base + size) readable or writable by the peer of `endpoint`. kOk and a key, or a reason.
  virtual Errc register_memory(Endpoint& endpoint, const void* base, std::size_t size,
                               RemoteKey& key) noexcept = 0;
  /// Ends what register_memory began; nothing may be under way.
  virtual void deregister_memory(Endpoint& endpoint, const RemoteKey& key) noexcept = 0;
  /// Reads `size` bytes at `remote` of the peer into `local`. `descriptor` carries on_complete and scratch
  /// only. kUnreachable also when the system no longer permits it: the caller falls back to sends.
  virtual Posted get(Endpoint& endpoint, void* local, std::uint64_t remote, const RemoteKey& key,
                     std::size_t size, Descriptor& descriptor) noexcept = 0;
  /// Writes `size` bytes from `local` to `remote` of the peer.
  virtual Posted put(Endpoint& endpoint, const void* local, std::uint64_t remote, const RemoteKey& key,
                     std::size_t size, Descriptor& descriptor) noexcept = 0;

 protected:
  ~Rdma() = default;
};

}  // namespace hawser::btl
