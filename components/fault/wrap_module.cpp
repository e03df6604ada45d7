// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "components/fault/wrap.hpp"

namespace hawser::wrap {

namespace {

btl::Endpoint& inner_of(btl::Endpoint& endpoint) noexcept {
  return static_cast<Endpoint&>(endpoint).inner;
}

}  // namespace

Module::Module(Component& owner, btl::Module& wrapped)
    : owner_(owner), inner_(wrapped), name_(std::string(owner.own_name()) + "(" + wrapped.name() + ")") {}

btl::Posted Module::sendi(btl::Endpoint& endpoint, btl::Head head, const void* data,
                          std::size_t size) noexcept {
  return inner_.sendi(inner_of(endpoint), head, data, size);
}

btl::Posted Module::send(btl::Endpoint& endpoint, btl::Descriptor& descriptor) noexcept {
  return inner_.send(inner_of(endpoint), descriptor);
}

void Module::abandon(btl::Endpoint& endpoint) noexcept {
  inner_.abandon(inner_of(endpoint));
}

btl::Rdma* Module::inner_rdma(btl::Endpoint& endpoint) noexcept {
  return inner_.rdma(inner_of(endpoint));
}

btl::Rdma* Module::rdma(btl::Endpoint& endpoint) noexcept {
  return inner_rdma(endpoint) ? this : nullptr;
}

// The ability may end between two calls: then it is as if the system no longer permitted it.
Errc Module::register_memory(btl::Endpoint& endpoint, const void* base, std::size_t size,
                             btl::RemoteKey& key) noexcept {
  btl::Rdma* rdma = inner_rdma(endpoint);
  return rdma ? rdma->register_memory(inner_of(endpoint), base, size, key) : Errc::kUnreachable;
}

void Module::deregister_memory(btl::Endpoint& endpoint, const btl::RemoteKey& key) noexcept {
  if (btl::Rdma* rdma = inner_rdma(endpoint)) rdma->deregister_memory(inner_of(endpoint), key);
}

btl::Posted Module::get(btl::Endpoint& endpoint, void* local, std::uint64_t remote, const btl::RemoteKey& key,
                        std::size_t size, btl::Descriptor& descriptor) noexcept {
  btl::Rdma* rdma = inner_rdma(endpoint);
  return rdma ? rdma->get(inner_of(endpoint), local, remote, key, size, descriptor)
              : btl::Posted::kUnreachable;
}

btl::Posted Module::put(btl::Endpoint& endpoint, const void* local, std::uint64_t remote,
                        const btl::RemoteKey& key, std::size_t size, btl::Descriptor& descriptor) noexcept {
  btl::Rdma* rdma = inner_rdma(endpoint);
  return rdma ? rdma->put(inner_of(endpoint), local, remote, key, size, descriptor)
              : btl::Posted::kUnreachable;
}

}  // namespace hawser::wrap
