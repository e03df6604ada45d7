// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
// 64 threads that first touch a peer through the runtime and through the BML, over a real modex.
#include <gtest/gtest.h>

#include <cstdlib>
#include <set>

#include "bml/bml.hpp"
#include "framework/base/hooks.hpp"
#include "framework/runtime/proc_blob.hpp"
#include "framework/runtime/runtime.hpp"
#include "tests/race/worst_moment.hpp"
#include "tests/unit/modex_launcher.hpp"

namespace hawser {
namespace {

using modex::protocol::Type;
using tests::count;
using tests::kThreads;
using tests::ScopedHook;
using tests::wait_for;

/// This process is rank 0 of two; rank 1 is a modex alone, which the test plays.
class TwoRanks : public testing::Test {
 protected:
  void SetUp() override {
    set("HAWSER_CONTROL_FD", std::to_string(launcher.socket_of(0)));
    set("HAWSER_MCA_btl", "self,tcp");
    set("HAWSER_MCA_btl_tcp_if_include", "127.0.0.0/8");
  }
  void start() {
    peer = launcher.join(1);
    auto made = Runtime::make();
    ASSERT_TRUE(made) << made.error().text;
    runtime = std::move(*made);
    auto made_bml = bml::Bml::make(*runtime);
    ASSERT_TRUE(made_bml) << made_bml.error().text;
    bml = std::move(*made_bml);
    std::thread meeting([&] { EXPECT_TRUE(peer->fence(false, tests::soon())); });  // it has published nothing
    const auto started = runtime->start();
    meeting.join();
    ASSERT_TRUE(started) << started.error().text;
    bml->start();
  }
  void TearDown() override {
    if (runtime) {
      std::thread meeting([&] { static_cast<void>(peer->fence(false, tests::soon())); });
      runtime->stop();
      meeting.join();
    }
    bml.reset();
    runtime.reset();
    for (const std::string& name : names_) ::unsetenv(name.c_str());
  }
  void set(const char* name, const std::string& value) {
    names_.emplace_back(name);
    ::setenv(name, value.c_str(), 1);
  }
  /// Rank 1 publishes who it is, and where tcp finds it: where this process listens, which is never called.
  void publish() {
    const auto tcp = runtime->modex().get(0, "btl.tcp", tests::soon());
    ASSERT_TRUE(tcp) << tcp.error().text;
    ASSERT_TRUE(peer->put("btl.tcp", *tcp));
    ASSERT_TRUE(peer->put(runtime::kProcKey, runtime::write_proc(runtime::this_proc(1))));
    ASSERT_TRUE(peer->commit());
  }
  template <class Body>
  void at_once(Body&& body) {
    std::vector<std::thread> threads;
    for (int i = 0; i < kThreads; ++i) threads.emplace_back([&body, i] { body(i); });
    for (auto& thread : threads) thread.join();
  }

  modex::testing::Launcher launcher{2};
  std::unique_ptr<modex::Modex> peer;
  std::unique_ptr<Runtime> runtime;
  std::unique_ptr<bml::Bml> bml;

 private:
  std::vector<std::string> names_;
};

TEST_F(TwoRanks, SixtyFourThreadsAskForAProcessOnceAndGetTheSame) {
  start();
  const int asked = launcher.heard(0, Type::kGet);
  std::atomic<int> parked{0};
  ScopedHook hook("peer.parked", &count, &parked);
  std::thread publisher([&] {
    wait_for(parked, kThreads - 1);
    publish();
  });
  std::vector<const btl::Proc*> procs(kThreads);
  at_once([&](int i) {
    auto found = runtime->find_proc(1);
    if (found) procs[i] = *found;
  });
  publisher.join();
  EXPECT_NE(procs[0], nullptr);
  EXPECT_EQ(std::set<const btl::Proc*>(procs.begin(), procs.end()).size(), 1u);
  EXPECT_EQ(launcher.heard(0, Type::kGet) - asked, 1);
}

TEST_F(TwoRanks, SixtyFourThreadsOfTheBmlWireUpOnce) {
  start();
  std::atomic<int> parked{0};
  std::atomic<int> tcp_peers{0};
  ScopedHook hook("peer.parked", &count, &parked);
  ScopedHook made("tcp.before_publish", &count, &tcp_peers);
  std::thread publisher([&] {
    wait_for(parked, kThreads - 1);
    publish();
  });
  std::vector<bml::Peer*> peers(kThreads);
  at_once([&](int i) {
    auto found = bml->peer(1);
    if (found) peers[i] = *found;
  });
  publisher.join();
  EXPECT_NE(peers[0], nullptr);
  EXPECT_EQ(std::set<bml::Peer*>(peers.begin(), peers.end()).size(), 1u);
  EXPECT_EQ(bml->wireups(), 1u);
  EXPECT_EQ(tcp_peers, 1);
}

TEST_F(TwoRanks, ADeathIsToldToAllWhoWaitedInTheSameWords) {
  start();
  std::atomic<int> parked{0};
  ScopedHook hook("peer.parked", &count, &parked);
  std::thread killer([&] {
    wait_for(parked, kThreads - 1);
    launcher.die(1, "was killed by signal 9 (Killed)");
  });
  std::vector<std::string> texts(kThreads);
  at_once([&](int i) {
    auto found = bml->peer(1);
    texts[i] = found ? "" : found.error().text;
  });
  killer.join();
  EXPECT_EQ(std::set<std::string>(texts.begin(), texts.end()).size(), 1u);
  for (const char* words : {"rank 0", "cannot reach rank 1", "tcp:"}) {
    EXPECT_NE(texts[0].find(words), std::string::npos) << words << " in " << texts[0];
  }
  EXPECT_EQ(bml->find(1), nullptr);
  auto proc = runtime->find_proc(1);
  ASSERT_FALSE(proc);
  EXPECT_NE(proc.error().text.find("rank 1 was killed by signal 9 (Killed) and had published nothing"),
            std::string::npos)
      << proc.error().text;
}

TEST_F(TwoRanks, WhoIsLateIsATimeOutAndTheNextCallFindsIt) {
  set("HAWSER_MCA_hawser_modex_timeout", "300ms");
  start();
  auto early = runtime->find_proc(1);
  ASSERT_FALSE(early);
  EXPECT_EQ(early.error().code, Errc::kTimedOut);
  EXPECT_NE(early.error().text.find("rank 1 has not published"), std::string::npos) << early.error().text;
  publish();
  EXPECT_TRUE(runtime->find_proc(1));
  EXPECT_TRUE(bml->peer(1));
}

// It may hold the progress role, which is not the launcher's to stop.
TEST_F(TwoRanks, NobodyWaitsForTheLauncherToSaySomething) {
  start();
  tests::Stop stop;
  const ScopedHook hook("runtime.asks_first", &tests::Stop::here, &stop);
  runtime->say_once("tcp", "a topic", "said once, by a test");
  wait_for(stop.reached, 1);
  EXPECT_EQ(launcher.heard(0, Type::kReport), 0);
  stop.go_on = 1;
  while (launcher.heard(0, Type::kReport) == 0) std::this_thread::yield();
}

}  // namespace
}  // namespace hawser
