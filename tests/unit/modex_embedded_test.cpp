// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
// The rank's half of the modex against a launcher that the test plays.
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>

#include <atomic>
#include <thread>

#include "framework/base/fd.hpp"
#include "framework/base/hooks.hpp"
#include "framework/modex/embedded.hpp"

namespace hawser::modex {
namespace {

using namespace std::chrono_literals;
using namespace protocol;

class EmbeddedModex : public testing::Test {
 protected:
  void SetUp() override {
    int ends[2];
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    rank_end_.reset(ends[0]);
    launcher_end_.reset(ends[1]);
    launcher_ = std::make_unique<Channel>(ends[1], kMaxFromRank);
    Welcome welcome;
    welcome.job.size = 3;
    launcher_->send(encode(welcome));
    auto joined = Embedded::join(ends[0], deadline_in(10s));
    ASSERT_TRUE(joined);
    modex_ = std::move(*joined);
    EXPECT_EQ(hear().type, Type::kHello);
  }
  Frame hear() {
    for (;;) {
      auto frame = launcher_->next();
      if (frame && *frame) return **frame;
      pollfd entry{launcher_end_.get(), POLLIN, 0};
      if (!frame || ::poll(&entry, 1, 10000) != 1 || !launcher_->receive()) {
        ADD_FAILURE() << "nothing came";
        return {Type::kLeft, ""};
      }
    }
  }
  Get hear_get() {
    Get get;
    const Frame frame = hear();
    EXPECT_EQ(frame.type, Type::kGet);
    EXPECT_TRUE(decode(frame.payload, get));
    return get;
  }
  void answer(const Get& get, const Blob& blob) {
    launcher_->send(encode(Got{get.id, get.rank, Errc::kOk, "", encode_blob(blob)}));
  }
  bool nothing_more() {
    pollfd entry{launcher_end_.get(), POLLIN, 0};
    auto frame = launcher_->next();
    return frame && !*frame && ::poll(&entry, 1, 0) == 0;
  }

  Fd rank_end_;
  Fd launcher_end_;
  std::unique_ptr<Channel> launcher_;
  std::unique_ptr<Modex> modex_;
};

TEST_F(EmbeddedModex, LauncherGoneEndsEveryWait) {
  std::atomic<int> gone{0};
  std::vector<std::thread> threads;
  for (std::uint32_t t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      const auto value = t == 0 ? Result<std::string>(modex_->fence(false, deadline_in(60s)).error())
                                : modex_->get(t % 3, "key", deadline_in(60s));
      if (!value && value.error().code == Errc::kPeerGone) ++gone;
    });
  }
  hear();  // at least one waits
  launcher_end_.reset();
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(gone, 8);
  EXPECT_EQ(modex_->get(1, "key", deadline_in(60s)).error().code, Errc::kPeerGone);
}

TEST_F(EmbeddedModex, MalformedAnswerEndsTheWait) {
  std::thread waiter([&] {
    const auto value = modex_->get(1, "key", deadline_in(60s));
    EXPECT_EQ(value.error().code, Errc::kProtocol);
  });
  const Get get = hear_get();
  launcher_->send(encode(Got{get.id, get.rank, Errc::kOk, "", "no blob"}));
  waiter.join();
}

TEST_F(EmbeddedModex, LateAnswerFindsNobodyAndServesTheNext) {
  EXPECT_EQ(modex_->get(1, "key", deadline_in(1ms)).error().code, Errc::kTimedOut);
  answer(hear_get(), {{"key", "value"}});
  EXPECT_EQ(*modex_->get(1, "key", deadline_in(60s)), "value");
  EXPECT_TRUE(nothing_more()) << "the request under way was joined";
}

