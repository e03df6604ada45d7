// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "components/tcp/component.hpp"

#include <poll.h>
#include <sodium.h>
#include <sys/resource.h>

#include <algorithm>

#include "components/tcp/counters.hpp"
#include "framework/base/hooks.hpp"
#include "framework/btl/parts.hpp"
#include "framework/interfaces/enumerate.hpp"
#include "framework/interfaces/filter.hpp"

namespace hawser::tcp {
namespace {

constexpr std::chrono::milliseconds kWireupTime{
    60'000};  // bounds the wait for another thread; the modex has its own
constexpr std::chrono::milliseconds kGoodbyeTime{1'000};
// For threads that still set up a peer to hear that it is over.
constexpr std::chrono::milliseconds kCloseTime{10'000};
constexpr unsigned kSilenceChecks = 4;  // looks in one silence_timeout

// Sockets grow with peers and rails: take what the system grants anyway.
void raise_file_limit() noexcept {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == limit.rlim_max) return;
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace

Component::Component() = default;
Component::~Component() {
  if (context_) context_->flusher.stop();  // before the endpoints
}

Errc Component::open(btl::Host& host, char* why, std::size_t why_size) noexcept {
  return btl::answer_open(why, why_size, [&] {
    auto opened = open_all(host);
    if (!opened) close();
    return opened;
  });
}

Result<void> Component::open_all(btl::Host& host) {
  if (::sodium_init() < 0) return make_error(Errc::kUnsupported, "libsodium does not start");
  raise_file_limit();
  context_ = std::make_unique<Context>(host, g_params, *this);
  context_->incarnation = (std::uint64_t{::randombytes_random()} << 32) | ::randombytes_random();
  context_->largest = std::max({g_params.max_send_size, g_params.eager_limit, g_params.rndv_eager_limit});
  context_->flusher.set_interval(g_params.gather_time_ns);
  acceptor_ = std::make_unique<Acceptor>(*context_, *this);
  offer_ = std::make_unique<Offer>(*context_, *acceptor_);
  wireup_ = std::make_unique<Wireup>(*context_, *offer_);
  peers_ = std::make_unique<peers::PeerTable<Peer>>(host.job().size);
  watch_interfaces();  // before we look: what changes from here on is noticed
  const auto usable = usable_interfaces(true);
  if (!usable) return usable.error();
  if (auto offered = offer_->adopt(*usable); !offered) return offered.error();
  const std::string& bytes = context_->published;
  if (const Errc code = host.modex_put(kBlobKey, bytes.data(), bytes.size()); code != Errc::kOk) {
    return make_error(code, "publishing the tcp addresses: {}", to_text(code));
  }
  if (const Errc code = acceptor_->start(); code != Errc::kOk) {
    return make_error(code, "watching the listeners: {}", to_text(code));
  }
  arm_silence_check();
  return {};
}

// What the parameters select of what is there. Only the first time something is said about it.
Result<std::vector<interfaces::Interface>> Component::usable_interfaces(bool first) {
  const auto all = interfaces::enumerate();
  if (!all) return all.error();
  const auto selected = interfaces::select(
      *all, {g_params.if_include, g_params.if_exclude, std::atoi(g_params.disable_family)});
  if (!selected) return selected.error();
  for (const auto& [about, text] : selected->notes) {
    if (first) context_->host.say_once("tcp", about.c_str(), text.c_str());
  }
  return interfaces::without_needless(selected->interfaces);
}

Result<Peer*> Component::find_or_make(std::uint32_t rank) {
  auto peer = peers_->get_or_make(rank, deadline_in(kWireupTime), [&]() -> Result<std::unique_ptr<Peer>> {
    try {
      return wireup_->make_peer(rank);
    } catch (const std::bad_alloc&) {
      return make_error(Errc::kOutOfMemory, "no memory for the tcp rails to rank {}", rank);
    }
  });
  // Our interfaces changed while it was made: whoever adopted them did not find it.
  if (peer && (*peer)->our_generation != context_->generation.load(std::memory_order_acquire)) {
    news_.store(true, std::memory_order_release);
    context_->host.wake();
  }
  return peer;
}

void Component::add_procs(std::uint32_t rank, btl::Reach& reach) noexcept {
  assert_no_locks_held();
  reach.count = 0;
  const auto peer = find_or_make(rank);
  if (!peer) return btl::refuse(reach, peer.error());
  reach.status = Errc::kOk;
  reach.reason[0] = '\0';
  const auto& all = (*peer)->endpoints;
  // Again if one stood aside for another between two looks.
  for (int walk = 0; walk < 3 && reach.count == 0; ++walk) {
    const bool served = std::any_of(all.begin(), all.end(), [](const auto& endpoint) {
      return endpoint->standing() == Standing::kRail && !endpoint->is_over();
    });
    for (const auto& endpoint : all) {
      if (!served && !endpoint->is_over()) endpoint->enlist();
      if (endpoint->standing() == Standing::kRail)
        reach.rails[reach.count++] = {&endpoint->module(), endpoint.get()};
    }
  }
}

void Component::release_peer(std::uint32_t rank) noexcept {
  auto peer = peers_->take(rank);
  if (!peer) return;
  for (const auto& endpoint : peer->endpoints) endpoint->retire();
  keep(std::move(peer));
}

void Component::keep(std::unique_ptr<Peer> peer) noexcept {
  if (!peer->endpoints.empty())
    peer->endpoints.front()->module().own_counters().add_shared(Counter::kPeersKept);
  retired_.add(std::move(peer));
}

// An inbound connection takes the same way as a first send: the peer is made whole, or found whole.
void Component::on_hello(const Hello& hello, std::unique_ptr<Link> link, ModuleCounters& counters) noexcept {
  const btl::Job& job = context_->host.job();
  if (hello.to_rank != job.rank || hello.to_incarnation != context_->incarnation ||
      hello.from_rank >= job.size || hello.from_rank == job.rank) {
    refuse(*link, Reply::kWrongPeer, hello);
    return;
  }
  if (context_->closing) {
    refuse(*link, Reply::kShuttingDown, hello);
    return;
  }
  const auto found = find_or_make(hello.from_rank);
  if (!found) {
    context_->log(btl::LogLevel::kDebug, "rank {} called, but: {}", hello.from_rank, found.error().text);
    refuse(*link, found.error().code == Errc::kUnreachable ? Reply::kNoSuchRail : Reply::kRetry, hello);
    return;
  }
  const Peer* peer = up_to_date(hello, *found);
  const auto endpoint = peer->find(hello.to_module, hello.from_module);
  if (peer->theirs->incarnation != hello.from_incarnation) {
    refuse(*link, Reply::kWrongPeer, hello);
  } else if (endpoint) {
    link->told_generation = hello.to_generation;
    endpoint->on_inbound(std::move(link), hello.number);
  } else if (hello.to_generation != peer->our_generation ||
             hello.from_generation != peer->theirs->generation) {
    refuse(*link, Reply::kRetry, hello);
  } else {
    counters.add(Counter::kDroppedInbound);
    refuse(*link, Reply::kNoSuchRail, hello);
  }
}

// What the caller says of itself may be newer than what we know.
Peer* Component::up_to_date(const Hello& hello, Peer* peer) noexcept {
  if (hello.from_incarnation == peer->theirs->incarnation &&
      hello.from_generation <= peer->theirs->generation)
    return peer;
  HAWSER_HOOK("tcp.newer_hello");
  return ask_again(*peer);
}

void Component::refuse(Link& link, Reply reply, const Hello& hello) noexcept {
  context_->log(btl::LogLevel::kDebug, "refusing a connection of rank {}: {}", hello.from_rank,
                to_text(reply));
  link.write(context_->notary.write_answer(link.hello, {reply, make_nonce()}));
}

int Component::progress() noexcept {
  int moved = 0;
  if (HAWSER_UNLIKELY(news_.load(std::memory_order_relaxed))) moved = serve_news();
  if (HAWSER_UNLIKELY(context_->attention.load(std::memory_order_relaxed) != nullptr))
    moved += serve_attention();
  moved += context_->flusher.flush();
  moved += context_->hot.poll();
  moved += context_->flusher.flush();  // what deliveries sent
  return moved;
}

int Component::serve_attention() noexcept {
  int served = 0;
  Endpoint* at = context_->attention.exchange(nullptr, std::memory_order_acquire);
  while (at) {
    Endpoint* next = at->next_attention;  // it may be pushed again from inside
    at->on_attention();
    at = next;
    ++served;
  }
  return served;
}

bool Component::arm() noexcept {
  context_->flusher.flush();
  context_->hot.cool_all();
  return context_->flusher.idle() && context_->attention.load(std::memory_order_acquire) == nullptr &&
         !news_.load(std::memory_order_acquire);
}

void Component::arm_silence_check() noexcept {
  silence_timer_ = btl::call_at<&Component::on_silence_check>(
      context_->host, now_ns() + g_params.silence_timeout_ns / kSilenceChecks, *this);
}

void Component::on_silence_check() noexcept {
  arm_silence_check();  // first, while the memory of the timer that has just fired is free for it
  peers_->for_each([](Peer& peer) {
    for (const auto& endpoint : peer.endpoints) endpoint->check_silence();
  });
  acceptor_->check_timers();
}

bool Component::flushed() noexcept {
  bool all = true;
  peers_->for_each([&](Peer& peer) {
    for (const auto& endpoint : peer.endpoints) all = all && endpoint->flushed();
  });
  return all;
}

// Goodbyes must not be lost for want of room in a socket, and must not hold us up for long either.
void Component::say_goodbye() noexcept {
  const Deadline deadline = deadline_in(kGoodbyeTime);
  peers_->for_each([&](Peer& peer) {
    for (const auto& endpoint : peer.endpoints) {
      while (!endpoint->say_goodbye() && Clock::now() < deadline) {
        pollfd room{endpoint->stream_fd(), POLLOUT, 0};
        ::poll(&room, 1, 50);
      }
    }
  });
}

void Component::close() noexcept {
  if (!context_ || context_->closing) return;
  context_->closing = true;
  context_->flusher.stop();
  if (silence_timer_ != 0) context_->host.cancel_call(silence_timer_);
  if (settle_timer_ != 0) context_->host.cancel_call(settle_timer_);
  if (watch_) context_->host.unwatch(watch_->fd());
  watch_.reset();
  if (acceptor_) acceptor_->close();
  if (!peers_) return;
  if (const auto left = peers_->close(deadline_in(kCloseTime)); !left)
    context_->log(btl::LogLevel::kWarn, "closing all the same: {}", left.error().text);
  say_goodbye();
  peers_->for_each([](Peer& peer) {
    for (const auto& endpoint : peer.endpoints) endpoint->close();
  });
  for (std::uint32_t rank = 0; rank < peers_->size(); ++rank) peers_->take(rank);
  retired_.clear([](Peer& peer) {
    for (const auto& endpoint : peer.endpoints) endpoint->close();
  });
}

}  // namespace hawser::tcp
