// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
// What the BTL and the BML level share: messages go to handlers, which count them.
#pragma once

#include <fmt/format.h>

#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "bml/transfer.hpp"
#include "framework/runtime/runtime.hpp"
#include "tools/perf/level.hpp"

namespace hawser::tools {

inline constexpr btl::Tag kPerfWhole = 0x40;    // a message, or the piece of one, without header
inline constexpr btl::Tag kPerfPiece = 0x41;    // with bml::SliceHeader
inline constexpr btl::Tag kPerfControl = 0x42;  // header: 8 bytes

/// Ends the process before there is a job to abort.
[[noreturn]] void perf_rank_dies(const std::string& text);

/// `Sender(Runtime&)` has `declare()` (before the runtime starts), `connect(rank)`, `send(data, size)`
/// (returns when it is posted or queued), `small(head)`, `busy()` (whether something posted has not come
/// back) and `drop()` (at the end).
template <class Sender>
class ActiveLevel final : public PerfLevel {
 public:
  explicit ActiveLevel(std::size_t largest) : out_(largest, 'o'), in_(largest, 'i') {
    auto made = Runtime::make();
    if (!made) perf_rank_dies(made.error().text);
    runtime_ = std::move(*made);
    if (runtime_->job().size != 2) perf_rank_dies("two ranks are needed; `hawser perf` starts them");
    sender_ = std::make_unique<Sender>(*runtime_);
    set_handlers();
    if (auto started = runtime_->start(); !started) runtime_->abort(1, started.error().text);
    // Handlers count without atomics: another thread must not poll.
    if (runtime_->params().progress_thread)
      runtime_->abort(1, "this level is measured with hawser_progress_thread 0");
    sender_->connect(1 - runtime_->job().rank);
  }

  std::uint32_t rank() const override { return runtime_->job().rank; }

  std::uint64_t agree(std::uint64_t value) override {
    if (rank() == 0) {
      say(value);
      wait_for_word();
    } else {
      wait_for_word();
      say(word_);
    }
    return word_;
  }

  void round_trips(std::size_t size, std::uint64_t count) override {
    const std::uint64_t begin = rank() == 0 ? 0 : 1;
    for (std::uint64_t turn = begin; turn < begin + 2 * count; ++turn) {
      if (turn % 2 == 0) {
        sender_->send(out_.data(), size);
      } else {
        expected_ += size;
        runtime_->engine().wait_until([this] { return arrived_ >= expected_; });
      }
    }
    wait_until_sent();
  }

  void windows(std::size_t size, std::uint32_t window, std::uint64_t count) override {
    for (std::uint64_t i = 0; i < count; ++i) {
      if (rank() == 0) {
        for (std::uint32_t w = 0; w < window; ++w) sender_->send(out_.data(), size);
        wait_for_word();
      } else {
        expected_ += size * window;
        runtime_->engine().wait_until([this] { return arrived_ >= expected_; });
        say(0);
      }
    }
    wait_until_sent();
  }

  void finish() override {
    wait_until_sent();
    runtime_->stop();
    sender_->drop();
  }

 private:
  void set_handlers() {
    auto& entries = runtime_->handler_table().entries;
    const auto count = [](void* self, const btl::Message& message) noexcept {
      static_cast<ActiveLevel*>(self)->arrived_ += message.size;
    };
    entries[kPerfWhole] = {.deliver = count,
                           .place = place,
                           .abandon = [](void*, const btl::Message&) noexcept {},
                           .context = this};
    entries[kPerfPiece] = entries[kPerfWhole];
    entries[kPerfControl] = {.deliver =
                                 [](void* context, const btl::Message& message) noexcept {
                                   auto& self = *static_cast<ActiveLevel*>(context);
                                   if (message.header_size == sizeof self.word_)
                                     std::memcpy(&self.word_, message.header, sizeof self.word_);
                                   ++self.words_;
                                 },
                             .context = this};
  }

  /// A stream is read straight into the buffer, as a receive of the layers above would have it.
  static bool place(void* context, const btl::Message& head, btl::Placement& out) noexcept {
    auto& self = *static_cast<ActiveLevel*>(context);
    bml::SliceHeader header{};
    if (head.tag == kPerfPiece && head.header_size == sizeof header)
      std::memcpy(&header, head.header, sizeof header);
    if (header.offset > self.in_.size() || head.size > self.in_.size() - header.offset) return false;
    out = {self.in_.data() + header.offset, &self};
    return true;
  }

  void say(std::uint64_t word) { sender_->small({&word, sizeof word, kPerfControl}); }
  void wait_for_word() {
    ++awaited_;
    runtime_->engine().wait_until([this] { return words_ >= awaited_; });
  }
  void wait_until_sent() {
    runtime_->engine().wait_until([this] { return !sender_->busy(); });
  }

  std::vector<char> out_, in_;
  std::unique_ptr<Runtime> runtime_;
  std::unique_ptr<Sender> sender_;
  std::uint64_t arrived_ = 0, expected_ = 0;  // bytes
  std::uint64_t words_ = 0, awaited_ = 0;
  std::uint64_t word_ = 0;
};

/// Descriptors that come back; those under way are as many as there are of them.
class PerfDescriptors {
 public:
  PerfDescriptors() {
    for (Item& item : items_) give(item);
  }
  bool busy() const { return free_.size() < kCount; }
  /// Null: all are under way.
  btl::Descriptor* take(btl::Tag tag, const void* header, std::size_t header_size, const void* data,
                        std::size_t size) {
    if (free_.empty()) return nullptr;
    Item& item = *free_.back();
    free_.pop_back();
    btl::Descriptor& out = item.descriptor;
    item.bytes = {const_cast<void*>(data), size};
    out.tag = tag;
    out.header_size = static_cast<std::uint8_t>(header_size);
    if (header_size != 0) std::memcpy(out.header, header, header_size);
    out.data = &item.bytes;
    out.data_count = 1;
    out.data_size = size;
    return &out;
  }
  void give(btl::Descriptor& descriptor) { give(*static_cast<Item*>(descriptor.owner)); }

 private:
  static constexpr std::size_t kCount = 128;
  struct Item {
    btl::Descriptor descriptor;
    iovec bytes{};
    PerfDescriptors* home = nullptr;
  };
  void give(Item& item) {
    item.home = this;
    item.descriptor.owner = &item;
    item.descriptor.on_complete = [](btl::Descriptor& self, Errc status) noexcept {
      if (status != Errc::kOk) perf_rank_dies("a message was lost: the other rank is gone");
      auto& done = *static_cast<Item*>(self.owner);
      done.home->give(done);
    };
    free_.push_back(&item);
  }

  std::vector<Item> items_ = std::vector<Item>(kCount);
  std::vector<Item*> free_ = [] {
    std::vector<Item*> room;
    room.reserve(kCount);
    return room;
  }();
};

}  // namespace hawser::tools
