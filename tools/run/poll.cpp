// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/run/poll.hpp"

#include <sys/epoll.h>

#include <array>
#include <utility>

namespace hawser::tools {

Poll::Poll() : epoll_(::epoll_create1(EPOLL_CLOEXEC)) {}

bool Poll::add(int fd, std::uint32_t events, Function function) {
  epoll_event event{};
  event.events = events;
  event.data.fd = fd;
  if (::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event) != 0) return false;
  functions_[fd] = std::make_shared<Function>(std::move(function));
  return true;
}

void Poll::change(int fd, std::uint32_t events) {
  epoll_event event{};
  event.events = events;
  event.data.fd = fd;
  ::epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, fd, &event);
}

void Poll::remove(int fd) {
  if (functions_.erase(fd) != 0) ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, fd, nullptr);
}

void Poll::run(int timeout_ms) {
  std::array<epoll_event, 64> events;
  const int count = ::epoll_wait(epoll_.get(), events.data(), static_cast<int>(events.size()), timeout_ms);
  for (int i = 0; i < count; ++i) {
    const auto& event = events[static_cast<std::size_t>(i)];
    const auto found = functions_.find(event.data.fd);
    if (found == functions_.end()) continue;  // removed by one that ran before
    const std::shared_ptr<Function> function = found->second;
    (*function)(event.events);
  }
}

}  // namespace hawser::tools
