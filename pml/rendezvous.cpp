// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "pml/impl.hpp"

namespace hawser::pml {

using btl::Posted;

/// Announces a message that is too large to send unasked, or whose sender waits for the match. `with_data`:
/// it is small, and travels along.
Request* PmlImpl::start_rendezvous(bml::Peer& peer, const MatchHeader& match, const Buffer& buffer,
                                   bool with_data) {
  auto* request = send_pool.make(*this, buffer);
  request->peer_rank = peer.rank;
  request->id = sends.add(*request);
  RendezvousHeader header{match, buffer.size, request->id, 0, {}, 0, 0};
  if (!with_data && !buffer.layout && !peer.rdma.empty() && buffer.size >= peer.rdma_min_size) {
    const bml::Rail& rail = peer.rdma.front();
    header.readable =
        rail.rdma->register_memory(*rail.endpoint, buffer.base, buffer.size, header.key) == Errc::kOk;
    header.address = reinterpret_cast<std::uint64_t>(buffer.base);
  }
  btl::Descriptor& descriptor = request->descriptor;
  std::memcpy(descriptor.header, &header, sizeof header);
  descriptor.header_size = sizeof header;
  descriptor.tag = kTagRendezvous;
  if (with_data && buffer.size != 0) {
    request->data = {buffer.base, buffer.size};
    if (buffer.layout) {
      request->packed = static_cast<char*>(std::malloc(buffer.size));
      if (request->packed) buffer.layout->pack(request->packed, buffer.base, 0, buffer.size);
      request->data.iov_base = request->packed;
    }
    if (!request->data.iov_base) {
      sends.take(request->id);
      request->part_ended(Errc::kOutOfMemory);
      return request;
    }
    descriptor.data = &request->data;
    descriptor.data_count = 1;
    descriptor.data_size = buffer.size;
  }
  // The receiver's answer may end the operation while we are still here: this part keeps the request.
  request->parts.fetch_add(1, std::memory_order_relaxed);
  post_descriptor(peer, *request);
  if (request->failed.load(std::memory_order_relaxed) && sends.take(request->id))
    request->part_ended(Errc::kOk);
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
  bml::Peer* peer = nullptr;
  if (auto met = bml.peer(message.rank)) peer = *met;
  if (!peer || !message.rendezvous->readable || receive.buffer.layout || peer->rdma.empty() ||
      receive.wanted < peer->rdma_min_size) {
    return ask_for_slices(receive);
  }
  bml::Transfer& transfer = receive.transfer;
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
  receive.id = receives.add(receive);
  const ClearHeader header{receive.sender_id, receive.id, receive.wanted};
  send_control(receive.peer_rank, kTagClear, &header, sizeof header);
}

/// The receiver is ready: the bytes that it wants go out.
void PmlImpl::clear_arrived(std::uint32_t rank, const ClearHeader& header) noexcept {
  SendRequest* request = sends.find(header.sender_id);
  if (!request || request->peer_rank != rank || header.wanted > request->buffer.size || header.wanted == 0)
    return;
  if (!sends.take(header.sender_id)) return;
  bml::Transfer& transfer = request->transfer;
  transfer.kind = bml::Transfer::Kind::kSend;
  transfer.tag = kTagSlice;
  transfer.peer = bml.find(rank);
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
  SendRequest* request = sends.find(header.sender_id);
  if (!request || request->peer_rank != rank) return;
  if (sends.take(header.sender_id)) request->part_ended(Errc::kOk);
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
  out.memory = static_cast<char*>(receive->buffer.base) + header.offset;
  out.cookie = receive;
  return true;
}

void PmlImpl::slice_arrived(const btl::Message& message) noexcept {
  bml::SliceHeader header;
  ReceiveRequest* receive = receive_of_slice(message, header);
  if (!receive)
    return peer_failed(message.rank, Errc::kProtocol, "it sent a slice of a message that nobody expects");
  if (!message.placed) {
    if (receive->buffer.layout) {
      receive->buffer.layout->unpack(receive->buffer.base, message.data, header.offset, message.size);
    } else {
      std::memcpy(static_cast<char*>(receive->buffer.base) + header.offset, message.data, message.size);
    }
  }
  receive->received += message.size;
  if (receive->received < receive->wanted) return;
  if (receives.take(header.remote_id)) receive->finish();
}

}  // namespace hawser::pml