TEST_F(EmbeddedModex, AnAnswerFromBeforeTheForgettingServesItsWaitersAndNobodyElse) {
  std::thread first([&] { EXPECT_EQ(*modex_->get(1, "key", deadline_in(60s)), "old"); });
  const Get old = hear_get();
  modex_->forget(1);
  std::thread second([&] { EXPECT_EQ(*modex_->get(1, "key", deadline_in(60s)), "new"); });
  const Get fresh = hear_get();
  EXPECT_NE(fresh.id, old.id) << "not joined to the old request";
  answer(fresh, {{"key", "new"}});
  second.join();
  answer(old, {{"key", "old"}});
  first.join();
  EXPECT_EQ(*modex_->get(1, "key", deadline_in(60s)), "new") << "the old answer was not cached";
  EXPECT_TRUE(nothing_more());
}

TEST_F(EmbeddedModex, WhatAFenceBroughtIsNotOlderThanTheForgetting) {
  std::thread fence([&] { EXPECT_TRUE(modex_->fence(true, deadline_in(60s))); });
  EXPECT_EQ(hear().type, Type::kFence);
  modex_->forget(1);
  const std::string old = encode_blob({{"key", "old"}});
  launcher_->send(encode(FenceDone{1, Errc::kOk, "", {old, old, old}}));
  fence.join();
  EXPECT_EQ(*modex_->get(2, "key", deadline_in(60s)), "old");
  std::thread get([&] { EXPECT_EQ(*modex_->get(1, "key", deadline_in(60s)), "new"); });
  answer(hear_get(), {{"key", "new"}});
  get.join();
}

TEST_F(EmbeddedModex, AnOlderFenceDoesNotBringBackWhatALaterAnswerReplaced) {
  std::thread fence([&] { EXPECT_TRUE(modex_->fence(true, deadline_in(60s))); });
  EXPECT_EQ(hear().type, Type::kFence);
  const std::string old = encode_blob({{"key", "old"}});
  // Both are read in one go: the fence's caller wakes up after the answer was cached.
  std::thread get([&] { EXPECT_EQ(*modex_->get(1, "key", deadline_in(60s)), "new"); });
  const Get asked = hear_get();
  const std::string both = encode(FenceDone{1, Errc::kOk, "", {old, old, old}}) +
                           encode(Got{asked.id, asked.rank, Errc::kOk, "", encode_blob({{"key", "new"}})});
  launcher_->send(both);
  fence.join();
  get.join();
  EXPECT_EQ(*modex_->get(1, "key", deadline_in(60s)), "new");
  EXPECT_TRUE(nothing_more());
}

TEST_F(EmbeddedModex, MoreKeysOrBytesThanABlobHoldsAreErrors) {
  EXPECT_EQ(modex_->put(std::string(70'000, 'k'), "").error().code, Errc::kInvalid);
  const std::string large(kMaxFromRank / 2, 'x');
  EXPECT_TRUE(modex_->put("a", large));
  EXPECT_TRUE(modex_->put("a", large)) << "in place of the old one";
  EXPECT_EQ(modex_->put("b", large).error().code, Errc::kTruncated);
  EXPECT_TRUE(modex_->put("a", "small"));
  EXPECT_TRUE(modex_->put("b", large)) << "there is room again";
}

#if defined(HAWSER_HOOKS)
TEST_F(EmbeddedModex, AnswerOlderThanTheWaiterIsAskedAgain) {
  std::atomic<int> waiting{0};
  hooks::set(
      "modex.get_waits", [](void* count) { ++*static_cast<std::atomic<int>*>(count); }, &waiting);
  std::thread first(
      [&] { EXPECT_EQ(modex_->get(1, "absent", deadline_in(60s)).error().code, Errc::kNotFound); });
  const Get old = hear_get();
  std::thread second([&] { EXPECT_EQ(*modex_->get(1, "late", deadline_in(60s)), "value"); });
  while (waiting < 2) std::this_thread::yield();
  EXPECT_TRUE(nothing_more()) << "the second joined the first one's request";
  answer(old, {{"other", "x"}});  // true when it was asked for, but older than the second
  answer(hear_get(), {{"late", "value"}});
  first.join();
  second.join();
  EXPECT_TRUE(nothing_more());
  hooks::set("modex.get_waits", nullptr, nullptr);
}
#endif

}  // namespace
}  // namespace hawser::modex
