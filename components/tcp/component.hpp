// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "components/tcp/context.hpp"
#include "components/tcp/listener.hpp"
#include "components/tcp/module.hpp"
#include "components/tcp/wireup.hpp"
#include "framework/base/mutex.hpp"
#include "framework/btl/component.hpp"
#include "framework/peers/peer_table.hpp"

namespace hawser::tcp {

class Component final : public btl::Component, public InboundSink {
 public:
  Component();
  ~Component();

  Errc open(btl::Host& host, char* why, std::size_t why_size) noexcept override;
  std::size_t module_count() const noexcept override { return modules_.size(); }
  btl::Module& module(std::size_t index) noexcept override { return *modules_[index]; }
  void add_procs(std::uint32_t rank, btl::Reach& reach) noexcept override;
  void release_peer(std::uint32_t rank) noexcept override;
  int progress() noexcept override;
  bool arm() noexcept override;
  void disarm() noexcept override {}
  bool flushed() noexcept override;
  void close() noexcept override;

 private:
  Result<void> open_all(btl::Host& host);
  Result<void> listen_everywhere(const std::vector<interfaces::Interface>& selected);
  void add_modules(const interfaces::Interface& interface, std::size_t links);
  Result<Peer*> find_or_make(std::uint32_t rank);
  void on_hello(const Hello& hello, std::unique_ptr<Link> link, ModuleCounters& counters) noexcept override;
  void refuse(Link& link, Reply reply, const Hello& hello) noexcept;
  int serve_attention() noexcept;
  void say_goodbye() noexcept;
  void arm_silence_check() noexcept;
  void on_silence_check() noexcept;

  std::unique_ptr<Context> context_;
  Blob blob_;
  std::vector<std::unique_ptr<Module>> modules_;
  std::unique_ptr<Wireup> wireup_;
  std::unique_ptr<Acceptor> acceptor_;
  std::unique_ptr<peers::PeerTable<Peer>> peers_;
  std::uint64_t silence_timer_ = 0;

  // Released peers stay until close: a thread may still be inside one of their endpoints.
  Mutex<LockRank::kComponent> retired_mutex_;
  std::vector<std::unique_ptr<Peer>> retired_ HAWSER_GUARDED_BY(retired_mutex_);
};

}  // namespace hawser::tcp
