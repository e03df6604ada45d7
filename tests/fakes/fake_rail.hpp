// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <string>

#include "framework/btl/host.hpp"
#include "framework/btl/module.hpp"

namespace hawser::fakes {

/// A cable from this process to itself, of which the test holds both ends: what is posted goes on its way,
/// and arrives, half arrives, arrives twice or is lost as the test says. The sending end may be dead while
/// the last bytes still arrive. Posts from any thread; the rest is the test's, one thread at a time.
class FakeRail final : public btl::Module, public btl::Taker {
 public:
  enum class How : std::uint8_t { kTaken, kHeld, kNoRoom };

  FakeRail(std::string name, btl::Attributes attributes) : name_(std::move(name)), attributes_(attributes) {}

  btl::Host* host = nullptr;
  std::uint32_t rank = 0;
  std::function<How()> mood;  // how the next post is answered; without it, taken

  // --- the sending end
  /// Broken: what is held comes back with `status`, posts are refused. What is on its way may still arrive.
  void break_sender(Errc status);
  /// As a component that gives the rail up: breaks the sender, and reports it.
  void fail(Errc status, const char* text);
  /// What the rail holds is its poster's again.
  void complete(std::size_t index);
  std::size_t held() noexcept;

  // --- the receiving end
  std::size_t on_way() noexcept;
  /// Message number `index` arrives whole. `stays`: and will arrive again.
  void arrive(std::size_t index, bool stays = false);
  /// Begins to read message `index`; it is written half, if a place is found for it. The rest comes with
  /// `finish_placing`.
  void begin_placing(std::size_t index);
  bool placing() const noexcept { return placing_; }
  void finish_placing();
  /// The connection is gone at this end: nothing more arrives.
  void break_receiver();

  // --- the waiting end
  int looks = 0;  // how often a wait looked itself for its message
  int taken = 0;  // and found it

  btl::Endpoint& endpoint() noexcept { return endpoint_; }
  bool dead() const noexcept { return dead_.load(std::memory_order_acquire); }
  int abandoned = 0;

  // --- btl::Module, btl::Taker
  const char* name() const noexcept override { return name_.c_str(); }
  const btl::Attributes& attributes() const noexcept override { return attributes_; }
  btl::Posted sendi(btl::Endpoint&, btl::Head head, const void* data, std::size_t size) noexcept override;
  btl::Posted send(btl::Endpoint&, btl::Descriptor& descriptor) noexcept override;
  void abandon(btl::Endpoint&) noexcept override;
  btl::Rdma* rdma(btl::Endpoint&) noexcept override { return nullptr; }
  btl::CounterView counters() const noexcept override { return {nullptr, nullptr, 0}; }
  btl::Taker* taker(btl::Endpoint&) noexcept override { return this; }
  std::ptrdiff_t take(btl::Endpoint&, btl::Head head, void* memory, std::size_t room,
                      unsigned looks) noexcept override;

 private:
  struct Frame {
    btl::Tag tag;
    std::string header;
    std::string data;
  };
  struct End final : btl::Endpoint {};

  btl::Posted take(Frame frame, btl::Descriptor* descriptor);
  Frame pull(std::size_t index, bool stays);
  btl::Message message_of(const Frame& frame, void* placed) noexcept;
  void hand_up(const Frame& frame, void* placed);

  const std::string name_;
  const btl::Attributes attributes_;
  End endpoint_;
  std::mutex mutex_;
  std::atomic<bool> dead_{false};
  bool deaf_ = false;
  std::deque<Frame> way_;
  std::deque<btl::Descriptor*> held_;
  bool placing_ = false;
  Frame read_{};
  btl::Placement place_{};
  alignas(8) unsigned char header_[btl::kMaxHeader] = {};
};

}  // namespace hawser::fakes
