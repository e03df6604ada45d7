// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "components/fault/component.hpp"

#include <new>

#include "components/fault/endpoint.hpp"
#include "components/fault/module.hpp"
#include "components/fault/params.hpp"
#include "framework/base/clock.hpp"

namespace hawser::fault {

namespace {

Module& module_for(Component& component, const btl::Message& message) noexcept {
  return static_cast<Module&>(message.module ? *message.module : component.module(0));
}

}  // namespace

template <class Visit>
void Component::for_each_endpoint(Visit&& visit) const noexcept {
  for (wrap::Endpoint* at = newest(); at; at = at->older) visit(static_cast<Endpoint&>(*at));
}

const char* Component::target() const noexcept {
  return g_params.target;
}

std::unique_ptr<wrap::Module> Component::make_module(btl::Module& wrapped) {
  return std::make_unique<Module>(*this, wrapped);
}

std::unique_ptr<wrap::Endpoint> Component::make_endpoint(wrap::Module& module, btl::Endpoint& wrapped,
                                                         std::uint32_t rank) {
  // Rails are told apart by their modules' names: addresses and the order of making differ from run to run.
  std::uint32_t rail = 2166136261;
  for (const char* at = module.inner().name(); *at; ++at)
    rail = (rail ^ static_cast<unsigned char>(*at)) * 16777619;
  const Fate fate(static_cast<std::uint64_t>(g_params.seed), outer_host().job().rank, rank, rail);
  return std::make_unique<Endpoint>(*this, static_cast<Module&>(module), wrapped, rank, fate);
}

int Component::progress() noexcept {
  int moved = inner().progress();
  const std::uint64_t now = now_ns();
  for_each_endpoint([&](Endpoint& endpoint) { moved += endpoint.tick(now); });
  return moved;
}

bool Component::nothing_waits() noexcept {
  bool waits = false;
  for_each_endpoint(
      [&](const Endpoint& endpoint) { waits = waits || endpoint.waiting() || !endpoint.inbox.empty(); });
  return !waits;
}

bool Component::arm() noexcept {
  armed_.store(true, std::memory_order_seq_cst);
  const bool idle = inner().arm();
  const bool owes = owes_room_.exchange(false, std::memory_order_seq_cst);
  return idle && !owes && nothing_waits();
}

void Component::disarm() noexcept {
  armed_.store(false, std::memory_order_relaxed);
  inner().disarm();
}

bool Component::flushed() noexcept {
  bool waits = false;
  for_each_endpoint([&](const Endpoint& endpoint) { waits = waits || endpoint.waiting(); });
  return !waits && inner().flushed();
}

void Component::stir() noexcept {
  if (armed_.load(std::memory_order_seq_cst)) outer_host().wake();
}

void Component::owe_room() noexcept {
  owes_room_.store(true, std::memory_order_seq_cst);
  stir();
}

void Component::release_peer(std::uint32_t rank) noexcept {
  for_each_endpoint([rank](Endpoint& endpoint) {
    if (endpoint.rank == rank) endpoint.release();
  });
  wrap::Component::release_peer(rank);
  stir();
}

void Component::close() noexcept {
  for_each_endpoint([](Endpoint& endpoint) {
    endpoint.inbox.drop();
    endpoint.break_off(Errc::kShutdown);
  });
  inner().close();
}

/// False: it came over a rail that was given up. A component with one rail need not say which it was.
bool Component::over_a_whole_rail(btl::Message& message) noexcept {
  if (message.endpoint) return !static_cast<Endpoint*>(message.endpoint)->broken();
  bool known = false;
  for_each_endpoint([&](Endpoint& endpoint) {
    if (endpoint.rank != message.rank) return;
    known = true;
    if (endpoint.broken() || message.endpoint) return;
    message.module = &endpoint.module;
    message.endpoint = &endpoint;
  });
  return !known || message.endpoint;
}

void Component::deliver(const btl::Handler& handler, const btl::Message& told) noexcept {
  btl::Message message = told;
  if (!over_a_whole_rail(message)) return;
  if (g_params.short_read == 0 || !message.endpoint) return hand_up(handler, message);
  Inbox& inbox = static_cast<Endpoint*>(message.endpoint)->inbox;
  try {
    inbox.put(handler, message);
  } catch (const std::bad_alloc&) {
    inbox.finish();
    hand_up(handler, message);
  }
}

// Whoever reads in pieces asks for the place himself, when the turn of that message has come.
bool Component::place(const btl::Handler& handler, const btl::Message& told, btl::Placement& out) noexcept {
  btl::Message head = told;
  if (g_params.short_read != 0 || !over_a_whole_rail(head)) return false;
  return wrap::Component::place(handler, head, out);
}

void Component::hand_up(const btl::Handler& handler, const btl::Message& message) noexcept {
  Module& module = module_for(*this, message);
  module.count(Counter::kMessagesReceived);
  module.count(Counter::kBytesReceived, message.size);
  handler.deliver(handler.context, message);
}

void Component::count_piece(const btl::Message& message) noexcept {
  module_for(*this, message).count(Counter::kPieces);
}

// What came before the end was sent, and is delivered.
void Component::rail_failed(wrap::Endpoint& endpoint, Errc status, const char* text) noexcept {
  auto& peer = static_cast<Endpoint&>(endpoint);
  if (peer.broken()) return;
  peer.inbox.finish();
  peer.break_off(status);
  wrap::Component::rail_failed(endpoint, status, text);
}

}  // namespace hawser::fault
