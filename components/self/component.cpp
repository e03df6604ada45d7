// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "components/self/component.hpp"

#include <iterator>

#include "components/self/params.hpp"
#include "framework/btl/abi.hpp"
#include "framework/btl/parts.hpp"

namespace hawser::self {

Errc Component::open(btl::Host& host, char* why, std::size_t why_size) noexcept {
  host_ = &host;
  return btl::answer_open(why, why_size, [&]() -> Result<void> {
    const Errc status = module_.open(host);
    if (status == Errc::kOk) return {};
    return make_error(status, "no memory for a queue of {} bytes; make btl_self_queue_size smaller",
                      g_params.queue_size);
  });
}

void Component::add_procs(std::uint32_t rank, btl::Reach& reach) noexcept {
  const std::uint32_t own = host_->job().rank;
  if (rank != own) return btl::refuse(reach, Errc::kUnreachable, "self reaches only the own rank");
  module_.renew();
  btl::answer(reach, module_, endpoint_);
}

void Component::release_peer(std::uint32_t rank) noexcept {
  if (rank == host_->job().rank) module_.release();
}

}  // namespace hawser::self

HAWSER_BTL_COMPONENT_TOLD("self", "0.1.0", hawser::self::kParamRows,
                          &hawser::btl::create<hawser::self::Component>,
                          &hawser::btl::destroy<hawser::self::Component>, 0, hawser::self::kCounterInfo,
                          std::size(hawser::self::kCounterInfo), nullptr, 0);
