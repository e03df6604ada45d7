// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "bml/bml.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include "bml/ranking.hpp"
#include "framework/base/spin_mutex.hpp"
#include "tests/fakes/fake_module.hpp"
#include "tests/fakes/world_of_one.hpp"

namespace hawser::bml {
namespace {

using btl::Posted;
using fakes::FakeModule;

btl::Attributes limits_of(std::uint64_t eager, std::uint64_t most, std::uint32_t latency = 100,
                          std::uint32_t bandwidth = 1000) {
  return {1, btl::kFlagSend, eager, eager, most, 1, most, latency, bandwidth};
}
Rail rail_of(FakeModule& module) {
  return {&module, &module.endpoint, module.rdma(module.endpoint), module.attributes(), 0, 0, "fake"};
}

// --- ranking

TEST(Ranking, PropertiesHoldForAnyRails) {
  std::mt19937 random(3);
  for (int round = 0; round < 3000; ++round) {
    std::vector<std::unique_ptr<FakeModule>> modules;
    std::vector<Rail> rails;
    const std::size_t count = 1 + random() % (round % 50 == 0 ? 100 : 6);
    for (std::size_t i = 0; i < count; ++i) {
      btl::Attributes a = limits_of(1 + random() % 5, 10, random() % 3, random() % 4);
      a.exclusivity = random() % 3;
      if (random() % 4 == 0) a.flags = 0;
      modules.push_back(std::make_unique<FakeModule>(a, random() % 2 == 0));
      rails.push_back(rail_of(*modules.back()));
    }
    const auto set = rank_rails(rails);
    const auto again = rank_rails(rails);
    std::uint32_t highest = 0;
    for (const Rail& rail : rails) {
      if (rail.limits.flags & btl::kFlagSend) highest = std::max(highest, rail.limits.exclusivity);
    }
    const auto check = [&](const std::vector<Rail>& of, const std::vector<Rail>& same, bool sums) {
      ASSERT_EQ(of.size(), same.size());
      double total = 0;
      for (std::size_t i = 0; i < of.size(); ++i) {
        ASSERT_EQ(of[i].module, same[i].module) << "not deterministic";
        ASSERT_LT(of[i].id, btl::kMaxRails);
        ASSERT_GE(of[i == 0 ? 0 : i - 1].limits.bandwidth_mbps, of[i].limits.bandwidth_mbps);
        total += of[i].weight;
      }
      ASSERT_NEAR(total, sums && !of.empty() ? 1.0 : total, 1e-9);
    };
    check(set->send, again->send, true);
    check(set->rdma, again->rdma, true);
    check(set->eager, again->eager, false);
    for (const Rail& rail : set->send) {
      ASSERT_EQ(rail.limits.exclusivity, highest);
      ASSERT_LE(set->eager_limit, rail.limits.eager_limit) << "any of them may carry a small message";
    }
    ASSERT_EQ(set->eager.empty(), set->send.empty());
    for (const Rail& best : set->eager) {
      for (const Rail& rail : set->send) ASSERT_LE(best.limits.latency_ns, rail.limits.latency_ns);
    }
  }
}

// --- with scripted rails

/// A peer over scripted modules, opened as the wire-up opens it.
struct Peers {
  explicit Peers(std::vector<FakeModule*> modules) {
    std::vector<Rail> rails;
    for (FakeModule* module : modules) rails.push_back(rail_of(*module));
    peer.publish(rank_rails(std::move(rails)));
    peer.pending.drain([](btl::Descriptor&) { return true; });
  }
  Peer peer;
};

struct Small {
  btl::Descriptor descriptor;
  int ends = 0;
  Errc status = Errc::kOk;

