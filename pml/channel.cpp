// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "pml/channel.hpp"

#include <new>

namespace hawser::pml {

Channel::Channel(std::uint32_t context_id, int rank, std::vector<std::uint32_t> world,
                 std::uint32_t first_sequence, live::Channel* live)
    : context(context_id),
      my_rank(rank),
      world_ranks(std::move(world)),
      live_(live ? *live : unseen_),
      size_(static_cast<std::uint32_t>(world_ranks.size())),
      members_(std::make_unique<Member[]>(world_ranks.size())) {
  for (std::size_t i = 0; i < world_ranks.size(); ++i) {
    members_[i].next_to_send.store(first_sequence, std::memory_order_relaxed);
    members_[i].expected = first_sequence;
  }
}

Channel::~Channel() {
  HotLock lock(mutex_);
  kept_.for_each([this](ArrivedMessage& message) HAWSER_NO_ANALYSIS {
    take_kept(message);
    message.free();
  });
  for (std::size_t i = 0; i < world_ranks.size(); ++i) {
    for (auto& [sequence, message] : members_[i].ahead) message->free();
  }
}

ArrivedMessage& Channel::no_room() noexcept {
  static ArrivedMessage none;
  return none;
}

ReceiveRequest* Channel::take_expected_locked(const MatchHeader& match) noexcept {
  HotLock lock(mutex_);
  return take_if_expected(match);
}

ArrivedMessage* Channel::match_or_post_locked(ReceiveRequest& receive, std::uint32_t uses) noexcept {
  HotLock lock(mutex_);
  return match_or_push(receive, uses);
}

bool Channel::close_when_unused() noexcept {
  HotLock lock(mutex_);
  closing_ = true;
  return uses_ == 0;
}

bool Channel::end_uses(std::uint32_t uses) noexcept {
  HotLock lock(mutex_);
  uses_ -= uses;
  return uses_ == 0 && closing_;
}

Channel::Arrival Channel::arrive(const MessageView& message, ReceiveRequest*& receive) noexcept {
  HotLock lock(mutex_);
  Member& member = members_[static_cast<std::size_t>(message.match.source)];
  if (HAWSER_UNLIKELY(message.match.sequence != member.expected)) return arrive_ahead(member, message);
  ++member.expected;
  receive = first_posted(message.match.source, message.match.tag);
  if (receive) {
    take_posted(*receive);
    return Arrival::kMatched;
  }
  ArrivedMessage* copy = ArrivedMessage::copy_of(message, this);
  if (copy && keep(*copy)) return Arrival::kKept;
  if (copy) copy->free();
  return Arrival::kNoMemory;
}

Channel::Arrival Channel::arrive_ahead(Member& member, const MessageView& message) noexcept {
  const auto distance =
      static_cast<std::int32_t>(message.match.sequence - member.expected);  // right across the wrap
  if (distance < 0 || member.ahead.count(message.match.sequence) != 0) return Arrival::kDropped;
  ArrivedMessage* copy = ArrivedMessage::copy_of(message, this);
  if (!copy) return Arrival::kNoMemory;
  try {
    member.ahead.emplace(message.match.sequence, copy);
  } catch (const std::bad_alloc&) {
    copy->free();
    return Arrival::kNoMemory;
  }
  live_.ahead.store(static_cast<std::uint32_t>(++ahead_), std::memory_order_relaxed);
  return Arrival::kKept;
}

ArrivedMessage* Channel::take_ahead(int source) noexcept {
  HotLock lock(mutex_);
  Member& member = members_[static_cast<std::size_t>(source)];
  auto found = member.ahead.find(member.expected);
  if (found == member.ahead.end()) return nullptr;
  ArrivedMessage* message = found->second;
  member.ahead.erase(found);
  live_.ahead.store(static_cast<std::uint32_t>(--ahead_), std::memory_order_relaxed);
  return message;
}

/// Of the oldest receives of each kind, the one that was posted first.
ReceiveRequest* Channel::first_of(ReceiveRequest* best, int source, int tag) noexcept {
  const auto consider = [&](Wild kind, int key_source, int key_tag) HAWSER_REQUIRES(mutex_) {
    if (wild_counts_[kind] == 0) return;
    ReceiveRequest* candidate = posted_.first(key_source, key_tag);
    if (candidate && (!best || candidate->post_order < best->post_order)) best = candidate;
  };
  consider(kAnySourceOnly, kAnySource, tag);
  consider(kAnyTagOnly, source, kAnyTag);
  consider(kBoth, kAnySource, kAnyTag);
  return best;
}

ArrivedMessage* Channel::take_kept_for(const ReceiveRequest& receive) noexcept {
  ArrivedMessage* message = first_kept(receive.want_source, receive.want_tag);
  if (message) take_kept(*message);
  return message;
}

bool Channel::unpost(ReceiveRequest& receive) noexcept {
  HotLock lock(mutex_);
  if (!receive.posted.linked()) return false;
  take_posted(receive);
  return true;
}

ArrivedMessage* Channel::find(int source, int tag, bool claim, Status& status) noexcept {
  HotLock lock(mutex_);
  ArrivedMessage* message = first_kept(source, tag);
  if (!message) return nullptr;
  status.source = message->match.source;
  status.tag = message->match.tag;
  status.size = message->view().full_size();
  if (claim) take_kept(*message);
  return message;
}

/// False: no memory.
bool Channel::keep(ArrivedMessage& message) noexcept try {
  kept_by_key_.push(message.match.source, message.match.tag, message);
  if (HAWSER_UNLIKELY(wildcards_used_) && !index(message)) forget_index();
  kept_.push_back(message);
  show(live_.unexpected, 1);
  return true;
} catch (const std::bad_alloc&) {
  return false;
}

/// For receives and probes with one wildcard. False: no memory.
bool Channel::index(ArrivedMessage& message) noexcept try {
  kept_by_source_.push(message.match.source, kAnyTag, message);
  kept_by_tag_.push(kAnySource, message.match.tag, message);
  return true;
} catch (const std::bad_alloc&) {
  unindex(message);
  return false;
}

void Channel::unindex(ArrivedMessage& message) noexcept {
  if (message.by_source.linked()) message.by_source.unlink();
  if (message.by_tag.linked()) message.by_tag.unlink();
}

/// One with gaps would hide messages.
void Channel::forget_index() noexcept {
  wildcards_used_ = false;
  kept_.for_each([](ArrivedMessage& message) { unindex(message); });
}

bool Channel::index_all() noexcept {
  wildcards_used_ = true;
  kept_.for_each([this](ArrivedMessage& message) HAWSER_NO_ANALYSIS {
    if (wildcards_used_ && !index(message)) forget_index();
  });
  return wildcards_used_;
}

void Channel::take_kept(ArrivedMessage& message) noexcept {
  message.by_key.unlink();
  if (HAWSER_UNLIKELY(message.by_source.linked())) unindex(message);
  message.in_order.unlink();
  show(live_.unexpected, ~0u);
}

ArrivedMessage* Channel::first_kept(int source, int tag) noexcept {
  if (kept_.empty()) return nullptr;
  if (source != kAnySource && tag != kAnyTag) return kept_by_key_.first(source, tag);
  if (source == kAnySource && tag == kAnyTag) return kept_.front();
  if (!wildcards_used_ && !index_all()) return first_kept_by_search(source, tag);
  return source == kAnySource ? kept_by_tag_.first(kAnySource, tag) : kept_by_source_.first(source, kAnyTag);
}

/// Where there is no memory for an index.
ArrivedMessage* Channel::first_kept_by_search(int source, int tag) noexcept {
  ArrivedMessage* first = nullptr;
  kept_.for_each([&](ArrivedMessage& message) {
    const bool matches = (source == kAnySource || source == message.match.source) &&
                         (tag == kAnyTag || tag == message.match.tag);
    if (!first && matches) first = &message;
  });
  return first;
}

}  // namespace hawser::pml
