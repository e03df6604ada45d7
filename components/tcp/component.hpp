// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "components/tcp/context.hpp"
#include "components/tcp/listener.hpp"
#include "components/tcp/offer.hpp"
#include "components/tcp/wireup.hpp"
#include "framework/btl/component.hpp"
#include "framework/interfaces/watch.hpp"
#include "framework/peers/kept.hpp"
#include "framework/peers/peer_table.hpp"

namespace hawser::tcp {

class Component final : public btl::Component, public InboundSink, public PeerNews {
 public:
  Component();
  ~Component();

  Errc open(btl::Host& host, char* why, std::size_t why_size) noexcept override;
  std::size_t module_count() const noexcept override { return offer_ ? offer_->modules().size() : 0; }
  btl::Module& module(std::size_t index) noexcept override { return offer_->modules()[index]; }
  void add_procs(std::uint32_t rank, btl::Reach& reach) noexcept override;
  void release_peer(std::uint32_t rank) noexcept override;
  int progress() noexcept override;
  bool arm() noexcept override;
  void disarm() noexcept override {}
  bool flushed() noexcept override;
  void close() noexcept override;

 private:
  Result<void> open_all(btl::Host& host);
  Result<std::vector<interfaces::Interface>> usable_interfaces(bool first);
  Result<Peer*> find_or_make(std::uint32_t rank);
  void on_hello(const Hello& hello, std::unique_ptr<Link> link, ModuleCounters& counters) noexcept override;
  Peer* up_to_date(const Hello& hello, Peer* peer) noexcept;
  void refuse(Link& link, Reply reply, const Hello& hello) noexcept;
  int serve_attention() noexcept;
  void say_goodbye() noexcept;
  void arm_silence_check() noexcept;
  void on_silence_check() noexcept;

  // changes.cpp: interfaces that come and go, peers that change
  void watch_interfaces();
  void on_interfaces_event() noexcept;
  void on_settled() noexcept;
  void adopt_interfaces() noexcept;
  void on_update(std::uint32_t rank, Blob blob) noexcept override;
  void on_doubt(std::uint32_t rank) noexcept override;
  void on_descriptors_short(bool callers_wait) noexcept override;
  void on_unsteady() noexcept override;
  bool reaches(std::uint32_t rank) const noexcept override;
  std::uint32_t known_generation(std::uint32_t rank) const noexcept override;
  int serve_news() noexcept;
  void give_back_descriptors() noexcept;
  void put_off_dials() noexcept;
  void catch_up(Peer& peer) noexcept;
  Peer* ask_again(Peer& peer) noexcept;
  Peer* rematch(Peer& old, std::shared_ptr<const Blob> theirs) noexcept;
  Peer* restart(Peer& old) noexcept;
  bool publish_instead(Peer& old, std::unique_ptr<Peer> next) noexcept;
  void keep(std::unique_ptr<Peer> peer) noexcept;

  // standby.cpp: rails that do not serve just now
  void steady_rails() noexcept;
  bool steady_rails(Peer& peer) noexcept;
  void revive_rails(Peer& old) noexcept;

  std::unique_ptr<Context> context_;
  std::unique_ptr<Acceptor> acceptor_;
  std::unique_ptr<Offer> offer_;
  std::unique_ptr<Wireup> wireup_;
  std::unique_ptr<peers::PeerTable<Peer>> peers_;
  std::uint64_t silence_timer_ = 0;

  std::optional<interfaces::Watch> watch_;
  std::uint64_t settle_timer_ = 0;
  std::uint64_t settles_ns_ = 0;                                  // when it ends
  std::uint64_t looked_ns_ = 0;                                   // when we looked last, after the first time
  std::map<std::uint32_t, std::shared_ptr<const Blob>> updates_;  // by rank, the newest
  std::set<std::uint32_t> doubts_;
  bool descriptors_short_ = false;
  bool callers_wait_ = false;
  bool unsteady_ = false;
  std::atomic<bool> news_{false};  // those above, or a peer that was made while our interfaces changed

  // Peers that were released or replaced stay until close: a thread may still be inside.
  peers::Kept<Peer> retired_;
};

}  // namespace hawser::tcp
