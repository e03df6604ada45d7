// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "components/tcp/component.hpp"

#include <poll.h>
#include <sodium.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdio>

#include "framework/interfaces/enumerate.hpp"
#include "framework/interfaces/filter.hpp"

namespace hawser::tcp {
namespace {

constexpr std::chrono::milliseconds kWireupTime{
    60'000};  // bounds the wait for another thread; the modex has its own
constexpr std::chrono::milliseconds kGoodbyeTime{1'000};
constexpr unsigned kSilenceChecks = 4;  // looks in one silence_timeout

// Sockets grow with peers and rails: take what the system grants anyway.
void raise_file_limit() noexcept {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == limit.rlim_max) return;
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

Published published(const interfaces::Interface& interface, std::uint16_t port) {
  Published result;
  result.candidate = matching::candidate_of(interface);
  result.port = port;
  result.name = interface.label;
  return result;
}

void put_text(char* out, std::size_t size, const std::string& text) noexcept {
  if (size != 0) std::snprintf(out, size, "%s", text.c_str());
}

}  // namespace

Component::Component() = default;
Component::~Component() = default;

Errc Component::open(btl::Host& host, char* why, std::size_t why_size) noexcept {
  try {
    const auto opened = open_all(host);
    if (opened) return Errc::kOk;
    put_text(why, why_size, opened.error().text);
    close();
    return opened.error().code;
  } catch (const std::bad_alloc&) {
    put_text(why, why_size, "out of memory");
    return Errc::kOutOfMemory;
  }
}

Result<void> Component::open_all(btl::Host& host) {
  if (::sodium_init() < 0) return make_error(Errc::kUnsupported, "libsodium does not start");
  raise_file_limit();
  context_ = std::make_unique<Context>(host, g_params);
  context_->incarnation = (std::uint64_t{::randombytes_random()} << 32) | ::randombytes_random();
  context_->largest = std::max({g_params.max_send_size, g_params.eager_limit, g_params.rndv_eager_limit});
  const auto all = interfaces::enumerate();
  if (!all) return all.error();
  const auto selected = interfaces::select(
      *all, {g_params.if_include, g_params.if_exclude, static_cast<int>(g_params.disable_family)});
  if (!selected) return selected.error();
  for (const std::string& note : selected->notes) context_->log(btl::LogLevel::kWarn, "{}", note);
  acceptor_ = std::make_unique<Acceptor>(*context_, *this);
  if (auto listening = listen_everywhere(interfaces::without_needless(selected->interfaces)); !listening)
    return listening;
  wireup_ = std::make_unique<Wireup>(*context_, blob_, modules_);
  peers_ = std::make_unique<peers::PeerTable<Peer>>(host.job().size);
  const std::string bytes = encode(blob_);
  if (const Errc code = host.modex_put(kBlobKey, bytes.data(), bytes.size()); code != Errc::kOk) {
    return make_error(code, "publishing the tcp addresses: {}", to_text(code));
  }
  if (const Errc code = acceptor_->start(); code != Errc::kOk) {
    return make_error(code, "watching the listeners: {}", to_text(code));
  }
  arm_silence_check();
  return {};
}

// An address that cannot be bound (not yet confirmed by the kernel, or gone again) is left out; the others
// serve.
Result<void> Component::listen_everywhere(const std::vector<interfaces::Interface>& selected) {
  blob_.incarnation = context_->incarnation;
  blob_.links = static_cast<std::uint16_t>(g_params.links);
  std::string failures;
  for (const auto& interface : selected) {
    if (blob_.addresses.size() == kMaxAddresses) break;
    const std::size_t first = modules_.size();
    add_modules(interface, blob_.links);
    const auto port = acceptor_->listen(interface, modules_[first]->own_counters());
    if (!port) {
      modules_.resize(first);
      failures += (failures.empty() ? "" : "; ") + port.error().text;
      context_->log(btl::LogLevel::kDebug, "{} is not used: {}", interface.label, port.error().text);
      continue;
    }
    blob_.addresses.push_back(published(interface, *port));
  }
  if (blob_.addresses.empty())
    return make_error(Errc::kSystem, "no address can be listened on: {}", failures);
  return {};
}

void Component::add_modules(const interfaces::Interface& interface, std::size_t links) {
  for (std::size_t link = 0; link < links; ++link) {
    const auto index = static_cast<std::uint16_t>(modules_.size());
    modules_.push_back(std::make_unique<Module>(g_params, interface, index, static_cast<unsigned>(link)));
  }
}

Result<Peer*> Component::find_or_make(std::uint32_t rank) {
  return peers_->get_or_make(rank, deadline_in(kWireupTime), [&]() -> Result<std::unique_ptr<Peer>> {
    try {
      return wireup_->make_peer(rank);
    } catch (const std::bad_alloc&) {
      return make_error(Errc::kOutOfMemory, "no memory for the tcp rails to rank {}", rank);
    }
  });
}

void Component::add_procs(std::uint32_t rank, btl::Reach& reach) noexcept {
  assert_no_locks_held();
  reach.count = 0;
  const auto peer = find_or_make(rank);
  if (!peer) {
    reach.status = peer.error().code;
    put_text(reach.reason, sizeof reach.reason, peer.error().text);
    return;
  }
  reach.status = Errc::kOk;
  reach.reason[0] = '\0';
  for (const auto& endpoint : (*peer)->endpoints) {
    reach.rails[reach.count++] = {&endpoint->module(), endpoint.get()};
  }
}

void Component::release_peer(std::uint32_t rank) noexcept {
  auto peer = peers_->take(rank);
  if (!peer) return;
  for (const auto& endpoint : peer->endpoints) endpoint->retire();
  const Lock lock(retired_mutex_);
  retired_.push_back(std::move(peer));
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
  const auto peer = find_or_make(hello.from_rank);
  if (!peer) {
    context_->log(btl::LogLevel::kDebug, "rank {} called, but: {}", hello.from_rank, peer.error().text);
    refuse(*link, peer.error().code == Errc::kUnreachable ? Reply::kNoSuchRail : Reply::kRetry, hello);
    return;
  }
  Endpoint* endpoint = (*peer)->find(hello.to_module, hello.from_module);
  if ((*peer)->incarnation != hello.from_incarnation) {
    refuse(*link, Reply::kWrongPeer, hello);
  } else if (!endpoint) {
    counters.add(Counter::kDroppedInbound);
    refuse(*link, Reply::kNoSuchRail, hello);
  } else {
    endpoint->on_inbound(std::move(link));
  }
}

void Component::refuse(Link& link, Reply reply, const Hello& hello) noexcept {
  context_->log(btl::LogLevel::kDebug, "refusing a connection of rank {}: {}", hello.from_rank,
                to_text(reply));
  link.write(context_->notary.write_answer(link.hello, {reply, make_nonce()}));
}

int Component::progress() noexcept {
  if (HAWSER_LIKELY(context_->attention.load(std::memory_order_relaxed) == nullptr)) return 0;
  return serve_attention();
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
  return context_->attention.load(std::memory_order_acquire) == nullptr;
}

void Component::arm_silence_check() noexcept {
  silence_timer_ = context_->host.call_at(
      now_ns() + g_params.silence_timeout_ns / kSilenceChecks,
      [](void* self) noexcept { static_cast<Component*>(self)->on_silence_check(); }, this);
}

void Component::on_silence_check() noexcept {
  peers_->for_each([](Peer& peer) {
    for (const auto& endpoint : peer.endpoints) endpoint->check_silence();
  });
  arm_silence_check();
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
  if (silence_timer_ != 0) context_->host.cancel_call(silence_timer_);
  if (acceptor_) acceptor_->close();
  if (!peers_) return;
  say_goodbye();
  peers_->for_each([](Peer& peer) {
    for (const auto& endpoint : peer.endpoints) endpoint->close();
  });
  for (std::uint32_t rank = 0; rank < peers_->size(); ++rank) peers_->take(rank);
  const Lock lock(retired_mutex_);
  for (const auto& peer : retired_) {
    for (const auto& endpoint : peer->endpoints) endpoint->close();
  }
  retired_.clear();
}

}  // namespace hawser::tcp
