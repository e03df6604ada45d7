// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <new>
#include <vector>

#include "framework/base/spin_mutex.hpp"
#include "framework/live/layout.hpp"
#include "pml/key_table.hpp"
#include "pml/requests.hpp"

namespace hawser::pml {

/// One context of matching: posted receives and messages that nobody has received yet. Everything is found by
/// hash, so matching does not slow down with their number; wildcards have queues of their own, and the order
/// of posts and of arrivals decides among them.
class Channel {
 public:
  /// `first_sequence`: where every member begins to count.
  /// `live`: where others see what waits; null: nowhere. It outlives the channel.
  Channel(std::uint32_t context, int my_rank, std::vector<std::uint32_t> world_ranks,
          std::uint32_t first_sequence = 0, live::Channel* live = nullptr);
  ~Channel();

  const std::uint32_t context;
  const int my_rank;
  const std::vector<std::uint32_t> world_ranks;
  live::Channel& live() noexcept { return live_; }

  bool member(int rank) const noexcept {
    return rank >= 0 && static_cast<std::size_t>(rank) < world_ranks.size();
  }
  /// The source that a message names must be the rank that the connection proved.
  bool is_from(int source, std::uint32_t rank) const noexcept {
    return static_cast<std::uint32_t>(source) < size_ &&
           world_ranks[static_cast<std::size_t>(source)] == rank;
  }
  /// The peer behind a member, once it was met. It is the same to the end: one that was let go, because it
  /// was restarted, refuses all posts, and to this channel it never comes back.
  bml::Peer* peer_of(int dest) const noexcept {
    return members_[static_cast<std::size_t>(dest)].peer.load(std::memory_order_acquire);
  }
  void meet(int dest, bml::Peer& peer) noexcept {
    members_[static_cast<std::size_t>(dest)].peer.store(&peer, std::memory_order_release);
  }
  std::uint32_t next_sequence(int dest) noexcept {
    auto& counter = members_[static_cast<std::size_t>(dest)].next_to_send;
    if (g_many_threads) return counter.fetch_add(1, std::memory_order_relaxed);
    const std::uint32_t value = counter.load(std::memory_order_relaxed);
    counter.store(value + 1, std::memory_order_relaxed);
    return value;
  }

  enum class Arrival : std::uint8_t { kMatched, kKept, kDropped, kNoMemory };
  /// A message came. kMatched: `receive` gets it, and is no longer posted. kKept: for later, as a copy (it
  /// was not expected, or is ahead of its turn). kDropped: it was there already.
  Arrival arrive(const MessageView& message, ReceiveRequest*& receive) noexcept;
  /// The data of a message are about to be read: gives the receive that gets them if they can be read
  /// straight to its buffer; it is no longer posted. Null: `arrive` will say.
  ReceiveRequest* place(const MatchHeader& match, std::uint64_t size) noexcept;
  /// The data of a message that was placed did not come, and may come again: remembers the `id` of its
  /// receive. False: no memory.
  bool tear(const MatchHeader& match, std::uint64_t id) noexcept;
  /// A message was dropped: the id of its receive if it had been torn, else 0.
  std::uint64_t take_torn(const MatchHeader& match) noexcept;
  /// The posted receive that a message gets at once. Null, and nothing has happened: it is not the message's
  /// turn, or nobody waits for it: `arrive` decides.
  HAWSER_INLINE ReceiveRequest* take_expected(const MatchHeader& match) noexcept HAWSER_NO_ANALYSIS {
    return HAWSER_LIKELY(!g_many_threads) ? take_if_expected(match) : take_expected_locked(match);
  }
  /// Whether `receive` is posted and no other would get a message before it that both match. One thread only.
  HAWSER_INLINE bool is_first(const ReceiveRequest& receive) noexcept HAWSER_NO_ANALYSIS {
    return wild_count_ == 0 && posted_.first(receive.want_source, receive.want_tag) == &receive;
  }
  std::uint32_t expected_from(int source) const noexcept {
    return members_[static_cast<std::size_t>(source)].expected;
  }
  /// Whether a receive that was found to be the first for a message before that came still is. One thread
  /// only.
  HAWSER_INLINE bool still_foreseen(const ReceiveRequest& receive,
                                    std::uint32_t sequence) const noexcept HAWSER_NO_ANALYSIS {
    return expected_from(receive.want_source) == sequence && ahead_ == 0 && receive.posted.linked();
  }
  /// take_expected for such a message.
  HAWSER_INLINE void take_foreseen(ReceiveRequest& receive,
                                   std::uint32_t sequence) noexcept HAWSER_NO_ANALYSIS {
    members_[static_cast<std::size_t>(receive.want_source)].expected = sequence + 1;
    receive.posted.unlink();
    show(live_.posted, ~0u);
  }
  /// The next message from `source` if it came ahead of its turn and its turn is now.
  ArrivedMessage* next_in_turn(int source) noexcept {
    return HAWSER_LIKELY(ahead_ == 0) ? nullptr : take_ahead(source);
  }

