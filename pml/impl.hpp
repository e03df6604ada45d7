// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "bml/bml.hpp"
#include "framework/base/copy.hpp"
#include "framework/base/mutex.hpp"
#include "pml/channel.hpp"
#include "pml/id_table.hpp"
#include "pml/pml.hpp"
#include "pml/pool.hpp"
#include "pml/requests.hpp"

namespace hawser::pml {

/// A message of the protocol itself that found no room at once.
struct ControlMessage {
  PmlImpl* pml;
  std::uint32_t rank;
  btl::Descriptor descriptor;
};

/// A failure of a peer, on its way to the progress role.
struct PeerReport {
  std::uint64_t due_ns = 0;  // 0: there is none
  const char* why = nullptr;
  Errc status = Errc::kOk;
  bool is_final = false;  // else a transport may come with its own until then
};

/// What every send that is done at once answers: it is done, has no status of interest, and costs nothing.
class DoneSend final : public Request {
 public:
  DoneSend() noexcept : Request(Kind::kNothing, [](Request&) noexcept {}) { set_done(); }
};
extern DoneSend g_done_send;

/// What an operation answers for which there is no memory: it is over, like the one above, and says so.
class NoMemory final : public Request {
 public:
  NoMemory() noexcept : Request(Kind::kNothing, [](Request&) noexcept {}) {
    status_.error = Errc::kOutOfMemory;
    status_.why = "no memory for a request";
    set_done();
  }
};
extern NoMemory g_no_memory;

/// A header as it travels. In two words: see copy_two_words.
struct MatchWords {
  std::uint64_t first, second;

  HAWSER_INLINE static MatchWords of(const MatchHeader& match) noexcept {
    return {word(match.context, static_cast<std::uint32_t>(match.tag)),
            word(static_cast<std::uint32_t>(match.source), match.sequence)};
  }
  HAWSER_INLINE static MatchWords read(const void* from) noexcept {
    MatchWords words;
    std::memcpy(&words, from, sizeof words);
    return words;
  }
  HAWSER_INLINE void write(void* to) const noexcept { store_two_words(to, first, second); }
  HAWSER_INLINE MatchHeader header() const noexcept {
    return {lower(first), static_cast<std::int32_t>(upper(first)), static_cast<std::int32_t>(lower(second)),
            upper(second)};
  }
  bool operator==(const MatchWords&) const = default;

 private:
  static constexpr bool kLittle = std::endian::native == std::endian::little;
  static constexpr std::uint64_t word(std::uint32_t before, std::uint32_t behind) noexcept {
    return kLittle ? before | std::uint64_t{behind} << 32 : behind | std::uint64_t{before} << 32;
  }
  static constexpr std::uint32_t lower(std::uint64_t w) noexcept {
    return static_cast<std::uint32_t>(kLittle ? w : w >> 32);
  }
  static constexpr std::uint32_t upper(std::uint64_t w) noexcept {
    return static_cast<std::uint32_t>(kLittle ? w >> 32 : w);
  }
};
static_assert(sizeof(MatchWords) == sizeof(MatchHeader));

/// The receive that the only thread waits for, and the header of the message that it gets if that comes next:
/// known before it comes, so that little is to be done then.
struct Foreseen {
  MatchWords header;
  ReceiveRequest* receive;    // null: nothing is foreseen
  std::uint32_t rank;         // in the job, of the sender
  const bml::RailSet* rails;  // where its module may be asked for the message itself; null: it may not
};

/// The parts of the PML, spread over the files named after their steps.
struct PmlImpl {
  PmlImpl(Runtime& host, bml::Bml& below)
      : runtime(host),
        bml(below),
        reported(std::make_unique<std::atomic<bool>[]>(host.job().size)),
        failed_why(std::make_unique<std::atomic<const char*>[]>(host.job().size)),
        untold(std::make_unique<std::atomic<Errc>[]>(host.job().size)) {
    Lock lock(texts_mutex);
    reports = std::make_unique<PeerReport[]>(host.job().size);
  }
  ~PmlImpl();

  Runtime& runtime;
  bml::Bml& bml;

  // Channels by context: two levels, the second made when first used. Read without a lock.
  using Page = std::array<std::atomic<Channel*>, 256>;
  std::array<std::atomic<Page*>, kMaxContexts / 256> pages{};
  Mutex<LockRank::kMpi> channels_mutex;
  DList<ArrivedMessage, &ArrivedMessage::in_order> homeless
      HAWSER_GUARDED_BY(channels_mutex);  // their channel is not open yet
  Channel* closed HAWSER_GUARDED_BY(channels_mutex) =
      nullptr;  // a stack; freed by the progress role, which may be inside

