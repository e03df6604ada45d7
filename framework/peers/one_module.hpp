// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>
#include <thread>

#include "framework/base/counters.hpp"
#include "framework/btl/outgoing.hpp"
#include "framework/btl/parts.hpp"
#include "framework/peers/kept.hpp"
#include "framework/peers/peer_table.hpp"

namespace hawser::peers {

/// A component with one module, and one endpoint of class E for each peer. Here is what is the same in all of
/// them: a peer is made once and published whole, it is let go in two steps, and the order of the end. The
/// deriving class says how to open (`set_up`), how a peer is made (`make`), and how callers are shut out
/// (`shut`). There is nothing to poll, unless it overrides `progress`, `arm` and `disarm`.
///
/// E derives from btl::Endpoint, has a link `std::unique_ptr<E> next` (see Kept), and, all of them noexcept:
///   Posted post(const btl::Outgoing&)
///     as Module::sendi and Module::send
///   Errc start()
///     it is published: from here on events may come. Any thread, each time that the peer is asked for
///   bool flushed()
///     as Component::flushed
///   bool part()
///     at the end, until it answers true, also of those that have ended: says the last word if there is room
///     for it, and throws away what comes, so that a peer that ends as well finds room for its own. True: it
///     is said, or nobody is there to hear
///   bool end(Errc status, bool goodbye)
///     any thread: from its return on posts answer kUnreachable, nothing is delivered, and what was pending
///     has completed with `status`. `goodbye`: says one before, if there is room and it is not said. False:
///     it had ended before
///   void close()
///     after that, in `abandon` and `fail` at once: gives back what the progress role alone may, but for what
///     a last word needs that `end` found no room for: `part` is asked for it. More than once. Progress role
/// C are the module's counters, those of btl::BaseCounter first.
template <class E, class C = btl::BaseCounter>
class OneModule : public btl::Component, public btl::Module {
 public:
  /// `name`: of component and module; of static life. `info`: of the counters C.
  explicit OneModule(const char* name, const CounterInfo* info = btl::kBaseCounterInfo) noexcept
      : name_(name), info_(info) {}

  // --- btl::Component

  Errc open(btl::Host& host, char* why, std::size_t why_size) noexcept final {
    host_ = &host;
    return btl::answer_open(why, why_size, [this] {
      peers_ = std::make_unique<PeerTable<E>>(host_->job().size);
      return set_up();
    });
  }
  std::size_t module_count() const noexcept final { return 1; }
  btl::Module& module(std::size_t) noexcept final { return *this; }

  void add_procs(std::uint32_t rank, btl::Reach& reach) noexcept final {
    const auto peer = find_or_make(rank);
    peer ? btl::answer(reach, *this, **peer) : btl::refuse(reach, peer.error());
  }
  void release_peer(std::uint32_t rank) noexcept final {
    auto peer = peers_->take(rank);
    if (!peer) return;
    peer->end(Errc::kShutdown, true);
    kept_.add(std::move(peer));  // the progress role may be inside
  }

  int progress() noexcept override { return 0; }
  bool arm() noexcept override { return true; }
  void disarm() noexcept override {}

  bool flushed() noexcept override {
    bool all = true;
    peers_->for_each([&](E& peer) { all = peer.flushed() && all; });
    return all;
  }
  void close() noexcept override {
    shut();
    if (!peers_->close(deadline_in(kPatience))) return;  // a thread is inside: they are left alone
    const Deadline until = deadline_in(kParting);
    while (!all_parted() && Clock::now() < until) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    for (std::uint32_t rank = 0; rank < peers_->size(); ++rank) release_peer(rank);
    kept_.clear([](E& peer) { peer.close(); });
  }

  // --- btl::Module

  const char* name() const noexcept final { return name_; }
  const btl::Attributes& attributes() const noexcept final { return attributes_; }
  btl::Posted sendi(btl::Endpoint& to, btl::Head head, const void* data, std::size_t size) noexcept final {
    return static_cast<E&>(to).post({head, data, size});
  }
  btl::Posted send(btl::Endpoint& to, btl::Descriptor& descriptor) noexcept final {
    return static_cast<E&>(to).post(btl::Outgoing(descriptor));
  }
  void abandon(btl::Endpoint& endpoint) noexcept final {
    static_cast<E&>(endpoint).end(Errc::kUnreachable, false);
    static_cast<E&>(endpoint).close();
  }
  btl::Rdma* rdma(btl::Endpoint&) noexcept override { return nullptr; }
  btl::CounterView counters() const noexcept final { return {info_, counts.data(), counts.kSize}; }

