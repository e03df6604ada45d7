// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <cstring>
#include <memory>

#include "pml/impl.hpp"

namespace hawser::pml {

using btl::Posted;

namespace {

/// What every send that is done at once answers: it is done, has no status of interest, and costs nothing.
class DoneSend final : public Request {
 public:
  DoneSend() noexcept : Request(Kind::kSend, [](Request&) noexcept {}) { set_done(); }
};

Request* done_send() noexcept {
  static DoneSend instance;
  return &instance;
}

/// Packed bytes of a small message that is not contiguous; valid until the next call of the same thread.
const void* pack_small(const Buffer& buffer) {
  thread_local std::unique_ptr<char[]> scratch;
  thread_local std::uint64_t room = 0;
  if (room < buffer.size) {
    scratch = std::make_unique<char[]>(buffer.size);
    room = buffer.size;
  }
  buffer.layout->pack(scratch.get(), buffer.base, 0, buffer.size);
  return scratch.get();
}

/// To be sent, come what may: the receiver keeps later messages back until this one is there.
MatchHeader next_header(Channel& channel, int dest, int tag) noexcept {
  return {channel.context, tag, channel.my_rank, channel.next_sequence(dest)};
}

Request* failed_send(PmlImpl& pml, std::uint32_t rank, const Error& error) {
  PmlImpl::note_error(error.text);
  auto* request = pml.send_pool.make(pml, Buffer{});
  request->peer_rank = rank;
  request->result().error = error.code;
  request->result().why = pml.keep_text(error.text);
  request->part_ended(Errc::kOk);
  return request;
}

}  // namespace

Request* PmlImpl::start_send(Channel& channel, const Buffer& buffer, int dest, int tag, SendMode mode) {
  const std::uint32_t rank = channel.world_ranks[static_cast<std::size_t>(dest)];
  bml::Peer* peer = bml.find(rank);
  if (HAWSER_UNLIKELY(!peer)) {
    auto met = bml.peer(rank);
    if (!met) return failed_send(*this, rank, met.error());
    peer = *met;
  }
  const bool small = buffer.size <= peer->eager_limit;
  if (!small || mode == SendMode::kSynchronous) {
    return start_rendezvous(*peer, next_header(channel, dest, tag), buffer, small);
  }
  const void* data = buffer.layout ? pack_small(buffer) : buffer.base;
  const MatchHeader match = next_header(channel, dest, tag);
  const Posted posted = bml.sendi(*peer, {&match, sizeof match, kTagEager}, data, buffer.size);
  if (HAWSER_LIKELY(posted == Posted::kDone)) return done_send();
  return send_eager_later(*peer, match, buffer);
}

/// The rails had no room: a descriptor waits in order. The user's bytes stay until it is done.
Request* PmlImpl::send_eager_later(bml::Peer& peer, const MatchHeader& match, const Buffer& buffer) {
  auto* request = send_pool.make(*this, buffer);
  request->peer_rank = peer.rank;
  request->peer = &peer;
  btl::Descriptor& descriptor = request->descriptor;
  if (!request->take_data()) {  // no memory for a copy: it goes in slices, which need less
    request->release();
    request->part_ended(Errc::kOk);
    return start_rendezvous(peer, match, buffer, false);
  }
  std::memcpy(descriptor.header, &match, sizeof match);
  descriptor.header_size = sizeof match;
  descriptor.tag = kTagEager;
  post_descriptor(peer, *request);
  request->part_ended(Errc::kOk);
  return request;
}

/// Posts the request's descriptor as one part of it.
void PmlImpl::post_descriptor(bml::Peer& peer, SendRequest& request) noexcept {
  request.parts.fetch_add(1, std::memory_order_relaxed);
  request.descriptor.on_complete = [](btl::Descriptor& descriptor, Errc status) noexcept {
    auto& self = *static_cast<SendRequest*>(descriptor.owner);
    // Refused by a rail that could not be set up: nothing was sent, another rail may do.
    if (status == Errc::kUnreachable) {
      const Posted again = self.pml.bml.send_again(*self.peer, descriptor);
      if (again == Posted::kPending) return;
      if (again == Posted::kDone) status = Errc::kOk;
    }
    self.descriptor_ended(status);
  };
  const Posted posted = bml.send(peer, request.descriptor);
  if (posted == Posted::kPending) return;
  request.descriptor_ended(posted == Posted::kDone ? Errc::kOk : Errc::kUnreachable);
}

/// A message of the protocol itself: at once if there is room, else in its turn.
void PmlImpl::send_control(std::uint32_t rank, btl::Tag tag, const void* header,
                           std::uint32_t size) noexcept {
  auto met = bml.peer(rank);
  if (!met) return peer_failed(rank, met.error().code, met.error().text.c_str());
  if (HAWSER_LIKELY(bml.sendi(**met, {header, size, tag}, nullptr, 0) == Posted::kDone)) return;
  ControlMessage* message = control_pool.make(ControlMessage{this, rank, {}});
  btl::Descriptor& descriptor = message->descriptor;
  std::memcpy(descriptor.header, header, size);
  descriptor.header_size = static_cast<std::uint8_t>(size);
  descriptor.tag = tag;
  descriptor.owner = message;
  descriptor.on_complete = [](btl::Descriptor& done, Errc status) noexcept {
    auto& self = *static_cast<ControlMessage*>(done.owner);
    PmlImpl& pml = *self.pml;
    if (status == Errc::kUnreachable) {
      if (bml::Peer* peer = pml.bml.find(self.rank)) {
        const Posted again = pml.bml.send_again(*peer, done);
        if (again == Posted::kPending) return;
      }
    }
    pml.control_pool.destroy(self);
  };
  const Posted posted = bml.send(**met, descriptor);
  if (posted != Posted::kPending) control_pool.destroy(*message);
}

Request* Pml::isend(Channel& channel, const Buffer& buffer, int dest, int tag, SendMode mode) {
  return impl_->start_send(channel, buffer, dest, tag, mode);
}

Errc Pml::send(Channel& channel, const Buffer& buffer, int dest, int tag, SendMode mode) {
  Request* request = impl_->start_send(channel, buffer, dest, tag, mode);
  if (!request->done()) wait(*request);
  const Status status = request->status();
  request->release();
  if (HAWSER_UNLIKELY(status.error != Errc::kOk && status.why)) PmlImpl::note_error(status.why);
  return status.error;
}

}  // namespace hawser::pml