  // The channel of receives of claimed messages, whose own may be gone: nothing is ever posted on it.
  Channel claimed{kMaxContexts, 0, {}};

  alignas(kCacheLine) Foreseen foreseen{};

  IdTable<SendRequest> sends;
  IdTable<ReceiveRequest> receives;
  Pool<SendRequest> send_pool;
  Pool<ReceiveRequest> receive_pool;
  Pool<ControlMessage> control_pool;
  Pool<bml::Transfer> transfer_pool;

  // Texts that statuses point at; they live to the end.
  Mutex<LockRank::kLeaf> texts_mutex;
  std::set<std::string> texts HAWSER_GUARDED_BY(texts_mutex);
  std::unique_ptr<PeerReport[]> reports HAWSER_GUARDED_BY(texts_mutex);  // by rank
  // Operations that their users released before they were done. They are looked at when they have become
  // many, and every now and then while there are any.
  static constexpr std::uint32_t kFewGivenUp = 16;
  static constexpr std::uint64_t kLookAfterNs = 100'000'000;
  Pml::GivenUpFreed given_up_freed = nullptr;
  Mutex<LockRank::kLeaf> given_up_mutex;
  Operation* given_up HAWSER_GUARDED_BY(given_up_mutex) = nullptr;
  std::uint32_t given_up_count HAWSER_GUARDED_BY(given_up_mutex) = 0;
  std::uint32_t look_at_given_up HAWSER_GUARDED_BY(given_up_mutex) = kFewGivenUp;  // when there are so many
  // Failed peers, by rank: whether it was reported, and why; null until the operations are told.
  const std::unique_ptr<std::atomic<bool>[]> reported;
  const std::unique_ptr<std::atomic<const char*>[]> failed_why;
  std::atomic<bool> any_failed{false};
  // Why this rank gave a peer up that has not been told yet, by rank; kOk: there is nothing to tell.
  const std::unique_ptr<std::atomic<Errc>[]> untold;

  // Last, so that none of them calls while the rest is taken down.
  template <void (PmlImpl::*kCall)() noexcept>
  static void call(void* impl) noexcept {
    (static_cast<PmlImpl*>(impl)->*kCall)();
  }
  progress::EventLoop::Timer report_timer{runtime.engine().loop(), &call<&PmlImpl::tell_reports>, this};
  progress::EventLoop::Timer tell_timer{runtime.engine().loop(), &call<&PmlImpl::tell_given_up>, this};
  progress::EventLoop::Timer look_timer{runtime.engine().loop(), &call<&PmlImpl::look_now>, this};
  progress::EventLoop::Timer closed_timer{runtime.engine().loop(), &call<&PmlImpl::free_closed>, this};

  // --- requests.cpp
  void keep_until_done(Operation& operation) noexcept;
  Operation* take_done_given_up() noexcept HAWSER_REQUIRES(given_up_mutex);
  void free_given_up() noexcept;
  void free_given_up(Operation* over) const noexcept;
  void look_now() noexcept;

  // --- channels.cpp
  Channel* channel_of(std::uint32_t context) noexcept {
    if (HAWSER_UNLIKELY(context >= kMaxContexts)) return nullptr;
    Page* page = pages[context / 256].load(std::memory_order_acquire);
    return page ? (*page)[context % 256].load(std::memory_order_acquire) : nullptr;
  }
  bool keep_homeless(const MessageView& message) noexcept;
  void free_closed() noexcept;

  // --- deliver.cpp: what arrives; progress role
  void add_handlers(btl::HandlerTable& table) noexcept;
  void arrived(const MessageView& message) noexcept;
  void match(Channel& channel, const MessageView& message) noexcept;
  void arrived_on(Channel& channel, const MessageView& message) noexcept;
  void match_next(Channel& channel, int source) noexcept;

  // --- place.cpp; progress role
  bool place_eager(const btl::Message& head, btl::Placement& out) noexcept;
  void placed_eager_torn(const btl::Message& head) noexcept;
  void dropped(Channel& channel, const MessageView& message) noexcept;

