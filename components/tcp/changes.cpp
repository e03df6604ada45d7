// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include <sys/epoll.h>

#include <algorithm>

#include "components/tcp/component.hpp"
#include "framework/base/clock.hpp"
#include "framework/base/hooks.hpp"

// Interfaces that come and go while the job runs, and peers that publish anew or were restarted. All of it is
// the progress role's; no lock is held over any call.

namespace hawser::tcp {
namespace {

// One change comes as several announcements; an address that is replaced goes before the new one comes.
constexpr std::uint64_t kSettleTime = 100'000'000;  // ns
// Between two looks for the sake of routes: a router may change them all the time.
constexpr std::uint64_t kRoutePause = 1'000'000'000;  // ns
constexpr int kGiveBack = 4;                          // rails, each time that descriptors run out

template <class Visit>
void for_those_gone(const Peer& before, const Peer& after, Visit&& visit) {
  const auto& kept = after.endpoints;
  for (const auto& endpoint : before.endpoints) {
    if (std::find(kept.begin(), kept.end(), endpoint) == kept.end()) visit(*endpoint);
  }
}

bool any_ready(const Peer& peer) noexcept {
  return std::any_of(peer.endpoints.begin(), peer.endpoints.end(),
                     [](const auto& endpoint) { return endpoint->state() == State::kReady; });
}

}  // namespace

void Component::watch_interfaces() {
  auto opened = interfaces::Watch::open();
  if (!opened) {
    context_->log(btl::LogLevel::kDebug, "changes of interfaces go unnoticed: {}", opened.error().text);
    return;
  }
  watch_.emplace(std::move(*opened));
  const Errc code = btl::watch<&Component::on_interfaces_event>(context_->host, watch_->fd(), EPOLLIN, *this);
  if (code != Errc::kOk) watch_.reset();
}

void Component::on_interfaces_event() noexcept {
  const interfaces::Change change = watch_->drain();
  if (change == interfaces::Change::kNone) return;
  std::uint64_t until = now_ns() + kSettleTime;
  if (change == interfaces::Change::kRoutes) until = std::max(until, looked_ns_ + kRoutePause);
  if (settle_timer_ != 0) {
    if (until >= settles_ns_) return;
    context_->host.cancel_call(settle_timer_);
  }
  settles_ns_ = until;
  settle_timer_ = btl::call_at<&Component::on_settled>(context_->host, until, *this);
  if (settle_timer_ == 0) on_settled();  // no memory for it
}

void Component::on_settled() noexcept {
  settle_timer_ = 0;
  adopt_interfaces();
  looked_ns_ = now_ns();
  peers_->for_each([](Peer& peer) {
    for (const auto& endpoint : peer.endpoints) endpoint->on_network_change();
  });
}

void Component::adopt_interfaces() noexcept {
  try {
    const auto usable = usable_interfaces(false);
    HAWSER_HOOK("tcp.interfaces_read");
    const auto changed = usable ? offer_->adopt(*usable) : Result<bool>(usable.error());
    if (!changed) {
      context_->log(btl::LogLevel::kDebug, "interfaces changed, the old ones are kept: {}",
                    changed.error().text);
      return;
    }
    if (!*changed) return;
  } catch (const std::bad_alloc&) {
    return;  // the next change is the next chance
  }
  const std::string& bytes = context_->published;
  const Errc code = context_->host.modex_put(kBlobKey, bytes.data(), bytes.size());
  if (code != Errc::kOk)
    context_->log(btl::LogLevel::kDebug, "publishing changed interfaces: {}", to_text(code));
  context_->log(btl::LogLevel::kInfo, "interfaces changed: generation {} is published",
                context_->generation.load(std::memory_order_relaxed));
  HAWSER_HOOK("tcp.adopted");
  peers_->for_each([this](Peer& peer) { catch_up(peer); });
}

// Rails as our own interfaces are now; and the peer is told.
void Component::catch_up(Peer& old) noexcept {
  if (old.our_generation == context_->generation.load(std::memory_order_relaxed)) return;
  const bool was_ready = any_ready(old);
  Peer* peer = rematch(old, old.theirs);
  for (const auto& endpoint : peer->endpoints) endpoint->push_update();
  // Without a connection the peer would go on sending to where we no longer are.
  if (was_ready && !any_ready(*peer) && !peer->endpoints.empty()) peer->endpoints.front()->call();
}

void Component::on_update(std::uint32_t rank, Blob blob) noexcept {
  news_.store(true, std::memory_order_release);
  try {
    updates_[rank] = std::make_shared<const Blob>(std::move(blob));
  } catch (const std::bad_alloc&) {
    // The next one, or the hello of the peer's next call, brings it again.
  }
}

void Component::on_doubt(std::uint32_t rank) noexcept {
  news_.store(true, std::memory_order_release);
  try {
    doubts_.insert(rank);
  } catch (const std::bad_alloc&) {
    // The call that failed is repeated all the same, with what is known.
  }
}

std::uint32_t Component::known_generation(std::uint32_t rank) const noexcept {
  const Peer* peer = peers_->find(rank);
  return peer ? peer->theirs->generation : 0;
}

void Component::on_descriptors_short(bool callers_wait) noexcept {
  descriptors_short_ = true;
  callers_wait_ = callers_wait_ || callers_wait;
  news_.store(true, std::memory_order_release);
}

/// Of peers with several idle rails the last ones are given up, here and there in the same order, so that
/// both sides keep the first.
void Component::give_back_descriptors() noexcept {
  int wanted = kGiveBack;
  peers_->for_each([&wanted](Peer& peer) {
    std::size_t ready = 0;
    for (const auto& endpoint : peer.endpoints) ready += endpoint->state() == State::kReady;
    for (auto at = peer.endpoints.rbegin(); at != peer.endpoints.rend() && ready > 1 && wanted > 0; ++at) {
      if (!(*at)->give_back()) continue;
      --ready;
      --wanted;
    }
  });
}

/// When all have called until nobody can answer, somebody must answer first. Calls to lower ranks go before
/// the others: the peer's own would win there.
void Component::put_off_dials() noexcept {
  int wanted = kGiveBack;
  for (const bool to_lower : {true, false}) {
    peers_->for_each([&](Peer& peer) {
      if ((peer.rank < context_->host.job().rank) != to_lower) return;
      for (const auto& endpoint : peer.endpoints) {
        if (wanted > 0 && endpoint->put_off()) --wanted;
      }
    });
  }
  if (wanted < kGiveBack) acceptor_->resume();
}

int Component::serve_news() noexcept {
  news_.store(false, std::memory_order_release);
  if (std::exchange(descriptors_short_, false)) give_back_descriptors();
  if (std::exchange(callers_wait_, false)) put_off_dials();
  auto updates = std::exchange(updates_, {});
  auto doubts = std::exchange(doubts_, {});
  for (auto& [rank, blob] : updates) {
    Peer* peer = peers_->find(rank);
    if (peer && peer->theirs->incarnation == blob->incarnation && peer->theirs->generation < blob->generation)
      rematch(*peer, std::move(blob));
  }
  for (const std::uint32_t rank : doubts) {
    if (Peer* peer = peers_->find(rank)) ask_again(*peer);
  }
  peers_->for_each([this](Peer& peer) { catch_up(peer); });
  peers_->for_each([this](Peer& peer) {
    if (updates_.count(peer.rank) != 0) return;  // not settled: it came meanwhile
    for (const auto& endpoint : peer.endpoints) endpoint->stays();
  });
  if (unsteady_) steady_rails();
  return static_cast<int>(updates.size() + doubts.size());
}

/// Asks the modex what the peer publishes now, and goes by it. The peer as it is then.
Peer* Component::ask_again(Peer& peer) noexcept {
  try {
    auto theirs = wireup_->ask_again(peer.rank);
    if (!theirs) {
      context_->log(btl::LogLevel::kDebug, "rank {} was asked for anew: {}", peer.rank, theirs.error().text);
      return &peer;
    }
    if (theirs->incarnation != peer.theirs->incarnation) return restart(peer);
    if (theirs->generation <= peer.theirs->generation) return &peer;
    return rematch(peer, std::make_shared<const Blob>(std::move(*theirs)));
  } catch (const std::bad_alloc&) {
    return &peer;
  }
}

/// Publishes the peer anew if its rails change; endpoints of pairs that stay are kept. The peer as it is
/// then.
Peer* Component::rematch(Peer& old, std::shared_ptr<const Blob> theirs) noexcept {
  std::unique_ptr<Peer> made;
  try {
    auto remade = wireup_->remake_peer(old, std::move(theirs));
    if (!remade) {
      context_->log(btl::LogLevel::kDebug, "rank {} keeps its rails: {}", old.rank, remade.error().text);
      return &old;
    }
    made = std::move(*remade);
  } catch (const std::bad_alloc&) {
    return &old;
  }
  if (old.endpoints == made->endpoints) {  // routes change often: nothing is kept for their sake alone
    old.theirs = std::move(made->theirs);
    old.our_generation.store(made->our_generation.load(std::memory_order_relaxed), std::memory_order_release);
    return &old;
  }
  Peer* next = made.get();
  if (!publish_instead(old, std::move(made))) return &old;
  for_those_gone(old, *next, [](Endpoint& endpoint) { endpoint.lose_unconfirmed(); });
  context_->host.rails_changed(next->rank);  // before the rest: what they hand back finds a way at once
  for_those_gone(old, *next, [](Endpoint& endpoint) { endpoint.let_go(); });
  return next;
}

/// Another process has taken the peer's place. The peer as it is then.
Peer* Component::restart(Peer& old) noexcept {
  std::unique_ptr<Peer> made;
  std::string text;
  try {
    auto remade = wireup_->make_peer(old.rank);
    if (!remade) {
      context_->log(btl::LogLevel::kDebug, "rank {} was restarted, but: {}", old.rank, remade.error().text);
      return &old;
    }
    made = std::move(*remade);
    text = fmt::format(
        "rank {} on {} was restarted (its process is another one now): what was under way with "
        "the old one is lost",
        old.rank, old.host);
  } catch (const std::bad_alloc&) {
    return &old;
  }
  Peer* next = made.get();
  if (!publish_instead(old, std::move(made))) return &old;
  for (const auto& endpoint : old.endpoints) endpoint->fail_restarted(text);
  context_->host.rails_changed(next->rank);
  return next;
}

/// False: the peer was released meanwhile. The old one stays valid in any case.
bool Component::publish_instead(Peer& old, std::unique_ptr<Peer> next) noexcept {
  auto out = peers_->replace(old.rank, std::move(next));
  const bool replaced = out.get() == &old;
  keep(std::move(out));
  return replaced;
}

}  // namespace hawser::tcp
