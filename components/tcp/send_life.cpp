// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
// The sending half of a connection as it begins and as it ends: what waited for it, last words, what is left;
// and what the event loop tells of it meanwhile.
#include <linux/sockios.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>

#include <cerrno>
#include <memory>
#include <new>
#include <utility>

#include "components/tcp/endpoint.hpp"
#include "components/tcp/frame.hpp"
#include "components/tcp/io.hpp"
#include "components/tcp/send_half.hpp"

namespace hawser::tcp {
namespace {

using btl::Descriptor;

void complete(void*, Descriptor& descriptor, Errc status) {
  assert_no_locks_held();
  descriptor.on_complete(descriptor, status);
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

void SendHalf::open(int fd) noexcept {
  {
    HotLock lock(mutex_);
    if (!broken_) fd_ = fd;
  }
  gate_.drain([this](Descriptor& descriptor) {
    HotLock lock(mutex_);
    if (broken_) return false;
    place_ = Outgoing(descriptor).begin(place_);
    queue_.push_back(descriptor);
    return true;
  });
  flush();
}

void SendHalf::break_off(Errc status) noexcept {
  Fifo<Descriptor> orphans, gone;
  {
    HotLock lock(mutex_);
    broken_ = true;
    fd_ = -1;
    buffer_.give_back();
    orphans = std::move(queue_);
    gone = std::move(gone_);
  }
  while (Descriptor* sent = gone.pop_front()) complete(nullptr, *sent, Errc::kOk);
  while (Descriptor* orphan = orphans.pop_front()) complete(nullptr, *orphan, status);
  gate_.shatter(status, &complete, nullptr);
}

void SendHalf::hand_back(Errc status) noexcept {
  gate_.hand_back(status, &complete, nullptr);
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
    place_ = Outgoing(notice->descriptor).begin(place_, FrameKind::kUpdate);
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
  return !buffer_.empty() || ::ioctl(fd_, SIOCOUTQ, &bytes) != 0 || bytes != 0;
}

bool SendHalf::end_with_update(const std::string& bytes) noexcept {
  HotLock lock(mutex_);
  flush_gathered_locked();
  const bool open_ends = unconfirmed_locked();
  if (!broken_ && fd_ >= 0 && !waits_locked()) {
    Frame frame = place_.frame(bytes.size(), FrameKind::kUpdate, 0, 0);
    iovec parts[2] = {{&frame, sizeof frame}, {const_cast<char*>(bytes.data()), bytes.size()}};
    send_some(fd_, parts, 2);  // what does not fit is no loss: the peer learns it in other ways
  }
  broken_ = true;
  return open_ends;
}

bool SendHalf::has_rest() noexcept {
  HotLock lock(mutex_);
  return !buffer_.empty();
}

bool SendHalf::say_goodbye(FrameKind kind) noexcept {
  flush();
  HotLock lock(mutex_);
  if (broken_ || fd_ < 0) return true;
  if (waits_locked() || goodbye_said_) return !waits_locked();
  Frame frame = place_.frame(0, kind, 0, 0);
  iovec part{&frame, sizeof frame};
  const IoResult result = send_some(fd_, &part, 1);
  if (result.what == Io::kAgain) return false;
  goodbye_said_ = true;
  broken_ = kind == FrameKind::kRetire;  // in the same hold: nothing comes after it
  if (result.what == Io::kError || result.bytes == sizeof frame) return true;
  part.iov_len = sizeof frame;
  keep_rest_locked(&part, 1, result.bytes);
  return false;
}

bool SendHalf::idle() noexcept {
  HotLock lock(mutex_);
  return broken_ || (!waits_locked() && gone_.empty() && gate_.is_open());
}

void SendHalf::watch_room_locked(bool wanted) {
  if (wanted == watching_room_) return;
  watching_room_ = wanted;
  rewatch_locked();
}

bool SendHalf::watch_bytes(bool wanted) noexcept {
  HotLock lock(mutex_);
  if (fd_ < 0) return false;
  watching_bytes_ = wanted;
  return rewatch_locked();
}

// Whom nobody waits for is taken out of the event loop: each segment that comes would call it all the same.
bool SendHalf::rewatch_locked() {
  std::uint32_t events = 0;
  if (watching_bytes_) events |= EPOLLIN;
  if (watching_room_) events |= EPOLLOUT;
  if (events == 0) {
    host_.unwatch(fd_);
    unwatched_ = true;
    return true;
  }
  if (!unwatched_) return host_.rewatch(fd_, events) == Errc::kOk;
  unwatched_ = false;
  if (endpoint_.watch_stream(fd_, events)) return true;
  break_locked(ENOMEM);
  endpoint_.ask_attention();
  return false;
}

}  // namespace hawser::tcp
