// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "components/tcp/receive_half.hpp"

#include <algorithm>
#include <cerrno>
#include <new>
#include <utility>

#include "components/tcp/blob.hpp"
#include "components/tcp/io.hpp"
#include "framework/base/cpu.hpp"
#include "framework/base/mutex.hpp"

namespace hawser::tcp {
namespace {

constexpr std::size_t kBufferSize = 64UL * 1024;
// While data goes straight to its destination, so much of what follows may come along: enough for the next
// frame and its header, little that would have to be copied.
constexpr std::size_t kReadAhead = 1024;
// Data that is missing by less is worth no call of `place`: it comes through the buffer.
constexpr std::size_t kPlaceFrom = 4096;
constexpr int kReadsPerTurn = 32;  // then other connections have a turn

}  // namespace

bool ReceiveHalf::start() noexcept {
  const bool there = take_buffer();
  leave_buffer();
  return there;
}

bool ReceiveHalf::take_buffer() noexcept {
  if (!buffer_) buffer_ = std::move(spare_);
  if (HAWSER_UNLIKELY(!buffer_)) buffer_.reset(new (std::nothrow) unsigned char[kBufferSize]);
  return buffer_ != nullptr;
}

// A page of it for each of many connections would be most of what they take.
void ReceiveHalf::leave_buffer() noexcept {
  if (HAWSER_UNLIKELY(spare_ != nullptr)) return buffer_.reset();
  spare_ = std::move(buffer_);
}

ReceiveHalf::Result ReceiveHalf::pump(int fd, int& moved, int tries) noexcept {
  if (HAWSER_UNLIKELY(!take_buffer())) {
    error_ = ENOMEM;
    return Result::kError;
  }
  pumping_ = true;
  pumped_ = 0;
  const Result result = read_some(fd, moved, tries);
  pumping_ = false;
  if (stopped_) {
    free_memory();
  } else if (begin_ == end_) {
    leave_buffer();
  }
  return result;
}

ReceiveHalf::Result ReceiveHalf::read_some(int fd, int& moved, int tries) noexcept {
  if (std::exchange(postponed_, false)) {
    const Result result = cut_all(moved);
    if (result != Result::kOk || stopped_) return result;
  }
  for (int turn = 0; turn < kReadsPerTurn; ++turn) {
    iovec parts[2];
    const std::size_t count = aim(parts);
    const std::size_t asked = parts[0].iov_len + (count > 1 ? parts[1].iov_len : 0);
    IoResult result = receive_some(fd, parts, count);
    while (result.what == Io::kAgain && --tries > 0) {
      cpu_relax();  // whoever brings bytes needs the socket's lock, too
      cpu_relax();
      result = receive_some(fd, parts, count);
    }
    drained_ = result.what == Io::kAgain;
    if (drained_) return Result::kOk;
    if (result.what == Io::kEof) return Result::kEof;
    if (result.what == Io::kError) {
      error_ = result.error;
      return Result::kError;
    }
    pumped_ += result.bytes;
    take(result.bytes, moved);
    const Result came = cut_all(moved);
    if (came != Result::kOk || stopped_ || postponed_) return came;  // stopped: the descriptor is closed
    if (result.bytes < asked) return Result::kOk;  // the socket is empty, or was a moment ago
  }
  return Result::kOk;
}

ReceiveHalf::Result ReceiveHalf::cut_all(int& moved) noexcept {
  Step step = Step::kMore;
  while (step == Step::kMore && !stopped_) step = cut_one(moved);
  if (stopped_) return Result::kOk;
  if (step == Step::kGoodbye) return Result::kGoodbye;
  if (step == Step::kRetire) return Result::kRetire;
  return step == Step::kBad ? Result::kBad : Result::kOk;
}

// Where the next bytes go. While a body is read, the buffer is empty.
std::size_t ReceiveHalf::aim(iovec* parts) noexcept {
  if (!in_body_) {
    compact();
    // After a large message comes another, as a rule: its data are not to be read into the buffer.
    const std::size_t most = frame_.size >= kBulk && end_ < kReadAhead ? kReadAhead : kBufferSize;
    parts[0] = {buffer_.get() + end_, most - end_};
    return 1;
  }
  parts[0] = {body_ + body_done_, static_cast<std::size_t>(frame_.size - body_done_)};
  parts[1] = {buffer_.get(), kReadAhead};
  return 2;
}

void ReceiveHalf::compact() noexcept {
  if (begin_ == end_) {
    begin_ = end_ = 0;
  } else if (begin_ != 0) {
    std::memmove(buffer_.get(), buffer_.get() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
}

void ReceiveHalf::take(std::size_t bytes, int& moved) noexcept {
  if (!in_body_) {
    end_ += bytes;
    return;
  }
  const auto wanted = static_cast<std::size_t>(frame_.size - body_done_);
  const std::size_t step = std::min(bytes, wanted);
  body_done_ += step;
  if (placed_) counters_.add(Counter::kPlacedBytes, step);
  begin_ = 0;
  end_ = bytes - step;
  if (body_done_ == frame_.size) finish_body(moved);
}

void ReceiveHalf::finish_body(int& moved) noexcept {
  in_body_ = false;
  void* placed = placed_;
  placed_ = nullptr;
  deliver(body_, placed);
  ++moved;
}

// Takes one message out of the buffer, or begins the reading of one that does not fit.
ReceiveHalf::Step ReceiveHalf::cut_one(int& moved) noexcept {
  if (in_body_ || end_ - begin_ < kFrameSize) return Step::kNeedBytes;
  Frame frame;
  std::memcpy(&frame, buffer_.get() + begin_, sizeof frame);
  if (!check(frame)) return Step::kBad;
  if (frame.kind == FrameKind::kGoodbye) return Step::kGoodbye;
  if (frame.kind == FrameKind::kRetire) {
    begin_ += kFrameSize;
    ++sequence_;
    return Step::kRetire;
  }
  const std::size_t start = head_size(frame);
  const std::size_t have = end_ - begin_;
  if (have < start) return Step::kNeedBytes;
  const std::size_t here = std::min<std::uint64_t>(have - start, frame.size);
  if (here < frame.size && frame.size - here < kPlaceFrom && start + frame.size <= kBufferSize)
    return Step::kNeedBytes;
  std::memcpy(header_, buffer_.get() + begin_ + kFrameSize, frame.header_size);
  frame_ = frame;
  if (here < frame.size) return begin_body(frame, here, moved != 0);
  ++sequence_;
  const unsigned char* data = buffer_.get() + begin_ + start;
  begin_ += start + here;
  deliver(data, nullptr);
  ++moved;
  return Step::kMore;
}

bool ReceiveHalf::check(const Frame& frame) noexcept {
  if (frame.sequence != sequence_) {
    bad_ = "a frame out of sequence";
  } else if (frame.kind < FrameKind::kMessage || frame.kind > FrameKind::kRetire) {
    bad_ = "a frame of unknown kind";
  } else if (frame.pad >= kAlignment || (frame.pad != 0 && frame.size < kAlignFrom)) {
    bad_ = "a frame that is padded for nothing";
  } else if (frame.kind == FrameKind::kUpdate && (frame.header_size != 0 || frame.size > kMaxBlob)) {
    bad_ = "addresses that are too long";
  } else if (frame.header_size > btl::kMaxHeader) {
    bad_ = "a header that is too long";
  } else if (frame.kind == FrameKind::kRetire && (frame.size != 0 || frame.header_size != 0)) {
    bad_ = "a frame with data where there is none";
  } else if (frame.kind != FrameKind::kUpdate && frame.size > largest_) {
    bad_ = "a message larger than it had said it would send";
  } else if (frame.kind == FrameKind::kMessage && !handlers_.entries[frame.tag].deliver) {
    bad_ = "a message with a tag that nobody handles";
  } else {
    return true;
  }
  return false;
}

// A large message that has no place yet may have one when whoever waited for those before it has had a look.
ReceiveHalf::Step ReceiveHalf::begin_body(const Frame& frame, std::size_t here, bool after_others) noexcept {
  const btl::Handler& handler = handlers_.entries[frame.tag];
  btl::Placement placement;
  assert_no_locks_held();
  const bool may_place = frame.kind == FrameKind::kMessage && handler.place;
  const bool is_placed = may_place && handler.place(handler.context, message(nullptr, nullptr), placement);
  postponed_ = may_place && !is_placed && after_others && frame.size >= kBulk && !stopped_;
  if (postponed_) return Step::kNeedBytes;
  ++sequence_;
  if (is_placed) {
    body_ = static_cast<unsigned char*>(placement.memory);
    placed_ = placement.cookie;
    counters_.add(Counter::kPlacedBytes, here);
  } else {
    if (own_body_size_ < frame.size) {
      own_body_.reset(new (std::nothrow) unsigned char[frame.size]);
      own_body_size_ = own_body_ ? frame.size : 0;
    }
    if (!own_body_) {
      bad_ = "a message for which there is no memory";
      return Step::kBad;
    }
    body_ = own_body_.get();
  }
  if (here != 0) std::memcpy(body_, buffer_.get() + begin_ + head_size(frame), here);
  body_done_ = here;
  begin_ = end_ = 0;
  in_body_ = true;
  if (stopped_) abandon();  // by the one who was asked for a place
  return Step::kNeedBytes;
}

btl::Message ReceiveHalf::message(const void* data, void* placed) const noexcept {
  return {rank_,  frame_.tag, frame_.header_size, header_, data, static_cast<std::size_t>(frame_.size),
          placed, module_,    endpoint_};
}

void ReceiveHalf::deliver(const void* data, void* placed) noexcept {
  if (frame_.kind == FrameKind::kUpdate) {
    counters_.add(Counter::kUpdatesReceived);
    updated_ = true;
    try {
      update_.assign(static_cast<const char*>(data), frame_.size);
    } catch (const std::bad_alloc&) {
      updated_ = false;  // the peer is asked again when a connection fails
    }
    return;
  }
  counters_.add(Counter::kMessagesReceived);
  counters_.add(Counter::kBytesReceived, frame_.size);
  assert_no_locks_held();
  handlers_.deliver(message(data, placed));
}

bool ReceiveHalf::take_update(std::string& bytes) noexcept {
  if (!updated_) return false;
  updated_ = false;
  bytes = std::move(update_);
  return true;
}

void ReceiveHalf::abandon() noexcept {
  stopped_ = true;
  if (in_body_ && placed_) {
    in_body_ = false;
    const btl::Message head = message(nullptr, std::exchange(placed_, nullptr));
    const btl::Handler& handler = handlers_.entries[frame_.tag];
    assert_no_locks_held();
    if (handler.abandon) handler.abandon(handler.context, head);
  }
  if (!pumping_) free_memory();
}

void ReceiveHalf::free_memory() noexcept {
  in_body_ = false;
  begin_ = end_ = 0;
  leave_buffer();
  own_body_.reset();
  own_body_size_ = 0;
}

}  // namespace hawser::tcp
