// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <deque>
#include <memory>
#include <string>
#include <unordered_map>

#include "components/fault/wrap_host.hpp"
#include "framework/base/mutex.hpp"
#include "framework/btl/abi.hpp"
#include "framework/btl/component.hpp"

// A component around another one, that changes nothing: each call is handed on, and what comes back names the
// modules and endpoints of the wrap. Derive from it to change one thing.

namespace hawser::wrap {

class Component;
class Module;

/// A peer as a wrapping module sees it.
class Endpoint : public btl::Endpoint {
 public:
  Endpoint(Module& its_module, btl::Endpoint& wrapped, std::uint32_t peer)
      : module(its_module), inner(wrapped), rank(peer) {}
  virtual ~Endpoint() = default;

  Module& module;
  btl::Endpoint& inner;
  const std::uint32_t rank;
  Endpoint* older = nullptr;  // that was made before this one
};

/// A module around another one.
class Module : public btl::Module, protected btl::Rdma {
 public:
  Module(Component& owner, btl::Module& wrapped);
  virtual ~Module() = default;

  btl::Module& inner() const noexcept { return inner_; }
  Component& owner() const noexcept { return owner_; }

  const char* name() const noexcept override { return name_.c_str(); }
  const btl::Attributes& attributes() const noexcept override { return inner_.attributes(); }
  btl::Posted sendi(btl::Endpoint& endpoint, btl::Head head, const void* data,
                    std::size_t size) noexcept override;
  btl::Posted send(btl::Endpoint& endpoint, btl::Descriptor& descriptor) noexcept override;
  void abandon(btl::Endpoint& endpoint) noexcept override;
  btl::Rdma* rdma(btl::Endpoint& endpoint) noexcept override;
  btl::CounterView counters() const noexcept override { return inner_.counters(); }

 protected:
  Errc register_memory(btl::Endpoint& endpoint, const void* base, std::size_t size,
                       btl::RemoteKey& key) noexcept override;
  void deregister_memory(btl::Endpoint& endpoint, const btl::RemoteKey& key) noexcept override;
  btl::Posted get(btl::Endpoint& endpoint, void* local, std::uint64_t remote, const btl::RemoteKey& key,
                  std::size_t size, btl::Descriptor& descriptor) noexcept override;
  btl::Posted put(btl::Endpoint& endpoint, const void* local, std::uint64_t remote, const btl::RemoteKey& key,
                  std::size_t size, btl::Descriptor& descriptor) noexcept override;

 private:
  btl::Rdma* inner_rdma(btl::Endpoint& endpoint) noexcept;

  Component& owner_;
  btl::Module& inner_;
  const std::string name_;
};

/// A component around another one, which the host finds by its name. Endpoints that were let go are kept
/// until the end: a thread may be inside.
class Component : public btl::Component {
 public:
  virtual ~Component();

  /// What the wrapped component gets as its host reports here.
  btl::Host& outer_host() const noexcept { return *outer_; }
  btl::Component& inner() const noexcept { return *inner_; }
  /// "fault", say: what the wrap is called.
  virtual const char* own_name() const noexcept = 0;

  Errc open(btl::Host& host, char* why, std::size_t why_size) noexcept override;
  std::size_t module_count() const noexcept override { return inner_->module_count(); }
  btl::Module& module(std::size_t index) noexcept override { return *module_of(inner_->module(index)); }
  void add_procs(std::uint32_t rank, btl::Reach& reach) noexcept override;
  void release_peer(std::uint32_t rank) noexcept override;
  int progress() noexcept override { return inner_->progress(); }
  bool arm() noexcept override { return inner_->arm(); }
  void disarm() noexcept override { inner_->disarm(); }
  bool flushed() noexcept override { return inner_->flushed(); }
  void close() noexcept override { inner_->close(); }

  // --- what the wrapped component says, on its way up
  virtual void deliver(const btl::Handler& handler, const btl::Message& message) noexcept;
  virtual bool place(const btl::Handler& handler, const btl::Message& head, btl::Placement& out) noexcept;
  virtual void abandon(const btl::Handler& handler, const btl::Message& head) noexcept;
  virtual void rail_failed(Endpoint& endpoint, Errc status, const char* text) noexcept;
  virtual void rails_changed(std::uint32_t rank) noexcept;

  /// The wrap of that endpoint, made if there is none yet. Null: no memory. Any thread.
  Endpoint* endpoint_of(std::uint32_t rank, btl::Module& module, btl::Endpoint& endpoint) noexcept;
  /// The message as it is told above: of our module and endpoint. Those that were not said stay so.
  btl::Message ours(const btl::Message& message) noexcept;

 protected:
  /// The component to wrap.
  virtual const char* target() const noexcept = 0;
  virtual std::unique_ptr<Module> make_module(btl::Module& wrapped);
  virtual std::unique_ptr<Endpoint> make_endpoint(Module& module, btl::Endpoint& wrapped, std::uint32_t rank);
  /// Of all endpoints there ever were the one that was made last; the others follow by `older`. Any thread.
  Endpoint* newest() const noexcept { return newest_.load(std::memory_order_acquire); }

 private:
  Module* module_of(btl::Module& wrapped) noexcept;
  Module& module_locked(btl::Module& wrapped) HAWSER_REQUIRES(mutex_);

  btl::Host* outer_ = nullptr;
  const hawser_btl_descriptor* plugin_ = nullptr;
  btl::Component* inner_ = nullptr;
  std::unique_ptr<HostView> view_;
  Mutex<LockRank::kComponent> mutex_;
  std::deque<std::unique_ptr<Module>> modules_ HAWSER_GUARDED_BY(mutex_);
  std::unordered_map<btl::Endpoint*, Endpoint*> endpoints_ HAWSER_GUARDED_BY(mutex_);  // not let go
  std::atomic<Endpoint*> newest_{nullptr};                                             // owns them all
};

}  // namespace hawser::wrap
