// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "framework/base/fd.hpp"
#include "tools/run/poll.hpp"

namespace hawser::tools {

/// Our own standard output or error. Never blocks on a slow reader: what does not go out is queued, and
/// `is_full` tells the streams to stop reading, which in turn stops the ranks.
class Sink {
 public:
  Sink(Poll& poll, int fd) : poll_(poll), fd_(fd) {}

  /// Called when the queue has room again, and when the reader of our output is gone.
  std::function<void()> on_room;
  std::function<void()> on_closed;

  /// `owner` tells streams apart: an unfinished last line of another is ended first.
  void write(const void* owner, std::string_view bytes);
  bool is_full() const noexcept { return queue_.size() - sent_ > kHigh; }
  /// Forgets what is queued.
  void drop() noexcept;
  bool is_empty() const noexcept { return sent_ == queue_.size(); }

 private:
  static constexpr std::size_t kHigh = std::size_t{1} << 20;
  void flush();
  void close();

  Poll& poll_;
  int fd_;
  std::string queue_;
  std::size_t sent_ = 0;
  bool armed_ = false;
  bool closed_ = false;
  char last_ = '\n';
  const void* owner_ = nullptr;
};

/// One rank's standard output or error: a pipe, cut into lines.
class Stream {
 public:
  /// `prefix` goes before each line. `raw`: bytes pass as they come, for the only rank of a job.
  Stream(Poll& poll, Sink& sink, std::string prefix, bool raw)
      : poll_(poll), sink_(sink), prefix_(std::move(prefix)), raw_(raw) {}

  void open(Fd fd);
  bool is_open() const noexcept { return static_cast<bool>(fd_); }
  /// Reads only while the sink has room.
  void adjust();
  /// Passes on what is left, also an unfinished line, and closes the pipe.
  void finish();

 private:
  static constexpr std::size_t kLongestLine = std::size_t{16}
                                              << 20;  // beyond it a line is passed on in pieces
  void on_readable();
  void pass_on(std::string_view bytes);

  Poll& poll_;
  Sink& sink_;
  std::string prefix_;
  bool raw_;
  bool paused_ = false;
  Fd fd_;
  std::string line_;  // begun, not ended
};

/// Whether two descriptors lead to the same file, so that lines must share one queue.
bool same_file(int a, int b);

}  // namespace hawser::tools
