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
constexpr std::uint64_t kReportWithinNs = 1'000'000'000;  // after a failed message, a transport's own words

}  // namespace

const std::string& Pml::last_error() noexcept {
  return t_last_error;
}

bool Pml::any_failed() const noexcept {
  return impl_->any_failed.load(std::memory_order_acquire);
}

const char* Pml::why_failed(std::uint32_t world_rank) const noexcept {
  return impl_->why_failed(world_rank);
}

const char* PmlImpl::keep_text(const std::string& text) {
  Lock lock(texts_mutex);
  return texts.insert(text).first->c_str();
}

void PmlImpl::note_error(std::string text) noexcept {
  t_last_error = std::move(text);
}

/// Every operation with that peer ends with `status`, soon and in the progress role, which alone writes to
/// receives under way; the first report counts.
void PmlImpl::peer_failed(std::uint32_t rank, Errc status, const char* text) noexcept {
  if (reported[rank].exchange(true, std::memory_order_acq_rel)) return;
  end_all_with(rank, status,
               keep_text(fmt::format("rank {} lost rank {}: {}", runtime.job().rank, rank, text)));
}

/// There is no way to that rank: what waits for it would wait for ever.
void PmlImpl::peer_not_met(std::uint32_t rank, const Error& error) noexcept {
  if (reported[rank].exchange(true, std::memory_order_acq_rel)) return;
  end_all_with(rank, error.code, keep_text(error.text));
}

void PmlImpl::end_all_with(std::uint32_t rank, Errc status, const char* words) noexcept {
  auto report = std::make_unique<PeerReport>(PeerReport{this, rank, status, words});
  PeerReport* const context = report.get();
  {
    Lock lock(texts_mutex);
    reports.push_back(std::move(report));
  }
  runtime.call_at(
      now_ns() + (status == Errc::kPeerGone ? kLauncherFirstNs : 0),
      [](void* what) noexcept {
        const auto& due = *static_cast<PeerReport*>(what);
        due.pml->fail_all_with(due.rank, due.status, due.why);
      },
      context);
}

/// A message to that peer failed with `status`. If no transport says why (a peer that said goodbye is no
/// failure to it), the peer is given up without its words, so that nothing waits for ever.
void PmlImpl::expect_report(std::uint32_t rank, Errc status) noexcept {
  PeerReport* context = nullptr;
  {
    Lock lock(texts_mutex);
    context =
        reports.emplace_back(std::make_unique<PeerReport>(PeerReport{this, rank, status, to_text(status)}))
            .get();
  }
  runtime.call_at(
      now_ns() + kReportWithinNs,
      [](void* what) noexcept {
        const auto& due = *static_cast<PeerReport*>(what);
        due.pml->peer_failed(due.rank, due.status, due.why);
      },
      context);
}

/// Of a receive that is in no table any more.
void PmlImpl::end_failed(ReceiveRequest& receive, Errc status, const char* why) noexcept {
  receive.result().error = status;
  receive.result().why = why;
  receive.over = true;
  if (receive.placed == 0) receive.finish();  // else with the last slice that is being read
}

void PmlImpl::fail_all_with(std::uint32_t rank, Errc status, const char* why) noexcept {
  failed_why[rank].store(why, std::memory_order_release);
  any_failed.store(true, std::memory_order_release);
  for (std::uint64_t id : sends.ids_where([&](SendRequest& send) { return send.peer_rank == rank; })) {
    if (SendRequest* send = sends.take(id)) send->part_ended(status);
  }
  for (std::uint64_t id :
       receives.ids_where([&](ReceiveRequest& receive) { return receive.peer_rank == rank; })) {
    if (ReceiveRequest* receive = receives.take(id)) end_failed(*receive, status, why);
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
      for (ReceiveRequest* receive : channel->unpost_where(concerned)) end_failed(*receive, status, why);
    }
  }
  runtime.engine().completed();  // for those who wait in a probe
}

}  // namespace hawser::pml
