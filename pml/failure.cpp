// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <new>

#include "pml/impl.hpp"

namespace hawser::pml {

namespace {

thread_local std::string t_last_error;

// A peer that died is reported by the launcher, which knows how; only if it does not end the job does the
// failure reach the operations.
constexpr std::uint64_t kLauncherFirstNs = 1'000'000'000;
constexpr std::uint64_t kReportWithinNs = 1'000'000'000;  // after a failed message, a transport's own words
constexpr std::uint64_t kTellAgainNs = 20'000'000;
constexpr const char* kNoRail = "no way to it is left, and no transport says why";
constexpr const char* kNoWords = "why is not known: there was no memory to keep the words";

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

const char* PmlImpl::keep_text(const std::string& text) noexcept try {
  Lock lock(texts_mutex);
  return texts.insert(text).first->c_str();
} catch (const std::bad_alloc&) {
  return kNoWords;
}

void PmlImpl::note_error(std::string_view text) noexcept try {
  t_last_error = text;
} catch (const std::bad_alloc&) {
  t_last_error.clear();  // better none than that of another error
}

/// Every operation with that peer ends with `status`, soon and in the progress role, which alone writes to
/// receives under way; the first report counts. False: this is not the first.
bool PmlImpl::peer_failed(std::uint32_t rank, Errc status, const char* text) noexcept {
  if (reported[rank].exchange(true, std::memory_order_acq_rel)) return false;
  const char* words = kNoWords;
  try {
    words = keep_text(fmt::format("rank {} lost rank {}: {}", runtime.job().rank, rank, text));
  } catch (const std::bad_alloc&) {  // without them, then
  }
  end_all_with(rank, status, words);
  return true;
}

/// By this rank alone: the way to the peer is whole, and so it would wait for ever if it were not told.
void PmlImpl::give_up_peer(std::uint32_t rank, Errc status, const char* text) noexcept {
  if (!peer_failed(rank, status, text)) return;
  untold[rank].store(status, std::memory_order_release);
  tell_timer.set(now_ns());
}

/// Of the timer. Where there is no room for it now, later: nothing is allocated for that.
void PmlImpl::tell_given_up() noexcept {
  bool more = false;
  for (std::uint32_t rank = 0; rank < runtime.job().size; ++rank) {
    const Errc why = untold[rank].load(std::memory_order_acquire);
    if (why == Errc::kOk) continue;
    if (tell_given_up(rank, why)) {
      untold[rank].store(Errc::kOk, std::memory_order_relaxed);
    } else {
      more = true;
    }
  }
  if (more) tell_timer.set(now_ns() + kTellAgainNs);
}

/// False: there is no room.
bool PmlImpl::tell_given_up(std::uint32_t rank, Errc why) noexcept {
  auto met = bml.peer(rank);
  if (!met) return true;  // it hears of it as far as the transports can tell
  const GivenUpHeader header{why == Errc::kOutOfMemory ? 1u : 0u, 0};
  return bml.sendi(**met, {&header, sizeof header, kTagGivenUp}, nullptr, 0) != btl::Posted::kNoResource;
}

void PmlImpl::given_up_by(std::uint32_t rank, const GivenUpHeader& header) noexcept {
  peer_failed(rank, Errc::kPeerGone,
              header.no_memory == 1 ? "it has no memory for a message, and gave the way to us up"
                                    : "it gave the way to us up");
}

/// There is no way to that rank: what waits for it would wait for ever.
void PmlImpl::peer_not_met(std::uint32_t rank, const Error& error) noexcept {
  if (reported[rank].exchange(true, std::memory_order_acq_rel)) return;
  end_all_with(rank, error.code, keep_text(error.text));
}

void PmlImpl::end_all_with(std::uint32_t rank, Errc status, const char* words) noexcept {
  const std::uint64_t due = now_ns() + (status == Errc::kPeerGone ? kLauncherFirstNs : 0);
  {
    Lock lock(texts_mutex);
    reports[rank] = {due, words, status, true};
  }
  report_timer.set(due);
}

/// A message to that peer failed with `status`. If no transport says why (a peer that said goodbye is no
/// failure to it), the peer is given up without its words, so that nothing waits for ever.
void PmlImpl::expect_report(std::uint32_t rank, Errc status) noexcept {
  const std::uint64_t due = now_ns() + kReportWithinNs;
  const bool no_rail = status == Errc::kUnreachable;
  {
    Lock lock(texts_mutex);
    if (reports[rank].due_ns != 0) return;  // soon all of that peer's end anyway
    reports[rank] = {due, no_rail ? kNoRail : to_text(status), no_rail ? Errc::kPeerGone : status, false};
  }
  report_timer.set(due);
}

/// Of the timer. What is due now; what is not, later.
void PmlImpl::tell_reports() noexcept {
  const std::uint64_t now = now_ns();
  for (std::uint32_t rank = 0; rank < runtime.job().size; ++rank) {
    PeerReport report;
    {
      Lock lock(texts_mutex);
      report = reports[rank];
      if (report.due_ns != 0 && report.due_ns <= now) reports[rank] = {};
    }
    if (report.due_ns == 0) continue;
    if (report.due_ns > now) {
      report_timer.set(report.due_ns);
    } else if (report.is_final) {
      fail_all_with(rank, report.status, report.why);
    } else {
      peer_failed(rank, report.status, report.why);
    }
  }
}

/// Of a receive that is in no table any more.
void PmlImpl::end_failed(ReceiveRequest& receive, Errc status, const char* why) noexcept {
  receive.result().error = status;
  receive.result().why = why;
  receive.over = true;
  if (receive.placed == 0) receive.finish();  // else with the last slice that is being read
}

/// Some at a time: nothing is allocated here, and to end one the channel's lock must be free.
void PmlImpl::end_posted_of(Channel& channel, std::uint32_t rank, Errc status, const char* why) noexcept {
  const auto concerned = [&](const ReceiveRequest& receive) {
    if (receive.want_source != kAnySource)
      return channel.world_ranks[static_cast<std::size_t>(receive.want_source)] == rank;
    const auto& members = channel.world_ranks;
    return std::find(members.begin(), members.end(), rank) != members.end();
  };
  std::array<ReceiveRequest*, 64> some;
  std::size_t count = 0;
  do {
    count = channel.unpost_where(concerned, some.data(), some.size());
    for (std::size_t i = 0; i < count; ++i) end_failed(*some[i], status, why);
  } while (count == some.size());
}

void PmlImpl::fail_all_with(std::uint32_t rank, Errc status, const char* why) noexcept {
  failed_why[rank].store(why, std::memory_order_release);
  any_failed.store(true, std::memory_order_release);
  const auto concerned = [rank](const Operation& operation) { return operation.peer_rank == rank; };
  for (std::uint32_t from = 0; SendRequest* send = sends.take_next(from, concerned);)
    send->part_ended(status);
  for (std::uint32_t from = 0; ReceiveRequest* receive = receives.take_next(from, concerned);)
    end_failed(*receive, status, why);
  // A receive from anybody may have waited for the one that is gone: it ends too, so that nobody hangs.
  for (auto& slot : pages) {
    Page* page = slot.load(std::memory_order_acquire);
    if (!page) continue;
    for (auto& entry : *page) {
      Channel* channel = entry.load(std::memory_order_acquire);
      if (!channel) continue;
      end_posted_of(*channel, rank, status, why);
    }
  }
  runtime.engine().completed();  // for those who wait in a probe
}

}  // namespace hawser::pml
