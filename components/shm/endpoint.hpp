// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "components/shm/blob.hpp"
#include "components/shm/outbox.hpp"
#include "components/shm/segment.hpp"
#include "framework/base/spin_mutex.hpp"
#include "framework/btl/endpoint.hpp"

namespace hawser::shm {

class Component;
struct Inbound;

/// A peer: the ring in its segment that we fill, its doorbell, and whether its memory can be read. Complete
/// before it is published; after that only what is atomic or guarded changes. Memory of a released one is
/// kept until the component closes, so a post that is inside never meets a freed one.
class Endpoint final : public btl::Endpoint {
 public:
  Endpoint(Component& component, std::uint32_t rank, const Blob& blob) noexcept
      : component(component), rank(rank), blob(blob) {}

  bool alive() const noexcept { return status.load(std::memory_order_relaxed) == Errc::kOk; }

  Component& component;
  const std::uint32_t rank;
  const Blob blob;
  PeerSegment segment;
  Fd doorbell;
  Fd process;          // pidfd: readable once the process has ended
  bool light = false;  // see light_fence

  HotMutex<LockRank::kEndpoint> mutex;  // the sending half
  RingSender ring HAWSER_GUARDED_BY(mutex);
  Outbox outbox HAWSER_GUARDED_BY(mutex);
  bool buffer_allocated HAWSER_GUARDED_BY(mutex) = false;
  bool listed HAWSER_GUARDED_BY(mutex) = false;  // among those whose outbox the progress role empties

  Inbound* inbound = nullptr;  // the way here, once something came on it; the progress role's own

  std::atomic<Errc> status{Errc::kOk};   // kShutdown: released; else why the rail is gone
  std::atomic<bool> reported{false};     // rail_failed was called, or need not be
  std::atomic<bool> stalled{false};      // a post was refused since the last one that was not
  std::atomic<bool> single_copy{false};  // its memory can be read and written

  std::unique_ptr<Endpoint> next;  // see peers::Kept
};

}  // namespace hawser::shm
