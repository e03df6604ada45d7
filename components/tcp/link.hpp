// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "components/tcp/hello.hpp"
#include "framework/base/fd.hpp"
#include "framework/btl/parts.hpp"

namespace hawser::tcp {

/// A connection that is not in use yet: a socket, the three messages of the hello, and how far the one under
/// way got. Watches its socket from `watch` until it is destroyed or `release` takes the socket. Progress
/// role only.
class Link {
 public:
  enum class Progress : std::uint8_t {
    kPending,  // no room or no bytes: an event will come
    kDone,
    kEof,
    kError,  // error()
  };

  Link(btl::Host& host, Fd fd) noexcept : host_(host), fd_(std::move(fd)) {}
  ~Link() { unwatch(); }
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;

  /// Events come to that member function of `object`, see btl::watch.
  template <auto kOnEvent, class Object>
  bool watch(std::uint32_t events, Object& object) noexcept {
    return watch(events, &btl::on_event<kOnEvent, Object>, &object);
  }
  void unwatch() noexcept;
  int fd() const noexcept { return fd_.get(); }
  /// Takes the socket, no longer watched.
  Fd release() noexcept;
  int error() const noexcept { return error_; }

  /// Each may be called again until it no longer answers kPending.
  template <class Bytes>
  Progress write(const Bytes& bytes) noexcept {
    return write_bytes(bytes.data(), bytes.size());
  }
  template <class Bytes>
  Progress read(Bytes& bytes) noexcept {
    return read_bytes(bytes.data(), bytes.size());
  }
  void watch_room(bool wanted) noexcept;

  HelloBytes hello{};
  AnswerBytes answer{};
  ProofBytes proof{};
  std::uint32_t told_generation = 0;  // of what this process publishes, as the peer knows it
  bool sending_proof = false;
  bool reading_proof = false;
  bool hello_written = false;

 private:
  bool watch(std::uint32_t events, btl::WatchFunction function, void* context) noexcept;
  Progress write_bytes(const unsigned char* bytes, std::size_t size) noexcept;
  Progress read_bytes(unsigned char* bytes, std::size_t size) noexcept;
  Progress advance(std::size_t bytes, std::size_t size) noexcept;

  btl::Host& host_;
  Fd fd_;
  bool watched_ = false;
  bool watching_room_ = false;
  std::size_t done_ = 0;  // bytes of the message under way
  int error_ = 0;
};

}  // namespace hawser::tcp
