// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include <sodium.h>

#include <algorithm>

#include "components/tcp/component.hpp"
#include "components/tcp/endpoint.hpp"
#include "components/tcp/module.hpp"
#include "framework/base/clock.hpp"
#include "framework/base/hooks.hpp"
#include "framework/live/page.hpp"

// Rails that do not serve just now. One that is long in being connected stands aside for those that are, and
// one that failed is tried again now and then: messages go over what works.

namespace hawser::tcp {
namespace {

constexpr unsigned kMaxProbeDoublings = 6;
// A rail that served for so long has nothing to do with the one that failed before.
constexpr std::uint64_t kSteadyTime = 60'000'000'000;  // ns

bool any_ready(const Peer& peer) noexcept {
  return std::any_of(peer.endpoints.begin(), peer.endpoints.end(),
                     [](const auto& endpoint) { return endpoint->state() == State::kReady; });
}

}  // namespace

bool Endpoint::is_slow() const noexcept {
  const bool tries = state() == State::kConnecting || state() == State::kBackoff;
  return tries && standing() == Standing::kRail && !facts_.pairless() && first_attempt_ns_ != 0 &&
         now_ns() - first_attempt_ns_ >= kPatience;
}

void Endpoint::step_aside() noexcept {
  standing_.store(Standing::kAside, std::memory_order_release);
  live::note_rail(facts_.rank, module_, live::RailState::kAside);
  module_.own_counters().add_shared(Counter::kRailsAside);
  context_.log(btl::LogLevel::kDebug, "{}: stands aside, others serve", describe());
}

void Endpoint::hand_back() noexcept {
  if (standing() == Standing::kAside && state() != State::kReady) send_.hand_back(Errc::kUnreachable);
}

bool Endpoint::comes_back() noexcept {
  if (state() != State::kReady || standing() == Standing::kRail) return false;
  standing_.store(Standing::kRail, std::memory_order_release);
  module_.own_counters().add_shared(Counter::kRailsBack);
  return true;
}

void Endpoint::enlist() noexcept {
  if (standing_.exchange(Standing::kRail, std::memory_order_acq_rel) == Standing::kRail) return;
  hurry_.store(true, std::memory_order_release);
  ask_attention();
}

void Endpoint::start_over() noexcept {
  if (state() != State::kBackoff && state() != State::kIdle) return;
  cancel_timer();
  count_anew();
  first_attempt_ns_ = 0;
  dial(state() == State::kIdle ? Event::kDial : Event::kTimer);
}

void Endpoint::count_anew() noexcept {
  attempts_ = network_waits_ = 0;
  unheard_since_ns_ = short_since_ns_ = 0;
  outcomes_.clear();
  last_outcome_.clear();
  if (probing()) module_.own_counters().add_shared(Counter::kRailsProbed);
}

bool Endpoint::may_be_revived() const noexcept {
  return state() == State::kFailed && !comes_back_never_ && !retired_.load(std::memory_order_acquire);
}

void Endpoint::probe_for(const Endpoint& failed) noexcept {
  heard_ = failed.heard_;
  probes_ = failed.ready_ns_ != 0 && now_ns() - failed.ready_ns_ < kSteadyTime ? failed.probes_ : 0;
  standing_.store(Standing::kProbe, std::memory_order_release);
}

void Endpoint::begin_probing() noexcept {
  if (!probing() || state() != State::kIdle || timer_ != 0) return;
  live::note_rail(facts_.rank, module_, live::RailState::kProbing);
  pause_probe();
}

void Endpoint::pause_probe() noexcept {
  const std::uint64_t pause = context_.params.probe_pause_ns << std::min(probes_++, kMaxProbeDoublings);
  arm_timer(pause + pause / 2 * ::randombytes_uniform(1024) / 1024);
}

void Endpoint::on_network_change() noexcept {
  const bool pauses = state() == State::kBackoff || (state() == State::kIdle && timer_ != 0);
  if (!pauses || !(waits_for_network_ || probing())) return;
  cancel_timer();
  on_timer();
}

void Component::on_unsteady() noexcept {
  unsteady_ = true;
  news_.store(true, std::memory_order_release);
}

bool Component::reaches(std::uint32_t rank) const noexcept {
  const Peer* peer = peers_->find(rank);
  return peer && any_ready(*peer);
}

void Component::steady_rails() noexcept {
  unsteady_ = false;
  context_->unsteady = true;  // one that is called in this walk, and connected at once, says so
  bool left = false;
  peers_->for_each([&](Peer& peer) { left = steady_rails(peer) || left; });
  context_->unsteady = left;
}

/// True: there is something to come back to.
bool Component::steady_rails(Peer& peer) noexcept {
  const bool ready = any_ready(peer);
  bool changed = false;
  bool slow = false;
  for (const auto& endpoint : peer.endpoints) changed = endpoint->comes_back() || changed;
  for (const auto& endpoint : peer.endpoints) {
    if (!endpoint->is_slow()) continue;
    slow = true;
    if (!ready) continue;
    endpoint->step_aside();
    changed = true;
  }
  if (slow && !ready) {
    for (const auto& endpoint : peer.endpoints) endpoint->call();  // those that nobody has asked for yet
  }
  if (changed) context_->host.rails_changed(peer.rank);  // first: what is handed back finds a way at once
  for (const auto& endpoint : peer.endpoints) endpoint->hand_back();
  const bool failed = std::any_of(peer.endpoints.begin(), peer.endpoints.end(),
                                  [](const auto& endpoint) { return endpoint->may_be_revived(); });
  if (ready && failed && context_->params.probe_pause_ns != 0) revive_rails(peer);
  return slow || failed;
}

/// Publishes the peer with fresh endpoints for those that failed. Nobody is told before they are connected.
void Component::revive_rails(Peer& old) noexcept {
  try {
    auto made = wireup_->revive_peer(old);
    Peer* next = made.get();
    HAWSER_HOOK("tcp.before_revival");
    if (!publish_instead(old, std::move(made))) return;
    for (const auto& endpoint : next->endpoints) endpoint->begin_probing();  // not before it can be found
  } catch (const std::bad_alloc&) {
    context_->unsteady = true;  // when the next rail is connected
  }
}

}  // namespace hawser::tcp
