// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <new>

#include "pml/impl.hpp"

// A message that is sent unasked, and long enough that its data are worth being read straight to the
// receiver's buffer: it is matched when its head has come.

namespace hawser::pml {

namespace {

constexpr const char* kNoMemoryToPlace = "no memory to receive a message straight to its place";

}  // namespace

ReceiveRequest* Channel::place(const MatchHeader& match, std::uint64_t size) noexcept {
  HotLock lock(mutex_);
  Member& member = members_[static_cast<std::size_t>(match.source)];
  if (match.sequence != member.expected) return nullptr;
  ReceiveRequest* receive = first_posted(match.source, match.tag);
  if (!receive || receive->buffer.layout || receive->buffer.size < size) return nullptr;
  ++member.expected;
  take_posted(*receive);
  return receive;
}

bool Channel::tear(const MatchHeader& match, std::uint64_t id) noexcept try {
  torn_.push_back({match.source, match.sequence, id});
  return true;
} catch (const std::bad_alloc&) {
  return false;
}

std::uint64_t Channel::take_torn(const MatchHeader& match) noexcept {
  for (Torn& torn : torn_) {
    if (torn.source != match.source || torn.sequence != match.sequence) continue;
    const std::uint64_t id = torn.id;
    torn = torn_.back();
    torn_.pop_back();
    return id;
  }
  return 0;
}

bool PmlImpl::place_eager(const btl::Message& head, btl::Placement& out) noexcept {
  MatchHeader match;
  if (head.header_size != sizeof match) return false;
  std::memcpy(&match, head.header, sizeof match);
  Channel* channel = match.tag < 0 ? nullptr : channel_of(match.context);
  if (!channel || !channel->is_from(match.source, head.rank)) return false;
  ReceiveRequest* receive = channel->place(match, head.size);
  if (!receive) return false;
  receive->peer_rank = head.rank;
  receive->wanted = head.size;
  receive->result().source = match.source;
  receive->result().tag = match.tag;
  receive->result().size = head.size;
  receive->placed = 1;
  receive->id = receives.add(*receive);  // so that a failure of the peer ends it
  if (HAWSER_UNLIKELY(receive->id == 0)) {
    give_up_peer(head.rank, Errc::kOutOfMemory, kNoMemoryToPlace);
    end_failed(*receive, Errc::kOutOfMemory, kNoMemoryToPlace);  // once it is read
  }
  out.memory = receive->buffer.base;
  out.cookie = receive;
  match_next(*channel, match.source);
  return true;
}

void PmlImpl::placed_eager_torn(const btl::Message& head) noexcept {
  auto& receive = *static_cast<ReceiveRequest*>(head.placed);
  MatchHeader match;
  std::memcpy(&match, head.header, sizeof match);
  if (!receive.over && !receive.channel.tear(match, receive.id)) {
    give_up_peer(head.rank, Errc::kOutOfMemory, kNoMemoryToPlace);
  }
  placed_slice_ended(receive, 0);
}

/// It was there already; or it was placed, and torn, and now comes again.
void PmlImpl::dropped(Channel& channel, const MessageView& message) noexcept {
  const std::uint64_t id = channel.take_torn(message.match);
  if (id == 0) return;
  if (ReceiveRequest* receive = receives.take(id)) accept(*receive, message);
}

}  // namespace hawser::pml
