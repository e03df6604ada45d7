// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "components/fault/wrap_host.hpp"

#include <cstdio>

#include "components/fault/wrap.hpp"

namespace hawser::wrap {

namespace {

constexpr std::size_t kKeySize = 96;

/// "fault/tcp". False: longer than any key may be.
bool own_key(const Component& wrap, const char* key, char (&out)[kKeySize]) noexcept {
  const int length = std::snprintf(out, sizeof out, "%s/%s", wrap.own_name(), key);
  return length > 0 && static_cast<std::size_t>(length) < sizeof out;
}

}  // namespace

HostView::HostView(btl::Host& outer, Component& wrap) noexcept : outer_(outer), wrap_(wrap) {
  for (std::size_t tag = 0; tag < btl::kHandlers; ++tag) {
    const btl::Handler& handler = outer.handlers().entries[tag];
    if (!handler.deliver) continue;
    slots_[tag] = {&wrap, &handler};
    handlers_.entries[tag] = {&deliver, handler.place ? &place : nullptr,
                              handler.abandon ? &abandon : nullptr, &slots_[tag]};
  }
}

Errc HostView::modex_put(const char* key, const void* data, std::size_t size) noexcept {
  char own[kKeySize];
  return own_key(wrap_, key, own) ? outer_.modex_put(own, data, size) : Errc::kInvalid;
}

Errc HostView::modex_get(std::uint32_t rank, const char* key, void* out, std::size_t capacity,
                         std::size_t* size) noexcept {
  char own[kKeySize];
  return own_key(wrap_, key, own) ? outer_.modex_get(rank, own, out, capacity, size) : Errc::kInvalid;
}

void HostView::rail_failed(std::uint32_t rank, btl::Module& module, btl::Endpoint& endpoint, Errc status,
                           const char* text) noexcept {
  if (Endpoint* own = wrap_.endpoint_of(rank, module, endpoint)) wrap_.rail_failed(*own, status, text);
}

void HostView::rails_changed(std::uint32_t rank) noexcept {
  wrap_.rails_changed(rank);
}

void HostView::deliver(void* slot, const btl::Message& message) noexcept {
  auto& self = *static_cast<Slot*>(slot);
  self.wrap->deliver(*self.handler, self.wrap->ours(message));
}

bool HostView::place(void* slot, const btl::Message& head, btl::Placement& out) noexcept {
  auto& self = *static_cast<Slot*>(slot);
  return self.wrap->place(*self.handler, self.wrap->ours(head), out);
}

void HostView::abandon(void* slot, const btl::Message& head) noexcept {
  auto& self = *static_cast<Slot*>(slot);
  self.wrap->abandon(*self.handler, self.wrap->ours(head));
}

}  // namespace hawser::wrap