  /// Gives the message that `receive` gets, else posts it and gives null. no_room(): there is no memory to
  /// post it. `uses`: of the channel, that it begins.
  HAWSER_INLINE ArrivedMessage* match_or_post(ReceiveRequest& receive,
                                              std::uint32_t uses) noexcept HAWSER_NO_ANALYSIS {
    return HAWSER_LIKELY(!g_many_threads) ? match_or_push(receive, uses)
                                          : match_or_post_locked(receive, uses);
  }
  /// No message.
  static ArrivedMessage& no_room() noexcept;
  /// The owner of the channel wants to close it, once. True: it is not in use. False: whoever ends the last
  /// use is to.
  bool close_when_unused() noexcept;
  /// True: it is to be closed now.
  bool end_uses(std::uint32_t uses) noexcept;
  /// The oldest message that matches; `claim`: nobody else gets it.
  ArrivedMessage* find(int source, int tag, bool claim, Status& status) noexcept;
  /// Takes a posted receive back. False: it was matched.
  bool unpost(ReceiveRequest& receive) noexcept;
  /// Takes back posted receives for which `test` is true, at most `room`. How many, in `out`.
  template <class Test>
  std::size_t unpost_where(Test&& test, ReceiveRequest** out, std::size_t room) noexcept {
    std::size_t count = 0;
    HotLock lock(mutex_);
    posted_.for_each([&](ReceiveRequest& receive) HAWSER_NO_ANALYSIS {
      if (count == room || !test(receive)) return;
      take_posted(receive);
      out[count++] = &receive;
    });
    return count;
  }

 private:
  struct Member {
    std::atomic<bml::Peer*> peer{nullptr};
    std::atomic<std::uint32_t> next_to_send{0};
    std::uint32_t expected = 0;
    std::map<std::uint32_t, ArrivedMessage*> ahead;  // by sequence
  };
  struct Torn {
    int source;
    std::uint32_t sequence;
    std::uint64_t id;
  };
  // Kinds of posted receives, to look only where there are some.
  enum Wild : std::uint8_t { kExact, kAnySourceOnly, kAnyTagOnly, kBoth, kWilds };

