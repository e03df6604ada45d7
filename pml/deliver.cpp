// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "framework/base/copy.hpp"
#include "pml/impl.hpp"

namespace hawser::pml {

namespace {

constexpr const char* kBadHeader = "it sent a message whose header is not valid";

PmlImpl& pml_of(void* context) noexcept {
  return *static_cast<PmlImpl*>(context);
}

/// Copies the header of a message; false if it has not the size that it must have.
template <class Header>
bool read_header(void* context, const btl::Message& message, Header& header) noexcept {
  if (HAWSER_UNLIKELY(message.header_size != sizeof header)) {
    pml_of(context).give_up_peer(message.rank, Errc::kProtocol, kBadHeader);
    return false;
  }
  std::memcpy(&header, message.header, sizeof header);
  return true;
}

/// Apart, as the call of memcpy would make the shorter ones save registers.
[[gnu::noinline]] bool copy_foreseen(ReceiveRequest& receive, const btl::Message& message) noexcept {
  std::memcpy(receive.buffer.base, message.data, message.size);
  receive.finish_alone();
  return true;
}

/// The message that was foreseen. False: it is another one, and nothing was done.
HAWSER_INLINE bool deliver_foreseen(PmlImpl& pml, const btl::Message& message) noexcept {
  ReceiveRequest* receive = pml.foreseen.receive;
  if (!receive || HAWSER_UNLIKELY(message.header_size != sizeof(MatchHeader))) return false;
  const MatchWords header = MatchWords::read(message.header);
  if (header != pml.foreseen.header || message.rank != pml.foreseen.rank) return false;
  if (HAWSER_UNLIKELY(receive->buffer.size < message.size)) return false;
  if (HAWSER_UNLIKELY(!pml.still_foreseen())) return false;
  pml.take_foreseen(message.size);
  if (HAWSER_UNLIKELY(message.size > kFewBytes)) return copy_foreseen(*receive, message);
  copy_few_bytes(receive->buffer.base, message.data, message.size);
  receive->finish_alone();
  return true;
}

/// The way of nearly every message: in its turn, into a receive that is posted and has room. False: it is
/// another one, and nothing was done.
HAWSER_INLINE bool deliver_at_once(PmlImpl& pml, const btl::Message& message) noexcept {
  if (HAWSER_UNLIKELY(message.header_size != sizeof(MatchHeader))) return false;
  const MatchHeader match = MatchWords::read(message.header).header();
  Channel* channel = pml.channel_of(match.context);
  if (HAWSER_UNLIKELY(!channel || !channel->is_from(match.source, message.rank) || match.tag < 0))
    return false;
  ReceiveRequest* receive = channel->take_expected(match);
  if (HAWSER_UNLIKELY(!receive)) return false;
  if (HAWSER_UNLIKELY(receive->buffer.layout || receive->buffer.size < message.size)) {
    pml.accept(*receive, {message.rank, match, nullptr, message.data, message.size});
    return true;
  }
  Status& status = receive->result();
  status.source = match.source;
  status.tag = match.tag;
  status.size = message.size;
  copy_bytes(receive->buffer.base, message.data, message.size);
  receive->finish_plain();
  return true;
}

[[gnu::noinline]] void deliver(PmlImpl& pml, const btl::Message& message) noexcept {
  if (HAWSER_LIKELY(deliver_at_once(pml, message))) return;
  MatchHeader header;
  if (read_header(&pml, message, header)) {
    pml.arrived({message.rank, header, nullptr, message.data, message.size});
  }
}

void on_eager(void* context, const btl::Message& message) noexcept {
  PmlImpl& pml = pml_of(context);
  if (message.placed) {
    return pml.placed_slice_ended(*static_cast<ReceiveRequest*>(message.placed), message.size);
  }
  if (!deliver_foreseen(pml, message)) deliver(pml, message);
}

void on_rendezvous(void* context, const btl::Message& message) noexcept {
  RendezvousHeader header;
  if (read_header(context, message, header)) {
    pml_of(context).arrived({message.rank, header.match, &header, message.data, message.size});
  }
}

void on_clear(void* context, const btl::Message& message) noexcept {
  ClearHeader header;
  if (read_header(context, message, header)) pml_of(context).clear_arrived(message.rank, header);
}

void on_given_up(void* context, const btl::Message& message) noexcept {
  GivenUpHeader header;
  if (read_header(context, message, header)) pml_of(context).given_up_by(message.rank, header);
}

void on_finish(void* context, const btl::Message& message) noexcept {
  FinishHeader header;
  if (read_header(context, message, header)) pml_of(context).finish_arrived(message.rank, header);
}

}  // namespace

void PmlImpl::add_handlers(btl::HandlerTable& table) noexcept {
  table.entries[kTagEager] = {
      &on_eager,
      [](void* context, const btl::Message& head, btl::Placement& out) noexcept {
        return pml_of(context).place_eager(head, out);
      },
      [](void* context, const btl::Message& head) noexcept { pml_of(context).placed_eager_torn(head); },
      this};
  table.entries[kTagRendezvous] = {&on_rendezvous, nullptr, nullptr, this};
  table.entries[kTagClear] = {&on_clear, nullptr, nullptr, this};
  table.entries[kTagFinish] = {&on_finish, nullptr, nullptr, this};
  table.entries[kTagGivenUp] = {&on_given_up, nullptr, nullptr, this};
  table.entries[kTagSlice] = {
      [](void* context, const btl::Message& message) noexcept { pml_of(context).slice_arrived(message); },
      [](void* context, const btl::Message& head, btl::Placement& out) noexcept {
        return pml_of(context).place_slice(head, out);
      },
      [](void* context, const btl::Message& head) noexcept {
        pml_of(context).placed_slice_ended(*static_cast<ReceiveRequest*>(head.placed), 0);
      },
      this};
}

void PmlImpl::arrived(const MessageView& message) noexcept {
  const bool whole = !message.rendezvous || message.size == 0 || message.size == message.rendezvous->size;
  if (HAWSER_UNLIKELY(message.match.context >= kMaxContexts || message.match.tag < 0 || !whole)) {
    return give_up_peer(message.rank, Errc::kProtocol, kBadHeader);
  }
  for (;;) {
    if (Channel* channel = channel_of(message.match.context); HAWSER_LIKELY(channel != nullptr)) {
      return arrived_on(*channel, message);
    }
    if (keep_homeless(message)) return;
    if (channel_of(message.match.context)) continue;  // opened in between
    return give_up_peer(message.rank, Errc::kOutOfMemory, "no memory to keep a message that arrived early");
  }
}

void PmlImpl::arrived_on(Channel& channel, const MessageView& message) noexcept {
  if (HAWSER_UNLIKELY(!channel.is_from(message.match.source, message.rank))) {
    return give_up_peer(message.rank, Errc::kProtocol, kBadHeader);
  }
  match(channel, message);
  match_next(channel, message.match.source);
}

void PmlImpl::match_next(Channel& channel, int source) noexcept {
  while (ArrivedMessage* next = channel.next_in_turn(source)) {
    match(channel, next->view());
    next->free();
  }
}

void PmlImpl::match(Channel& channel, const MessageView& message) noexcept {
  ReceiveRequest* receive = nullptr;
  switch (channel.arrive(message, receive)) {
    case Channel::Arrival::kMatched:
      return accept(*receive, message);
    case Channel::Arrival::kNoMemory:
      return give_up_peer(message.rank, Errc::kOutOfMemory,
                          "no memory to keep a message that was not expected");
    case Channel::Arrival::kDropped:
      return dropped(channel, message);
    case Channel::Arrival::kKept:
      return;
  }
}

}  // namespace hawser::pml
