// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/run/input.hpp"

#include <fcntl.h>
#include <sys/epoll.h>

#include <array>
#include <cerrno>

namespace hawser::tools {

Fd Input::open() {
  if (!::isatty(STDIN_FILENO)) return Fd(::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3));
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return Fd();
  pipe_.reset(ends[1]);
  ::fcntl(ends[1], F_SETFL, O_NONBLOCK);
  return Fd(ends[0]);
}

void Input::start() {
  if (!pipe_) return;
  waiting_ = true;
  tick();
}

void Input::stop() {
  if (reading_) poll_.remove(STDIN_FILENO);
  if (pipe_) poll_.remove(pipe_.get());
  reading_ = waiting_ = false;
  pipe_.reset();
}

void Input::tick() {
  if (!waiting_ || ::tcgetpgrp(STDIN_FILENO) != ::getpgrp()) return;
  waiting_ = false;
  reading_ = poll_.add(STDIN_FILENO, EPOLLIN, [this](std::uint32_t) { on_terminal(); });
}

void Input::on_terminal() {
  poll_.remove(STDIN_FILENO);
  reading_ = false;
  if (::tcgetpgrp(STDIN_FILENO) != ::getpgrp()) {
    waiting_ = true;
    return;
  }
  std::array<char, 4096> room;
  const ssize_t got = ::read(STDIN_FILENO, room.data(), room.size());
  if (got < 0 && (errno == EINTR || errno == EAGAIN || errno == EIO)) {
    waiting_ = true;  // EIO: we went to the background in between
    return;
  }
  if (got <= 0) return stop();
  queue_.append(room.data(), static_cast<std::size_t>(got));
  send();
}

void Input::on_pipe_room() {
  poll_.remove(pipe_.get());
  send();
}

/// Writes the queue; the terminal is read again only when all of it is in the pipe.
void Input::send() {
  while (!queue_.empty()) {
    const ssize_t wrote = retry_eintr([&] { return ::write(pipe_.get(), queue_.data(), queue_.size()); });
    if (wrote < 0 && errno == EAGAIN) {
      poll_.add(pipe_.get(), EPOLLOUT, [this](std::uint32_t) { on_pipe_room(); });
      return;
    }
    if (wrote < 0) return stop();  // the rank reads no more
    queue_.erase(0, static_cast<std::size_t>(wrote));
  }
  waiting_ = true;
  tick();
}

}  // namespace hawser::tools
