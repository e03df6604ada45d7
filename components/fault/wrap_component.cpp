// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>
#include <utility>

#include "components/fault/wrap.hpp"
#include "framework/btl/parts.hpp"

namespace hawser::wrap {

Component::~Component() {
  if (inner_) plugin_->destroy(inner_);
  for (Endpoint* next = newest(); next;) delete std::exchange(next, next->older);
}

Errc Component::open(btl::Host& host, char* why, std::size_t why_size) noexcept try {
  outer_ = &host;
  if (std::strcmp(target(), "") == 0 || std::strcmp(target(), own_name()) == 0) {
    std::snprintf(why, why_size, "it wraps another component: name that one in btl_%s_target", own_name());
    return Errc::kInvalid;
  }
  plugin_ = host.component(target(), why, why_size);
  if (!plugin_) return Errc::kNotFound;
  view_ = std::make_unique<HostView>(host, *this);
  inner_ = plugin_->create();
  return inner_ ? inner_->open(*view_, why, why_size) : Errc::kOutOfMemory;
} catch (const std::bad_alloc&) {
  return Errc::kOutOfMemory;
} catch (const std::exception& failure) {
  std::snprintf(why, why_size, "%s could not be created: %s", target(), failure.what());
  return Errc::kSystem;
}

void Component::add_procs(std::uint32_t rank, btl::Reach& reach) noexcept {
  inner_->add_procs(rank, reach);
  for (std::size_t i = 0; i < reach.count; ++i) {
    btl::Reach::Rail& rail = reach.rails[i];
    Endpoint* endpoint = endpoint_of(rank, *rail.module, *rail.endpoint);
    if (!endpoint) {
      btl::refuse(reach, Errc::kOutOfMemory, "no memory for an endpoint");
      return;
    }
    rail = {&endpoint->module, endpoint};
  }
}

// Those that were there before, and no other: who asks meanwhile gets new ones.
void Component::release_peer(std::uint32_t rank) noexcept {
  Endpoint* const before = newest();
  inner_->release_peer(rank);
  Lock lock(mutex_);
  for (Endpoint* endpoint = before; endpoint; endpoint = endpoint->older) {
    if (endpoint->rank != rank) continue;
    const auto at = endpoints_.find(&endpoint->inner);
    if (at != endpoints_.end() && at->second == endpoint) endpoints_.erase(at);
  }
}

std::unique_ptr<Module> Component::make_module(btl::Module& wrapped) {
  return std::make_unique<Module>(*this, wrapped);
}

std::unique_ptr<Endpoint> Component::make_endpoint(Module& module, btl::Endpoint& wrapped,
                                                   std::uint32_t rank) {
  return std::make_unique<Endpoint>(module, wrapped, rank);
}

Module& Component::module_locked(btl::Module& wrapped) {
  const auto at = std::find_if(modules_.begin(), modules_.end(),
                               [&](const auto& module) { return &module->inner() == &wrapped; });
  return at != modules_.end() ? **at : *modules_.emplace_back(make_module(wrapped));
}

// Modules are told apart by where they lie, and live to the end, so each has one wrap.
Module* Component::module_of(btl::Module& wrapped) noexcept {
  Lock lock(mutex_);
  return &module_locked(wrapped);
}

Endpoint* Component::endpoint_of(std::uint32_t rank, btl::Module& module, btl::Endpoint& endpoint) noexcept
    try {
  Lock lock(mutex_);
  Endpoint*& slot = endpoints_[&endpoint];
  if (slot) return slot;
  slot = make_endpoint(module_locked(module), endpoint, rank).release();
  slot->older = newest();
  newest_.store(slot, std::memory_order_release);
  return slot;
} catch (const std::bad_alloc&) {
  return nullptr;
}

btl::Message Component::ours(const btl::Message& message) noexcept {
  btl::Message own = message;
  own.module = nullptr;
  own.endpoint = nullptr;
  if (!message.module || !message.endpoint) return own;
  if (Endpoint* endpoint = endpoint_of(message.rank, *message.module, *message.endpoint)) {
    own.module = &endpoint->module;
    own.endpoint = endpoint;
  }
  return own;
}

void Component::deliver(const btl::Handler& handler, const btl::Message& message) noexcept {
  handler.deliver(handler.context, message);
}

bool Component::place(const btl::Handler& handler, const btl::Message& head, btl::Placement& out) noexcept {
  return handler.place(handler.context, head, out);
}

void Component::abandon(const btl::Handler& handler, const btl::Message& head) noexcept {
  handler.abandon(handler.context, head);
}

void Component::rail_failed(Endpoint& endpoint, Errc status, const char* text) noexcept {
  outer_->rail_failed(endpoint.rank, endpoint.module, endpoint, status, text);
}

void Component::rails_changed(std::uint32_t rank) noexcept {
  outer_->rails_changed(rank);
}

}  // namespace hawser::wrap