  // --- send.cpp
  Request* send_small(Channel& channel, const void* data, std::uint64_t size, int dest, int tag,
                      bool may_wait);
  Request* start_send(Channel& channel, const Buffer& buffer, int dest, int tag, SendMode mode);
  Request* send_eager_later(bml::Peer& peer, const MatchHeader& match, const Buffer& buffer, bool may_wait);
  void post_descriptor(bml::Peer& peer, SendRequest& request) noexcept;
  void descriptor_refused(SendRequest& request) noexcept;
  bool ask_instead(SendRequest& request) noexcept;
  bml::Peer* meet(std::uint32_t rank) noexcept;
  void send_control(std::uint32_t rank, btl::Tag tag, const void* header, std::uint32_t size) noexcept;

  // --- rendezvous.cpp
  Request* start_rendezvous(bml::Peer& peer, const MatchHeader& match, const Buffer& buffer, bool with_data,
                            bool may_wait);
  void give_up_for_want_of_memory(std::uint32_t rank) noexcept;
  Request* end_unsent(SendRequest& request) noexcept;
  void answer_rendezvous(ReceiveRequest& receive, const MessageView& message) noexcept;
  void ask_for_slices(ReceiveRequest& receive) noexcept;
  void clear_arrived(std::uint32_t rank, const ClearHeader& header) noexcept;
  void finish_arrived(std::uint32_t rank, const FinishHeader& header) noexcept;
  bool place_slice(const btl::Message& head, btl::Placement& out) noexcept;
  void placed_slice_ended(ReceiveRequest& receive, std::uint64_t arrived) noexcept;
  void slice_arrived(const btl::Message& message) noexcept;
  ReceiveRequest* receive_of_slice(const btl::Message& message, bml::SliceHeader& header) noexcept;

  // --- receive.cpp
  /// A receive on the stack of its thread: returns once it is done. Its error is yet to be noted.
  void receive_now(Channel& channel, ReceiveRequest& receive);
  void foresee(ReceiveRequest& receive) noexcept;
  void forget_foreseen() noexcept {
    if (HAWSER_LIKELY(!g_many_threads)) foreseen.receive = nullptr;  // else others look, and it never was
  }
  bool still_foreseen() const noexcept;
  void take_foreseen(std::size_t size) noexcept;
  bool look_for_foreseen(unsigned looks) noexcept;
  void receive_posted(ReceiveRequest& receive);
  /// `uses`: as of Channel::match_or_post. Null: no memory, and no use begins.
  Request* irecv(Channel& channel, const Buffer& buffer, int source, int tag, std::uint32_t uses);
  void start_receive(Channel& channel, ReceiveRequest& receive, std::uint32_t uses) noexcept;
  static bool cancel(ReceiveRequest& receive) noexcept;
  void end_if_none_comes(Channel& channel, ReceiveRequest& receive) noexcept;
  void accept(ReceiveRequest& receive, const MessageView& message) noexcept;
  void accept_kept(ReceiveRequest& receive, ArrivedMessage& message) noexcept;

