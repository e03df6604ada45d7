// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "framework/modex/channel.hpp"

#include <sys/socket.h>

#include <array>
#include <cerrno>

#include "framework/base/fd.hpp"

namespace hawser::modex {

void Channel::send(protocol::SharedFrame frame) {
  out_.push_back(std::move(frame));
  flush();  // a dead peer shows at the next receive
}

bool Channel::flush() {
  while (has_output()) {
    const std::string& frame = *out_.front();
    const ssize_t sent = retry_eintr(
        [&] { return ::send(fd_, frame.data() + sent_, frame.size() - sent_, MSG_DONTWAIT | MSG_NOSIGNAL); });
    if (sent < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return true;
    if (sent < 0) {
      out_.clear();
      sent_ = 0;
      return false;
    }
    sent_ += static_cast<std::size_t>(sent);
    if (sent_ < frame.size()) continue;
    out_.pop_front();
    sent_ = 0;
  }
  return true;
}

Result<void> Channel::receive() {
  std::array<char, 8192> room;  // more would be stack that nobody needs again
  for (;;) {
    const ssize_t got = retry_eintr([&] { return ::recv(fd_, room.data(), room.size(), MSG_DONTWAIT); });
    if (got > 0) {
      cutter_.append(room.data(), static_cast<std::size_t>(got));
      continue;
    }
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return {};
    return make_error(Errc::kPeerGone, "the control connection is closed");
  }
}

}  // namespace hawser::modex
