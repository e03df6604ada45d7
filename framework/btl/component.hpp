// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "framework/btl/host.hpp"
#include "framework/btl/module.hpp"

namespace hawser::btl {

inline constexpr std::size_t kMaxRails = 64;  // endpoints that one component may answer for one peer
inline constexpr std::size_t kReasonSize = 256;

/// A component's answer for one peer: endpoints of all its modules that reach it, or a reason in words.
struct Reach {
  /// One way to the peer.
  struct Rail {
    Module* module;      // never null
    Endpoint* endpoint;  // the peer as that module sees it
  };
  std::size_t count = 0;    // 0: not reachable, see `reason`
  Rail rails[kMaxRails];    // the first `count`
  Errc status = Errc::kOk;  // why not: kUnreachable, kOutOfMemory, kTimedOut, ...; each is reported as itself
  char reason[kReasonSize] = {};  // zero-terminated; "" if reachable
};

/// One per plug-in and process. Parameters are resolved before it is created.
class Component {
 public:
  /// Builds the modules and publishes the modex blob. Not kOk: not used, with a reason for people.
  virtual Errc open(Host& host, char* why, std::size_t why_size) noexcept = 0;
  /// How many modules; only grows from open to close.
  virtual std::size_t module_count() const noexcept = 0;
  /// Module number `index`, below module_count.
  virtual Module& module(std::size_t index) noexcept = 0;

  /// The endpoints of ALL modules to one peer, built before any of them can be found by anybody, then
  /// published once. Idempotent: the same rails every time, until release_peer, or until the
  /// component itself says Host::rails_changed: then the new set, as whole as the first. Any thread; may
  /// block on the modex; never called, and never calls up, with a lock held.
  virtual void add_procs(std::uint32_t rank, Reach& reach) noexcept = 0;
  /// The peer is no longer used: pending descriptors complete with kShutdown, endpoints are freed once nobody
  /// can be inside. Does not wait for anything. To the peer it is a goodbye.
  virtual void release_peer(std::uint32_t rank) noexcept = 0;

  /// Polls; progress role only. How many messages, completions and connections it moved.
  virtual int progress() noexcept = 0;
  /// The process is about to block: arrange to be woken by a watched descriptor, then look once more.
  /// False: there is work, do not block. Progress role only.
  virtual bool arm() noexcept = 0;
  /// The process no longer blocks. Called after every arm, whatever it answered; `progress` may come before.
  virtual void disarm() noexcept = 0;

  /// Bytes handed over with kDone or kPending are on the wire or in the peer's hands: true once all are.
  /// Called repeatedly at the end, with progress in between.
  virtual bool flushed() noexcept = 0;
  /// Says goodbye to peers and closes. May wait for goodbyes to go out, with a deadline. No post and no
  /// progress comes after.
  virtual void close() noexcept = 0;

 protected:
  ~Component() = default;
};

}  // namespace hawser::btl
