// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "pml/pml.hpp"

#include "pml/impl.hpp"

namespace hawser::pml {

Pml::Pml(Runtime& runtime) : runtime_(runtime) {}

Pml::~Pml() {
  impl_->bml.on_peer_failure({});
}

Result<std::unique_ptr<Pml>> Pml::make(Runtime& runtime, bml::Bml& bml) {
  std::unique_ptr<Pml> pml(new Pml(runtime));
  pml->impl_ = std::make_unique<Impl>(runtime, bml);
  PmlImpl& impl = *pml->impl_;
  impl.add_handlers(runtime.handler_table());
  bml.on_peer_failure({[](void* context, std::uint32_t rank, Errc status, const char* text) noexcept {
                         static_cast<PmlImpl*>(context)->peer_failed(rank, status, text);
                       },
                       &impl});
  return pml;
}

void Pml::wait(Request& request) {
  if (request.done()) return;
  if (request.kind() == Request::Kind::kReceive) {
    return impl_->receive_posted(static_cast<ReceiveRequest&>(request));
  }
  const void* awaited = &request;
  runtime_.engine().wait_until([&request] { return request.done(); }, &awaited);
}

}  // namespace hawser::pml
