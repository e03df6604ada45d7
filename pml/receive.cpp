// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "framework/base/copy.hpp"
#include "pml/impl.hpp"

namespace hawser::pml {

namespace {

/// Whether a message of `source` can still come; if not, why.
const char* why_none_comes(const PmlImpl& pml, const Channel& channel, int source) noexcept {
  if (HAWSER_LIKELY(!pml.any_failed.load(std::memory_order_acquire))) return nullptr;
  for (int member = 0; channel.member(member); ++member) {
    if (source != kAnySource && source != member) continue;
    if (const char* why = pml.why_failed(channel.world_ranks[static_cast<std::size_t>(member)])) return why;
  }
  return nullptr;
}

}  // namespace

// From a peer that is known to be gone, nothing comes any more. Looked at after the post, so that either this
// or the failure's own search finds the receive.
void PmlImpl::end_if_none_comes(Channel& channel, ReceiveRequest& receive) noexcept {
  const char* why = why_none_comes(*this, channel, receive.want_source);
  if (!why || !channel.unpost(receive)) return;
  end_failed(receive, Errc::kPeerGone, why);
}

void PmlImpl::accept_kept(ReceiveRequest& receive, ArrivedMessage& message) noexcept {
  if (HAWSER_UNLIKELY(&message == &Channel::no_room())) {
    return end_failed(receive, Errc::kOutOfMemory, "no memory to post a receive");
  }
  accept(receive, message.view());
  message.free();
}

/// The message belongs to that receive: delivers it, or starts its rendezvous.
void PmlImpl::accept(ReceiveRequest& receive, const MessageView& message) noexcept {
  Status& status = receive.result();
  status.source = message.match.source;
  status.tag = message.match.tag;
  const std::uint64_t full = message.full_size();
  receive.peer_rank = message.rank;
  receive.wanted = std::min(full, receive.buffer.size);
  status.size = receive.wanted;
  if (HAWSER_UNLIKELY(full > receive.buffer.size)) status.error = Errc::kTruncated;
  if (message.rendezvous && message.size == 0 && full != 0) return answer_rendezvous(receive, message);
  const std::size_t size = std::min<std::size_t>(receive.wanted, message.size);
  if (size != 0) {
    if (receive.buffer.layout) {
      receive.buffer.layout->unpack(receive.buffer.base, message.data, 0, size);
    } else {
      copy_bytes(receive.buffer.base, message.data, size);
    }
  }
  if (message.rendezvous) {
    const FinishHeader header{message.rendezvous->sender_id};
    send_control(message.rank, kTagFinish, &header, sizeof header);
  }
  receive.finish();
}

Request* Pml::irecv(Channel& channel, const Buffer& buffer, int source, int tag) {
  Request* receive = impl_->irecv(channel, buffer, source, tag, 0);
  return receive ? receive : &g_no_memory;
}

Status Pml::recv(Channel& channel, const Buffer& buffer, int source, int tag) {
  ReceiveRequest receive(*impl_, channel, buffer, source, tag);
  impl_->receive_now(channel, receive);
  const Status& got = receive.status();
  if (HAWSER_UNLIKELY(got.error != Errc::kOk && got.why)) PmlImpl::note_error(got.why);
  return got;
}

bool Pml::iprobe(Channel& channel, int source, int tag, Status& status) {
  // Twice: what had arrived before the call is seen by it, though the first look came before the progress.
  if (channel.find(source, tag, false, status)) return true;
  progress();
  return channel.find(source, tag, false, status) != nullptr;
}

ArrivedMessage* Pml::improbe(Channel& channel, int source, int tag, Status& status) {
  if (ArrivedMessage* message = channel.find(source, tag, true, status)) return message;
  progress();
  return channel.find(source, tag, true, status);
}

static Errc wait_for_message(Pml& pml, const PmlImpl& impl, Channel& channel, int source, int tag, bool claim,
                             Status& status, ArrivedMessage*& message) {
  const char* why = nullptr;
  pml.wait_until([&] {
    message = channel.find(source, tag, claim, status);
    if (!message) why = why_none_comes(impl, channel, source);
    return message || why;
  });
  if (message) return Errc::kOk;
  PmlImpl::note_error(why);
  return Errc::kPeerGone;
}

Errc Pml::probe(Channel& channel, int source, int tag, Status& status) {
  ArrivedMessage* message = nullptr;
  return wait_for_message(*this, *impl_, channel, source, tag, false, status, message);
}

Errc Pml::mprobe(Channel& channel, int source, int tag, Status& status, ArrivedMessage*& message) {
  return wait_for_message(*this, *impl_, channel, source, tag, true, status, message);
}

Request* Pml::imrecv(ArrivedMessage* message, const Buffer& buffer) {
  const MatchHeader& match = message->match;
  auto* receive = impl_->receive_pool.make(*impl_, impl_->claimed, buffer, match.source, match.tag);
  if (!receive) return nullptr;
  impl_->accept_kept(*receive, *message);
  return receive;
}

bool Pml::cancel(Request& request) {
  return request.kind() == Request::Kind::kReceive && PmlImpl::cancel(static_cast<ReceiveRequest&>(request));
}

bool PmlImpl::cancel(ReceiveRequest& receive) noexcept {
  if (receive.done() || !receive.channel.unpost(receive)) return false;
  receive.result().cancelled = true;
  receive.finish();
  return true;
}

}  // namespace hawser::pml
