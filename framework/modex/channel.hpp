// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "framework/base/result.hpp"
#include "framework/modex/protocol.hpp"

namespace hawser::modex {

/// Frames over a stream socket that never blocks. Does not own the descriptor: the socket outlives the
/// process that uses it. Not thread-safe.
class Channel {
 public:
  Channel(int fd, std::size_t max_payload) : fd_(fd), cutter_(max_payload) {}

  int fd() const noexcept { return fd_; }
  /// Queues a frame and sends what the socket takes. A frame for many is queued once, not copied.
  void send(protocol::SharedFrame frame);
  void send(std::string frame) { send(std::make_shared<const std::string>(std::move(frame))); }
  /// Sends what is queued, as far as the socket takes it. False: the other side is gone.
  bool flush();
  bool has_output() const noexcept { return !out_.empty(); }
  /// Reads all that is there. kPeerGone: end of file or reset.
  Result<void> receive();
  Result<std::optional<protocol::Frame>> next() { return cutter_.next(); }

 private:
  int fd_;
  protocol::FrameCutter cutter_;
  std::deque<protocol::SharedFrame> out_;
  std::size_t sent_ = 0;  // of the first
};

}  // namespace hawser::modex
