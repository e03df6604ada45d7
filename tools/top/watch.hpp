// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "framework/live/layout.hpp"
#include "tools/top/process.hpp"

namespace hawser::tools {

/// A rail as a rank saw it at one moment.
struct RailLook {
  std::uint32_t peer = 0;
  std::string component;
  std::string module;
  live::RailState state = live::RailState::kNone;
  std::uint64_t counts[static_cast<std::size_t>(live::RailCounter::kCount)] = {};

  std::uint64_t count(live::RailCounter counter) const { return counts[static_cast<std::size_t>(counter)]; }
};

/// What waits for a peer. Only those for whom something waits, or who failed.
struct PeerLook {
  std::uint32_t rank = 0;
  std::uint64_t pending = 0;
  std::uint64_t unacknowledged = 0;
  bool failed = false;
};

/// A rank at one moment.
struct RankLook {
  std::uint64_t at_ns = 0;  // of the monotonic clock
  std::uint64_t job = 0;
  std::uint32_t rank = 0;
  std::uint32_t ranks = 0;
  bool waits = false;  // blocked in Hawser until something comes
  Process process;
  std::uint64_t posted = 0;
  std::uint64_t unexpected = 0;
  std::uint64_t ahead = 0;
  std::uint64_t transfers = 0;
  std::uint64_t unseen = 0;  // records that there was no room for
  std::vector<RailLook> rails;
  std::vector<PeerLook> peers;

  std::uint64_t pending() const;
  std::uint64_t unacknowledged() const;
};

/// The memory that one rank shows of itself, mapped read-only: to look at it costs the rank nothing, whatever
/// it does. What is read is not believed: a rank may be another version, or broken.
class Watch {
 public:
  /// kNotFound, kPermission: see open_live; kVersion, kProtocol: it cannot be read, the text says why.
  static Result<Watch> open(const Process& process);
  Watch(Watch&& other) noexcept;
  Watch& operator=(Watch&& other) noexcept;
  ~Watch();

  pid_t pid() const noexcept { return pid_; }
  std::uint64_t job() const noexcept { return header().job; }
  std::uint32_t rank() const noexcept { return header().rank; }
  /// Readable once the process has ended.
  int process_fd() const noexcept { return process_.get(); }
  bool ended() const;
  RankLook look() const;

 private:
  Watch() = default;
  const live::Header& header() const noexcept { return *static_cast<const live::Header*>(base_); }
  template <class T>
  const T& at(const live::Table& table, std::uint32_t index) const noexcept;

  pid_t pid_ = -1;
  Fd process_;
  void* base_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace hawser::tools
