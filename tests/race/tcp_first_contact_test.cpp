// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
// The rules in the real tcp component: real connections, and a creator that is stopped at the worst moment.
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <atomic>
#include <set>

#include "components/tcp/params.hpp"
#include "framework/base/clock.hpp"
#include "framework/base/hooks.hpp"
#include "tests/race/failing_memory.hpp"
#include "tests/race/worst_moment.hpp"
#include "tests/unit/tcp_fake_job.hpp"
#include "tests/unit/tcp_puppet.hpp"

namespace hawser::tcp::testing {
namespace {

using btl::Posted;
using tests::count;
using tests::kThreads;
using tests::ScopedHook;
using tests::Stop;
using tests::wait_for;

/// Stops one thread, and only that one, at a hook.
struct StopThread {
  std::atomic<std::thread::id> who{};
  Stop stop;
  static void here(void* self) {
    auto* mine = static_cast<StopThread*>(self);
    if (mine->who.load() == std::this_thread::get_id() && mine->stop.reached == 0) Stop::here(&mine->stop);
  }
};

/// Rank 0 stands still with one of two endpoints to rank 1 built.
class HalfBuilt {
 public:
  explicit HalfBuilt(Rank& zero) {
    creator_ = std::thread([this, &zero] {
      held_.who = std::this_thread::get_id();
      reach = zero.reach(1);
    });
    wait_for(held_.stop.reached, 1);
  }
  ~HalfBuilt() { go_on(); }
  void go_on() {
    held_.stop.go_on = 1;
    if (creator_.joinable()) creator_.join();
  }
  static void release(void* self) { static_cast<HalfBuilt*>(self)->held_.stop.go_on = 1; }

  btl::Reach reach;

 private:
  StopThread held_;
  ScopedHook hook_{"tcp.between_rails", &StopThread::here, &held_};
  std::thread creator_;
};

class FirstContact : public ::testing::Test {
 protected:
  void SetUp() override {
    reset_params();
    g_params.links = 2;
    ASSERT_EQ(zero.open(), "");
  }
  bool same(const btl::Reach& a, const btl::Reach& b) {
    if (a.count != b.count) return false;
    for (std::size_t i = 0; i < a.count; ++i) {
      if (a.rails[i].endpoint != b.rails[i].endpoint || a.rails[i].module != b.rails[i].module) return false;
    }
    return true;
  }
  /// A message over each rail of `from` arrives at `to`.
  void talk(Rank& from, Rank& to, const btl::Reach& reach) {
    std::vector<std::unique_ptr<Letter>> letters;
    const std::size_t before = to.received.size();
    for (std::size_t i = 0; i < reach.count; ++i) {
      letters.push_back(std::make_unique<Letter>(1, "", "rail " + std::to_string(i)));
      ASSERT_EQ(reach.rails[i].module->send(*reach.rails[i].endpoint, letters[i]->descriptor),
                Posted::kPending);
    }
    ASSERT_TRUE(drive({&from, &to}, [&] { return to.received.size() == before + reach.count; }));
    EXPECT_TRUE(drive({&from, &to}, [&] { return letters.back()->completions == 1; }));
  }

