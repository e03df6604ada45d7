// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "pml/impl.hpp"

namespace hawser::pml {

namespace {

constexpr const char* kNoMemory = "no memory for a message";

/// Lets the receiver read the data by itself. A key is of one rail, and both ends must mean the same one.
void make_readable(bml::Peer& peer, SendRequest& request, RendezvousHeader& header) noexcept {
  const Buffer& buffer = request.buffer;
  const bml::RailSet& rails = peer.rails();
  if (buffer.layout || rails.rdma.size() != 1 || buffer.size < rails.rdma_min_size) return;
  const bml::Rail& rail = rails.rdma.front();
  if (rail.rdma->register_memory(*rail.endpoint, buffer.base, buffer.size, request.key) != Errc::kOk) return;
  request.registered_on = &rail;
  header.key = request.key;
  header.address = reinterpret_cast<std::uint64_t>(buffer.base);
  header.readable = 1;
}

}  // namespace

/// For a send there is no memory, but its number was given out: what is sent to that peer after it would
/// never be received.
void PmlImpl::give_up_for_want_of_memory(std::uint32_t rank) noexcept {
  give_up_peer(rank, Errc::kOutOfMemory, kNoMemory);
}

Request* PmlImpl::end_unsent(SendRequest& request) noexcept {
  give_up_for_want_of_memory(request.peer_rank);
  request.part_ended(Errc::kOutOfMemory);
  request.part_ended(Errc::kOk);
  return &request;
}

/// Announces a message that is too large to send unasked, or whose sender waits for the match. `with_data`:
/// it is small, and travels along.
Request* PmlImpl::start_rendezvous(bml::Peer& peer, const MatchHeader& match, const Buffer& buffer,
                                   bool with_data, bool may_wait) {
  auto* request = send_pool.make(*this, buffer);
  if (!request) {
    give_up_for_want_of_memory(peer.rank);
    return &g_no_memory;
  }
  request->peer_rank = peer.rank;
  request->peer = &peer;
  // The receiver's answer, or the report of a failed peer, may end the operation while we are still here:
  // this part keeps the request.
  request->parts.fetch_add(1, std::memory_order_relaxed);
  // From here on what the answer's arrival touches (peer and buffer; it alone the transfer) stays as it is.
  request->id = sends.add(*request);
  if (request->id == 0) return end_unsent(*request);
  RendezvousHeader header{match, buffer.size, request->id, 0, {}, 0, 0};
  if (!with_data || !request->take_data()) make_readable(peer, *request, header);
  btl::Descriptor& descriptor = request->descriptor;
  std::memcpy(descriptor.header, &header, sizeof header);
  descriptor.header_size = sizeof header;
  descriptor.tag = kTagRendezvous;
  descriptor.may_wait = may_wait;
  post_descriptor(peer, *request);
  // Reported before it was in the table, so that the report's own search missed it?
  if (HAWSER_UNLIKELY(any_failed.load(std::memory_order_acquire) && why_failed(peer.rank)) &&
      sends.take(request->id)) {
    request->part_ended(Errc::kPeerGone);
  }
  request->part_ended(Errc::kOk);
  return request;
}

/// Reads the sender's memory if that is possible, else asks for slices.
void PmlImpl::answer_rendezvous(ReceiveRequest& receive, const MessageView& message) noexcept {
  receive.sender_id = message.rendezvous->sender_id;
  if (receive.wanted == 0) {  // cut to nothing
    const FinishHeader header{receive.sender_id};
    send_control(message.rank, kTagFinish, &header, sizeof header);
    return receive.finish();
  }
  bml::Peer* peer = meet(message.rank);
  if (!peer || !message.rendezvous->readable || receive.buffer.layout || peer->rails().rdma.size() != 1 ||
      receive.wanted < peer->rails().rdma_min_size) {
    return ask_for_slices(receive);
  }
  receive.transfer = transfer_pool.make();
  if (!receive.transfer) return ask_for_slices(receive);
  bml::Transfer& transfer = *receive.transfer;
  transfer.kind = bml::Transfer::Kind::kGet;
  transfer.peer = peer;
  transfer.size = receive.wanted;
  transfer.base = static_cast<char*>(receive.buffer.base);
  transfer.remote_address = message.rendezvous->address;
  transfer.remote_key = message.rendezvous->key;
  transfer.owner = &receive;
  transfer.on_done = [](bml::Transfer& self, Errc status) noexcept {
    auto& done = *static_cast<ReceiveRequest*>(self.owner);
    // Not permitted after all: the bytes come as messages instead.
    if (status != Errc::kOk) return done.pml.ask_for_slices(done);
    const FinishHeader header{done.sender_id};
    done.pml.send_control(done.peer_rank, kTagFinish, &header, sizeof header);
    done.finish();
  };
  bml.start(transfer);
}

void PmlImpl::ask_for_slices(ReceiveRequest& receive) noexcept {
  const std::uint32_t rank = receive.peer_rank;
  ClearHeader header{receive.sender_id, 0, receive.wanted};
  // Once it is in the table, a failure of the peer may end it.
  const std::uint64_t id = header.receiver_id = receives.add(receive);
  if (id == 0) {
    give_up_peer(rank, Errc::kOutOfMemory, kNoMemory);
    return end_failed(receive, Errc::kOutOfMemory, kNoMemory);
  }
  if (const char* why = why_failed(rank)) {
    if (receives.take(id)) end_failed(receive, Errc::kPeerGone, why);
    return;
  }
  send_control(rank, kTagClear, &header, sizeof header);
}

/// The receiver is ready: the bytes that it wants go out.
void PmlImpl::clear_arrived(std::uint32_t rank, const ClearHeader& header) noexcept {
  SendRequest* request = sends.take_if(header.sender_id, [&](const SendRequest& send) {
    return send.peer_rank == rank && header.wanted != 0 && header.wanted <= send.buffer.size;
  });
  if (!request) return;
  request->transfer = transfer_pool.make();
  if (!request->transfer) return request->part_ended(Errc::kOutOfMemory);
  bml::Transfer& transfer = *request->transfer;
  transfer.kind = bml::Transfer::Kind::kSend;
  transfer.tag = kTagSlice;
  transfer.peer = request->peer;
  transfer.size = header.wanted;
  transfer.remote_id = header.receiver_id;
  transfer.base = request->buffer.layout ? nullptr : static_cast<char*>(request->buffer.base);
  transfer.pack = [](const bml::Transfer& self, void* out, std::uint64_t offset, std::size_t size) noexcept {
    const Buffer& buffer = static_cast<SendRequest*>(self.owner)->buffer;
    buffer.layout->pack(out, buffer.base, offset, size);
  };
  transfer.owner = request;
  transfer.on_done = [](bml::Transfer& self, Errc status) noexcept {
    static_cast<SendRequest*>(self.owner)->part_ended(status);
  };
  bml.start(transfer);
}

void PmlImpl::finish_arrived(std::uint32_t rank, const FinishHeader& header) noexcept {
  SendRequest* request =
      sends.take_if(header.sender_id, [&](const SendRequest& send) { return send.peer_rank == rank; });
  if (request) request->part_ended(Errc::kOk);
}

/// The receive that a slice belongs to; null if the slice does not fit it.
ReceiveRequest* PmlImpl::receive_of_slice(const btl::Message& message, bml::SliceHeader& header) noexcept {
  if (message.header_size != sizeof header) return nullptr;
  std::memcpy(&header, message.header, sizeof header);
  ReceiveRequest* receive = receives.find(header.remote_id);
  if (!receive || receive->peer_rank != message.rank) return nullptr;
  if (header.offset > receive->wanted || message.size > receive->wanted - header.offset) return nullptr;
  return receive;
}

bool PmlImpl::place_slice(const btl::Message& head, btl::Placement& out) noexcept {
  bml::SliceHeader header;
  ReceiveRequest* receive = receive_of_slice(head, header);
  if (!receive || receive->buffer.layout) return false;
  ++receive->placed;
  receive->id = header.remote_id;
  out.memory = static_cast<char*>(receive->buffer.base) + header.offset;
  out.cookie = receive;
  return true;
}

void PmlImpl::placed_slice_ended(ReceiveRequest& receive, std::uint64_t arrived) noexcept {
  --receive.placed;
  receive.received += arrived;
  if (receive.placed != 0 || (!receive.over && receive.received < receive.wanted)) return;
  if (receive.over || receives.take(receive.id)) receive.finish();
}

void PmlImpl::slice_arrived(const btl::Message& message) noexcept {
  if (message.placed) {
    return placed_slice_ended(*static_cast<ReceiveRequest*>(message.placed), message.size);
  }
  bml::SliceHeader header;
  ReceiveRequest* receive = receive_of_slice(message, header);
  if (!receive)
    return give_up_peer(message.rank, Errc::kProtocol, "it sent a slice of a message that nobody expects");
  if (receive->buffer.layout) {
    receive->buffer.layout->unpack(receive->buffer.base, message.data, header.offset, message.size);
  } else if (message.size != 0) {
    std::memcpy(static_cast<char*>(receive->buffer.base) + header.offset, message.data, message.size);
  }
  receive->received += message.size;
  if (receive->placed != 0 || receive->received < receive->wanted) return;
  if (receives.take(header.remote_id)) receive->finish();
}

}  // namespace hawser::pml