  static Wild wild_of(const ReceiveRequest& receive) noexcept {
    return static_cast<Wild>((receive.want_source == kAnySource ? 1 : 0) |
                             (receive.want_tag == kAnyTag ? 2 : 0));
  }
  HAWSER_INLINE ReceiveRequest* take_if_expected(const MatchHeader& match) noexcept HAWSER_REQUIRES(mutex_) {
    Member& member = members_[static_cast<std::size_t>(match.source)];
    if (HAWSER_UNLIKELY(match.sequence != member.expected || ahead_ != 0)) return nullptr;
    ReceiveRequest* receive = first_posted(match.source, match.tag);
    if (HAWSER_UNLIKELY(!receive)) return nullptr;
    ++member.expected;
    take_posted(*receive);
    return receive;
  }
  HAWSER_INLINE ArrivedMessage* match_or_push(ReceiveRequest& receive, std::uint32_t uses) noexcept
      HAWSER_REQUIRES(mutex_) {
    uses_ += uses;
    if (HAWSER_UNLIKELY(!kept_.empty())) {
      if (ArrivedMessage* message = take_kept_for(receive)) return message;
    }
    receive.post_order = posts_++;
    try {
      posted_.push(receive.want_source, receive.want_tag, receive);
    } catch (const std::bad_alloc&) {
      return &no_room();
    }
    show(live_.posted, 1);
    if (HAWSER_UNLIKELY(wild_of(receive) != kExact)) count_wild(receive, 1);
    return nullptr;
  }
  ArrivedMessage* match_or_post_locked(ReceiveRequest& receive, std::uint32_t uses) noexcept;
  ReceiveRequest* take_expected_locked(const MatchHeader& match) noexcept;
  ReceiveRequest* first_posted(int source, int tag) noexcept HAWSER_REQUIRES(mutex_) {
    ReceiveRequest* exact = posted_.first(source, tag);
    return HAWSER_LIKELY(wild_count_ == 0) ? exact : first_of(exact, source, tag);
  }
  ReceiveRequest* first_of(ReceiveRequest* best, int source, int tag) noexcept HAWSER_REQUIRES(mutex_);
  void count_wild(const ReceiveRequest& receive, std::uint32_t n) noexcept HAWSER_REQUIRES(mutex_) {
    wild_counts_[wild_of(receive)] += n;
    wild_count_ += n;
  }
  void show(std::atomic<std::uint32_t>& gauge, std::uint32_t n) noexcept HAWSER_REQUIRES(mutex_) {
    gauge.store(gauge.load(std::memory_order_relaxed) + n, std::memory_order_relaxed);
  }
  void take_posted(ReceiveRequest& receive) noexcept HAWSER_REQUIRES(mutex_) {
    receive.posted.unlink();
    show(live_.posted, ~0u);
    if (HAWSER_UNLIKELY(wild_count_ != 0 && wild_of(receive) != kExact)) count_wild(receive, ~0u);
  }
  bool keep(ArrivedMessage& message) noexcept HAWSER_REQUIRES(mutex_);
  bool index(ArrivedMessage& message) noexcept HAWSER_REQUIRES(mutex_);
  static void unindex(ArrivedMessage& message) noexcept;
  void forget_index() noexcept HAWSER_REQUIRES(mutex_);
  bool index_all() noexcept HAWSER_REQUIRES(mutex_);
  ArrivedMessage* take_kept_for(const ReceiveRequest& receive) noexcept HAWSER_REQUIRES(mutex_);
  void take_kept(ArrivedMessage& message) noexcept HAWSER_REQUIRES(mutex_);
  ArrivedMessage* first_kept(int source, int tag) noexcept HAWSER_REQUIRES(mutex_);
  ArrivedMessage* first_kept_by_search(int source, int tag) noexcept HAWSER_REQUIRES(mutex_);
  ArrivedMessage* take_ahead(int source) noexcept;
  Arrival arrive_ahead(Member& member, const MessageView& message) noexcept HAWSER_REQUIRES(mutex_);

  live::Channel unseen_;
  live::Channel& live_;  // written under the lock
  const std::uint32_t size_;
  std::unique_ptr<Member[]> members_;
  std::size_t ahead_ = 0;  // messages that are, of all members; the progress role's
  HotMutex<LockRank::kMatcher> mutex_;
  KeyTable<ReceiveRequest, &ReceiveRequest::posted> posted_ HAWSER_GUARDED_BY(mutex_);
  std::uint32_t wild_counts_[kWilds] HAWSER_GUARDED_BY(mutex_) = {};  // posted receives, but for kExact
  std::uint32_t wild_count_ HAWSER_GUARDED_BY(mutex_) = 0;            // and their sum
  std::uint32_t uses_ HAWSER_GUARDED_BY(mutex_) = 0;                  // by requests that somebody holds
  std::uint64_t posts_ HAWSER_GUARDED_BY(mutex_) = 0;
  KeyTable<ArrivedMessage, &ArrivedMessage::by_key> kept_by_key_ HAWSER_GUARDED_BY(mutex_);
  bool closing_ HAWSER_GUARDED_BY(mutex_) = false;
  bool wildcards_used_ HAWSER_GUARDED_BY(mutex_) = false;  // the next two are kept from the first use on
  KeyTable<ArrivedMessage, &ArrivedMessage::by_source> kept_by_source_ HAWSER_GUARDED_BY(mutex_);
  KeyTable<ArrivedMessage, &ArrivedMessage::by_tag> kept_by_tag_ HAWSER_GUARDED_BY(mutex_);
  DList<ArrivedMessage, &ArrivedMessage::in_order> kept_ HAWSER_GUARDED_BY(mutex_);
  std::vector<Torn> torn_;  // the progress role's

 public:
  Channel* next_closed = nullptr;  // at the end, of no interest to messages
};

}  // namespace hawser::pml
