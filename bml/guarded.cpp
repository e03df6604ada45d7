// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
// Exactly once, seen from the BML: who is guarded, what arrives, and what is acknowledged when.
#include <cstring>
#include <new>
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
  next.direct = nullptr;
  next.taker = nullptr;
  if (before && before->guard) return;
  next.guard->serve(peer);
  if (before && !before->send.empty()) next.guard->doubt_all_of(before->send.front().endpoint);
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

/// Null: out of memory.
Guard* Bml::guard_or_none(std::uint32_t rank) noexcept {
  try {
    return &guard_of(rank);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

/// Sends again what a rail lost, and what was refused. Without a rail that takes it the peer fails.
int Bml::tend(Peer& peer) noexcept {
  if (peer.broken.load(std::memory_order_acquire)) {
    fail(peer, Errc::kPeerGone,
         "a rail broke just when it was given a message, and others had taken its place");
    return 0;
  }
  Guard* const guard = peer.rails().guard;
  if (!guard || peer.failed.load(std::memory_order_acquire)) return 0;
  if (guard->queue_lost()) tell_again(*guard);
  const int moved = guard->send_queued();
  const RailSet& rails = peer.rails();
  if (!rails.any_alive()) {
    try {
      if (!finds_others(peer)) fail(peer, Errc::kUnreachable, "no rail to it is left");
    } catch (const std::bad_alloc&) {
      out_of_memory(peer.rank);
    }
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
  try {
    arrived(message, header, guard_of(message.rank));
  } catch (const std::bad_alloc&) {
    out_of_memory(message.rank);
  }
}

void Bml::arrived(const btl::Message& message, const GuardHeader& header, Guard& guard) {
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
  // Now, if somebody waits for it: the operation that this ends may be our last call for a long time. But
  // not at the price of a first contact, in a callback.
  const bool due = guard.urgent || guard.arrived >= kAcknowledgeEvery;
  const bool told = guard.told.load(std::memory_order_relaxed) == guard.receipts.state();
  if (!told && due && find(guard.rank) && acknowledge(guard)) said(guard);
}

/// Nothing is owed for the moment.
void Bml::said(Guard& guard) noexcept {
  guard.urgent = false;
  guard.arrived = guard.seen_by_poll = 0;
}

/// Asked before the data of a message are read. What is not placed is read whole, and looked at then.
bool Bml::place(const btl::Message& head, btl::Placement& out) noexcept {
  GuardHeader header;
  if (!head.module || !head.endpoint || !read_header(head, header)) return false;
  const btl::Handler& handler = runtime_.handlers().entries[header.tag];
  if (header.kind != GuardKind::kMessage || !handler.place || header.tag == kTagGuard) return false;
  Guard* const found = guard_or_none(head.rank);
  if (!found || !found->receipts.reserve_placing()) return false;
  Guard& guard = *found;
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
  if (Guard* guard = guards_[head.rank].load(std::memory_order_acquire))
    guard->receipts.placed(header.number);
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
  if (rails.guard) {
    if (rails.guard->loses_with(*placing.endpoint)) {
      return fail(*peer, Errc::kPeerGone, "it gave up a rail that had carried messages before it had others");
    }
    rails.guard->rail_lost();
  }
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
  for (std::size_t i = 0; i < owing_.size();) {  // by index: a post may deliver at once, and so owe more
    Guard& guard = *owing_[i];
    if (!is_told(guard, moved)) {
      ++i;
      continue;
    }
    said(guard);
    guard.listed = false;
    std::erase(owing_, &guard);
    waiting_.fetch_sub(1, std::memory_order_relaxed);
  }
  return moved;
}

/// Whether the peer knows what it should, by now.
bool Bml::is_told(Guard& guard, int& moved) noexcept {
  const bool pause = guard.arrived == guard.seen_by_poll;
  guard.seen_by_poll = guard.arrived;
  const std::uint64_t state = guard.receipts.state();
  if (guard.told.load(std::memory_order_relaxed) == state) return true;
  const bool due = guard.urgent || pause || guard.arrived >= kAcknowledgeEvery;
  if (!due) {
    ++moved;  // another look before anybody sleeps
    return false;
  }
  if (!acknowledge(guard)) return false;
  ++moved;
  return guard.receipts.state() == state;
}

/// True: told, or there is nobody to be told.
bool Bml::acknowledge(Guard& guard) noexcept {
  if (guard.telling.load(std::memory_order_acquire)) return false;
  auto met = peer(guard.rank);
  if (!met) {
    if (peer_failure_.function) {
      peer_failure_.function(peer_failure_.context, guard.rank, met.error().code, met.error().text.c_str());
    }
    return true;
  }
  Peer& peer = **met;
  const RailSet& rails = peer.rails();
  // First at once, then by a descriptor: for that the rail watches until it has room.
  for (const auto post : {&Guard::tell_now, &Guard::tell}) {
    for (const auto* some : {&rails.eager, &rails.send}) {
      for (const Rail& rail : *some) {
        if (!rails.alive(rail)) continue;
        const btl::Posted posted = (guard.*post)(rail);
        if (posted == btl::Posted::kDone) {
          counters_.add(GuardCounter::kAcknowledgements);
          return true;
        }
        if (posted == btl::Posted::kPending) return false;
        if (posted != btl::Posted::kUnreachable) continue;
        rails.kill(rail);
        if (rails.guard) rails.guard->rail_lost();
        list_stalled(peer);
      }
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
