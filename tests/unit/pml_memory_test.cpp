// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
// Memory runs out at every step of what the progress role does for a peer: it is said of that peer, and
// everything ends.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "pml/impl.hpp"
#include "tests/fakes/world_of_one.hpp"
#include "tests/race/failing_memory.hpp"

namespace hawser::pml {
namespace {

using tests::FailingMemory;

constexpr std::uint32_t kContext = 2;
constexpr std::size_t kSize = 10'000;

class World {
 public:
  World() : world_{{{"btl_self_min_rdma_size", "1g"}, {"btl_self_eager_limit", "1000"}}} {}

  Pml& pml() { return *world_.pml; }
  PmlImpl& impl() { return world_.pml->impl(); }
  Channel& channel() { return channel_; }
  Request* send(int tag) { return pml().isend(channel_, {from_.data(), kSize, nullptr}, 0, tag); }
  Request* receive(int source, int tag) {
    return pml().irecv(channel_, {to_.data(), kSize, nullptr}, source, tag);
  }
  /// As if the peer had sent it.
  void eager(std::uint32_t context, int tag, std::uint32_t sequence) {
    const MatchHeader header{context, tag, 0, sequence};
    deliver(kTagEager, &header, sizeof header, 100);
  }
  void announce(int tag, std::uint32_t sequence) {
    const RendezvousHeader header{{kContext, tag, 0, sequence}, kSize, 4711, 0, {}, 0, 0};
    deliver(kTagRendezvous, &header, sizeof header, 0);
  }

 private:
  void deliver(btl::Tag tag, const void* header, std::size_t size, std::size_t data) {
    world_.runtime->handlers().deliver(
        {0, tag, static_cast<std::uint8_t>(size), header, from_.data(), data, nullptr});
  }
  fakes::WorldOfOne world_;
  Channel& channel_ = *pml().open_channel(kContext, 0, {0});
  std::vector<char> to_ = std::vector<char>(kSize);
  std::vector<char> from_ = std::vector<char>(kSize, 'x');
};

TEST(PmlWithoutMemory, AFailedPeerEndsAllThatWaitsForIt) {
  World world;
  std::vector<Request*> requests{world.send(1), world.receive(kAnySource, 2)};
  for (int tag = 3; tag < 200; ++tag) requests.push_back(world.receive(0, tag));
  {
    const FailingMemory none(0);
    while (world.impl().runtime.call_at(
               1, [](void*) noexcept {}, nullptr) != 0) {
    }
    world.impl().peer_failed(0, Errc::kSystem, "the cable was cut");
    for (Request* request : requests) world.pml().wait(*request);
  }
  for (Request* request : requests) {
    EXPECT_EQ(request->status().error, Errc::kSystem);
    EXPECT_NE(request->status().why, nullptr);
    request->release();
  }
}

/// Its number was given out: what is sent after it would wait for it for ever.
TEST(PmlWithoutMemory, AMessageThatCannotAskInsteadGivesThePeerUp) {
  World world;
  PmlImpl& impl = world.impl();
  auto* request = impl.send_pool.make(impl, Buffer{nullptr, 0, nullptr});
  request->peer = *impl.bml.peer(0);
  request->peer_rank = 0;
  request->descriptor.data_size = request->peer->eager_limit.load() + 1;
  {
    const FailingMemory none(0);
    impl.descriptor_refused(*request);
  }
  EXPECT_TRUE(request->done());
  EXPECT_EQ(request->status().error, Errc::kOutOfMemory);
  EXPECT_TRUE(impl.reported[0]);
  request->release();
}

/// All that a peer may cause, with memory that runs out after `first` allocations. False: it did not.
bool runs_out_after(int first) {
  World world;
  std::vector<Request*> requests{world.send(50), world.receive(0, 1), world.receive(kAnySource, 2)};
  bool struck = false;
  {
    const FailingMemory memory(first);
    world.announce(1, 0);
    world.eager(kContext, 3, 1);
    world.eager(kContext, 9, 8);      // ahead of its turn
    world.eager(kContext + 1, 9, 0);  // to a channel that is not open
    for (std::uint32_t sequence = 2; sequence < 8; ++sequence)
      world.announce(static_cast<int>(2 + sequence), sequence);
    Status status;
    if (ArrivedMessage* message = world.channel().find(kAnySource, 3, true, status)) message->free();
    for (int i = 0; i < 20; ++i) world.pml().progress();
    struck = FailingMemory::struck();
  }
  if (world.channel().find(0, 4, false, *std::make_unique<Status>())) {
    Status status;
    EXPECT_NE(world.channel().find(kAnySource, 4, false, status), nullptr)
        << "hidden from those with a wildcard";
  }
  world.impl().peer_failed(0, Errc::kSystem, "the end of the test");
  for (Request* request : requests) {
    world.pml().wait(*request);
    EXPECT_NE(request->status().error, Errc::kOk);
    request->release();
  }
  return struck;
}

TEST(PmlWithoutMemory, WhateverAPeerSendsItEndsOrArrives) {
  int first = 0;
  while (runs_out_after(first)) ++first;
  EXPECT_GT(first, 5) << "nothing of it took memory";
}

/// What the rank itself calls. False: memory did not run out.
bool calls_run_out_after(int first) {
  World world;
  std::vector<Request*> requests;
  requests.reserve(100);
  bool struck = false;
  {
    const FailingMemory memory(first);
    for (int tag = 1; tag < 40; ++tag) requests.push_back(world.receive(0, tag));
    requests.push_back(world.receive(kAnySource, 50));
    for (int tag = 60; tag < 64; ++tag) requests.push_back(world.send(tag));
    for (int i = 0; i < 20; ++i) world.pml().progress();
    struck = FailingMemory::struck();
  }
  world.impl().peer_failed(0, Errc::kSystem, "the end of the test");
  for (Request* request : requests) {
    world.pml().wait(*request);
    EXPECT_NE(request->status().error, Errc::kOk);
    EXPECT_NE(request->status().why, nullptr);
    request->release();
  }
  return struck;
}

TEST(PmlWithoutMemory, WhateverTheRankCallsEnds) {
  int first = 0;
  while (calls_run_out_after(first)) ++first;
  EXPECT_GT(first, 3) << "nothing of it took memory";
}

TEST(PmlWithoutMemory, AClaimedMessageIsStillThereForAnotherTry) {
  World world;
  std::vector<Request*> requests;
  Status status;
  Request* received = nullptr;
  int sequence = 0;
  do {  // until what is kept for requests is used up
    world.eager(kContext, 3, static_cast<std::uint32_t>(sequence++));
    ArrivedMessage* message = world.channel().find(0, 3, true, status);
    ASSERT_NE(message, nullptr);
    {
      const FailingMemory none(0);
      received = world.pml().imrecv(message, {nullptr, 0, nullptr});
    }
    if (!received) message->free();
    if (received) requests.push_back(received);
  } while (received);
  for (Request* request : requests) request->release();
}

}  // namespace
}  // namespace hawser::pml
