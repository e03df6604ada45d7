// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/run/output.hpp"

#include <limits.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace hawser::tools {

void Sink::write(const void* owner, std::string_view bytes) {
  if (bytes.empty() || closed_) return;
  if (last_ != '\n' && owner_ != owner) queue_ += '\n';
  queue_ += bytes;
  last_ = bytes.back();
  owner_ = owner;
  if (!armed_) flush();
}

void Sink::flush() {
  while (sent_ < queue_.size()) {
    // The descriptor is shared with others, so it stays in blocking mode; a pipe or terminal that polls
    // writable takes this much at once.
    pollfd entry{fd_, POLLOUT, 0};
    if (::poll(&entry, 1, 0) == 0) break;
    const std::size_t size = std::min<std::size_t>(queue_.size() - sent_, PIPE_BUF);
    const ssize_t wrote = ::write(fd_, queue_.data() + sent_, size);
    if (wrote > 0) sent_ += static_cast<std::size_t>(wrote);
    if (wrote < 0 && errno == EAGAIN) break;
    if (wrote < 0 && errno != EINTR) return close();
  }
  if (sent_ > queue_.size() / 2) queue_.erase(0, std::exchange(sent_, 0));
  const bool waits = !is_empty();
  if (waits && !armed_) {
    armed_ = poll_.add(fd_, EPOLLOUT, [this](std::uint32_t) { flush(); });
  } else if (!waits && armed_) {
    armed_ = false;
    poll_.remove(fd_);
  }
  if (!is_full() && on_room) on_room();
}

void Sink::drop() noexcept {
  queue_.clear();
  sent_ = 0;
  if (armed_) poll_.remove(fd_);
  armed_ = false;
}

void Sink::close() {
  drop();
  closed_ = true;
  if (on_closed) on_closed();
}

void Stream::open(Fd fd) {
  fd_ = std::move(fd);
  poll_.add(fd_.get(), EPOLLIN, [this](std::uint32_t) { on_readable(); });
}

void Stream::adjust() {
  if (!fd_ || paused_ == sink_.is_full()) return;
  paused_ = !paused_;
  if (paused_) {
    poll_.remove(fd_.get());  // not only masked: a hang-up would still be told
  } else {
    poll_.add(fd_.get(), EPOLLIN, [this](std::uint32_t) { on_readable(); });
  }
}

void Stream::on_readable() {
  std::array<char, 65536> room;
  const ssize_t got = retry_eintr([&] { return ::read(fd_.get(), room.data(), room.size()); });
  if (got > 0) {
    pass_on({room.data(), static_cast<std::size_t>(got)});
    return adjust();
  }
  if (got < 0 && errno == EAGAIN) return;
  finish();
}

void Stream::pass_on(std::string_view bytes) {
  if (raw_) return sink_.write(this, bytes);
  std::string ready;
  while (!bytes.empty()) {
    const auto end = bytes.find('\n');
    const bool whole = end != std::string_view::npos;
    if (line_.empty()) line_ = prefix_;
    line_ += bytes.substr(0, whole ? end + 1 : bytes.size());
    bytes.remove_prefix(whole ? end + 1 : bytes.size());
    if (!whole && line_.size() < kLongestLine) break;
    ready += line_;
    line_.clear();
  }
  sink_.write(this, ready);
}

void Stream::finish() {
  if (!fd_) return;
  sink_.write(this, line_);
  line_.clear();
  if (!paused_) poll_.remove(fd_.get());
  fd_.reset();
}

bool same_file(int a, int b) {
  struct stat one {};
  struct stat two {};
  return ::fstat(a, &one) == 0 && ::fstat(b, &two) == 0 && one.st_dev == two.st_dev &&
         one.st_ino == two.st_ino;
}

}  // namespace hawser::tools
