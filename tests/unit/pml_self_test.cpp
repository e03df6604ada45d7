// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
// The whole way through a world of one.
#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "bml/ranking.hpp"
#include "pml/channel.hpp"
#include "pml/headers.hpp"
#include "tests/fakes/world_of_one.hpp"

namespace hawser::pml {
namespace {

using Bytes = std::vector<unsigned char>;

Bytes pattern(std::size_t size, unsigned seed) {
  Bytes bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<unsigned char>(i * 31 + seed + (i >> 8));
  return bytes;
}
Buffer buffer_of(Bytes& bytes) {
  return {bytes.data(), bytes.size(), nullptr};
}

/// Every second byte of memory.
class Sparse final : public Layout {
 public:
  void pack(void* out, const void* base, std::uint64_t offset, std::size_t size) const noexcept override {
    for (std::size_t i = 0; i < size; ++i) {
      static_cast<unsigned char*>(out)[i] = static_cast<const unsigned char*>(base)[(offset + i) * 2];
    }
  }
  void unpack(void* base, const void* in, std::uint64_t offset, std::size_t size) const noexcept override {
    for (std::size_t i = 0; i < size; ++i) {
      static_cast<unsigned char*>(base)[(offset + i) * 2] = static_cast<const unsigned char*>(in)[i];
    }
  }
  void retain() const noexcept override { uses.fetch_add(1); }
  void release() const noexcept override { uses.fetch_sub(1); }
  mutable std::atomic<int> uses{0};
};

/// Parameters under which messages take each of the ways.
struct Way {
  const char* name;
  const char* min_rdma_size;
  const char* queue_size;
};

class PmlSelf : public testing::TestWithParam<Way> {
 protected:
  fakes::WorldOfOne world{{{"btl_self_min_rdma_size", GetParam().min_rdma_size},
                           {"btl_self_queue_size", GetParam().queue_size},
                           {"btl_self_eager_limit", "1000"},
                           {"btl_self_rndv_eager_limit", "1000"},
                           {"btl_self_max_send_size", "4096"}}};
  Pml& pml = *world.pml;
  Channel& channel = *pml.open_channel(3, 0, {0});

