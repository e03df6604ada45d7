// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <atomic>
#include <cstdint>
#include <new>
#include <string>
#include <utility>

#include "components/tcp/flusher.hpp"
#include "components/tcp/hello.hpp"
#include "components/tcp/hot_set.hpp"
#include "components/tcp/params.hpp"
#include "components/tcp/receive_half.hpp"
#include "framework/btl/host.hpp"

namespace hawser::tcp {

class Endpoint;
struct Blob;

/// A text for people, where nothing may be thrown: a short one when memory has run out.
template <class... Args>
std::string words(fmt::format_string<Args...> text, Args&&... args) noexcept {
  try {
    return fmt::format(text, std::forward<Args>(args)...);
  } catch (const std::bad_alloc&) {
    return "no memory";  // needs none
  }
}

/// What endpoints hear of their peer and cannot settle alone: taken down here, settled in
/// Component::progress. Progress role.
class PeerNews {
 public:
  /// The peer sent what it publishes now.
  virtual void on_update(std::uint32_t rank, Blob blob) noexcept = 0;
  /// What we know of the peer may be out of date.
  virtual void on_doubt(std::uint32_t rank) noexcept = 0;
  /// File descriptors have run out.
  virtual void on_descriptors_short(bool callers_wait) noexcept = 0;
  /// A rail is long in being connected, or failed, or is connected after it was either.
  virtual void on_unsteady() noexcept = 0;
  /// Whether any connection to the peer is in use.
  virtual bool reaches(std::uint32_t rank) const noexcept = 0;
  /// The generation of what we know of the peer.
  virtual std::uint32_t known_generation(std::uint32_t rank) const noexcept = 0;

 protected:
  ~PeerNews() = default;
};

/// What all parts of the component share. Constant after open, but for what says something else.
struct Context {
  Context(btl::Host& lent, const Params& settings, PeerNews& listener) noexcept
      : host(lent), params(settings), news(listener), notary(lent.job()) {}

  btl::Host& host;
  const Params& params;
  PeerNews& news;
  Notary notary;
  std::uint64_t incarnation = 0;              // of this process, as published
  std::uint64_t largest = 0;                  // most bytes of data in one message that we send
  std::atomic<Endpoint*> attention{nullptr};  // stack of endpoints that the progress role must look at
  std::atomic<std::uint32_t> generation{0};   // of what this process publishes; changes
  std::string published;                      // that, as bytes; changes, progress role's own
  std::atomic<std::uint64_t> dialled{0};      // connections so far: their numbers; changes
  bool closing = false;                       // progress role's own
  bool unsteady = false;                      // likewise: rails may be so, of any peer
  Flusher flusher;
  HotSet hot;               // likewise
  ReadBuffer spare_buffer;  // likewise

  template <class... Args>
  void log(btl::LogLevel level, fmt::format_string<Args...> text, Args&&... args) noexcept {
    if (host.logs(level)) host.log(level, "tcp", words(text, std::forward<Args>(args)...).c_str());
  }
};

/// NODELAY, keep-alive, buffer sizes as the parameters say.
void tune_socket(int fd, const Params& params) noexcept;
/// For a peer on this machine: its bytes are to be read while they are still in the cache, and are not paced.
void tune_within_machine(int fd, const Params& params) noexcept;
/// "12 of at most 1024 open files" for messages about EMFILE.
std::string file_limit_text() noexcept;

}  // namespace hawser::tcp
