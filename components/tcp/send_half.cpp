// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "components/tcp/send_half.hpp"

#include <linux/sockios.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>

#include <cerrno>
#include <new>

#include "components/tcp/frame.hpp"
#include "components/tcp/io.hpp"

namespace hawser::tcp {
namespace {

using btl::Descriptor;
using btl::Posted;

void complete_all(Fifo<Descriptor>& done, Errc status) noexcept {
  assert_no_locks_held();
  while (Descriptor* descriptor = done.pop_front()) descriptor->on_complete(*descriptor, status);
}

// A descriptor of our own, gone when it is done.
struct Notice {
  explicit Notice(const std::string& text) : bytes(text) {
    piece = {bytes.data(), bytes.size()};
    descriptor.data = &piece;
    descriptor.data_count = 1;
    descriptor.data_size = bytes.size();
    descriptor.on_complete = [](Descriptor& self, Errc) noexcept { delete reinterpret_cast<Notice*>(&self); };
  }
  Descriptor descriptor;  // the first member
  std::string bytes;
  iovec piece{};
};

}  // namespace

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
  if (waits_locked()) {
    Outgoing(descriptor).begin(sequence_++);
    queue_.push_back(descriptor);
  } else {
    posted = write_first_locked(descriptor);
    if (posted == Posted::kUnreachable) return posted;
  }
  count_sent(size);
  return posted;
}

// The queue is empty: as much as the socket takes goes out here and now.
Posted SendHalf::write_first_locked(Descriptor& descriptor) {
  Outgoing out(descriptor);
  out.begin(sequence_);
  while (out.left() != 0) {
    iovec parts[kMaxPieces];
    const IoResult result = send_some(fd_, parts, out.gather(parts, kMaxPieces));
    if (result.what == Io::kAgain) break;
    if (result.what != Io::kMoved) {
      break_locked(result.error);
      return Posted::kUnreachable;  // a frame that was cut off is lost with its connection
    }
    out.advance(result.bytes);
    if (out.left() != 0) counters_.add_shared(Counter::kShortWrites);
  }
  ++sequence_;
  if (out.left() == 0) return Posted::kDone;
  queue_.push_back(descriptor);
  watch_room_locked(true);
  return Posted::kPending;
}

Posted SendHalf::post_now(btl::Head head, const void* data, std::size_t size,
                          std::size_t rest_room) noexcept {
  if (HAWSER_UNLIKELY(!gate_.is_open())) return Posted::kNoResource;
  alignas(8) unsigned char start[kFrameSize + btl::kMaxHeader];
  HotLock lock(mutex_);
  if (HAWSER_UNLIKELY(broken_)) return Posted::kUnreachable;
  if (waits_locked()) return Posted::kNoResource;
  const Frame frame{size, sequence_, FrameKind::kMessage, head.tag, static_cast<std::uint8_t>(head.size), 0};
  std::memcpy(start, &frame, sizeof frame);
  std::memcpy(start + kFrameSize, head.bytes, head.size);
  iovec parts[2] = {{start, kFrameSize + head.size}, {const_cast<void*>(data), size}};
  const std::size_t total = parts[0].iov_len + size;
  const IoResult result = send_some(fd_, parts, size ? 2 : 1);
  if (result.what == Io::kAgain) return Posted::kNoResource;
  if (HAWSER_UNLIKELY(result.what != Io::kMoved)) {
    break_locked(result.error);
    return Posted::kUnreachable;
  }
  ++sequence_;
  if (HAWSER_UNLIKELY(result.bytes < total)) {
    iovec rest[2] = {{start, kFrameSize + head.size}, {const_cast<void*>(data), size}};
    std::size_t gone = result.bytes;
    for (iovec& part : rest) {
      const std::size_t step = gone < part.iov_len ? gone : part.iov_len;
      part = {static_cast<unsigned char*>(part.iov_base) + step, part.iov_len - step};
      gone -= step;
    }
    if (!keep_rest_locked(rest, 2, rest_room)) return Posted::kUnreachable;
  }
  count_sent(size);
  return Posted::kDone;
}

// The progress role learns it when it looks, and buries the connection.
void SendHalf::break_locked(int error) {
  broken_ = true;
  write_error_.store(error, std::memory_order_release);
}

bool SendHalf::keep_rest_locked(const iovec* parts, std::size_t count, std::size_t room) {
  counters_.add_shared(Counter::kShortWrites);
  if (!rest_) rest_.reset(new (std::nothrow) unsigned char[room]);
  if (!rest_) {
    break_locked(ENOMEM);
    return false;
  }
  rest_size_ = rest_sent_ = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (parts[i].iov_len == 0) continue;
    std::memcpy(rest_.get() + rest_size_, parts[i].iov_base, parts[i].iov_len);
    rest_size_ += parts[i].iov_len;
  }
  watch_room_locked(true);
  return true;
}

void SendHalf::open(int fd) noexcept {
  {
    HotLock lock(mutex_);
    if (!broken_) fd_ = fd;
  }
  gate_.drain([this](Descriptor& descriptor) {
    HotLock lock(mutex_);
    if (broken_) return false;
    Outgoing(descriptor).begin(sequence_++);
    queue_.push_back(descriptor);
    return true;
  });
  flush();
}

