// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include <chrono>

#include "pml/impl.hpp"

namespace hawser::pml {

namespace {

thread_local std::string t_last_error;

// A peer that died is reported by the launcher, which knows how; only if it does not end the job does the
// failure reach the operations.
constexpr std::uint64_t kLauncherFirstNs = 1'000'000'000;

struct Later {
  PmlImpl* pml;
  std::uint32_t rank;
  Errc status;
  const char* why;
};

}  // namespace

const std::string& Pml::last_error() noexcept {
  return t_last_error;
}

const char* PmlImpl::keep_text(const std::string& text) {
  Lock lock(texts_mutex);
  return texts.insert(text).first->c_str();
}

void PmlImpl::note_error(std::string text) noexcept {
  t_last_error = std::move(text);
}

/// Every operation with that peer ends with `status`, now or soon; the first report counts.
void PmlImpl::peer_failed(std::uint32_t rank, Errc status, const char* text) noexcept {
  const char* words = keep_text(fmt::format("rank {} lost rank {}: {}", runtime.job().rank, rank, text));
  const char* expected = nullptr;
  if (!failed_why[rank].compare_exchange_strong(expected, words, std::memory_order_acq_rel)) return;
  any_failed.store(true, std::memory_order_release);
  if (status != Errc::kPeerGone) return fail_all_with(rank, status, words);
  runtime.call_at(
      now_ns() + kLauncherFirstNs,
      [](void* context) noexcept {
        std::unique_ptr<Later> later(static_cast<Later*>(context));
        later->pml->fail_all_with(later->rank, later->status, later->why);
      },
      new Later{this, rank, status, words});
}

void PmlImpl::fail_all_with(std::uint32_t rank, Errc status, const char* why) noexcept {
  const auto end = [&](ReceiveRequest& receive) {
    receive.result().error = status;
    receive.result().why = why;
    receive.finish();
  };
  for (std::uint64_t id : sends.ids_where([&](SendRequest& send) { return send.peer_rank == rank; })) {
    if (SendRequest* send = sends.take(id)) send->part_ended(status);
  }
  for (std::uint64_t id :
       receives.ids_where([&](ReceiveRequest& receive) { return receive.peer_rank == rank; })) {
    if (ReceiveRequest* receive = receives.take(id)) end(*receive);
  }
  // A receive from anybody may have waited for the one that is gone: it ends too, so that nobody hangs.
  for (auto& slot : pages) {
    Page* page = slot.load(std::memory_order_acquire);
    if (!page) continue;
    for (auto& entry : *page) {
      Channel* channel = entry.load(std::memory_order_acquire);
      if (!channel) continue;
      const auto concerned = [&](ReceiveRequest& receive) {
        if (receive.want_source != kAnySource)
          return channel->world_ranks[static_cast<std::size_t>(receive.want_source)] == rank;
        for (std::uint32_t member : channel->world_ranks) {
          if (member == rank) return true;
        }
        return false;
      };
      for (ReceiveRequest* receive : channel->unpost_where(concerned)) end(*receive);
    }
  }
  runtime.engine().completed();  // for those who wait in a probe
}

}  // namespace hawser::pml