  explicit Small(int number) {
    std::memcpy(descriptor.header, &number, sizeof number);
    descriptor.header_size = sizeof number;
    descriptor.owner = this;
    descriptor.on_complete = [](btl::Descriptor& self, Errc status) noexcept {
      auto& small = *static_cast<Small*>(self.owner);
      ++small.ends;
      small.status = status;
    };
  }
};

int number_of(const FakeModule::Sent& sent) {
  int number = -1;
  std::memcpy(&number, sent.header.data(), sizeof number);
  return number;
}

TEST(Pending, OrderSurvivesRefusals) {
  fakes::WorldOfOne world;
  std::mt19937 random(5);
  FakeModule module(limits_of(100, 100));
  module.answer = [&](FakeModule::Kind, std::size_t) {
    return random() % 8 < 5 ? Posted::kNoResource : Posted::kDone;
  };
  Peers peers({&module});
  std::vector<std::unique_ptr<Small>> all;
  std::vector<bool> must_end;
  std::vector<int> arrived;
  module.deliver = [&](const FakeModule::Sent& sent) { arrived.push_back(number_of(sent)); };
  for (int i = 0; i < 3000; ++i) {
    all.push_back(std::make_unique<Small>(i));
    Posted posted = world.bml->sendi(peers.peer, {&i, sizeof i, 1}, nullptr, 0);
    if (posted == Posted::kNoResource) posted = world.bml->send(peers.peer, all.back()->descriptor);
    ASSERT_TRUE(posted == Posted::kDone || posted == Posted::kPending);
    must_end.push_back(posted == Posted::kPending);
    if (random() % 3 == 0) world.runtime->engine().progress();
  }
  while (!world.bml->idle()) world.runtime->engine().progress();
  ASSERT_EQ(arrived.size(), all.size());
  for (int i = 0; i < 3000; ++i) {
    const auto at = static_cast<std::size_t>(i);
    EXPECT_EQ(all[at]->ends, must_end[at] ? 1 : 0) << i;
  }
  EXPECT_TRUE(std::is_sorted(arrived.begin(), arrived.end()));
}

TEST(Pending, ADeadRailIsLeftToTheOthersAndNoneLeftIsSaid) {
  fakes::WorldOfOne world;
  FakeModule first(limits_of(100, 100));
  FakeModule second(limits_of(100, 100));
  Peers peers({&first, &second});
  first.always(Posted::kUnreachable);
  for (int i = 0; i < 6; ++i) {
    Small small(i);
    EXPECT_EQ(world.bml->send(peers.peer, small.descriptor), Posted::kDone);
  }
  EXPECT_EQ(second.sent.size(), 6u);
  second.always(Posted::kUnreachable);
  Small last(9);
  EXPECT_EQ(world.bml->send(peers.peer, last.descriptor), Posted::kUnreachable);
  EXPECT_EQ(last.ends, 0);
}

TEST(Pending, WhatWaitsWhenTheLastRailDiesEndsOnceThoughItsOwnerTriesAgain) {
  fakes::WorldOfOne world;
  FakeModule module(limits_of(100, 100));
  Peers peers({&module});
  Posted now = Posted::kNoResource;
  module.answer = [&](FakeModule::Kind, std::size_t) { return now; };
  struct Stubborn {
    Bml* bml;
    Peer* peer;
    int calls = 0;
    Posted again = Posted::kDone;
  } owner{world.bml.get(), &peers.peer};
  Small small(1);
  small.descriptor.owner = &owner;
  small.descriptor.on_complete = [](btl::Descriptor& self, Errc) noexcept {
    auto& me = *static_cast<Stubborn*>(self.owner);
    ++me.calls;
    me.again = me.bml->send_again(*me.peer, self);
  };
  ASSERT_EQ(world.bml->send(peers.peer, small.descriptor), Posted::kPending);
  now = Posted::kUnreachable;
  world.runtime->engine().progress();
  EXPECT_EQ(owner.calls, 1);
  EXPECT_EQ(owner.again, Posted::kUnreachable);
}

// --- large messages

/// One large message and where its slices arrive.
struct Large {
  Transfer transfer;
  std::vector<char> from;
  std::vector<char> to;
  std::vector<std::atomic<int>> times;
  std::atomic<int> ends{0};
  std::atomic<Errc> status{Errc::kOk};

