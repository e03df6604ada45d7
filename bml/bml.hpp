// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "bml/guard.hpp"
#include "bml/params.hpp"
#include "bml/peer.hpp"
#include "bml/transfer.hpp"
#include "framework/base/counters.hpp"
#include "framework/base/hooks.hpp"
#include "framework/base/result.hpp"
#include "framework/peers/peer_table.hpp"
#include "framework/runtime/runtime.hpp"

namespace hawser::bml {

/// The longest header of a message: in front of it goes what exactly-once needs.
inline constexpr std::size_t kMaxHeader = btl::kMaxHeader - sizeof(GuardHeader);

enum class GuardCounter : std::uint16_t {
  kGuardedPeers,
  kSentAgain,
  kDuplicates,
  kAcknowledgements,
  kGivenUp,
  kCount
};
inline constexpr CounterInfo kGuardCounterInfo[] = {
    {"guarded_peers", "peers", "peers whose messages are kept until acknowledged"},
    {"sent_again", "messages", "messages that a rail may have lost, sent over another"},
    {"duplicates_dropped", "messages", "messages that had arrived before, or were just arriving"},
    {"acknowledgements", "messages", "acknowledgements sent by themselves"},
    {"given_up", "rails", "rails given up because what was half read there came whole over another"},
};
static_assert(sizeof kGuardCounterInfo / sizeof kGuardCounterInfo[0] ==
                  static_cast<std::size_t>(GuardCounter::kCount),
              "describe every counter");

/// Told once per peer when it is given up: its last rail is gone, or messages were lost. Progress role, no
/// lock held.
struct PeerFailure {
  void (*function)(void* context, std::uint32_t rank, Errc status, const char* text) noexcept = nullptr;
  void* context = nullptr;
};

/// The ways to every peer over all components. Wires a peer up once, on first contact; sends over its rails;
/// keeps in order what they have no room for. Any thread.
class Bml {
 public:
  /// Declares parameters and takes the runtime's rail failures; call before Runtime::start. `runtime`
  /// outlives it.
  static Result<std::unique_ptr<Bml>> make(Runtime& runtime);
  ~Bml();

  /// To be called once the runtime has started.
  void start();
  void on_peer_failure(PeerFailure what) noexcept { peer_failure_ = what; }
  Runtime& runtime() noexcept { return runtime_; }

  /// The peer if it is wired up. No lock.
  Peer* find(std::uint32_t rank) const noexcept { return peers_->find(rank); }
  /// The peer, wired up on first contact: the first caller does it, others wait for the same result. The
  /// error names both ends, every component that was considered, and why each declined.
  Result<Peer*> peer(std::uint32_t rank) noexcept;

  /// A small message: at most `peer.eager_limit` bytes of data, copied before it returns. Never kPending.
  /// kNoResource: make a descriptor of it and `send` that (also if the limit fell since the size was judged).
  HAWSER_INLINE btl::Posted sendi(Peer& peer, btl::Head head, const void* data, std::size_t size) noexcept {
    const RailSet& rails = peer.rails();
    const bool direct = rails.direct && size <= rails.eager_limit && peer.pending.is_open();
    if (HAWSER_UNLIKELY(!direct)) return sendi_by_choice(peer, head, data, size);
    HAWSER_HOOK("bml.rails_loaded");
    const btl::Posted posted = rails.direct->sendi(*rails.direct_endpoint, head, data, size);
    if (HAWSER_LIKELY(posted == btl::Posted::kDone && &rails == &peer.rails())) {
      rails.live->count_sent(size);
      return posted;
    }
    return sent(peer, rails, *rails.sole, size, posted);
  }

  /// A message of at most `peer.eager_limit` bytes of data, posted or queued: kDone, kPending, kUnreachable.
  /// The limit may fall with a change of rails: kUnreachable, at once or later, of a message that is larger
  /// than it is now says that it must go as a transfer.
  btl::Posted send(Peer& peer, btl::Descriptor& descriptor) noexcept;

  /// Starts a large message; slices go to whichever rail has room. See transfer.hpp.
  void start(Transfer& transfer) noexcept;

  /// A descriptor came back with kUnreachable, so nothing of it was sent: posts it on another rail.
  /// kUnreachable: none is left.
  btl::Posted send_again(Peer& peer, btl::Descriptor& descriptor) noexcept;

  /// Times a peer was wired up; equals the number of peers met.
  std::uint64_t wireups() const noexcept { return peers_->published(); }
  std::uint64_t count(GuardCounter counter) const noexcept { return counters_.get(counter); }
  /// Nothing waits for room, and no acknowledgement is owed.
  bool idle() noexcept;