  // --- for endpoints

  /// What open() was lent.
  btl::Host& host() const noexcept { return *host_; }
  /// A message was taken for sending: counts it, and gives `answer`. Any thread.
  btl::Posted sent(std::size_t size, btl::Posted answer) noexcept {
    counts.add_shared(static_cast<C>(btl::BaseCounter::kMessagesSent));
    counts.add_shared(static_cast<C>(btl::BaseCounter::kBytesSent), size);
    return answer;
  }
  /// There was no room: counts that, and says it. Any thread.
  btl::Posted refused() noexcept {
    counts.add_shared(static_cast<C>(btl::BaseCounter::kNoResource));
    return btl::Posted::kNoResource;
  }
  /// Counts a message of `rank` and hands it up. Its header may lie anywhere, and is checked to be no longer
  /// than kMaxHeader before; `data` is contiguous. Progress role, no lock held. False: nobody handles its
  /// tag.
  bool deliver(E& from, std::uint32_t rank, btl::Head head, const void* data, std::size_t size) noexcept {
    alignas(8) unsigned char header[btl::kMaxHeader];
    if (head.size != 0) std::memcpy(header, head.bytes, head.size);
    counts.add(static_cast<C>(btl::BaseCounter::kMessagesReceived));
    counts.add(static_cast<C>(btl::BaseCounter::kBytesReceived), size);
    return host_->handlers().deliver(
        {rank, head.tag, static_cast<std::uint8_t>(head.size), header, data, size, nullptr, this, &from});
  }
  /// The way to `rank` is broken, and ends with `status`: reports that, with `what` for people, unless it had
  /// ended before. Progress role, no lock held.
  void fail(E& endpoint, std::uint32_t rank, Errc status, const char* what) noexcept {
    if (!endpoint.end(status, false)) return;
    endpoint.close();
    char text[btl::kReasonSize];
    std::snprintf(text, sizeof text, "%s: the way to rank %u: %s", name_, rank, what);
    host_->rail_failed(rank, *this, endpoint, status, text);
  }

  Counters<C> counts;  // of the module

 protected:
  ~OneModule() = default;

  btl::Attributes attributes_{};  // of the module: for set_up to fill in

  /// Component::open: attributes, and what peers need to find us. The host is there.
  virtual Result<void> set_up() = 0;
  /// A whole peer that nobody has seen yet, or why there is none. Any thread, no lock held; may block.
  virtual Result<std::unique_ptr<E>> make(std::uint32_t rank) = 0;
  /// The end has begun: from here on no caller is taken in and no timer fires. What `part` and `end` still
  /// need stays open until the base's close() is done: a socket that serves all peers is unwatched only.
  virtual void shut() noexcept = 0;

  /// The peer, published and started: for a first send and for who calls.
  Result<E*> find_or_make(std::uint32_t rank) noexcept try {
    auto peer = peers_->get_or_make(rank, deadline_in(kPatience), [&] { return make(rank); });
    const Errc status = peer ? (*peer)->start() : Errc::kOk;
    if (status != Errc::kOk)
      return make_error(status, "the way to rank {} cannot be watched: {}", rank, to_text(status));
    return peer;
  } catch (const std::bad_alloc&) {
    return Error{Errc::kOutOfMemory, 0, "out of memory"};
  }
  /// Those that are published.
  const PeerTable<E>& peers() const noexcept { return *peers_; }

 private:
  static constexpr std::chrono::seconds kPatience{10};  // longest wait for another thread
  static constexpr std::chrono::seconds kParting{2};    // and, at the end, for peers that do not read

  bool all_parted() noexcept {
    bool all = true;
    const auto part = [&](E& peer) { all = peer.part() && all; };
    peers_->for_each(part);
    kept_.for_each(part);  // released, and perhaps with a word that found no room
    return all;
  }

  const char* const name_;
  const CounterInfo* const info_;
  btl::Host* host_ = nullptr;
  std::unique_ptr<PeerTable<E>> peers_;
  Kept<E> kept_;
};

}  // namespace hawser::peers
