// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
// A hostile peer: headers of random bytes and of nearly right values, at every handler, with placements that
// are delivered, abandoned or left open for a while. Nothing may crash, be written outside a receive's
// memory, or wait for ever.
#include <gtest/gtest.h>

#include <cstring>
#include <deque>
#include <random>
#include <string>
#include <vector>

#include "pml/channel.hpp"
#include "pml/headers.hpp"
#include "tests/fakes/world_of_one.hpp"

namespace hawser::pml {
namespace {

constexpr std::uint32_t kContext = 4;
constexpr std::size_t kRoom = 3000;

class Hostile {
 public:
  explicit Hostile(unsigned seed) : random_(seed) {}

  void run() {
    for (int step = 0; step < 150; ++step) {
      if (random_() % 4 == 0) ordinary();
      one();
      if (random_() % 4 == 0) world_.pml->progress();
    }
    end();
  }

 private:
  struct Receive {
    std::vector<char> memory = std::vector<char>(kRoom + 2, 'g');
    Request* request = nullptr;
  };
  struct Open {
    std::vector<unsigned char> header;
    btl::Message head;
  };

  /// What the rank itself does meanwhile.
  void ordinary() {
    if (random_() % 2 == 0) {
      auto& receive = receives_.emplace_back();
      const int source = random_() % 2 == 0 ? 0 : kAnySource;
      const int tag = random_() % 2 == 0 ? static_cast<int>(random_() % 3) : kAnyTag;
      receive.request = world_.pml->irecv(channel_, {receive.memory.data() + 1, kRoom, nullptr}, source, tag);
    } else {
      const std::size_t size = random_() % 2 == 0 ? 10 : 2500;
      const SendMode mode = random_() % 2 == 0 ? SendMode::kStandard : SendMode::kSynchronous;
      sends_.push_back(world_.pml->isend(channel_, {data_.data(), size, nullptr}, 0,
                                         static_cast<int>(random_() % 3), mode));
    }
  }

  std::uint64_t number() {
    switch (random_() % 5) {
      case 0:
        return random_() % 8;
      case 1:
        return std::uint64_t{1 + random_() % 3} << 32 | random_() % 6;  // as ids are
      case 2:
        return random_() % 4000;
      case 3:
        return ~std::uint64_t{0} - random_() % 4000;
      default:
        return std::uint64_t{random_()} << 32 | random_();
    }
  }
  MatchHeader match() {
    return {
        random_() % 4 == 0 ? static_cast<std::uint32_t>(number()) : kContext,
        random_() % 8 == 0 ? static_cast<std::int32_t>(number()) : static_cast<std::int32_t>(random_() % 3),
        random_() % 8 == 0 ? static_cast<std::int32_t>(number()) : 0,
        static_cast<std::uint32_t>(random_() % 40)};
  }
  template <class Header>
  static std::vector<unsigned char> bytes_of(const Header& header) {
    std::vector<unsigned char> bytes(sizeof header);
    std::memcpy(bytes.data(), &header, sizeof header);
    return bytes;
  }
  std::vector<unsigned char> header_for(btl::Tag tag) {
    // `readable` stays 0: whose key is believed is the component's matter, and self believes any.
    std::vector<unsigned char> bytes;
    if (tag == kTagEager) bytes = bytes_of(match());
    if (tag == kTagRendezvous)
      bytes = bytes_of(RendezvousHeader{match(), number(), number(), number(), {}, 0, 0});
    if (tag == kTagClear) bytes = bytes_of(ClearHeader{number(), number(), number()});
    if (tag == kTagSlice) bytes = bytes_of(bml::SliceHeader{number(), number()});
    if (tag == kTagFinish) bytes = bytes_of(FinishHeader{number()});
    if (tag == kTagGivenUp) bytes = bytes_of(GivenUpHeader{static_cast<std::uint32_t>(random_() % 3), 0});
    if (random_() % 16 == 0) bytes.resize(random_() % (btl::kMaxHeader + 1));
    if (random_() % 16 == 0 && tag != kTagRendezvous) {
      for (unsigned char& byte : bytes) byte = static_cast<unsigned char>(random_());
    }
    return bytes;
  }

  void one() {
    if (!open_.empty() && random_() % 3 == 0) return settle();
    const bool last = random_() % 100 == 0;  // after it, little happens
    const auto tag = last ? kTagGivenUp : static_cast<btl::Tag>(kTagEager + random_() % 5);
    Open now{header_for(tag), {}};
    const std::size_t size = random_() % 2 == 0 ? 0 : random_() % data_.size();
    now.head = {0,    tag,    static_cast<std::uint8_t>(now.header.size()), now.header.data(), data_.data(),
                size, nullptr};
    const btl::Handler& handler = world_.runtime->handlers().entries[tag];
    btl::Placement place;
    if (handler.place && handler.place(handler.context, now.head, place)) {
      if (size != 0) std::memset(place.memory, 's', size);
      now.head.data = place.memory;
      now.head.placed = place.cookie;
      open_.push_back(std::move(now));
      open_.back().head.header = open_.back().header.data();
      return;
    }
    handler.deliver(handler.context, now.head);
  }
  void settle() {
    const Open now = std::move(open_.front());
    open_.pop_front();
    btl::Message head = now.head;
    head.header = now.header.data();
    const btl::Handler& handler = world_.runtime->handlers().entries[kTagSlice];
    (random_() % 3 == 0 ? handler.abandon : handler.deliver)(handler.context, head);
  }

  /// The peer is cut off: all that is under way ends.
  void end() {
    while (!open_.empty()) settle();
    const bml::Rail& rail = (*world_.bml->peer(0))->rails().send[0];
    world_.runtime->rail_failed(0, *rail.module, *rail.endpoint, Errc::kSystem, "cut off");
    for (Request* send : sends_) {
      world_.pml->wait(*send);
      send->release();
    }
    for (Receive& receive : receives_) {
      world_.pml->wait(*receive.request);
      EXPECT_LE(receive.request->status().size, kRoom);
      receive.request->release();
      EXPECT_EQ(receive.memory.front(), 'g');
      EXPECT_EQ(receive.memory.back(), 'g');
    }
  }

  std::mt19937 random_;
  fakes::WorldOfOne world_{{{"btl_self_min_rdma_size", "1g"},
                            {"btl_self_eager_limit", "1000"},
                            {"btl_self_max_send_size", "1000"}}};
  Channel& channel_ = *world_.pml->open_channel(kContext, 0, {0});
  std::vector<char> data_ = std::vector<char>(kRoom, 'd');
  std::deque<Receive> receives_;
  std::vector<Request*> sends_;
  std::deque<Open> open_;
};

TEST(FuzzPml, AHostilePeerHarmsNobodyElse) {
  for (unsigned seed = 0; seed < 150; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Hostile(seed).run();
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace hawser::pml
