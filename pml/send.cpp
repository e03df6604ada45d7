// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>

#include "pml/impl.hpp"

namespace hawser::pml {

using btl::Posted;

DoneSend g_done_send;
NoMemory g_no_memory;

namespace {

constexpr const char* kNoMemoryToAnswer = "no memory for an answer to it";
constexpr const char* kNoMemoryToAsk =
    "no memory to send in slices what its rails do not take whole any more";

/// `data`: packed bytes of a small message that is not contiguous; valid until the next call of the same
/// thread. False: no memory.
bool pack_small(const Buffer& buffer, const void*& data) noexcept {
  thread_local std::unique_ptr<char[]> scratch;
  thread_local std::uint64_t room = 0;
  if (room < buffer.size) {
    scratch.reset(new (std::nothrow) char[buffer.size]);
    room = scratch ? buffer.size : 0;
    if (!scratch) return false;
  }
  buffer.layout->pack(scratch.get(), buffer.base, 0, buffer.size);
  data = scratch.get();
  return true;
}

/// `why` lives to the end.
Request* failed_send(PmlImpl& pml, std::uint32_t rank, Errc error, const char* why) noexcept {
  PmlImpl::note_error(why);
  auto* request = pml.send_pool.make(pml, Buffer{});
  if (!request) return &g_no_memory;
  request->peer_rank = rank;
  request->result().error = error;
  request->result().why = why;
  request->part_ended(Errc::kOk);
  return request;
}

}  // namespace

Request* PmlImpl::start_send(Channel& channel, const Buffer& buffer, int dest, int tag, SendMode mode) {
  const std::uint32_t rank = channel.world_ranks[static_cast<std::size_t>(dest)];
  bml::Peer* peer = bml.find(rank);
  const bool failed = reported[rank].load(std::memory_order_acquire);
  const bool another = failed && peer && !peer->failed.load(std::memory_order_acquire);
  if (HAWSER_UNLIKELY(!peer || another)) {
    // A peer that failed does not come back to its channels, not even as a new process that others have met.
    const char* why = why_failed(rank);
    if (failed && !why) why = "its process ended, or was restarted";
    if (why) return failed_send(*this, rank, Errc::kPeerGone, why);
    auto met = bml.peer(rank);
    if (!met) {
      peer_not_met(rank, met.error());
      return failed_send(*this, rank, met.error().code, keep_text(met.error().text));
    }
    peer = *met;
  }
  if (HAWSER_LIKELY(!failed)) channel.meet(dest, *peer);
  const bool small = buffer.size <= peer->eager_limit.load(std::memory_order_relaxed);
  const void* data = buffer.base;
  const bool at_once = small && mode != SendMode::kSynchronous;
  const bool may_wait = mode == SendMode::kDeferred;
  const bool packed = at_once && (!buffer.layout || pack_small(buffer, data));
  const MatchHeader match = next_header(channel, dest, tag);
  if (!packed) return start_rendezvous(*peer, match, buffer, small && !at_once, may_wait);
  const Posted posted = bml.sendi(*peer, {&match, sizeof match, kTagEager, may_wait}, data, buffer.size);
  if (HAWSER_LIKELY(posted == Posted::kDone)) return &g_done_send;
  return send_eager_later(*peer, match, buffer, may_wait);
}

/// The rails had no room: a descriptor waits in order. The user's bytes stay until it is done.
Request* PmlImpl::send_eager_later(bml::Peer& peer, const MatchHeader& match, const Buffer& buffer,
                                   bool may_wait) {
  auto* request = send_pool.make(*this, buffer);
  if (!request) {
    give_up_for_want_of_memory(peer.rank);
    return &g_no_memory;
  }
  request->peer_rank = peer.rank;
  request->peer = &peer;
  btl::Descriptor& descriptor = request->descriptor;
  if (!request->take_data()) {  // no memory for a copy: it goes in slices, which need less
    request->part_ended(Errc::kOk);
    request->release();
    return start_rendezvous(peer, match, buffer, false, may_wait);
  }
  std::memcpy(descriptor.header, &match, sizeof match);
  descriptor.header_size = sizeof match;
  descriptor.tag = kTagEager;
  descriptor.may_wait = may_wait;
  post_descriptor(peer, *request);
  request->part_ended(Errc::kOk);
  return request;
}

/// Posts the request's descriptor as one part of it.
void PmlImpl::post_descriptor(bml::Peer& peer, SendRequest& request) noexcept {
  hot_add(request.parts, 1, std::memory_order_relaxed);
  request.descriptor.on_complete = [](btl::Descriptor& descriptor, Errc status) noexcept {
    auto& self = *static_cast<SendRequest*>(descriptor.owner);
    if (status == Errc::kUnreachable) return self.pml.descriptor_refused(self);
    self.descriptor_ended(status);
  };
  const Posted posted = bml.send(peer, request.descriptor);
  if (posted == Posted::kDone) request.descriptor_ended(Errc::kOk);
  if (posted == Posted::kUnreachable) descriptor_refused(request);
}

/// Nothing of it was sent: another rail may do, perhaps without the data.
void PmlImpl::descriptor_refused(SendRequest& request) noexcept {
  if (request.descriptor.data_size > request.peer->eager_limit.load(std::memory_order_relaxed) &&
      !ask_instead(request)) {
    give_up_peer(request.peer_rank, Errc::kOutOfMemory, kNoMemoryToAsk);  // as in end_unsent
    return request.descriptor_ended(Errc::kOutOfMemory);
  }
  const Posted again = bml.send_again(*request.peer, request.descriptor);
  if (again == Posted::kPending) return;
  request.descriptor_ended(again == Posted::kDone ? Errc::kOk : Errc::kUnreachable);
}

/// The peer's rails changed, and take less now than when the message was judged to be small: it becomes one
/// that asks first. False: no memory.
bool PmlImpl::ask_instead(SendRequest& request) noexcept {
  btl::Descriptor& descriptor = request.descriptor;
  MatchHeader match;
  std::memcpy(&match, descriptor.header, sizeof match);  // both headers begin with it
  if (request.id == 0) {
    hot_add(request.parts, 1, std::memory_order_relaxed);  // the answer
    request.id = sends.add(request);
    if (request.id == 0) {
      hot_add(request.parts, -1, std::memory_order_relaxed);
      return false;
    }
  }
  const RendezvousHeader header{match, request.buffer.size, request.id, 0, {}, 0, 0};
  std::memcpy(descriptor.header, &header, sizeof header);
  descriptor.header_size = sizeof header;
  descriptor.tag = kTagRendezvous;
  descriptor.data_count = 0;
  descriptor.data_size = 0;
  return true;
}

/// The peer, met now if nobody has met it yet; null: it cannot be, and is given up.
bml::Peer* PmlImpl::meet(std::uint32_t rank) noexcept {
  auto met = bml.peer(rank);
  if (met) return *met;
  peer_not_met(rank, met.error());
  return nullptr;
}

/// A message of the protocol itself: at once if there is room, else in its turn.
void PmlImpl::send_control(std::uint32_t rank, btl::Tag tag, const void* header,
                           std::uint32_t size) noexcept {
  bml::Peer* peer = bml.find(rank);
  if (HAWSER_UNLIKELY(!peer)) {
    if (reported[rank].load(std::memory_order_acquire)) return;
    peer = meet(rank);
    if (!peer) return;
  }
  // Not to a new process either: if that is what was found, the end of the one before was reported by then.
  if (HAWSER_UNLIKELY(reported[rank].load(std::memory_order_acquire))) return;
  const bool may_wait = tag == kTagClear;  // whoever receives comes back
  if (HAWSER_LIKELY(bml.sendi(*peer, {header, size, tag, may_wait}, nullptr, 0) == Posted::kDone)) return;
  ControlMessage* message = control_pool.make(ControlMessage{this, rank, {}});
  if (!message) return give_up_peer(rank, Errc::kOutOfMemory, kNoMemoryToAnswer);
  btl::Descriptor& descriptor = message->descriptor;
  std::memcpy(descriptor.header, header, size);
  descriptor.header_size = static_cast<std::uint8_t>(size);
  descriptor.tag = tag;
  descriptor.owner = message;
  descriptor.on_complete = [](btl::Descriptor& done, Errc status) noexcept {
    auto& self = *static_cast<ControlMessage*>(done.owner);
    PmlImpl& pml = *self.pml;
    if (status == Errc::kUnreachable) {
      bml::Peer* peer = pml.bml.find(self.rank);
      if (peer && !pml.reported[self.rank].load(std::memory_order_acquire)) {
        const Posted again = pml.bml.send_again(*peer, done);
        if (again == Posted::kPending) return;
      }
    }
    pml.control_pool.destroy(self);
  };
  const Posted posted = bml.send(*peer, descriptor);
  if (posted != Posted::kPending) control_pool.destroy(*message);
}

Request* Pml::isend(Channel& channel, const Buffer& buffer, int dest, int tag, SendMode mode) {
  return impl_->start_send(channel, buffer, dest, tag, mode);
}

Errc Pml::send(Channel& channel, const Buffer& buffer, int dest, int tag, SendMode mode) {
  return end_send(*impl_->start_send(channel, buffer, dest, tag, mode));
}

Errc Pml::end_send(Request& sent) {
  Request* request = &sent;
  if (!request->done()) wait(*request);
  const Status status = request->status();
  request->release();
  if (HAWSER_UNLIKELY(status.error != Errc::kOk && status.why)) PmlImpl::note_error(status.why);
  return status.error;
}

}  // namespace hawser::pml
