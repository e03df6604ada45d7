// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "framework/base/fd.hpp"
#include "framework/modex/channel.hpp"
#include "framework/modex/modex.hpp"
#include "tools/run/server.hpp"

namespace hawser::modex::testing {

/// A launcher without processes: the launcher's half of the modex in a thread of its own, over a socket pair
/// for each rank. The ranks are objects of the test's own process.
class Launcher final : public tools::ServerEvents {
 public:
  /// `socket_room`: bytes of a socket's buffers; 0: as the system has it.
  explicit Launcher(std::uint32_t size, int socket_room = 0);
  ~Launcher();

  /// The rank's end of its socket.
  int socket_of(std::uint32_t rank) const { return ranks_[rank].their_end.get(); }
  std::unique_ptr<Modex> join(std::uint32_t rank);
  /// The rank's process is gone: its socket is closed, and the launcher has seen it end.
  void die(std::uint32_t rank, const std::string& how);
  /// The launcher itself is gone.
  void stop();
  /// Frames of that type that came from the rank.
  int heard(std::uint32_t rank, protocol::Type type);
  /// Frames that wait for a rank that does not read.
  bool is_stuck(std::uint32_t rank);
  std::string fault();

  // --- from the server, in the launcher's thread
  void send(std::uint32_t rank, const protocol::SharedFrame& frame) override;
  void on_abort(std::uint32_t rank, int code, const std::string& text) override;
  void on_fault(std::uint32_t rank, const std::string& text) override;

 private:
  struct Rank {
    Fd our_end;
    Fd their_end;
    std::unique_ptr<Channel> channel;
    std::vector<protocol::Type> heard;
  };
  void run();
  void take(std::uint32_t rank);
  void wake();

  std::mutex mutex_;
  std::vector<Rank> ranks_;
  tools::ModexServer server_;
  std::string fault_;
  std::atomic<bool> ending_{false};
  Fd bell_;
  std::thread thread_;
};

}  // namespace hawser::modex::testing