  // --- failure.cpp
  bool peer_failed(std::uint32_t rank, Errc status, const char* text) noexcept;
  void give_up_peer(std::uint32_t rank, Errc status, const char* text) noexcept;
  void tell_given_up() noexcept;
  bool tell_given_up(std::uint32_t rank, Errc why) noexcept;
  void given_up_by(std::uint32_t rank, const GivenUpHeader& header) noexcept;
  void peer_not_met(std::uint32_t rank, const Error& error) noexcept;
  void end_all_with(std::uint32_t rank, Errc status, const char* words) noexcept;
  void expect_report(std::uint32_t rank, Errc status) noexcept;
  void tell_reports() noexcept;
  void fail_all_with(std::uint32_t rank, Errc status, const char* why) noexcept;
  void end_posted_of(Channel& channel, std::uint32_t rank, Errc status, const char* why) noexcept;
  void end_failed(ReceiveRequest& receive, Errc status, const char* why) noexcept;
  const char* why_failed(std::uint32_t rank) const noexcept {
    return failed_why[rank].load(std::memory_order_acquire);
  }
  const char* keep_text(const std::string& text) noexcept;
  static void note_error(std::string_view text) noexcept;
};

/// To be sent, come what may: the receiver keeps later messages back until this one is there.
HAWSER_INLINE MatchHeader next_header(Channel& channel, int dest, int tag) noexcept {
  return {channel.context, tag, channel.my_rank, channel.next_sequence(dest)};
}

/// The way of nearly every send: a small message of contiguous bytes to a peer that is wired up. Null: it is
/// not one, and nothing was done.
HAWSER_INLINE Request* PmlImpl::send_small(Channel& channel, const void* data, std::uint64_t size, int dest,
                                           int tag, bool may_wait) {
  bml::Peer* peer = channel.peer_of(dest);
  if (HAWSER_UNLIKELY(!peer || size > peer->eager_limit.load(std::memory_order_relaxed))) return nullptr;
  MatchHeader match;
  MatchWords::of(next_header(channel, dest, tag)).write(&match);
  const btl::Head head{&match, sizeof match, kTagEager, may_wait};
  if (HAWSER_LIKELY(bml.sendi(*peer, head, data, size) == btl::Posted::kDone)) {
    return &g_done_send;
  }
  return send_eager_later(*peer, match, {const_cast<void*>(data), size, nullptr}, may_wait);
}

/// Matches with what is here already, or posts.
HAWSER_INLINE void PmlImpl::start_receive(Channel& channel, ReceiveRequest& receive,
                                          std::uint32_t uses) noexcept {
  if (ArrivedMessage* message = channel.match_or_post(receive, uses)) return accept_kept(receive, *message);
  if (HAWSER_UNLIKELY(any_failed.load(std::memory_order_acquire))) end_if_none_comes(channel, receive);
}

HAWSER_INLINE Request* PmlImpl::irecv(Channel& channel, const Buffer& buffer, int source, int tag,
                                      std::uint32_t uses) {
  auto* receive = receive_pool.make(*this, channel, buffer, source, tag);
  if (HAWSER_UNLIKELY(!receive)) return nullptr;
  start_receive(channel, *receive, uses);
  return receive;
}

/// Of a receive that is about to be waited for.
HAWSER_INLINE void PmlImpl::foresee(ReceiveRequest& receive) noexcept {
  Channel& channel = receive.channel;
  if (HAWSER_UNLIKELY(g_many_threads || receive.buffer.layout || !channel.is_first(receive)))
    return forget_foreseen();
  const int source = receive.want_source;
  const bml::Peer* peer = channel.peer_of(source);
  const bml::RailSet* rails = peer ? &peer->rails() : nullptr;
  foreseen = {MatchWords::of({channel.context, receive.want_tag, source, channel.expected_from(source)}),
              &receive, channel.world_ranks[static_cast<std::size_t>(source)],
              rails && rails->taker && rails->alive(*rails->sole) ? rails : nullptr};
}

HAWSER_INLINE bool PmlImpl::still_foreseen() const noexcept {
  const ReceiveRequest& receive = *foreseen.receive;
  return receive.channel.still_foreseen(receive, foreseen.header.header().sequence);
}

/// The message that was foreseen came, with `size` bytes of data: all but its data and its end.
HAWSER_INLINE void PmlImpl::take_foreseen(std::size_t size) noexcept {
  ReceiveRequest& receive = *foreseen.receive;
  receive.channel.take_foreseen(receive, foreseen.header.header().sequence);
  Status& status = receive.result();
  status.source = receive.want_source;
  status.tag = receive.want_tag;
  status.size = size;
}

/// Looks for the message that was foreseen where it comes, before it would be delivered. True: it is
/// received.
HAWSER_INLINE bool PmlImpl::look_for_foreseen(unsigned looks) noexcept {
  ReceiveRequest* receive = foreseen.receive;
  if (!receive || !foreseen.rails || !still_foreseen()) return false;
  const Buffer& buffer = receive->buffer;
  const btl::Head head{&foreseen.header, sizeof foreseen.header, kTagEager};
  const std::ptrdiff_t size =
      foreseen.rails->taker->take(*foreseen.rails->direct_endpoint, head, buffer.base, buffer.size, looks);
  if (size < 0) return false;
  take_foreseen(static_cast<std::size_t>(size));
  receive->finish_alone();
  return true;
}

/// Waits for a receive that was posted.
HAWSER_INLINE void PmlImpl::receive_posted(ReceiveRequest& receive) {
  foresee(receive);
  const void* awaited = &receive;
  runtime.engine().wait_until([&receive] { return receive.done(); }, &awaited,
                              [this](unsigned looks) { return look_for_foreseen(looks); });
  forget_foreseen();
}

HAWSER_INLINE void PmlImpl::receive_now(Channel& channel, ReceiveRequest& receive) {
  start_receive(channel, receive, 0);
  receive_posted(receive);
}

HAWSER_INLINE void ReceiveRequest::finish_plain() noexcept {
  progress::Engine& engine = pml.runtime.engine();
  const Request* self = this;
  set_done();  // whoever waits may free it at once
  engine.completed(self);
}

struct Pml::Impl : PmlImpl {
  using PmlImpl::PmlImpl;
};

}  // namespace hawser::pml
