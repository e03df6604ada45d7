// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "components/fault/wrap.hpp"

// A good component wrapped with one broken promise, which a parameter picks. Each fault is a few lines in the
// one method where such a mistake is made.

namespace hawser::broken {

/// Each of them is caught by the check that caught.tsv names.
enum class Fault {
  kNone,
  kLimitsCrossed,
  kNameless,
  kCountersInOwnOrder,
  kCountersAsleep,
  kOpenWithoutReason,
  kReachWithoutReason,
  kReachVaries,
  kReachForeignModule,
  kReachDeadRail,
  kReachEarly,
  kReachOneAtATime,
  kWrongByte,
  kEmptyIsLost,
  kPlaceWithoutRail,
  kOvertakes,
  kTagBent,
  kWrongSender,
  kCompletesInside,
  kCompletesNever,
  kCompletesTwice,
  kSendsLate,
  kOwnerChanged,
  kTouchesAfterCompletion,
  kLockInDelivery,
  kLockInCompletion,
  kRefusesInDelivery,
  kRefusedButSent,
  kNewcomersPass,
  kFlushedTooEarly,
  kNeverIdle,
  kArmIsBlind,
  kRoomIsNotTold,
  kThreadIsNotTold,
  kTransferShort,
  kCriesWolf,
  kReportsTwice,
  kReportsOthers,
  kAbandonIgnored,
  kDescriptorLeak,
  kMemoryLeak,
  kKeepsBack,
  kPiecesCut,
  kAbandonUntold,
  kGoodbyeDropped,
  kReleaseBreaks,
  kPlaceForgotten,
  kTakenPastRoom,
  kTakenTwice,
  kTakenFromTheGone,
};

struct Params {
  const char* target = "";
  const char* fault = "";
};
inline Params g_params;
extern Fault g_fault;

inline bool is(Fault fault) noexcept {
  return g_fault == fault;
}

/// What a message was, kept beyond its delivery or its post.
struct Kept {
  btl::Message message{};
  std::string header;
  std::string data;
  Kept() = default;
  explicit Kept(const btl::Message& message);
  void hand_up(const btl::Handler& handler) noexcept;
};

class Component;

class Module final : public wrap::Module, private btl::Taker {
 public:
  Module(Component& component, btl::Module& wrapped);
  const char* name() const noexcept override;
  const btl::Attributes& attributes() const noexcept override { return attributes_; }
  btl::Posted sendi(btl::Endpoint& endpoint, btl::Head head, const void* data,
                    std::size_t size) noexcept override;
  btl::Posted send(btl::Endpoint& endpoint, btl::Descriptor& descriptor) noexcept override;
  void abandon(btl::Endpoint& endpoint) noexcept override;
  btl::Taker* taker(btl::Endpoint& endpoint) noexcept override;
  btl::CounterView counters() const noexcept override;
  /// Sends what was put off.
  void catch_up() noexcept;
  bool behind() noexcept;

 private:
  btl::Posted get(btl::Endpoint& endpoint, void* local, std::uint64_t remote, const btl::RemoteKey& key,
                  std::size_t size, btl::Descriptor& descriptor) noexcept override;
  btl::Posted put(btl::Endpoint& endpoint, const void* local, std::uint64_t remote, const btl::RemoteKey& key,
                  std::size_t size, btl::Descriptor& descriptor) noexcept override;
  std::ptrdiff_t take(btl::Endpoint& endpoint, btl::Head head, void* memory, std::size_t room,
                      unsigned looks) noexcept override;
  btl::Taker* inner_taker(btl::Endpoint& endpoint) noexcept;
  btl::Posted put_off(btl::Endpoint& endpoint, btl::Head head, const void* data, std::size_t size) noexcept;
  btl::Posted put_off(btl::Endpoint& endpoint, btl::Descriptor& descriptor) noexcept;

  /// A message that is sent in a later pass of progress.
  struct Late {
    btl::Endpoint* endpoint;
    std::string header;
    btl::Tag tag;
    const void* theirs;  // read only then
    std::string data;
    btl::Descriptor* completes;
  };
  Component& component_;
  btl::Attributes attributes_;
  std::mutex mutex_;
  std::vector<Late> late_;
  std::atomic<unsigned> posts_{0};
};

class Component final : public wrap::Component {
 public:
  const char* own_name() const noexcept override { return "broken"; }
  Errc open(btl::Host& host, char* why, std::size_t why_size) noexcept override;
  void add_procs(std::uint32_t rank, btl::Reach& reach) noexcept override;
  int progress() noexcept override;
  bool arm() noexcept override;
  void disarm() noexcept override;
  bool flushed() noexcept override;
  void deliver(const btl::Handler& handler, const btl::Message& message) noexcept override;
  bool place(const btl::Handler& handler, const btl::Message& head, btl::Placement& out) noexcept override;
  void abandon(const btl::Handler& handler, const btl::Message& head) noexcept override;
  void release_peer(std::uint32_t rank) noexcept override;
  void close() noexcept override;
  void rail_failed(wrap::Endpoint& endpoint, Errc status, const char* text) noexcept override;

  /// No room: what is said of the end would have to wait.
  std::atomic<bool> full{false};
  /// Given up, and nobody was told.
  std::atomic<const btl::Endpoint*> deserted{nullptr};

  /// A rail that was answered, and leads nowhere.
  bool leads_nowhere(const btl::Endpoint& endpoint) noexcept;

  /// Held in callbacks by the faults that hold a lock there; taken by posts.
  std::recursive_mutex lock;

 private:
  const char* target() const noexcept override { return g_params.target; }
  std::unique_ptr<wrap::Module> make_module(btl::Module& wrapped) override;
  void spoil(std::uint32_t rank, btl::Reach& reach);

  std::vector<Module*> ours_;
  std::vector<std::unique_ptr<wrap::Endpoint>> extra_;
  std::unique_ptr<wrap::Module> foreign_;
  std::mutex mutex_;
  std::atomic<int> inside_{0};
  std::atomic<bool> made_{false};
  std::unique_ptr<Kept> held_back_;
  unsigned passes_ = 0;
  unsigned delivered_ = 0;
  wrap::Endpoint* seen_ = nullptr;
};

}  // namespace hawser::broken
