// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "components/fault/module.hpp"

#include <algorithm>
#include <cstring>

#include "components/fault/component.hpp"
#include "components/fault/endpoint.hpp"
#include "components/fault/params.hpp"

namespace hawser::fault {

using btl::Posted;

namespace {

constexpr std::uint64_t kMostKept = 65536;  // bytes of a message of which the rules may need a copy

bool rules_keep_copies(const Params& p) noexcept {
  return p.delay != 0 || p.duplicate != 0 || p.reorder != 0 || p.short_write != 0;
}

bool chosen(std::uint32_t rank, const char* module) noexcept {
  return (g_params.rank < 0 || g_params.rank == rank) && std::strstr(module, g_params.module) != nullptr;
}

btl::Attributes limited(btl::Attributes a) noexcept {
  if (g_params.reorder != 0) a.flags &= ~static_cast<std::uint32_t>(btl::kFlagOrdered);
  if (!rules_keep_copies(g_params)) return a;
  a.max_send_size = std::min(a.max_send_size, kMostKept);
  a.eager_limit = std::min(a.eager_limit, kMostKept);
  a.rndv_eager_limit = std::min(a.rndv_eager_limit, kMostKept);
  return a;
}

}  // namespace

Module::Module(Component& component, btl::Module& wrapped)
    : wrap::Module(component, wrapped),
      component_(component),
      suffers_(chosen(component.outer_host().job().rank, wrapped.name())),
      attributes_(limited(wrapped.attributes())) {}

Posted Module::sendi(btl::Endpoint& endpoint, btl::Head head, const void* data, std::size_t size) noexcept {
  const iovec piece{const_cast<void*>(data), size};
  return static_cast<Endpoint&>(endpoint).post({head, &piece, 1, size, nullptr});
}

Posted Module::send(btl::Endpoint& endpoint, btl::Descriptor& descriptor) noexcept {
  return static_cast<Endpoint&>(endpoint).post({{descriptor.header, descriptor.header_size, descriptor.tag},
                                                descriptor.data,
                                                descriptor.data_count,
                                                descriptor.data_size,
                                                &descriptor});
}

void Module::abandon(btl::Endpoint& endpoint) noexcept {
  auto& peer = static_cast<Endpoint&>(endpoint);
  peer.break_off(Errc::kUnreachable);
  peer.inbox.drop();
  wrap::Module::abandon(endpoint);
}

Posted Module::refused() noexcept {
  count(Counter::kRefused);
  count(Counter::kNoResource);
  component_.owe_room();
  return Posted::kNoResource;
}

Posted Module::get(btl::Endpoint& endpoint, void* local, std::uint64_t remote, const btl::RemoteKey& key,
                   std::size_t size, btl::Descriptor& descriptor) noexcept {
  auto& peer = static_cast<Endpoint&>(endpoint);
  if (peer.broken()) return Posted::kUnreachable;
  if (peer.refuses()) return refused();
  const Posted posted = wrap::Module::get(endpoint, local, remote, key, size, descriptor);
  if (posted == Posted::kDone || posted == Posted::kPending) {
    count(Counter::kRdmaGets);
    count(Counter::kRdmaGetBytes, size);
  }
  return posted;
}

Posted Module::put(btl::Endpoint& endpoint, const void* local, std::uint64_t remote,
                   const btl::RemoteKey& key, std::size_t size, btl::Descriptor& descriptor) noexcept {
  auto& peer = static_cast<Endpoint&>(endpoint);
  if (peer.broken()) return Posted::kUnreachable;
  if (peer.refuses()) return refused();
  const Posted posted = wrap::Module::put(endpoint, local, remote, key, size, descriptor);
  if (posted == Posted::kDone || posted == Posted::kPending) {
    count(Counter::kRdmaPuts);
    count(Counter::kRdmaPutBytes, size);
  }
  return posted;
}

}  // namespace hawser::fault
