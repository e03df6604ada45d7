// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <map>
#include <vector>

#include "framework/base/fd.hpp"
#include "framework/btl/host.hpp"
#include "framework/live/layout.hpp"

namespace hawser::live {

/// The records of this process that others may look at. Those who count hold a pointer to their record and
/// write to it as to any memory of theirs. Where the system gives no such file, or it is full, a record is
/// private: all goes on as ever, and nobody sees it. A record lives as long as the page. Any thread.
class Page {
 public:
  /// `many_threads`: several may send. It holds less otherwise.
  Page(const btl::Job& job, bool many_threads);
  ~Page();
  Page(const Page&) = delete;
  Page& operator=(const Page&) = delete;

  /// The rail of `module` to `rank`: the same for all that follow each other there.
  Rail& rail(std::uint32_t rank, const btl::Module& module, const char* component);
  Peer& peer(std::uint32_t rank);
  Channel& open_channel(std::uint32_t context);
  void close_channel(Channel& channel);
  Header& header() noexcept { return *header_; }

  /// Every rail that there is, in the order of their making.
  std::vector<const Rail*> rails() const;

 private:
  bool open(const btl::Job& job, bool many_threads);
  template <class T>
  T* at(const Table& table, std::uint32_t index) noexcept;
  template <class T>
  T* allocated(const Table& table, std::uint32_t index) noexcept;
  Channel& opened(Channel& channel, std::uint32_t context) noexcept;

  Fd fd_;
  void* base_ = nullptr;
  Header private_header_{};
  Header* header_ = &private_header_;

  // Guarded by the lock of the table of all rails, in page.cpp.
  std::vector<const Rail*> rails_;
  std::deque<RailOfThreads> private_rails_;
  std::map<std::uint32_t, Peer> private_peers_;
  std::deque<Channel> private_channels_;
  std::vector<Channel*> closed_channels_;  // of these; room for all
  std::uint64_t last_serial_ = 0;
};

/// Says how the rail of `module` to `rank` is doing; nothing, if nobody has a record of it. Any thread, not
/// for a hot path.
void note_rail(std::uint32_t rank, const btl::Module& module, RailState state) noexcept;

/// Records for those that have none of their own: written, and never read.
Rail& nobodys_rail() noexcept;
Peer& nobodys_peer() noexcept;

}  // namespace hawser::live
