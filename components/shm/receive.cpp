// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>

#include "components/shm/component.hpp"
#include "framework/base/copy.hpp"

namespace hawser::shm {

namespace {

// Of one sender a pass, so that the others, and what we send, get their turn.
constexpr int kBurst = 64;       // messages and pieces
constexpr int kBurstPieces = 8;  // pieces of long messages

}  // namespace

int Component::progress() noexcept {
  int moved = 0;
  if (HAWSER_UNLIKELY(segment_.header().announced.load(std::memory_order_relaxed) != announced_seen_)) {
    moved += adopt_senders();
  }
  for (auto& inbound : inbound_) {
    if (inbound->ring.ready()) {
      moved += take(*inbound);
    } else if (HAWSER_UNLIKELY(inbound->ring.owes())) {
      settle(*inbound);
    }
  }
  if (HAWSER_UNLIKELY(sending_count_.load(std::memory_order_relaxed) != 0)) moved += send_waiting();
  if (HAWSER_UNLIKELY(any_shut_)) purge_shut();
  if (HAWSER_UNLIKELY(failures_.load(std::memory_order_relaxed))) moved += report_failures();
  return moved;
}

// Where short messages go to and fro, the line of the answer is asked for while it is being made: the peer
// looks at it, and until it is ours it takes a way there and back. Not near, where that is as short as the
// making.
HAWSER_INLINE void Component::expect_answer(Inbound& inbound) noexcept HAWSER_NO_ANALYSIS {
  if (HAWSER_UNLIKELY(!inbound.peer)) meet_peer(inbound);
  if (HAWSER_UNLIKELY(!inbound.peer) || g_many_threads) return;
  RingSender& back = inbound.peer->ring;
  const bool answered = std::exchange(inbound.answered_at, back.sent()) != back.sent();
  if (answered && inbound.ring.ready_in_slot() && !back.distance().near()) back.fetch_next();
}

// From now on each finds the other.
void Component::meet_peer(Inbound& inbound) noexcept {
  inbound.peer = peers_->find(inbound.rank);
  if (inbound.peer) inbound.peer->inbound = &inbound;
}

// A look takes the line away from the sender, who is about to write it. So between two looks there is a pause
// of about a line's way: 25 ns near, 75 ns far.
std::ptrdiff_t Component::take_expected(Inbound& inbound, btl::Head head, void* memory, std::size_t room,
                                        unsigned looks) noexcept HAWSER_NO_ANALYSIS {
  const bool near = inbound.peer->ring.distance().near();
  RingReceiver& ring = inbound.ring;
  RingReceiver::Data data;
  if (!ring.finds(head, room, looks, near ? 1 : 3, data)) return -1;
  if (!near) expect_answer(inbound);
  copy_bytes(memory, data.bytes, data.size);
  ring.advance();
  module_.count_own(Counter::kMessagesReceived);
  module_.count_own(Counter::kBytesReceived, data.size);
  if (ring.owes_bytes() && !ring.ready()) ring.tell();  // see take
  if (HAWSER_UNLIKELY(ring.take_news())) tell_sender(inbound);
  return static_cast<std::ptrdiff_t>(data.size);
}

int Component::take(Inbound& inbound) noexcept {
  expect_answer(inbound);
  btl::Message message;
  message.rank = inbound.rank;
  int moved = 0;
  int pieces = 0;
  std::uint64_t bytes = 0;
  while (moved < kBurst && pieces < kBurstPieces) {
    const RingReceiver::Look look = inbound.ring.look(message);
    if (look == RingReceiver::Look::kEmpty) break;
    if (HAWSER_UNLIKELY(look != RingReceiver::Look::kMessage)) {
      if (!take_piece(inbound, look, message)) return moved;
      ++pieces;
    } else if (HAWSER_UNLIKELY(!handlers_->deliver(message))) {
      drop_broken(inbound, Errc::kProtocol);
      return moved;
    } else {
      bytes += message.size;
    }
    inbound.ring.advance();
    ++moved;
  }
  module_.count_own(Counter::kMessagesReceived, static_cast<std::uint64_t>(moved - pieces));
  module_.count_own(Counter::kBytesReceived, bytes);
  // It ran dry, and the room may be needed as a whole. A few slots are not: that they are free is said at the
  // next look, when nobody waits for what has come.
  if (moved < kBurst && inbound.ring.owes_bytes()) inbound.ring.tell();
  if (inbound.ring.take_news()) tell_sender(inbound);
  return moved;
}

void Component::settle(Inbound& inbound) noexcept {
  inbound.ring.tell();
  if (inbound.ring.take_news()) tell_sender(inbound);
}

// False: the ring is given up.
bool Component::take_piece(Inbound& inbound, RingReceiver::Look look, const btl::Message& piece) noexcept {
  Assembly& message = inbound.assembly;
  if (look == RingReceiver::Look::kFirst) {
    message.drop(*handlers_);  // the sender gave it up half-way, and came back
    if (inbound.ring.total() > kLargestMessage || !handlers_->entries[piece.tag].deliver) {
      look = RingReceiver::Look::kBroken;
    } else if (!begin(inbound, piece)) {
      drop_broken(inbound, Errc::kOutOfMemory);
      return false;
    }
  }
  const bool good = look != RingReceiver::Look::kBroken && message.add(piece.data, piece.size);
  if (!good) {
    drop_broken(inbound, Errc::kProtocol);
    return false;
  }
  if (!message.whole()) return true;
  module_.count_own(Counter::kMessagesReceived);
  module_.count_own(Counter::kBytesReceived, message.size());
  message.deliver(*handlers_);
  return true;
}

bool Component::begin(Inbound& inbound, const btl::Message& piece) noexcept {
  btl::Message head = piece;
  head.data = nullptr;
  head.size = static_cast<std::size_t>(inbound.ring.total());
  if (Endpoint* peer = peers_->find(inbound.rank)) {
    head.module = &module_;
    head.endpoint = peer;
  }
  return inbound.assembly.begin(head, *handlers_);
}

// The exchange pairs with that in add_procs: a peer that is not to be found here yet fails there.
void Component::give_up(std::uint32_t rank, Errc status) noexcept {
  drop_arriving(rank);
  for (auto& inbound : inbound_) {
    if (inbound->rank == rank) inbound->ring.shut();
  }
  any_shut_ = true;
  Errc open = Errc::kOk;
  shut_[rank].compare_exchange_strong(open, status, std::memory_order_acq_rel);
  if (Endpoint* peer = peers_->find(rank)) fail(*peer, status);
}

// What that peer is just sending does not come to its end.
void Component::drop_arriving(std::uint32_t rank) noexcept {
  for (auto& inbound : inbound_) {
    if (inbound->rank == rank) inbound->assembly.drop(*handlers_);
  }
}

void Component::tell_sender(Inbound& inbound) noexcept {
  light_fence(inbound.light);
  if (ring_if_set(inbound.ring.control().both.want_room, inbound.doorbell.get())) {
    module_.count(Counter::kWakeupsSent);
  }
}

int Component::adopt_senders() noexcept {
  SegmentHeader& header = segment_.header();
  announced_seen_ = header.announced.load(std::memory_order_acquire);
  int found = 0;
  for (std::size_t word = 0; word < adopted_.size(); ++word) {
    std::uint64_t fresh = header.attached[word].load(std::memory_order_acquire) & ~adopted_[word];
    adopted_[word] |= fresh;
    for (; fresh != 0; fresh &= fresh - 1, ++found) {
      adopt(static_cast<std::uint32_t>(word * 64) + static_cast<std::uint32_t>(std::countr_zero(fresh)));
    }
  }
  return found + hear_of_given_up();
}

int Component::hear_of_given_up() noexcept {
  int heard = 0;
  for (auto& inbound : inbound_) {
    if (inbound->ring.control().given_up.load(std::memory_order_acquire) == 0) continue;
    take_rest(*inbound);
    give_up(inbound->rank, Errc::kPeerGone);
    ++heard;
  }
  return heard;
}

// What lies in the ring of one that sends no more. If it sends all the same: not more than there can lie.
void Component::take_rest(Inbound& inbound) noexcept {
  std::uint32_t taken = 0;
  while (taken < shape_.slots && inbound.ring.ready()) {  // shut, it looks empty
    taken += static_cast<std::uint32_t>(take(inbound));
  }
}

void Component::adopt(std::uint32_t rank) noexcept try {
  if (rank >= host_->job().size) return;                                 // a bit that no rank has
  if (shut_[rank].load(std::memory_order_relaxed) != Errc::kOk) return;  // given up before it came
  auto inbound = std::make_unique<Inbound>();
  inbound->rank = rank;
  inbound->ring.open(segment_.ring(rank), shape_);
  RingControl& control = inbound->ring.control();
  const SenderLine sender = control.sender;
  inbound->light = heavy_barriers_ && sender.heavy_barriers == 1;
  if (auto doorbell = open_doorbell(sender.pid, sender.doorbell)) {
    inbound->doorbell = std::move(*doorbell);
    control.receiver.wakeable.store(1, std::memory_order_release);
  }
  inbound_.push_back(std::move(inbound));
  module_.count_own(Counter::kRingsAdopted);
} catch (const std::bad_alloc&) {
  if (peers_->find(rank)) return give_up(rank, Errc::kOutOfMemory);
  // There is no rail yet whose end would tell anybody: the next pass tries again.
  adopted_[rank / 64] &= ~(std::uint64_t{1} << rank % 64);
  --announced_seen_;
}

// The sender broke the rules, or its memory is damaged: its rail goes, nothing else.
void Component::drop_broken(Inbound& inbound, Errc status) noexcept {
  module_.count_own(Counter::kRingsBroken);
  give_up(inbound.rank, status);
  if (!peers_->find(inbound.rank)) log_lost_stranger(inbound, status);
}

// There is no rail whose end would be reported, until this rank meets the sender.
void Component::log_lost_stranger(Inbound& inbound, Errc status) noexcept {
  if (!host_->logs(btl::LogLevel::kError)) return;
  char text[btl::kReasonSize];
  std::snprintf(text, sizeof text, "rank %u, process %u: %s; nothing more is taken from it", inbound.rank,
                inbound.ring.control().sender.pid, what_happened(inbound.rank, status));
  host_->log(btl::LogLevel::kError, "shm", text);
}

void Component::purge_shut() noexcept {
  any_shut_ = false;
  std::erase_if(inbound_, [this](const auto& inbound) {
    if (shut_[inbound->rank].load(std::memory_order_relaxed) == Errc::kOk) return false;
    if (inbound->peer) inbound->peer->inbound = nullptr;
    return true;
  });
}

}  // namespace hawser::shm
