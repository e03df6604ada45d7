// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "components/tcp/send_half.hpp"

#include <cerrno>

#include "components/tcp/context.hpp"
#include "components/tcp/frame.hpp"
#include "components/tcp/io.hpp"
#include "framework/base/clock.hpp"
#include "framework/base/copy.hpp"
#include "framework/base/unsent.hpp"

namespace hawser::tcp {
namespace {

using btl::Descriptor;
using btl::Posted;

constexpr std::size_t kInline = 512;               // data that is copied behind its header
constexpr std::size_t kGatherMost = 4096;          // largest frame that waits for others
constexpr std::size_t kGatherBytes = 16UL * 1024;  // so many, or so long, are worth a write
constexpr std::uint64_t kGatherNs = 10'000;
constexpr std::size_t kHoldMost = 128UL * 1024;   // largest message that is held back for the next ones
constexpr std::size_t kHoldBytes = 256UL * 1024;  // so much of them is worth a write

constexpr std::size_t kTurn =
    1 << 20;  // bytes that one connection writes before others, and reading, have a turn

void complete_all(Fifo<Descriptor>& done, Errc status) noexcept {
  assert_no_locks_held();
  while (Descriptor* descriptor = done.pop_front()) descriptor->on_complete(*descriptor, status);
}

}  // namespace

SendHalf::SendHalf(Context& context, Endpoint& endpoint, ModuleCounters& counters,
                   std::size_t largest) noexcept
    : host_(context.host),
      flusher_(context.flusher),
      endpoint_(endpoint),
      burst_gap_ns_(context.params.gather_gap_ns),
      counters_(counters),
      buffer_(kGatherBytes + largest) {}

void SendHalf::count_sent(std::size_t bytes) noexcept {
  counters_.add_shared(Counter::kMessagesSent);
  counters_.add_shared(Counter::kBytesSent, bytes);
}

Posted SendHalf::post(Descriptor& descriptor) noexcept {
  const std::size_t size = descriptor.data_size;
  if (HAWSER_UNLIKELY(!gate_.is_open())) {
    switch (gate_.enter(descriptor)) {
      case decltype(gate_)::Entry::kParked:
        count_sent(size);
        return Posted::kPending;
      case decltype(gate_)::Entry::kBroken:
        return Posted::kUnreachable;
      case decltype(gate_)::Entry::kPass:
        break;
    }
  }
  HotLock lock(mutex_);
  if (HAWSER_UNLIKELY(broken_)) return Posted::kUnreachable;
  Posted posted = Posted::kPending;
  const std::uint64_t now = now_ns();
  if (watching_room_ || !queue_.empty()) {
    place_ = Outgoing(descriptor).begin(place_);
    queue_.push_back(descriptor);
    if (held_ != 0) hold_next_locked(descriptor, now);
  } else if (descriptor.may_wait && may_hold_locked(size, now)) {
    hold_first_locked(descriptor, now);
  } else {
    posted = gather_locked(descriptor, now) ? Posted::kDone : write_first_locked(descriptor);
    if (posted == Posted::kUnreachable) return posted;
  }
  count_sent(size);
  return posted;
}

// Nothing is queued: as much as the socket takes goes out here and now, after what was gathered.
Posted SendHalf::write_first_locked(Descriptor& descriptor) {
  Outgoing out(descriptor);
  const Place next = out.begin(place_);
  IoResult result{};
  for (std::size_t turn = kTurn; turn != 0 && out.left() != 0; turn -= result.bytes) {
    iovec parts[kMaxPieces];
    std::size_t count = 0;
    if (!buffer_.empty()) parts[count++] = buffer_.waiting();
    count += out.gather(parts + count, kMaxPieces - count);
    result = send_some(fd_, parts, count, turn);
    if (result.what == Io::kAgain) break;
    if (result.what != Io::kMoved) {
      break_locked(result.error);
      return Posted::kUnreachable;  // a frame that was cut off is lost with its connection
    }
    out.advance(buffer_.advance(result.bytes));
  }
  place_ = next;
  last_ns_ = now_ns();
  if (out.left() == 0) return Posted::kDone;
  queue_.push_back(descriptor);
  wait_locked(result.what == Io::kAgain);
  return Posted::kPending;
}

Posted SendHalf::post_now(btl::Head head, const void* data, std::size_t size) noexcept {
  if (HAWSER_UNLIKELY(!gate_.is_open())) return Posted::kNoResource;
  alignas(8) unsigned char start[kFrameSize + btl::kMaxHeader + kInline];
  iovec parts[2] = {{start, kFrameSize + head.size}, {const_cast<void*>(data), size}};
  std::size_t count = size != 0 ? 2 : 1;
  copy_bytes(start + kFrameSize, head.bytes, head.size);  // a header may be empty
  if (size != 0 && size <= kInline) {                     // one piece costs the kernel less than two
    std::memcpy(start + kFrameSize + head.size, data, size);
    parts[0].iov_len += size;
    count = 1;
  }
  HotLock lock(mutex_);
  if (HAWSER_UNLIKELY(broken_)) return Posted::kUnreachable;
  if (!queue_.empty()) return Posted::kNoResource;
  const std::uint64_t now = head.may_wait ? now_ns() : last_ns_;  // only then anything follows from it
  if (head.may_wait && may_hold_locked(size, now)) return Posted::kNoResource;  // as a descriptor it is held
  const Frame frame = place_.frame(size, FrameKind::kMessage, head.tag, static_cast<std::uint8_t>(head.size));
  std::memcpy(start, &frame, sizeof frame);
  if (HAWSER_UNLIKELY(frame.pad != 0)) {  // long, so its data are not behind the header
    std::memset(start + kFrameSize + head.size, 0, frame.pad);
    parts[0].iov_len += frame.pad;
  }
  if (!gather_locked(parts, count, now, head.may_wait)) {
    if (watching_room_) return Posted::kNoResource;
    const Posted posted = write_now_locked(parts, count);
    if (HAWSER_UNLIKELY(posted != Posted::kDone)) return posted;
  }
  place_ = place_.after(frame);
  count_sent(size);
  return Posted::kDone;
}

// One write of a whole frame, after what was gathered.
Posted SendHalf::write_now_locked(const iovec* parts, std::size_t count) {
  iovec all[3];
  std::size_t used = 0;
  std::size_t total = 0;
  if (!buffer_.empty()) all[used++] = buffer_.waiting();
  for (std::size_t i = 0; i < count; ++i) {
    all[used++] = parts[i];
    total += parts[i].iov_len;
  }
  const IoResult result = send_some(fd_, all, used);
  if (result.what == Io::kError) {
    break_locked(result.error);
    return Posted::kUnreachable;
  }
  const std::size_t sent = result.what == Io::kMoved ? buffer_.advance(result.bytes) : 0;
  if (!buffer_.empty() || sent == 0) watch_room_locked(true);  // who is refused is woken when there is room
  if (HAWSER_UNLIKELY(sent == 0)) return Posted::kNoResource;
  last_ns_ = now_ns();
  if (HAWSER_UNLIKELY(sent < total) && !keep_rest_locked(parts, count, sent)) return Posted::kUnreachable;
  return Posted::kDone;
}

// A message that comes so soon after another is one of several: the first has gone, the others may share a
// write.
bool SendHalf::in_burst_locked(std::uint64_t now) {
  return now - last_ns_ < burst_gap_ns_ && flusher_.ready();
}

/// Takes a small message into the buffer, if others were sent just before, or if the socket is full. False:
/// it must be written.
bool SendHalf::gather_locked(const iovec* parts, std::size_t count, std::uint64_t now, bool may_wait) {
  if (!watching_room_ && !(may_wait && in_burst_locked(now))) return false;
  std::size_t total = 0;
  for (std::size_t i = 0; i < count; ++i) total += parts[i].iov_len;
  if (total > kGatherMost) return false;
  const bool first = buffer_.empty();
  if (!buffer_.append(parts, count)) return false;
  if (first) gathers_since_ns_ = now;
  last_ns_ = now;
  counters_.add_shared(Counter::kGathered);
  if (watching_room_) return true;
  if (buffer_.size() >= kGatherBytes || now - gathers_since_ns_ > kGatherNs) {
    flush_gathered_locked();
  } else {
    wait_locked(false);
    if (first) {
      g_unsent.store(true, std::memory_order_relaxed);
      flusher_.call();
    }
  }
  return true;
}

/// Whether a message that may wait is long, but not so long that it is worth a write by itself, and follows
/// others at once.
bool SendHalf::may_hold_locked(std::size_t size, std::uint64_t now) {
  return size > kGatherMost && size <= kHoldMost && !watching_room_ && in_burst_locked(now);
}

/// Nothing is queued: the descriptor waits for the next ones.
void SendHalf::hold_first_locked(Descriptor& descriptor, std::uint64_t now) {
  place_ = Outgoing(descriptor).begin(place_);
  queue_.push_back(descriptor);
  counters_.add_shared(Counter::kGathered);
  held_ = descriptor.data_size;
  gathers_since_ns_ = last_ns_ = now;
  wait_locked(false);
  g_unsent.store(true, std::memory_order_relaxed);
  flusher_.call();
}

/// One more is queued behind one that is held: they go if that is enough.
void SendHalf::hold_next_locked(const Descriptor& descriptor, std::uint64_t now) {
  if (watching_room_) return;
  counters_.add_shared(Counter::kGathered);
  held_ += descriptor.data_size;
  last_ns_ = now;
  if (!descriptor.may_wait || held_ >= kHoldBytes || now - gathers_since_ns_ > kGatherNs) write_held_locked();
}

/// All that waits, as far as the socket takes it.
void SendHalf::write_held_locked() {
  std::size_t turn = kTurn;
  while (waits_locked() && !watching_room_ && !broken_ && write_queue_locked(gone_, turn)) {
  }
}

/// For room in the socket, or for the next pass.
void SendHalf::wait_locked(bool full) {
  if (full) {
    counters_.add_shared(Counter::kShortWrites);
    watch_room_locked(true);
  } else if (!listed_) {
    listed_ = true;
    flusher_.add(endpoint_);
    host_.wake();  // whoever polls may sleep, and nothing else would end that
  }
}

bool SendHalf::gather_locked(Descriptor& descriptor, std::uint64_t now) {
  if (!descriptor.may_wait || descriptor.data_size > kGatherMost || !in_burst_locked(now)) return false;
  iovec parts[kMaxPieces];
  Outgoing out(descriptor);
  const Place next = out.begin(place_);
  const std::size_t count = out.gather(parts, kMaxPieces);
  if (count == kMaxPieces || !gather_locked(parts, count, now, true)) return false;
  place_ = next;
  return true;
}

SendHalf::Help SendHalf::help() noexcept {
  if (!mutex_.try_lock()) return {.more = true};
  Help help;
  help.wrote = waits_locked() && !watching_room_ && !broken_;
  write_held_locked();
  listed_ = help.more = waits_locked() && !watching_room_ && !broken_;
  help.look = !gone_.empty();
  mutex_.unlock();
  return help;
}

void SendHalf::complete_gone() noexcept {
  Fifo<Descriptor> done;
  {
    HotLock lock(mutex_);
    done = std::move(gone_);
  }
  complete_all(done, Errc::kOk);
}

// If the socket is full, the event loop tells when it has room.
void SendHalf::flush_gathered_locked() {
  while (!buffer_.empty() && !watching_room_ && !broken_) {
    iovec part = buffer_.waiting();
    const IoResult result = send_some(fd_, &part, 1);
    if (result.what == Io::kMoved) {
      buffer_.advance(result.bytes);
    } else if (result.what == Io::kAgain) {
      watch_room_locked(true);
    } else {
      break_locked(result.error);
    }
  }
}

// The progress role learns it when it looks, and buries the connection.
void SendHalf::break_locked(int error) {
  broken_ = true;
  write_error_.store(error, std::memory_order_release);
}

// The first `sent` bytes of the parts have gone, the others wait.
bool SendHalf::keep_rest_locked(const iovec* parts, std::size_t count, std::size_t sent) {
  counters_.add_shared(Counter::kShortWrites);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t gone = std::min(sent, parts[i].iov_len);
    const iovec rest{static_cast<unsigned char*>(parts[i].iov_base) + gone, parts[i].iov_len - gone};
    sent -= gone;
    if (buffer_.append(&rest, 1)) continue;
    break_locked(ENOMEM);
    return false;
  }
  watch_room_locked(true);
  return true;
}