  void finish(Request* request, Errc expected = Errc::kOk) {
    pml.wait(*request);
    EXPECT_EQ(request->status().error, expected);
    request->release();
  }
};

const std::size_t kSizes[] = {0, 1, 8, 999, 1000, 1001, 4095, 4096, 4097, 100'000, 1 << 20};

TEST_P(PmlSelf, EverySizeArrivesWholeInEveryOrderOfCallsAndMode) {
  for (const std::size_t size : kSizes) {
    for (const SendMode mode : {SendMode::kStandard, SendMode::kSynchronous}) {
      for (const bool send_first : {true, false}) {
        Bytes from = pattern(size, 3);
        Bytes to(size + 1, 0xee);
        const Buffer room{to.data(), size, nullptr};
        Request* send = send_first ? pml.isend(channel, buffer_of(from), 0, 7, mode) : nullptr;
        Request* receive = nullptr;
        if (send_first) {
          Status status;
          EXPECT_EQ(pml.probe(channel, kAnySource, kAnyTag, status), Errc::kOk);
          EXPECT_EQ(status.size, size);
          EXPECT_EQ(status.tag, 7);
          EXPECT_FALSE(mode == SendMode::kSynchronous && send->done()) << "nobody received it";
        }
        receive = pml.irecv(channel, room, 0, 7);
        if (!send_first) send = pml.isend(channel, buffer_of(from), 0, 7, mode);
        pml.wait(*receive);
        EXPECT_EQ(receive->status().size, size);
        EXPECT_EQ(receive->status().source, 0);
        finish(receive);
        finish(send);
        EXPECT_TRUE(std::equal(from.begin(), from.end(), to.begin())) << size;
        EXPECT_EQ(to[size], 0xee);
      }
    }
  }
}

TEST_P(PmlSelf, AMessageThatIsTooLongIsCutAndSaysSo) {
  for (const std::size_t size : kSizes) {
    for (const std::size_t room : {std::size_t{0}, size / 2}) {
      if (room == size) continue;
      Bytes from = pattern(size, 5);
      Bytes to(room + 1, 0xee);
      Request* receive = pml.irecv(channel, {to.data(), room, nullptr}, kAnySource, kAnyTag);
      Request* send = pml.isend(channel, buffer_of(from), 0, 1);
      finish(send);
      pml.wait(*receive);
      EXPECT_EQ(receive->status().size, room);
      finish(receive, Errc::kTruncated);
      EXPECT_TRUE(std::equal(to.begin(), to.end() - 1, from.begin()));
      EXPECT_EQ(to[room], 0xee);
    }
  }
}

TEST_P(PmlSelf, BytesThatAreNotContiguousArePackedAndUnpacked) {
  Sparse layout;
  for (const std::size_t size : kSizes) {
    for (int sides = 1; sides < 4; ++sides) {
      for (const SendMode mode : {SendMode::kStandard, SendMode::kSynchronous}) {
        Bytes from = pattern(size * 2 + 1, 9);
        Bytes to(size * 2 + 1, 0);
        const bool from_sparse = (sides & 1) != 0;
        const bool to_sparse = (sides & 2) != 0;
        Request* receive = pml.irecv(channel, {to.data(), size, to_sparse ? &layout : nullptr}, 0, 2);
        Request* send = pml.isend(channel, {from.data(), size, from_sparse ? &layout : nullptr}, 0, 2, mode);
        finish(receive);
        finish(send);
        for (std::size_t i = 0; i < size; ++i) {
          ASSERT_EQ(to[to_sparse ? i * 2 : i], from[from_sparse ? i * 2 : i]) << size << " at " << i;
        }
      }
    }
  }
  EXPECT_EQ(layout.uses.load(), 0);
}

TEST_P(PmlSelf, AClaimedMessageIsReceivedByItsClaimerAlone) {
  for (const std::size_t size : {std::size_t{10}, std::size_t{50'000}}) {
    Bytes one = pattern(size, 1);
    Bytes two = pattern(size, 2);
    Request* first = pml.isend(channel, buffer_of(one), 0, 4);
    Request* second = pml.isend(channel, buffer_of(two), 0, 4);
    Status status;
    ArrivedMessage* message = nullptr;
    ASSERT_EQ(pml.mprobe(channel, 0, 4, status, message), Errc::kOk);
    Bytes to_other(size);
    Bytes to_claimer(size);
    finish(pml.irecv(channel, buffer_of(to_other), 0, 4));
    finish(pml.imrecv(message, buffer_of(to_claimer)));
    finish(first);
    finish(second);
    EXPECT_EQ(to_claimer, one);
    EXPECT_EQ(to_other, two);
    EXPECT_EQ(pml.improbe(channel, 0, 4, status), nullptr);
    EXPECT_FALSE(pml.iprobe(channel, kAnySource, kAnyTag, status));
  }
}

TEST_P(PmlSelf, ACancelledReceiveGetsNothingAndAMatchedOneIsNotCancelled) {
  Bytes from = pattern(64, 1);
  Bytes lost(64);
  Bytes kept(64);
  Request* cancelled = pml.irecv(channel, buffer_of(lost), 0, 5);
  Request* receive = pml.irecv(channel, buffer_of(kept), 0, 5);
  EXPECT_TRUE(pml.cancel(*cancelled));
  EXPECT_TRUE(cancelled->done());
  EXPECT_TRUE(cancelled->status().cancelled);
  EXPECT_FALSE(pml.cancel(*cancelled));
  cancelled->release();
  finish(pml.isend(channel, buffer_of(from), 0, 5));
  pml.wait(*receive);
  EXPECT_FALSE(pml.cancel(*receive));
  EXPECT_FALSE(receive->status().cancelled);
  finish(receive);
  EXPECT_EQ(kept, from);
  EXPECT_EQ(lost, Bytes(64));
}

TEST_P(PmlSelf, WhatIsReleasedBeforeItIsDoneComesToItsEnd) {
  for (const std::size_t size : {std::size_t{8}, std::size_t{50'000}}) {
    constexpr int kCount = 50;  // more than are looked at one by one
    Sparse layout;
    std::vector<Bytes> from, to(kCount, Bytes(size * 2));
    for (int i = 0; i < kCount; ++i) {
      from.push_back(pattern(size, static_cast<unsigned>(i)));
      pml.irecv(channel, {to[i].data(), size, &layout}, 0, i)->release();
    }
    EXPECT_EQ(layout.uses.load(), kCount);
    for (int i = 0; i < kCount; ++i) {
      pml.isend(channel, buffer_of(from[i]), 0, i, SendMode::kSynchronous)->release();
      Request* other = pml.irecv(channel, {}, 0, kCount);  // may lie where one of those lay
      EXPECT_FALSE(other->done());
      finish(pml.isend(channel, {}, 0, kCount));
      finish(other);
    }
    pml.wait_until([&] { return layout.uses.load() == 0 && world.bml->idle(); });
    for (int i = 0; i < kCount; ++i) {
      for (std::size_t at = 0; at < size; ++at) ASSERT_EQ(to[i][at * 2], from[i][at]) << i << " at " << at;
    }
  }
}

/// All of them, though nothing is released after; each told once, and what has no user not at all.
TEST_P(PmlSelf, WhatIsGivenUpIsFreedOnceItIsDoneAndItsUserIsTold) {
  static std::atomic<int> told[2];
  told[0] = told[1] = 0;
  pml.on_given_up_freed([](void* user, Request::Kind kind) noexcept {
    static_cast<std::atomic<int>*>(user)[kind == Request::Kind::kReceive ? 1 : 0].fetch_add(1);
  });
  constexpr int kCount = 50;
  for (const bool at_once : {false, true}) {
    Bytes from = pattern(50'000, 7);
    std::vector<Bytes> to(kCount, Bytes(from.size()));
    for (int i = 0; i < kCount; ++i) {
      Request* send = pml.isend(channel, buffer_of(from), 0, i, SendMode::kSynchronous);
      send->user = told;
      ASSERT_FALSE(send->done());
      pml.give_up(*send);
    }
    pml.free_given_up();
    EXPECT_EQ(told[0].load(), at_once ? kCount : 0) << "nothing is done yet";
    for (int i = 0; i < kCount; ++i) {
      Request* receive = pml.irecv(channel, buffer_of(to[i]), 0, i);
      receive->user = i % 2 == 0 ? told : nullptr;
      pml.give_up(*receive);
    }
    const int sends = at_once ? 2 * kCount : kCount;
    pml.wait_until([&] {
      if (at_once) pml.free_given_up();
      return told[0].load() == sends && told[1].load() == sends / 2;
    });
    EXPECT_EQ(to.back(), from);
  }
}

TEST_P(PmlSelf, AReceiveOfAClaimedMessageDoesNotNeedItsChannel) {
  Channel* gone = pml.open_channel(9, 0, {0});
  Bytes from = pattern(50'000, 5);
  Bytes to(from.size());
  Request* send = pml.isend(*gone, buffer_of(from), 0, 1);
  Status status;
  ArrivedMessage* message = nullptr;
  ASSERT_EQ(pml.mprobe(*gone, 0, 1, status, message), Errc::kOk);
  pml.close_channel(gone);
  while (world.runtime->engine().progress() != 0) {
  }  // it is freed
  Request* receive = pml.imrecv(message, buffer_of(to));
  EXPECT_FALSE(pml.cancel(*receive));
  finish(receive);
  finish(send);
  EXPECT_EQ(to, from);
}

TEST_P(PmlSelf, ManyAtOnceKeepTheirOrder) {
  constexpr int kCount = 2000;
  std::vector<int> from(kCount);
  std::vector<int> to(kCount, -1);
  std::iota(from.begin(), from.end(), 0);
  std::vector<Request*> requests;
  for (int i = 0; i < kCount; ++i)
    requests.push_back(pml.isend(channel, {&from[i], sizeof(int), nullptr}, 0, 1));
  for (int i = 0; i < kCount; ++i)
    requests.push_back(pml.irecv(channel, {&to[i], sizeof(int), nullptr}, kAnySource, kAnyTag));
  for (Request* request : requests) finish(request);
  EXPECT_EQ(to, from);
  EXPECT_TRUE(world.bml->idle());
}

TEST_P(PmlSelf, MessagesWaitForTheirChannelToOpen) {
  pml.close_channel(&channel);
  const auto deliver = [&](btl::Tag tag, const void* header, std::size_t size, const void* data,
                           std::size_t data_size) {
    EXPECT_TRUE(world.runtime->handlers().deliver(
        {0, tag, static_cast<std::uint8_t>(size), header, data, data_size, nullptr}));
  };
  for (std::uint32_t i = 0; i < 5; ++i) {
    const MatchHeader match{9, 1, 0, 4 - i};  // last first
    const std::uint32_t value = 4 - i;
    deliver(kTagEager, &match, sizeof match, &value, sizeof value);
  }
  Channel& late = *pml.open_channel(9, 0, {0});
  for (std::uint32_t i = 0; i < 5; ++i) {
    std::uint32_t value = 99;
    EXPECT_EQ(pml.recv(late, {&value, sizeof value, nullptr}, 0, 1).error, Errc::kOk);
    EXPECT_EQ(value, i);
  }
}

INSTANTIATE_TEST_SUITE_P(Ways, PmlSelf,
                         testing::Values(Way{"read", "1", "1m"}, Way{"slices", "1g", "1m"},
                                         Way{"slices_and_little_room", "1g", "64k"}),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace hawser::pml
