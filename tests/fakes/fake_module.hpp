// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "framework/btl/module.hpp"

namespace hawser::fakes {

/// A module that does as it is told: a script answers every post, what is pending completes when and in the
/// order that the test likes, and what was sent is kept for the test or handed to a table. Any thread.
class FakeModule final : public btl::Module, public btl::Rdma {
 public:
  struct Endpoint final : btl::Endpoint {};
  struct Sent {
    btl::Tag tag;
    std::string header;
    std::string data;
  };
  enum class Kind : std::uint8_t { kSendi, kSend, kGet, kPut };

  explicit FakeModule(btl::Attributes attributes, bool has_rdma = false)
      : attributes_(attributes), has_rdma_(has_rdma) {}

  // --- the script; set before the first post
  /// The answer to a post; without it everything is done.
  std::function<btl::Posted(Kind kind, std::size_t size)> answer;
  /// Every message that was taken goes here; without it, to `sent`.
  std::function<void(const Sent& sent)> deliver;

  /// Completes pending post number `index` (0: the oldest). One that fails was not delivered. False: there is
  /// no such post.
  bool complete(std::size_t index = 0, Errc status = Errc::kOk);
  std::size_t pending();

  std::vector<Sent> sent;
  FakeModule::Endpoint endpoint;
  int abandoned = 0;
  std::atomic<int> registered{0};  // memory that was not deregistered yet
  std::atomic<std::uint64_t> posts{0};
  std::atomic<bool> broke_contract{false};  // a post that a module need not be able to do

  // --- btl::Module, btl::Rdma
  const char* name() const noexcept override { return "fake"; }
  const btl::Attributes& attributes() const noexcept override { return attributes_; }
  btl::Posted sendi(btl::Endpoint&, btl::Head head, const void* data, std::size_t size) noexcept override;
  btl::Posted send(btl::Endpoint&, btl::Descriptor& descriptor) noexcept override;
  void abandon(btl::Endpoint&) noexcept override { ++abandoned; }
  btl::Rdma* rdma(btl::Endpoint&) noexcept override { return has_rdma_ ? this : nullptr; }
  btl::CounterView counters() const noexcept override { return {nullptr, nullptr, 0}; }
  Errc register_memory(btl::Endpoint&, const void*, std::size_t, btl::RemoteKey&) noexcept override;
  void deregister_memory(btl::Endpoint&, const btl::RemoteKey&) noexcept override { --registered; }
  btl::Posted get(btl::Endpoint&, void* local, std::uint64_t remote, const btl::RemoteKey&, std::size_t size,
                  btl::Descriptor& descriptor) noexcept override;
  btl::Posted put(btl::Endpoint&, const void* local, std::uint64_t remote, const btl::RemoteKey&,
                  std::size_t size, btl::Descriptor& descriptor) noexcept override;

 private:
  struct Copy {
    void* to;
    const void* from;
    std::size_t size;
  };
  struct Held {
    btl::Descriptor* descriptor;
    Kind kind;
    Copy copy;
  };
  btl::Posted ask(Kind kind, std::size_t size, std::uint64_t limit);
  btl::Posted hold(Kind kind, std::size_t size, std::uint64_t limit, btl::Descriptor& descriptor, Copy copy);
  void take(const Held& held);
  void take(Sent message);

  const btl::Attributes attributes_;
  const bool has_rdma_;
  std::mutex mutex_;
  std::deque<Held> held_;
};

}  // namespace hawser::fakes