bool SendHalf::flush() noexcept {
  std::size_t turn = kTurn;
  for (bool more = true; more;) {
    Fifo<Descriptor> done;
    {
      HotLock lock(mutex_);
      done = std::move(gone_);
      more = !broken_ && fd_ >= 0 && write_queue_locked(done, turn);
    }
    complete_all(done, Errc::kOk);
  }
  return turn != kTurn;
}

bool SendHalf::flush_listed() noexcept {
  {
    HotLock lock(mutex_);
    listed_ = false;
  }
  return flush();
}

// One write of as many queued messages as fit into it, and at most `turn` bytes, which is lessened by them.
// True: call again.
bool SendHalf::write_queue_locked(Fifo<Descriptor>& done, std::size_t& turn) {
  held_ = 0;
  if (!waits_locked()) {
    watch_room_locked(false);
    return false;
  }
  if (turn == 0) {  // the other connections, and what there is to read, come first
    if (!watching_room_) wait_locked(false);
    return false;
  }
  iovec parts[kMaxPieces];
  const IoResult result = send_some(fd_, parts, collect_locked(parts), turn);
  if (result.what == Io::kAgain) {
    wait_locked(true);
    return false;
  }
  if (result.what != Io::kMoved) {
    break_locked(result.error);
    return false;
  }
  turn -= result.bytes;
  advance_locked(result.bytes, done);
  return true;
}

std::size_t SendHalf::collect_locked(iovec* parts) {
  std::size_t used = 0;
  if (!buffer_.empty()) parts[used++] = buffer_.waiting();
  for (Descriptor* at = queue_.front(); at && used < kMaxPieces; at = at->next) {
    used += Outgoing(*at).gather(parts + used, kMaxPieces - used);
  }
  return used;
}

void SendHalf::advance_locked(std::size_t bytes, Fifo<Descriptor>& done) {
  bytes = buffer_.advance(bytes);
  while (bytes != 0) {
    Descriptor& front = *queue_.front();
    bytes = Outgoing(front).advance(bytes);
    if (Outgoing(front).left() != 0) return;
    queue_.pop_front();
    done.push_back(front);
  }
}

}  // namespace hawser::tcp
