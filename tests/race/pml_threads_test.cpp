// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <atomic>
#include <random>
#include <thread>
#include <vector>

#include "framework/base/spin_mutex.hpp"
#include "tests/fakes/world_of_one.hpp"

namespace hawser::pml {
namespace {

constexpr int kThreads = 4;

using Words = std::vector<std::uint64_t>;

Words words_of(std::size_t count, std::uint64_t first) {
  Words words(count);
  for (std::size_t i = 0; i < count; ++i) words[i] = first + i;
  return words;
}
Buffer buffer_of(Words& words) {
  return {words.data(), words.size() * sizeof(std::uint64_t), nullptr};
}

template <class Body>
void in_threads(Body&& body) {
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) threads.emplace_back([&body, i] { body(i); });
  for (std::thread& thread : threads) thread.join();
}

class PmlThreads : public testing::TestWithParam<const char*> {
 protected:
  // Before the world starts, as whoever starts it for several threads does.
  PmlThreads() { g_many_threads = true; }
  ~PmlThreads() override {
    world.reset();
    g_many_threads = false;
  }
  void finish(Request* request) {
    world->pml->wait(*request);
    EXPECT_EQ(request->status().error, Errc::kOk);
    request->release();
  }
  std::unique_ptr<fakes::WorldOfOne> world = std::make_unique<fakes::WorldOfOne>(
      std::initializer_list<fakes::WorldOfOne::Setting>{{"btl_self_min_rdma_size", GetParam()},
                                                        {"btl_self_queue_size", "64k"},
                                                        {"btl_self_eager_limit", "1000"},
                                                        {"btl_self_max_send_size", "4096"}});
};

TEST_P(PmlThreads, EachWithTagsOfItsOwn) {
  Pml& pml = *world->pml;
  Channel& channel = *pml.open_channel(1, 0, {0});
  in_threads([&](int me) {
    std::mt19937 random(static_cast<unsigned>(me));
    for (int round = 0; round < 200; ++round) {
      const std::size_t count = random() % 3 == 0 ? random() % 3000 : random() % 100;
      const SendMode mode = random() % 2 == 0 ? SendMode::kStandard : SendMode::kSynchronous;
      Words from = words_of(count, random());
      Words to(count);
      Request* send = nullptr;
      if (random() % 2 == 0) send = pml.isend(channel, buffer_of(from), 0, me, mode);
      Request* receive = pml.irecv(channel, buffer_of(to), random() % 2 == 0 ? 0 : kAnySource, me);
      if (!send) send = pml.isend(channel, buffer_of(from), 0, me, mode);
      finish(receive);
      finish(send);
      ASSERT_EQ(to, from);
    }
  });
}

/// All receive what anybody sent: each message once, and none of it torn.
TEST_P(PmlThreads, AllWithOneTag) {
  constexpr int kEach = 300;
  Pml& pml = *world->pml;
  Channel& channel = *pml.open_channel(1, 0, {0});
  std::vector<std::atomic<int>> seen(kThreads * kEach);
  in_threads([&](int me) {
    std::mt19937 random(static_cast<unsigned>(me) + 50);
    for (int i = 0; i < kEach; ++i) {
      const auto id = static_cast<std::uint64_t>(me * kEach + i);
      const std::size_t count = random() % 4 == 0 ? 2000 : 3;
      Words from(count, id);
      Words to(2000);
      Request* send = pml.isend(channel, buffer_of(from), 0, 1);
      Status status;
      ArrivedMessage* claimed = nullptr;
      Request* receive = nullptr;
      if (random() % 3 == 0) {
        ASSERT_EQ(pml.mprobe(channel, kAnySource, kAnyTag, status, claimed), Errc::kOk);
        receive = pml.imrecv(claimed, buffer_of(to));
      } else {
        receive = pml.irecv(channel, buffer_of(to), kAnySource, kAnyTag);
      }
      pml.wait(*receive);
      const std::size_t got = receive->status().size / sizeof(std::uint64_t);
      finish(receive);
      for (std::size_t k = 1; k < got; ++k) ASSERT_EQ(to[k], to[0]);
      ASSERT_LT(to[0], seen.size());
      ++seen[to[0]];
      finish(send);
    }
  });
  for (const auto& times : seen) EXPECT_EQ(times.load(), 1);
}

/// A cancel against the match: whichever wins, the message is received exactly once.
TEST_P(PmlThreads, CancelAgainstMatch) {
  Pml& pml = *world->pml;
  Channel& channel = *pml.open_channel(1, 0, {0});
  std::atomic<int> cancelled{0};
  in_threads([&](int me) {
    for (int i = 0; i < 300; ++i) {
      Words from(2, 7);
      Words to(2);
      Request* receive = pml.irecv(channel, buffer_of(to), 0, me);
      Request* send = pml.isend(channel, buffer_of(from), 0, me);
      const bool taken_back = pml.cancel(*receive);
      pml.wait(*receive);
      ASSERT_EQ(receive->status().cancelled, taken_back);
      receive->release();
      if (taken_back) {
        ++cancelled;
        ASSERT_EQ(to, Words(2));
        ASSERT_EQ(pml.recv(channel, buffer_of(to), kAnySource, me).error, Errc::kOk);
      }
      ASSERT_EQ(to, from);
      finish(send);
    }
  });
}

TEST_P(PmlThreads, ChannelsOpenAndCloseWhileOthersTalk) {
  Pml& pml = *world->pml;
  in_threads([&](int me) {
    for (int i = 0; i < 100; ++i) {
      Channel* channel = pml.open_channel(static_cast<std::uint32_t>(10 + me), 0, {0});
      for (int k = 0; k < 5; ++k) {
        Words from = words_of(k == 4 ? 600 : 4, static_cast<std::uint64_t>(k));
        Words to(from.size());
        Request* send = pml.isend(*channel, buffer_of(from), 0, k);
        ASSERT_EQ(pml.recv(*channel, buffer_of(to), 0, kAnyTag).error, Errc::kOk);
        ASSERT_EQ(to, from);
        finish(send);
      }
      pml.close_channel(channel);
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Ways, PmlThreads, testing::Values("1", "1g"),
                         [](const auto& info) { return info.param[1] == 0 ? "read" : "slices"; });

}  // namespace
}  // namespace hawser::pml
