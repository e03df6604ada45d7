// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "pml/requests.hpp"

#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

#include "framework/base/copy.hpp"
#include "pml/impl.hpp"

namespace hawser::pml {

void Operation::finish() noexcept {
  if (buffer.layout) buffer.layout->release();
  progress::Engine& engine = pml.runtime.engine();
  const Request* self = this;
  set_done();  // whoever waits may free it at once
  engine.completed(self);
}

void Operation::destroy(bml::Transfer& transfer) noexcept {
  pml.transfer_pool.destroy(transfer);
}

SendRequest::SendRequest(PmlImpl& owner, const Buffer& what) noexcept
    : Operation(Kind::kSend, &release_send, owner, what) {
  descriptor.owner = this;
}

void SendRequest::part_ended(Errc status) noexcept {
  if (status != Errc::kOk && !failed.exchange(true, std::memory_order_relaxed)) status_.error = status;
  if (hot_add(parts, -1, std::memory_order_acq_rel) != 1) return;
  if (status_.error != Errc::kOk && !status_.why && !told_why()) return;
  if (registered_on) registered_on->rdma->deregister_memory(*registered_on->endpoint, key);
  finish();
}

bool SendRequest::take_data() noexcept {
  if (buffer.size == 0) return true;
  data = {buffer.base, buffer.size};
  if (buffer.layout) {
    packed = static_cast<char*>(std::malloc(buffer.size));
    if (!packed) return false;
    buffer.layout->pack(packed, buffer.base, 0, buffer.size);
    data.iov_base = packed;
  }
  descriptor.data = &data;
  descriptor.data_count = 1;
  descriptor.data_size = buffer.size;
  return true;
}

void SendRequest::descriptor_ended(Errc status) noexcept {
  if (status != Errc::kOk && id != 0 && pml.sends.take(id)) part_ended(status);
  part_ended(status);
}

/// A component completes what was pending before it reports the rail, and people want its words: the request
/// waits for that report among the rendezvous, and ends as it says. False: it waits.
bool SendRequest::told_why() noexcept {
  const bool our_own = status_.error == Errc::kOutOfMemory || status_.error == Errc::kShutdown;
  if (const char* why = pml.why_failed(peer_rank); our_own || why) {
    end_of_lost_peer(why ? why : to_text(status_.error));
    return true;
  }
  PmlImpl& owner = pml;  // once added, a report may end this request at any time
  const std::uint32_t rank = peer_rank;
  const Errc error = status_.error;
  parts.store(1, std::memory_order_relaxed);
  failed.store(false, std::memory_order_relaxed);
  const std::uint64_t waiting_id = owner.sends.add(*this);
  if (waiting_id == 0) {  // no memory to wait
    end_of_lost_peer(to_text(error));
    return true;
  }
  const char* why = owner.why_failed(rank);  // reported in between?
  if (why && owner.sends.take(waiting_id)) {
    end_of_lost_peer(why);
    return true;
  }
  owner.expect_report(rank, error);
  return false;
}

/// No rail is left: to the user the peer is gone, as to who receives from it.
void SendRequest::end_of_lost_peer(const char* why) noexcept {
  status_.why = why;
  if (status_.error == Errc::kUnreachable) status_.error = Errc::kPeerGone;
}

void SendRequest::release_send(Request& self) noexcept {
  auto& request = static_cast<SendRequest&>(self);
  if (HAWSER_UNLIKELY(!request.done())) return request.pml.keep_until_done(request);
  std::free(request.packed);
  request.pml.send_pool.destroy(request);
}

void ReceiveRequest::release_receive(Request& self) noexcept {
  auto& request = static_cast<ReceiveRequest&>(self);
  if (HAWSER_UNLIKELY(!request.done())) return request.pml.keep_until_done(request);
  request.pml.receive_pool.destroy(request);
}

void PmlImpl::keep_until_done(Operation& operation) noexcept {
  Operation* over = nullptr;
  {
    Lock lock(given_up_mutex);
    operation.next_given_up = std::exchange(given_up, &operation);
    if (++given_up_count >= look_at_given_up) over = take_done_given_up();
  }
  free_given_up(over);
  look_timer.set(now_ns() + kLookAfterNs);
}

/// Of the timer.
void PmlImpl::look_now() noexcept {
  Operation* over = nullptr;
  bool more = false;
  {
    Lock lock(given_up_mutex);
    over = take_done_given_up();
    more = given_up != nullptr;
  }
  free_given_up(over);
  if (more) look_timer.set(now_ns() + kLookAfterNs);
}

/// Those of the given up that are done.
Operation* PmlImpl::take_done_given_up() noexcept {
  Operation* over = nullptr;
  for (Operation** at = &given_up; Operation* operation = *at;) {
    if (!operation->done()) {
      at = &operation->next_given_up;
      continue;
    }
    *at = std::exchange(operation->next_given_up, over);
    over = operation;
    --given_up_count;
  }
  look_at_given_up = 2 * given_up_count + kFewGivenUp;
  return over;
}

void PmlImpl::free_given_up() noexcept {
  Operation* over = nullptr;
  {
    Lock lock(given_up_mutex);
    over = take_done_given_up();
  }
  free_given_up(over);
}

void PmlImpl::free_given_up(Operation* over) const noexcept {
  while (over) {
    Operation& operation = *std::exchange(over, over->next_given_up);
    void* const user = operation.user;
    const Request::Kind kind = operation.kind();
    operation.release();
    if (user && given_up_freed) given_up_freed(user, kind);
  }
}

void Pml::give_up(Request& request) noexcept {
  impl_->keep_until_done(static_cast<Operation&>(request));
}

void Pml::free_given_up() noexcept {
  impl_->free_given_up();
}

void Pml::on_given_up_freed(GivenUpFreed function) noexcept {
  impl_->given_up_freed = function;
}

namespace {

/// Memory of a message that is small, with all that goes with it. The pool keeps it: given back to the heap
/// one by one, each costs more than its match.
struct SmallMessage {
  SmallMessage() noexcept {}  // not zeroed
  unsigned char bytes[3 * kCacheLine];
};
Pool<SmallMessage> g_small_messages;

std::size_t front_size(bool is_rendezvous) noexcept {
  return sizeof(ArrivedMessage) + (is_rendezvous ? sizeof(RendezvousHeader) : 0);
}
bool is_small(bool is_rendezvous, std::size_t size) noexcept {
  return size <= sizeof(SmallMessage) && front_size(is_rendezvous) + size <= sizeof(SmallMessage);
}

}  // namespace

ArrivedMessage* ArrivedMessage::copy_of(const MessageView& view, Channel* channel) noexcept {
  const bool is_rendezvous = view.rendezvous != nullptr;
  const std::size_t front = front_size(is_rendezvous);
  void* memory =
      is_small(is_rendezvous, view.size) ? g_small_messages.make() : std::malloc(front + view.size);
  if (!memory) return nullptr;
  auto* message = new (memory) ArrivedMessage;
  message->channel = channel;
  message->rank = view.rank;
  message->match = view.match;
  message->is_rendezvous = is_rendezvous;
  if (is_rendezvous) std::memcpy(static_cast<void*>(message + 1), view.rendezvous, sizeof(RendezvousHeader));
  message->size = view.size;
  copy_bytes(static_cast<char*>(memory) + front, view.data, view.size);
  return message;
}

void ArrivedMessage::free() noexcept {
  const bool small = is_small(is_rendezvous, size);
  this->~ArrivedMessage();
  void* const memory = this;
  if (small) return g_small_messages.destroy(*static_cast<SmallMessage*>(memory));
  std::free(memory);
}

MessageView ArrivedMessage::view() const noexcept {
  if (!is_rendezvous) return {rank, match, nullptr, this + 1, size};
  const auto* header = reinterpret_cast<const RendezvousHeader*>(this + 1);
  return {rank, match, header, header + 1, size};
}

}  // namespace hawser::pml
