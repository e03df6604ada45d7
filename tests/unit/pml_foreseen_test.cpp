// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
// A receive that is waited for knows the header of its message before it comes: who gets what stays the same.
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "pml/impl.hpp"
#include "tests/fakes/threads.hpp"
#include "tests/fakes/world_of_one.hpp"

namespace hawser::pml {
namespace {

constexpr std::uint32_t kContext = 2;
constexpr int kTag = 5;

/// With the one thread of a program that has no other, or as if there were more: then nothing is foreseen.
class PmlForeseen : public testing::TestWithParam<bool> {
 protected:
  PmlForeseen() { world.runtime->engine().add_poller({&poll, this}); }
  ~PmlForeseen() override { world.runtime->engine().remove_poller(this); }

  const fakes::Threads threads{GetParam()};
  fakes::WorldOfOne world;
  Pml& pml = *world.pml;
  Channel& channel = *pml.open_channel(kContext, 0, {0});
  const btl::Handler& eager = world.runtime->handlers().entries[kTagEager];
  std::function<void()> meanwhile;  // happens once, while the receive is waited for
  std::string to = std::string(8, '-');

  static int poll(void* self) noexcept {
    const auto now = std::exchange(static_cast<PmlForeseen*>(self)->meanwhile, nullptr);
    if (now) now();
    return now ? 1 : 0;
  }
  void arrive(std::uint32_t sequence, const std::string& data, int tag = kTag) {
    const MatchHeader match{kContext, tag, 0, sequence};
    eager.deliver(eager.context, {0, kTagEager, sizeof match, &match, data.data(), data.size(), nullptr});
  }
  Status receive(int tag = kTag) { return pml.recv(channel, {to.data(), to.size(), nullptr}, 0, tag); }
  Request* post(std::string& into, int source, int tag) {
    return pml.irecv(channel, {into.data(), into.size(), nullptr}, source, tag);
  }
};

TEST_P(PmlForeseen, TheNextMessageIsTheReceives) {
  for (const std::size_t size : {0u, 1u, 3u, 8u}) {
    const auto sequence = channel.expected_from(0);
    meanwhile = [&] { arrive(sequence, std::string("abcdefgh", size)); };
    to = std::string(8, '-');
    const Status got = receive();
    EXPECT_EQ(got.error, Errc::kOk);
    EXPECT_EQ(got.source, 0);
    EXPECT_EQ(got.tag, kTag);
    EXPECT_EQ(got.size, size);
    EXPECT_EQ(to, std::string("abcdefgh", size) + std::string(8 - size, '-'));
  }
  to = std::string(500, '-');
  const std::string longer(400, 'x');
  meanwhile = [&] { arrive(4, longer); };
  EXPECT_EQ(receive().size, 400u);
  EXPECT_EQ(to, longer + std::string(100, '-'));
}

TEST_P(PmlForeseen, WhatWasPostedBeforeComesFirst) {
  const std::pair<int, int> kinds[] = {{0, kTag}, {0, kAnyTag}, {kAnySource, kTag}, {kAnySource, kAnyTag}};
  std::uint32_t sequence = 0;
  for (const auto& [source, tag] : kinds) {
    std::string before(8, '-');
    Request* posted = post(before, source, tag);
    meanwhile = [&] {
      arrive(sequence, "before");
      EXPECT_TRUE(posted->done());
      arrive(sequence + 1, "after");
    };
    EXPECT_EQ(receive().size, 5u);
    EXPECT_EQ(to.substr(0, 5), "after");
    ASSERT_TRUE(posted->done());
    EXPECT_EQ(before, "before--");
    posted->release();
    sequence += 2;
  }
}

TEST_P(PmlForeseen, WhatIsPostedMeanwhileComesAfter) {
  std::string other(8, '-');
  Request* posted = nullptr;
  meanwhile = [&] {
    posted = post(other, kAnySource, kAnyTag);
    arrive(0, "mine");
    EXPECT_FALSE(posted->done());
  };
  EXPECT_EQ(receive().size, 4u);
  arrive(1, "other");
  ASSERT_TRUE(posted->done());
  EXPECT_EQ(other, "other---");
  posted->release();
}

TEST_P(PmlForeseen, WhatCameBeforeIsReceivedFirst) {
  arrive(0, "first");
  meanwhile = [&] { arrive(1, "second"); };
  EXPECT_EQ(receive().size, 5u);
  EXPECT_EQ(receive().size, 6u);
}

TEST_P(PmlForeseen, MessagesOfAnotherTagMayComeBetween) {
  meanwhile = [&] {
    arrive(0, "another", kTag + 1);
    arrive(1, "mine");
  };
  EXPECT_EQ(receive().size, 4u);
  EXPECT_EQ(to.substr(0, 4), "mine");
  EXPECT_EQ(receive(kTag + 1).size, 7u);
}

// As over two rails.
TEST_P(PmlForeseen, MessagesMayPassEachOther) {
  meanwhile = [&] {
    arrive(1, "second");
    arrive(2, "third");
    arrive(0, "first");
  };
  EXPECT_EQ(receive().size, 5u);
  EXPECT_EQ(receive().size, 6u);
  meanwhile = [&] {
    arrive(4, "mine", kTag + 1);  // what is waited for: ahead of its turn
    arrive(3, "other", kTag + 2);
  };
  EXPECT_EQ(receive(kTag + 1).size, 4u);
  meanwhile = [&] {
    arrive(6, "ahead", kTag + 3);
    arrive(5, "mine", kTag + 1);  // is foreseen, and ends the wait of the one ahead
  };
  EXPECT_EQ(receive(kTag + 1).size, 4u);
  EXPECT_EQ(receive(kTag + 3).size, 5u);
  EXPECT_EQ(receive().size, 5u) << "the third message of all";
}

TEST_P(PmlForeseen, TheSameMessageOnceMoreIsDropped) {
  meanwhile = [&] {
    arrive(0, "once");
    arrive(0, "twice");
  };
  EXPECT_EQ(receive().size, 4u);
  EXPECT_EQ(to, "once----");
  meanwhile = [&] { arrive(1, "next"); };
  EXPECT_EQ(receive().size, 4u);
}

TEST_P(PmlForeseen, ALongerMessageIsCut) {
  meanwhile = [&] { arrive(0, "longer than it"); };
  const Status got = receive();
  EXPECT_EQ(got.error, Errc::kTruncated);
  EXPECT_EQ(got.size, 8u);
  EXPECT_EQ(to, "longer t");
}

TEST_P(PmlForeseen, NothingIsWrittenOnceThePeerFailed) {
  bool failed = false;
  meanwhile = [&] {
    const bml::Rail& rail = (*world.bml->peer(0))->rails().send[0];
    world.runtime->rail_failed(0, *rail.module, *rail.endpoint, Errc::kSystem, "the cable was cut");
    failed = true;
  };
  EXPECT_EQ(receive().error, Errc::kSystem);
  EXPECT_TRUE(failed);
  arrive(0, "late");
  EXPECT_EQ(to, "--------");
}

INSTANTIATE_TEST_SUITE_P(Threads, PmlForeseen, testing::Bool());

}  // namespace
}  // namespace hawser::pml
