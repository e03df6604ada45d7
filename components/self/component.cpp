// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "components/self/component.hpp"

#include <cstdio>
#include <iterator>
#include <new>

#include "components/self/params.hpp"
#include "framework/btl/abi.hpp"

namespace hawser::self {

Errc Component::open(btl::Host& host, char* why, std::size_t why_size) noexcept {
  host_ = &host;
  const Errc status = module_.open(host);
  if (status != Errc::kOk) {
    std::snprintf(why, why_size, "no memory for a queue of %llu bytes; make btl_self_queue_size smaller",
                  static_cast<unsigned long long>(g_params.queue_size));
  }
  return status;
}

void Component::add_procs(std::uint32_t rank, btl::Reach& reach) noexcept {
  const std::uint32_t own = host_->job().rank;
  if (rank == own) {
    module_.renew();
    reach.count = 1;
    reach.rails[0] = {&module_, &endpoint_};
    reach.status = Errc::kOk;
    reach.reason[0] = '\0';
    return;
  }
  reach.count = 0;
  reach.status = Errc::kUnreachable;
  std::snprintf(reach.reason, sizeof reach.reason, "self reaches only the own rank %u", own);
}

void Component::release_peer(std::uint32_t rank) noexcept {
  if (rank == host_->job().rank) module_.release();
}

namespace {

btl::Component* create() {
  return new (std::nothrow) Component;
}
void destroy(btl::Component* component) {
  delete static_cast<Component*>(component);
}

}  // namespace

}  // namespace hawser::self

HAWSER_BTL_COMPONENT_TOLD("self", "0.1.0", hawser::self::kParamRows, &hawser::self::create,
                          &hawser::self::destroy, 0, hawser::self::kCounterInfo,
                          std::size(hawser::self::kCounterInfo), nullptr, 0);
