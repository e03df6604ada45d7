// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
// The way of a rank to itself, written against the frozen headers of version 1.0 and nothing else. It is
// never changed: it must load, and keep its promises, with every later host of the same major version.
#include <cstdio>
#include <cstring>
#include <deque>
#include <mutex>
#include <new>
#include <vector>

#include "framework/btl/abi.hpp"
#include "framework/btl/component.hpp"

namespace {

using hawser::Errc;
namespace btl = hawser::btl;

std::uint64_t g_room = 0;
const hawser::mca::ParamRow kRows[] = {
    hawser::mca::param_size("room", &g_room, "1m", {65536, 1 << 30}, 4, "bytes of messages that may wait"),
};

struct Letter {
  btl::Tag tag;
  std::uint8_t header_size;
  alignas(8) unsigned char header[btl::kMaxHeader];
  std::vector<unsigned char> data;
};

class Endpoint final : public btl::Endpoint {};

class Module final : public btl::Module {
 public:
  btl::Host* host = nullptr;
  Endpoint endpoint;

  const char* name() const noexcept override { return "frozen"; }
  const btl::Attributes& attributes() const noexcept override { return attributes_; }
  btl::Posted sendi(btl::Endpoint&, btl::Head head, const void* data, std::size_t size) noexcept override {
    const iovec piece{const_cast<void*>(data), size};
    return put(head, &piece, 1, size);
  }
  btl::Posted send(btl::Endpoint&, btl::Descriptor& d) noexcept override {
    return put({d.header, d.header_size, d.tag}, d.data, d.data_count, d.data_size);
  }
  void abandon(btl::Endpoint&) noexcept override { give_up(); }
  btl::Rdma* rdma(btl::Endpoint&) noexcept override { return nullptr; }
  btl::CounterView counters() const noexcept override {
    return {btl::kBaseCounterInfo, counters_.data(), hawser::Counters<btl::BaseCounter>::kSize};
  }

  void renew() noexcept {
    std::lock_guard lock(mutex_);
    given_up_ = false;
  }
  void give_up() noexcept {
    std::lock_guard lock(mutex_);
    given_up_ = true;
    waiting_.clear();
    held_ = 0;
  }
  bool empty() noexcept {
    std::lock_guard lock(mutex_);
    return waiting_.empty();
  }
  bool arm() noexcept {
    std::lock_guard lock(mutex_);
    armed_ = true;
    return waiting_.empty();
  }
  void disarm() noexcept {
    std::lock_guard lock(mutex_);
    armed_ = false;
  }
  int progress() noexcept {
    for (int moved = 0; moved < 64; ++moved) {
      Letter letter;
      {
        std::lock_guard lock(mutex_);
        if (waiting_.empty()) return moved;
        letter = std::move(waiting_.front());
        waiting_.pop_front();
        held_ -= letter.data.size();
      }
      counters_.add(btl::BaseCounter::kMessagesReceived);
      counters_.add(btl::BaseCounter::kBytesReceived, letter.data.size());
      btl::Message message{host->job().rank,
                           letter.tag,
                           letter.header_size,
                           letter.header,
                           letter.data.data(),
                           letter.data.size(),
                           nullptr,
                           this,
                           &endpoint};
      host->handlers().deliver(message);
    }
    return 64;
  }

 private:
  btl::Posted put(btl::Head head, const iovec* pieces, std::size_t count, std::size_t size) noexcept {
    bool wake = false;
    {
      std::lock_guard lock(mutex_);
      if (given_up_) return btl::Posted::kUnreachable;
      if (held_ + size > g_room || waiting_.size() == kMost) {
        counters_.add_shared(btl::BaseCounter::kNoResource);
        return btl::Posted::kNoResource;
      }
      Letter& letter = waiting_.emplace_back();
      letter.tag = head.tag;
      letter.header_size = static_cast<std::uint8_t>(head.size);
      std::memcpy(letter.header, head.bytes, head.size);
      letter.data.reserve(size);
      for (std::size_t i = 0; i < count; ++i) {
        const auto* bytes = static_cast<const unsigned char*>(pieces[i].iov_base);
        letter.data.insert(letter.data.end(), bytes, bytes + pieces[i].iov_len);
      }
      held_ += size;
      counters_.add_shared(btl::BaseCounter::kMessagesSent);
      counters_.add_shared(btl::BaseCounter::kBytesSent, size);
      wake = armed_;
      armed_ = false;
    }
    if (wake) host->wake();
    return btl::Posted::kDone;
  }

  static constexpr std::size_t kMost = 1024;
  const btl::Attributes attributes_{1,     btl::kFlagSend | btl::kFlagOrdered | btl::kFlagNeedsProgress,
                                    16384, 4096,
                                    65536, 65536,
                                    65536, 1000,
                                    1000};
  hawser::Counters<btl::BaseCounter> counters_;
  std::mutex mutex_;
  std::deque<Letter> waiting_;
  std::size_t held_ = 0;
  bool armed_ = false;
  bool given_up_ = false;
};

class Component final : public btl::Component {
 public:
  Errc open(btl::Host& host, char*, std::size_t) noexcept override {
    module_.host = &host;
    return Errc::kOk;
  }
  std::size_t module_count() const noexcept override { return 1; }
  btl::Module& module(std::size_t) noexcept override { return module_; }
  void add_procs(std::uint32_t rank, btl::Reach& reach) noexcept override {
    if (rank == module_.host->job().rank) {
      module_.renew();
      reach.count = 1;
      reach.rails[0] = {&module_, &module_.endpoint};
      return;
    }
    reach.status = Errc::kUnreachable;
    std::snprintf(reach.reason, sizeof reach.reason, "frozen reaches only the own rank");
  }
  void release_peer(std::uint32_t) noexcept override { module_.give_up(); }
  int progress() noexcept override { return module_.progress(); }
  bool arm() noexcept override { return module_.arm(); }
  void disarm() noexcept override { module_.disarm(); }
  bool flushed() noexcept override { return module_.empty(); }
  void close() noexcept override { module_.give_up(); }

 private:
  Module module_;
};

btl::Component* create() {
  return new (std::nothrow) Component;
}
void destroy(btl::Component* component) {
  delete static_cast<Component*>(component);
}

}  // namespace

HAWSER_BTL_COMPONENT("frozen", "1.0", kRows, &create, &destroy);