  Large(Peer& peer, Transfer::Kind kind, std::size_t size, bool contiguous)
      : from(size), to(size), times(size) {
    for (std::size_t i = 0; i < size; ++i) from[i] = static_cast<char>(i * 7 + i / 256);
    transfer.kind = kind;
    transfer.tag = 9;
    transfer.peer = &peer;
    transfer.size = size;
    transfer.remote_id = 77;
    transfer.owner = this;
    if (kind == Transfer::Kind::kGet) {
      transfer.base = to.data();
      transfer.remote_address = reinterpret_cast<std::uint64_t>(from.data());
    } else if (contiguous) {
      transfer.base = from.data();
    } else {
      transfer.pack = [](const Transfer& self, void* out, std::uint64_t offset, std::size_t bytes) noexcept {
        std::memcpy(out, static_cast<Large*>(self.owner)->from.data() + offset, bytes);
      };
    }
    transfer.on_done = [](Transfer& self, Errc how) noexcept {
      auto& me = *static_cast<Large*>(self.owner);
      me.status = how;
      ++me.ends;
    };
  }
  void arrive(const FakeModule::Sent& sent) {
    SliceHeader header;
    ASSERT_EQ(sent.header.size(), sizeof header);
    std::memcpy(&header, sent.header.data(), sizeof header);
    ASSERT_EQ(header.remote_id, 77u);
    ASSERT_LE(header.offset + sent.data.size(), to.size());
    std::memcpy(to.data() + header.offset, sent.data.data(), sent.data.size());
    for (std::size_t i = 0; i < sent.data.size(); ++i) ++times[header.offset + i];
  }
  void expect_exactly_once() {
    EXPECT_EQ(ends.load(), 1);
    EXPECT_EQ(status.load(), Errc::kOk);
    EXPECT_EQ(to, from);
    if (transfer.kind == Transfer::Kind::kGet) return;
    for (const auto& count : times) ASSERT_EQ(count.load(), 1);
  }
};

struct Rails {
  std::vector<std::unique_ptr<FakeModule>> modules;
  std::unique_ptr<Peers> peers;