  FakeJob job{2};
  Rank zero{job, 0};
  Rank one{job, 1};
};

// The hello of rank 1 is read while rank 0 has one of its two endpoints to it. It waits for the peer and is
// served; it is released only once it waits.
TEST_F(FirstContact, AnInboundConnectionBetweenTwoRailsIsServed) {
  ASSERT_EQ(one.open(), "");
  std::atomic<int> made{0};
  ScopedHook publish("tcp.before_publish", &count, &made);
  HalfBuilt half(zero);
  ScopedHook parked("peer.parked", &HalfBuilt::release, &half);
  EXPECT_EQ(made, 0) << "nobody has published anything yet";
  const btl::Reach back = one.reach(0);
  ASSERT_EQ(back.count, 2u);
  talk(one, zero, back);
  half.go_on();
  EXPECT_EQ(half.reach.count, 2u);
  EXPECT_EQ(made, 2) << "one creation on either side";
  EXPECT_EQ(zero.count(Counter::kDroppedInbound), 0u);
  EXPECT_EQ(zero.count(Counter::kAccepted), 2u);
  EXPECT_TRUE(zero.failures.empty() && one.failures.empty());
  EXPECT_TRUE(same(zero.reach(1), half.reach));
}

TEST_F(FirstContact, SixtyFourThreadsGetTheSameRailsOfOneCreation) {
  ASSERT_EQ(one.open(), "");
  struct Held {
    std::atomic<int> parked{0};
    std::atomic<int> made{0};
    static void until_all_wait(void* self) {
      auto* held = static_cast<Held*>(self);
      ++held->made;
      while (held->parked + held->made < kThreads) std::this_thread::yield();
    }
  } held;
  std::atomic<int> endpoints{0};
  std::vector<btl::Reach> reaches(kThreads);
  {
    ScopedHook parked("peer.parked", &count, &held.parked);
    ScopedHook rails("tcp.between_rails", &count, &endpoints);
    ScopedHook publish("tcp.before_publish", &Held::until_all_wait, &held);
    std::vector<std::thread> threads;
    for (int i = 0; i < kThreads; ++i) threads.emplace_back([&, i] { reaches[i] = zero.reach(1); });
    for (auto& thread : threads) thread.join();
  }
  EXPECT_EQ(held.made, 1);
  EXPECT_EQ(endpoints, 2);
  for (const auto& reach : reaches) EXPECT_TRUE(reach.count == 2 && same(reach, reaches[0]));
  talk(zero, one, reaches[0]);
}

// 64 threads learn the same of a peer that has published nothing; when it has, the next one reaches it.
TEST_F(FirstContact, AModexErrorIsToldToAllWhoWaitedAndTheNextOneSucceeds) {
  std::atomic<int> parked{0};
  std::vector<btl::Reach> reaches(kThreads);
  {
    struct Until {
      std::atomic<int>& parked;
      static void all_wait(void* self) { wait_for(static_cast<Until*>(self)->parked, kThreads - 1); }
    } until{parked};
    ScopedHook park("peer.parked", &count, &parked);
    ScopedHook make("peer.before_make", &Until::all_wait, &until);
    std::vector<std::thread> threads;
    for (int i = 0; i < kThreads; ++i) threads.emplace_back([&, i] { reaches[i] = zero.reach(1); });
    for (auto& thread : threads) thread.join();
  }
  std::set<std::string> reasons;
  for (const auto& reach : reaches) {
    EXPECT_EQ(reach.count, 0u);
    EXPECT_EQ(reach.status, reaches[0].status);
    reasons.insert(reach.reason);
  }
  ASSERT_EQ(reasons.size(), 1u);
  EXPECT_NE(reasons.begin()->find("rank 1"), std::string::npos) << *reasons.begin();
  ASSERT_EQ(one.open(), "");
  const btl::Reach again = zero.reach(1);
  ASSERT_EQ(again.count, 2u) << again.reason;
  talk(zero, one, again);
}

TEST_F(FirstContact, AnyAllocationMayFailItIsSaidAndTheNextCallSucceeds) {
  ASSERT_EQ(one.open(), "");
  std::size_t size = 0;                              // the test's own modex must not need memory
  hooks::set("peer.before_make", nullptr, nullptr);  // nor must the table of hooks
  char blob[kMaxBlob];
  ASSERT_EQ(zero.modex_get(1, kBlobKey, blob, sizeof blob, &size), Errc::kOk);
  btl::Reach reach;
  int failures = 0;
  for (int first = 0; first < 2000; ++first) {
    {
      const tests::FailingMemory none(first);
      reach = zero.reach(1);
    }
    if (reach.count != 0) break;
    ++failures;
    ASSERT_EQ(reach.status, Errc::kOutOfMemory) << "allocation " << first << ": " << reach.reason;
    ASSERT_NE(std::string(reach.reason).find("memory"), std::string::npos) << reach.reason;
  }
  EXPECT_GT(failures, 5);
  ASSERT_EQ(reach.count, 2u);
  talk(zero, one, reach);
}

// A peer sends what it must not, just when memory runs out, at every allocation in turn: its connection ends,
// and nothing else does.
TEST_F(FirstContact, WithoutMemoryBadInputStillEndsItsConnectionAlone) {
  Puppet one(job, 1);
  const Frame bad{0, 0, static_cast<FrameKind>(9), 1, 0, 0};
  bool struck = true;
  for (int first = 0; struck && first < 100; ++first) {
    Rank zero(job, 0);
    ASSERT_EQ(zero.open(), "");
    const Fd fd = one.call(zero, one.plain_hello(0));
    put(fd.get(), &bad, sizeof bad);
    const Deadline deadline = deadline_in(std::chrono::seconds(10));
    {
      const tests::FailingMemory none(first);
      while (zero.failures.empty() && zero.unsaid == 0 && Clock::now() < deadline) zero.turn();
      struck = tests::FailingMemory::struck();
    }
    EXPECT_EQ(zero.failures.size() + zero.unsaid, 1u) << "allocation " << first;
    EXPECT_TRUE(drive({&zero},
                      [&] {
                        char byte = 0;
                        return ::recv(fd.get(), &byte, 1, MSG_DONTWAIT) == 0 || errno != EAGAIN;
                      }))
        << "it is open after allocation " << first;
  }
  EXPECT_FALSE(struck) << "there is an end to it";
}

TEST_F(FirstContact, LettingGoOfAPeerThatIsBeingMadeIsAClearErrorAndTheNextCallStartsAnew) {
  ASSERT_EQ(one.open(), "");
  HalfBuilt half(zero);
  zero.component().release_peer(1);
  half.go_on();
  EXPECT_EQ(half.reach.count, 0u);
  EXPECT_EQ(half.reach.status, Errc::kShutdown);
  EXPECT_NE(std::string(half.reach.reason).find("rank 1 was let go"), std::string::npos) << half.reach.reason;
  const btl::Reach again = zero.reach(1);
  ASSERT_EQ(again.count, 2u) << again.reason;
  talk(zero, one, again);
}

TEST_F(FirstContact, ClosingWhileAPeerIsBeingMadeLeavesNothingBehind) {
  ASSERT_EQ(one.open(), "");
  HalfBuilt half(zero);
  std::atomic<bool> begun{false};
  ScopedHook hook(
      "peer.closing", [](void* flag) { *static_cast<std::atomic<bool>*>(flag) = true; }, &begun);
  std::thread closing([&] { zero.close(); });
  while (!begun) std::this_thread::yield();
  half.go_on();  // closing waits for it
  closing.join();
  EXPECT_EQ(half.reach.count, 0u);
  EXPECT_EQ(half.reach.status, Errc::kShutdown);
}

}  // namespace
}  // namespace hawser::tcp::testing