void SendHalf::flush() noexcept {
  for (bool more = true; more;) {
    Fifo<Descriptor> done;
    {
      HotLock lock(mutex_);
      if (broken_ || fd_ < 0) return;
      more = write_queue_locked(done);
    }
    complete_all(done, Errc::kOk);
  }
}

// One write of as many queued messages as fit into it. True: there may be room for more.
bool SendHalf::write_queue_locked(Fifo<Descriptor>& done) {
  if (!waits_locked()) {
    watch_room_locked(false);
    return false;
  }
  iovec parts[kMaxPieces];
  const IoResult result = send_some(fd_, parts, gather_locked(parts));
  if (result.what == Io::kAgain) {
    watch_room_locked(true);
    return false;
  }
  if (result.what != Io::kMoved) {
    break_locked(result.error);
    return false;
  }
  advance_locked(result.bytes, done);
  return true;
}

std::size_t SendHalf::gather_locked(iovec* parts) {
  std::size_t used = 0;
  if (rest_size_ != 0) parts[used++] = {rest_.get() + rest_sent_, rest_size_ - rest_sent_};
  for (Descriptor* at = queue_.front(); at && used < kMaxPieces; at = at->next) {
    used += Outgoing(*at).gather(parts + used, kMaxPieces - used);
  }
  return used;
}

void SendHalf::advance_locked(std::size_t bytes, Fifo<Descriptor>& done) {
  if (rest_size_ != 0) {
    const std::size_t step = std::min(bytes, rest_size_ - rest_sent_);
    rest_sent_ += step;
    bytes -= step;
    if (rest_sent_ == rest_size_) rest_size_ = rest_sent_ = 0;
  }
  while (bytes != 0) {
    Descriptor& front = *queue_.front();
    bytes = Outgoing(front).advance(bytes);
    if (Outgoing(front).left() != 0) {
      counters_.add_shared(Counter::kShortWrites);
      return;
    }
    queue_.pop_front();
    done.push_back(front);
  }
}

void SendHalf::watch_room_locked(bool wanted) {
  if (wanted == watching_room_) return;
  watching_room_ = wanted;
  host_.rewatch(fd_, wanted ? EPOLLIN | EPOLLOUT : EPOLLIN);
}

void SendHalf::break_off(Errc status) noexcept {
  Fifo<Descriptor> orphans;
  {
    HotLock lock(mutex_);
    broken_ = true;
    fd_ = -1;
    rest_size_ = rest_sent_ = 0;
    orphans = std::move(queue_);
  }
  complete_all(orphans, status);
  gate_.shatter(
      status,
      [](void*, Descriptor& descriptor, Errc why) {
        assert_no_locks_held();
        descriptor.on_complete(descriptor, why);
      },
      nullptr);
}

void SendHalf::post_update(const std::string& bytes) noexcept {
  std::unique_ptr<Notice> notice;
  try {
    notice = std::make_unique<Notice>(bytes);
  } catch (const std::bad_alloc&) {
    return;  // the peer asks for itself when a connection fails
  }
  {
    HotLock lock(mutex_);
    if (broken_ || fd_ < 0) return;
    Outgoing(notice->descriptor).begin(sequence_++, FrameKind::kUpdate);
    queue_.push_back(notice.release()->descriptor);
  }
  flush();
}

bool SendHalf::unconfirmed() noexcept {
  HotLock lock(mutex_);
  return unconfirmed_locked();
}

bool SendHalf::unconfirmed_locked() const {
  if (fd_ < 0) return false;
  int bytes = 0;
  return rest_size_ != 0 || ::ioctl(fd_, SIOCOUTQ, &bytes) != 0 || bytes != 0;
}

bool SendHalf::end_with_update(const std::string& bytes) noexcept {
  HotLock lock(mutex_);
  const bool open_ends = unconfirmed_locked();
  if (!broken_ && fd_ >= 0 && !waits_locked()) {
    Frame frame{bytes.size(), sequence_, FrameKind::kUpdate, 0, 0, 0};
    iovec parts[2] = {{&frame, sizeof frame}, {const_cast<char*>(bytes.data()), bytes.size()}};
    send_some(fd_, parts, 2);  // what does not fit is no loss: the peer learns it in other ways
  }
  broken_ = true;
  return open_ends;
}

bool SendHalf::has_rest() noexcept {
  HotLock lock(mutex_);
  return rest_size_ != 0;
}

bool SendHalf::say_goodbye(FrameKind kind) noexcept {
  flush();
  HotLock lock(mutex_);
  if (broken_ || fd_ < 0) return true;
  if (waits_locked() || goodbye_said_) return !waits_locked();
  Frame frame{0, sequence_, kind, 0, 0, 0};
  iovec part{&frame, sizeof frame};
  const IoResult result = send_some(fd_, &part, 1);
  if (result.what == Io::kAgain) return false;
  goodbye_said_ = true;
  broken_ = kind == FrameKind::kRetire;  // in the same hold: nothing comes after it
  if (result.what == Io::kError || result.bytes == sizeof frame) return true;
  const iovec rest{reinterpret_cast<unsigned char*>(&frame) + result.bytes, sizeof frame - result.bytes};
  keep_rest_locked(&rest, 1, sizeof frame);
  return false;
}

bool SendHalf::idle() noexcept {
  HotLock lock(mutex_);
  return broken_ || (!waits_locked() && gate_.is_open());
}

}  // namespace hawser::tcp