  template <class Random>
  Rails(Random& random, std::size_t count) {
    std::vector<FakeModule*> all;
    for (std::size_t i = 0; i < count; ++i) {
      modules.push_back(
          std::make_unique<FakeModule>(limits_of(10, 10 + random() % 2000, 100, 1 + random() % 1000), true));
      all.push_back(modules.back().get());
    }
    peers = std::make_unique<Peers>(all);
  }
};

TEST(Transfers, EveryByteOnceWhateverTheRailsDo) {
  fakes::WorldOfOne world;
  for (unsigned seed = 0; seed < 1500; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    Rails rails(random, 1 + random() % 4);
    const auto kind = random() % 3 == 0 ? Transfer::Kind::kGet : Transfer::Kind::kSend;
    Large large(rails.peers->peer, kind, random() % 40'000, random() % 2 == 0);
    // All but one may die, and then refuse for ever; what they hold comes back unsent.
    std::vector<bool> dead(rails.modules.size());
    const std::size_t survivor = random() % rails.modules.size();
    const unsigned refusals = random() % 10;
    for (std::size_t i = 0; i < rails.modules.size(); ++i) {
      rails.modules[i]->deliver = [&](const FakeModule::Sent& sent) { large.arrive(sent); };
      rails.modules[i]->answer = [&, i](FakeModule::Kind, std::size_t) {
        if (dead[i]) return Posted::kUnreachable;
        if (random() % 10 < refusals) return Posted::kNoResource;
        return random() % 2 == 0 ? Posted::kDone : Posted::kPending;
      };
    }
    world.bml->start(large.transfer);
    for (int turn = 0; turn < 100'000 && large.ends == 0; ++turn) {
      const std::size_t which = random() % rails.modules.size();
      FakeModule& module = *rails.modules[which];
      if (kind == Transfer::Kind::kSend && which != survivor && random() % 50 == 0) dead[which] = true;
      const std::size_t pending = module.pending();
      if (pending != 0) module.complete(random() % pending, dead[which] ? Errc::kUnreachable : Errc::kOk);
      if (refusals == 9 || random() % 2 == 0) world.runtime->engine().progress();
    }
    large.expect_exactly_once();
    for (const auto& module : rails.modules) {
      EXPECT_EQ(module->pending(), 0u);
      EXPECT_FALSE(module->broke_contract);
    }
    ASSERT_TRUE(world.bml->idle());
    if (HasFailure()) return;
  }
}

TEST(Transfers, ASliceOfADeadRailIsCutForARailOfSmallerOnes) {
  fakes::WorldOfOne world;
  for (const bool contiguous : {true, false}) {
    FakeModule wide(limits_of(10, 10'000, 100, 2000));
    FakeModule narrow(limits_of(10, 64, 100, 1));
    Peers peers({&wide, &narrow});
    Large large(peers.peer, Transfer::Kind::kSend, 9'999, contiguous);
    wide.always(Posted::kPending);
    narrow.deliver = [&](const FakeModule::Sent& sent) { large.arrive(sent); };
    world.bml->start(large.transfer);
    ASSERT_EQ(wide.pending(), 1u);
    wide.always(Posted::kUnreachable);
    wide.complete(0, Errc::kUnreachable);
    for (int i = 0; i < 1000 && large.ends == 0; ++i) world.runtime->engine().progress();
    large.expect_exactly_once();
    EXPECT_FALSE(narrow.broke_contract);
  }
}

TEST(Transfers, AFailureIsToldOnceAndOnlyWhenNothingIsOutAnyMore) {
  fakes::WorldOfOne world;
  FakeModule module(limits_of(10, 100));
  module.always(Posted::kPending);
  Peers peers({&module});
  Large large(peers.peer, Transfer::Kind::kSend, 5000, true);
  module.deliver = [&](const FakeModule::Sent& sent) { large.arrive(sent); };
  world.bml->start(large.transfer);
  const std::size_t out = module.pending();
  ASSERT_GT(out, 1u);
  module.complete(1, Errc::kPeerGone);
  for (std::size_t left = out - 1; left != 0; --left) {
    EXPECT_EQ(large.ends.load(), 0);
    EXPECT_EQ(module.pending(), left) << "nothing new is posted";
    module.complete();
  }
  EXPECT_EQ(large.ends.load(), 1);
  EXPECT_EQ(large.status.load(), Errc::kPeerGone);
}

TEST(Transfers, NoRailLeftIsAnError) {
  fakes::WorldOfOne world;
  FakeModule module(limits_of(10, 100));
  module.always(Posted::kUnreachable);
  Peers peers({&module});
  Large large(peers.peer, Transfer::Kind::kSend, 5000, true);
  world.bml->start(large.transfer);
  for (int i = 0; i < 10 && large.ends == 0; ++i) world.runtime->engine().progress();
  EXPECT_EQ(large.ends.load(), 1);
  EXPECT_EQ(large.status.load(), Errc::kUnreachable);
}

TEST(Transfers, CompletionsFromSeveralThreads) {
  g_many_threads = true;
  {
    fakes::WorldOfOne world;
    for (unsigned seed = 0; seed < 40; ++seed) {
      std::mt19937 random(seed);
      Rails rails(random, 3);
      Large large(rails.peers->peer, Transfer::Kind::kSend, 100'000, seed % 2 == 0);
      std::atomic<unsigned> dice{seed};
      for (auto& module : rails.modules) {
        module->deliver = [&](const FakeModule::Sent& sent) { large.arrive(sent); };
        module->answer = [&](FakeModule::Kind, std::size_t) {
          const unsigned face = dice.fetch_add(1, std::memory_order_relaxed) % 7;
          return face == 0 ? Posted::kNoResource : face == 1 ? Posted::kDone : Posted::kPending;
        };
      }
      std::vector<std::thread> threads;
      for (std::size_t i = 0; i < 4; ++i) {
        threads.emplace_back([&, i] {
          if (i == 0) world.bml->start(large.transfer);
          while (large.ends == 0) {
            for (auto& module : rails.modules) module->complete(i % 2);
            world.runtime->engine().progress();
          }
        });
      }
      for (std::thread& thread : threads) thread.join();
      large.expect_exactly_once();
      if (testing::Test::HasFailure()) break;
    }
  }
  g_many_threads = false;
}

}  // namespace
}  // namespace hawser::bml
