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

#include "framework/btl/message.hpp"
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

  // --- the script
  static constexpr std::uint64_t kForever = UINT64_MAX;
  /// The next `times` posts are answered so, after those that were told before. `next(kNoResource, 3)`: the
  /// next three are refused.
  void next(btl::Posted posted, std::uint64_t times = 1);
  /// From now on, whatever was told before.
  void always(btl::Posted posted);
  /// The answer to a post that the script says nothing of; without it, done. Set before the first post.
  std::function<btl::Posted(Kind kind, std::size_t size)> answer;
  /// Every message that was taken goes here; without it, to `sent`.
  std::function<void(const Sent& sent)> deliver;

  /// Completes pending post number `index` (0: the oldest). One that fails was not delivered. False: there is
  /// no such post.
  bool complete(std::size_t index = 0, Errc status = Errc::kOk);
  /// What pends completes in this order; the numbers are those before the first of them completes.
  bool complete_in(const std::vector<std::size_t>& order, Errc status = Errc::kOk);
  std::size_t pending();

  /// These bytes arrive from `rank`, over this module. What HandlerTable::deliver says.
  bool arrive(const btl::HandlerTable& handlers, std::uint32_t rank, const Sent& message);

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
  struct Line {
    btl::Posted posted;
    std::uint64_t times;
  };
  bool scripted(btl::Posted& posted);
  btl::Posted ask(Kind kind, std::size_t size, std::uint64_t limit);
  btl::Posted hold(Kind kind, std::size_t size, std::uint64_t limit, btl::Descriptor& descriptor, Copy copy);
  void take(const Held& held);
  void take(Sent message);

  const btl::Attributes attributes_;
  const bool has_rdma_;
  std::mutex mutex_;
  std::deque<Held> held_;
  std::deque<Line> script_;
};

}  // namespace hawser::fakes
