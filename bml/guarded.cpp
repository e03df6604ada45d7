// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
// Exactly once, seen from the BML: who is guarded, what arrives, and what is acknowledged when.
#include <cstring>
#include <string_view>

#include "bml/bml.hpp"

namespace hawser::bml {

namespace {

constexpr std::uint32_t kAcknowledgeEvery = 32;  // messages, if nothing that we send carries it

bool read_header(const btl::Message& message, GuardHeader& header) noexcept {
  if (message.header_size < sizeof header) return false;
  std::memcpy(&header, message.header, sizeof header);
  return header.kind <= GuardKind::kMark;
}

/// The message as its own handler gets it.
btl::Message inner(const btl::Message& message, const GuardHeader& header) noexcept {
  btl::Message within = message;
  within.tag = header.tag;
  within.header_size = static_cast<std::uint8_t>(message.header_size - sizeof header);
  within.header = static_cast<const unsigned char*>(message.header) + sizeof header;
  return within;
}

}  // namespace

/// Decides whether the peer is guarded with the rails `next`, which come after `before`.
void Bml::guard(Peer& peer, RailSet& next, const RailSet* before) {
  const std::string_view when = params_.guard;
  if (when == "never") return;
  bool several = when == "always" || next.send.size() > 1 || (before && before->guard);
  for (const Rail& rail : next.send) several = several || (before && !before->find(rail.endpoint));
  if (!several) return;
  next.guard = &guard_of(peer.rank);
  if (before && before->guard) return;
  next.guard->serve(peer);
  counters_.add_shared(GuardCounter::kGuardedPeers);
}

/// Made when first needed; any thread.
Guard& Bml::guard_of(std::uint32_t rank) {
  if (Guard* guard = guards_[rank].load(std::memory_order_acquire)) return *guard;
  auto made = std::make_unique<Guard>(*this, rank, static_cast<std::uint32_t>(params_.guard_window));
  Guard* there = nullptr;
  if (guards_[rank].compare_exchange_strong(there, made.get(), std::memory_order_acq_rel)) {
    there = made.release();
  }
  return *there;
}

/// Sends again what a rail lost, and what was refused. Without a rail that takes it the peer fails.
int Bml::tend(Peer& peer) noexcept {
  Guard* const guard = peer.rails().guard;
  if (!guard || peer.failed.load(std::memory_order_acquire)) return 0;
  if (guard->queue_lost()) tell_again(*guard);
  const int moved = guard->send_queued();
  const RailSet& rails = peer.rails();
  if (!rails.any_alive()) {
    fail(peer, Errc::kUnreachable, "no rail to it is left");
    return moved;
  }
  if (const std::uint64_t size = guard->stuck()) {
    if (!pick(peer, rails, size)) {
      fail(peer, Errc::kUnreachable, "no rail that is left takes a message as large as one that was lost");
      return moved;
    }
    list_stalled(peer);
  }
  return moved;
}

void Bml::bad_message(std::uint32_t rank, const char* text) noexcept {
  if (Peer* peer = find(rank)) return fail(*peer, Errc::kProtocol, text);
  if (peer_failure_.function) peer_failure_.function(peer_failure_.context, rank, Errc::kProtocol, text);
}

/// A message of a peer that guards what it sends to us, or an acknowledgement.
void Bml::arrived(const btl::Message& message) noexcept {
  GuardHeader header;
  if (!read_header(message, header))
    return bad_message(message.rank, "it sent a guarded message without a header");
  Guard& guard = guard_of(message.rank);
  if (!guard.acknowledged(header.received, header.above)) {
    return bad_message(message.rank, "it acknowledged a message that was not sent");
  }
  if (header.kind == GuardKind::kAcknowledgement) return;
  const btl::Handler& handler = runtime_.handlers().entries[header.tag];
  const bool mark = header.kind == GuardKind::kMark;
  if (!mark && (!handler.deliver || header.tag == kTagGuard)) {
    return bad_message(message.rank, "it sent a guarded message with a tag that nobody handles");
  }
  Receipts& receipts = guard.receipts;
  if (message.placed) receipts.placed(header.number);
  const Receipts::Look look = receipts.look(header.number);
  if (look == Receipts::Look::kOutside) {
    return bad_message(message.rank, "it sent a guarded message with a number that is not its turn");
  }
  if (look == Receipts::Look::kKnown) {
    counters_.add(GuardCounter::kDuplicates);
    return tell_again(guard);  // it does not know yet that we have it
  }
  if (const Receipts::Placing* other = receipts.placing(header.number)) {
    // The one that was sent last is the one that counts: only that is sent again if its rail breaks.
    if (other->attempt >= header.attempt) return counters_.add(GuardCounter::kDuplicates);
    give_up(guard, *other);
  }
  receipts.take(header.number);
  ++guard.arrived;
  guard.urgent = guard.urgent || header.urgent != 0;
  owe(guard);
  if (!mark) handler.deliver(handler.context, inner(message, header));
}

/// Asked before the data of a message are read. What is not placed is read whole, and looked at then.
bool Bml::place(const btl::Message& head, btl::Placement& out) noexcept {
  GuardHeader header;
  if (!head.module || !head.endpoint || !read_header(head, header)) return false;
  const btl::Handler& handler = runtime_.handlers().entries[header.tag];
  if (header.kind != GuardKind::kMessage || !handler.place || header.tag == kTagGuard) return false;
  Guard& guard = guard_of(head.rank);
  Receipts& receipts = guard.receipts;
  if (receipts.look(header.number) != Receipts::Look::kNew) return false;
  if (const Receipts::Placing* other = receipts.placing(header.number)) {
    if (other->attempt >= header.attempt) return false;
    give_up(guard, *other);
  }
  if (!handler.place(handler.context, inner(head, header), out)) return false;
  receipts.placing().push_back({header.number, header.attempt, head.module, head.endpoint});
  return true;
}

/// The rail broke, or was given up, while it placed that message.
void Bml::abandoned(const btl::Message& head) noexcept {
  GuardHeader header;
  if (!read_header(head, header)) return;
  guard_of(head.rank).receipts.placed(header.number);
  const btl::Handler& handler = runtime_.handlers().entries[header.tag];
  if (handler.abandon) handler.abandon(handler.context, inner(head, header));
}

/// The same message came again over another rail: the peer has given up the one that is placing it.
void Bml::give_up(Guard& guard, Receipts::Placing placing) noexcept {
  counters_.add(GuardCounter::kGivenUp);
  placing.module->abandon(*placing.endpoint);
  tell_again(guard);
  Peer* peer = find(guard.rank);
  if (!peer) return;
  const RailSet& rails = peer->rails();
  if (const Rail* rail = rails.find(placing.endpoint)) rails.kill(*rail);
  if (rails.guard) rails.guard->rail_lost();
  list_stalled(*peer);
}

void Bml::owe(Guard& guard) noexcept {
  if (guard.listed) return;
  guard.listed = true;
  owing_.push_back(&guard);
  waiting_.fetch_add(1, std::memory_order_relaxed);
}

/// What the peer was last told may be lost.
void Bml::tell_again(Guard& guard) noexcept {
  if (guard.receipts.state() == kFirstNumber) return;
  guard.told.store(kFirstNumber, std::memory_order_relaxed);
  guard.urgent = true;
  owe(guard);
}

/// Acknowledges by itself what nothing that we sent has carried: at once if an operation waits for it, after
/// a few messages, or when no more come.
int Bml::acknowledge_all() noexcept {
  int moved = 0;
  std::erase_if(owing_, [&](Guard* guard) {
    const bool told = guard->told.load(std::memory_order_relaxed) == guard->receipts.state();
    const bool pause = guard->arrived == guard->seen_by_poll;
    guard->seen_by_poll = guard->arrived;
    if (!told) {
      if (!guard->urgent && !pause && guard->arrived < kAcknowledgeEvery) return false;
      if (!acknowledge(*guard)) return false;
      ++moved;
    }
    guard->listed = guard->urgent = false;
    guard->arrived = guard->seen_by_poll = 0;
    waiting_.fetch_sub(1, std::memory_order_relaxed);
    return true;
  });
  return moved;
}

/// True: told, or there is nobody to be told.
bool Bml::acknowledge(Guard& guard) noexcept {
  auto met = peer(guard.rank);
  if (!met) {
    if (peer_failure_.function) {
      peer_failure_.function(peer_failure_.context, guard.rank, met.error().code, met.error().text.c_str());
    }
    return true;
  }
  Peer& peer = **met;
  const RailSet& rails = peer.rails();
  const std::uint64_t state = guard.receipts.state();
  const GuardHeader header{0,
                           static_cast<std::uint32_t>(state),
                           static_cast<std::uint32_t>(state >> 32),
                           0,
                           0,
                           GuardKind::kAcknowledgement,
                           0};
  for (const auto* some : {&rails.eager, &rails.send}) {
    for (const Rail& rail : *some) {
      if (!rails.alive(rail)) continue;
      const btl::Posted posted =
          rail.module->sendi(*rail.endpoint, {&header, sizeof header, kTagGuard}, nullptr, 0);
      if (posted == btl::Posted::kDone) {
        guard.told.store(state, std::memory_order_relaxed);
        counters_.add(GuardCounter::kAcknowledgements);
        return true;
      }
      if (posted != btl::Posted::kUnreachable) continue;
      rails.kill(rail);
      if (rails.guard) rails.guard->rail_lost();
      list_stalled(peer);
    }
  }
  return !rails.any_alive();
}

/// Nothing waits, and all that was sent is acknowledged.
bool Bml::flushed() noexcept {
  for (std::uint32_t rank = 0; rank < runtime_.job().size; ++rank) {
    Guard* guard = guards_[rank].load(std::memory_order_acquire);
    if (guard && guard->out() != 0) return false;
  }
  return idle();
}

}  // namespace hawser::bml