 private:
  friend class Guard;
  friend class Puller;
  explicit Bml(Runtime& runtime) : runtime_(runtime) {}
  /// All rails to one peer, as the components answer, and why the others have none.
  struct Ways {
    std::vector<Rail> rails;
    std::vector<std::string> reasons;
    Errc worst = Errc::kUnreachable;
  };
  /// A rail that failed.
  struct Fallen {
    btl::Module* module;
    btl::Endpoint* endpoint;
  };
  /// What is left to the progress role: a failure, or, without a module, a change of rails.
  struct Errand {
    std::uint32_t rank;
    Fallen rail;
    Errc status;
    std::string text;
  };

  Result<std::unique_ptr<Peer>> wire_up(std::uint32_t rank);
  Ways ask_components(std::uint32_t rank);
  void rails_changed(std::uint32_t rank) noexcept;
  bool restarted(const Peer& peer);
  void change(Peer& peer);
  void renew(Peer& peer);
  bool finds_others(Peer& peer);
  void adopt(Peer& peer, std::unique_ptr<RailSet> next);
  static void show(const RailSet* before, const RailSet& next) noexcept;
  void prove(Peer& peer, const RailSet& before);
  void guard(Peer& peer, RailSet& next, const RailSet* before);
  void let_go(std::uint32_t rank);
  Error unreachable(std::uint32_t rank, const std::vector<std::string>& reasons, Errc worst);
  btl::Posted sendi_by_choice(Peer& peer, btl::Head head, const void* data, std::size_t size) noexcept;
  btl::Posted sent(Peer& peer, const RailSet& rails, const Rail& rail, std::size_t size,
                   btl::Posted posted) noexcept;
  const Rail* pick(Peer& peer, const RailSet& rails, std::uint64_t size) noexcept;
  btl::Posted post(Peer& peer, btl::Descriptor& descriptor) noexcept;
  btl::Posted post_guarded(Peer& peer, const RailSet& rails, btl::Head head, const iovec* data,
                           std::size_t count, std::size_t size) noexcept;
  void list_stalled(Peer& peer) noexcept;
  int drain(Peer& peer) noexcept;
  void stall(Transfer& transfer) noexcept;
  void resume(Transfer& transfer) noexcept;
  int poll() noexcept;
  void rail_failed(std::uint32_t rank, const Fallen& rail, Errc status, const char* text) noexcept;
  void rail_failed(Peer& peer, const Fallen& fallen, Errc status, const char* text);
  std::string with_remedy(Peer& peer, Errc status, const char* text);
  void took_late(Peer& peer, const RailSet& before, const Rail& rail) noexcept;
  void out_of_memory(std::uint32_t rank) noexcept;
  void fail(Peer& peer, Errc status, const char* text) noexcept;
  void run_soon(Errand errand);
  void run(const Errand& errand) noexcept;

  // guarded.cpp: progress role, but for the first
  Guard& guard_of(std::uint32_t rank);
  Guard* guard_or_none(std::uint32_t rank) noexcept;
  int tend(Peer& peer) noexcept;
  void arrived(const btl::Message& message) noexcept;
  void arrived(const btl::Message& message, const GuardHeader& header, Guard& guard);
  void said(Guard& guard) noexcept;
  bool place(const btl::Message& head, btl::Placement& out) noexcept;
  void abandoned(const btl::Message& head) noexcept;
  void give_up(Guard& guard, Receipts::Placing placing) noexcept;
  void bad_message(std::uint32_t rank, const char* text) noexcept;
  void owe(Guard& guard) noexcept;
  void tell_again(Guard& guard) noexcept;
  int acknowledge_all() noexcept;
  bool is_told(Guard& guard, int& moved) noexcept;
  bool acknowledge(Guard& guard) noexcept;
  bool flushed() noexcept;

  Runtime& runtime_;
  BmlParams params_;
  std::vector<mca::ParamRow> rows_;
  PeerFailure peer_failure_;
  std::unique_ptr<peers::PeerTable<Peer>> peers_;
  std::vector<std::unique_ptr<Peer>> gone_;                // failed and let go; somebody may still be inside
  std::unique_ptr<std::atomic<std::uint32_t>[]> changes_;  // of the rails to each rank
  std::unique_ptr<std::atomic<Guard*>[]> guards_;          // by rank; null until needed
  std::vector<std::unique_ptr<Guard>> gone_guards_;
  std::vector<Guard*> owing_;  // an acknowledgement; the progress role's
  Counters<GuardCounter> counters_;
  std::atomic<std::uint32_t> waiting_{0};  // entries of the lists below: one load when there is nothing to do
  HotMutex<LockRank::kComponent> stalled_mutex_;
  std::vector<Peer*> stalled_peers_
      HAWSER_GUARDED_BY(stalled_mutex_);  // room for every rank is reserved, not for those gone
  Fifo<Transfer> stalled_transfers_ HAWSER_GUARDED_BY(stalled_mutex_);
  std::vector<Errand> errands_ HAWSER_GUARDED_BY(stalled_mutex_);
};

}  // namespace hawser::bml
