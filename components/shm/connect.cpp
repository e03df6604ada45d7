// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstring>

#include "components/shm/component.hpp"
#include "components/shm/params.hpp"
#include "components/shm/single_copy.hpp"
#include "framework/base/hooks.hpp"
#include "framework/btl/peer_facts.hpp"

// First contact with a peer: everything that can fail comes first; the announcement, which the peer can see,
// last.

namespace hawser::shm {

namespace {

Error about(std::uint32_t rank, const Error& error) {
  return Error{error.code, error.sys_errno, fmt::format("rank {}: {}", rank, error.text)};
}

}  // namespace

Result<std::unique_ptr<Endpoint>> Component::connect(std::uint32_t rank) {
  if (auto old = revive(rank)) {
    if (old->status.load() != Errc::kOk) {
      const Errc why = old->status.load();
      retired_.add(std::move(old));
      return make_error(why, "rank {}: the way to it failed before: {}", rank, to_text(why));
    }
    return old;
  }
  if (auto proc = btl::local_proc(*host_, rank); !proc) return proc.error();
  const auto blob = blob_of(rank);
  if (!blob) return about(rank, blob.error());
  auto peer = std::make_unique<Endpoint>(*this, rank, *blob);
  if (auto attached = attach(*peer); !attached) return about(rank, attached.error());
  try_single_copy(*peer);
  module_.count(Counter::kPeersConnected);
  return peer;
}

Result<Blob> Component::blob_of(std::uint32_t rank) {
  unsigned char bytes[kMaxBlob];
  std::size_t size = 0;
  const Errc status = host_->modex_get(rank, kBlobKey, bytes, sizeof bytes, &size);
  if (status == Errc::kNotFound) {
    return make_error(Errc::kUnreachable,
                      "it published no shm address: shm is not selected there, or could not open");
  }
  if (status != Errc::kOk) return make_error(status, "its shm address is not to be had: {}", to_text(status));
  auto blob = read_blob(bytes, size);
  if (blob && blob->rings != host_->job().size) {
    return make_error(Errc::kProtocol, "it has room for {} ranks, the job has {}", blob->rings,
                      host_->job().size);
  }
  return blob;
}

// The process is pinned first: if what we open afterwards carries the right incarnation, it is of that
// process.
Result<void> Component::attach(Endpoint& peer) {
  const std::uint32_t own = host_->job().rank;
  peer.process.reset(static_cast<int>(::syscall(SYS_pidfd_open, peer.blob.pid, 0)));
  if (!peer.process && errno == ESRCH)
    return make_error(Errc::kPeerGone, "process {} is gone", peer.blob.pid);
  // ENOSYS: a kernel before 5.3, or a tool that runs us. Then only the launcher sees the peer die.
  if (!peer.process && errno != ENOSYS)
    return system_error(fmt::format("watching process {}", peer.blob.pid), errno);
  auto segment = PeerSegment::open(peer.blob, own);
  if (!segment) return segment.error();
  peer.segment = std::move(*segment);
  auto doorbell = open_doorbell(peer.blob.pid, peer.blob.doorbell);
  if (!doorbell) return doorbell.error();
  peer.doorbell = std::move(*doorbell);
  peer.light = heavy_barriers_ && peer.segment.header().heavy_barriers != 0;
  {
    HotLock lock(peer.mutex);
    peer.ring.open(peer.segment.ring(), peer.blob.shape);
  }
  if (auto watched = watch_process(peer); !watched) return watched;
  peer.segment.ring().control->sender = {incarnation_, static_cast<std::uint32_t>(::getpid()),
                                         doorbell_.published(), heavy_barriers_};
  HAWSER_HOOK("shm.before_announce");
  if (peer.segment.announce(own)) return {};
  host_->unwatch(peer.process.get());
  return make_error(Errc::kProtocol, "another process sends to it as rank {} already", own);
}

Result<void> Component::watch_process(Endpoint& peer) {
  if (!peer.process) return {};
  const Errc status = host_->watch(peer.process.get(), EPOLLIN, &process_ended, &peer);
  if (status != Errc::kOk) return make_error(status, "its process cannot be watched: {}", to_text(status));
  return {};
}

// A peer that was released and comes back goes on with the ring where it was left.
std::unique_ptr<Endpoint> Component::revive(std::uint32_t rank) {
  std::unique_ptr<Endpoint> old = retired_.take([&](const Endpoint& peer) { return peer.rank == rank; });
  if (!old || old->status.load() != Errc::kShutdown) return old;
  old->status.store(watch_process(*old) ? Errc::kOk : Errc::kSystem);
  return old;
}

// Copying through keeps a core busy at each end, and beats the system call by far; where ranks take turns on
// a core, one copy by one of them is better.
void Component::try_single_copy(Endpoint& peer) noexcept {
  const bool take_turns = host_->job().local_size > host_->job().cores;
  const bool automatic = std::strcmp(g_params.single_copy, "auto") == 0;
  if (automatic ? !take_turns : std::strcmp(g_params.single_copy, "cma") != 0) return;
  const bool works = probe_memory(peer.blob.pid, peer.blob.probe_address, peer.blob.incarnation);
  peer.single_copy.store(works, std::memory_order_relaxed);
  if (!works) module_.count(Counter::kSingleCopyDenied);
}

}  // namespace hawser::shm
