// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "components/shm/component.hpp"
#include "components/shm/params.hpp"
#include "framework/base/hooks.hpp"
#include "framework/progress/event_loop.hpp"
#include "tests/race/failing_memory.hpp"

// Two ranks in one process, driven by hand: how each hears that the other takes nothing more from it.

namespace hawser::shm {

namespace {

constexpr std::uint32_t kRanks = 2;
constexpr btl::Tag kTag = 1;
using Modex = std::map<std::pair<std::uint32_t, std::string>, std::string>;

class Rank final : public btl::Host {
 public:
  struct Failure {
    Errc status;
    std::string text;
  };

  Rank(Modex& modex, std::uint32_t rank) : modex_(modex) {
    job_.size = job_.local_size = kRanks;
    job_.rank = rank;
    job_.cores = 2;
    handlers_.entries[kTag] = {&deliver, nullptr, nullptr, this};
    char why[256] = "";
    EXPECT_EQ(shm.open(*this, why, sizeof why), Errc::kOk) << why;
  }
  ~Rank() { shm.close(); }

  Endpoint* reach(std::uint32_t rank) {
    btl::Reach reach;
    shm.add_procs(rank, reach);
    EXPECT_EQ(reach.status, Errc::kOk) << reach.reason;
    return reach.count == 0 ? nullptr : static_cast<Endpoint*>(reach.rails[0].endpoint);
  }
  btl::Posted post(Endpoint& to) {
    const std::uint64_t header = 4711;
    return shm.module(0).sendi(to, {&header, sizeof header, kTag}, nullptr, 0);
  }

  Component shm;
  std::vector<Failure> failures;
  std::vector<std::string> errors;  // logged
  int received = 0;
  std::function<void()> on_deliver;
  bool no_timers = false;

  // --- btl::Host
  const btl::Job& job() const noexcept override { return job_; }
  const btl::Proc* proc(std::uint32_t, char*, std::size_t) noexcept override { return &proc_; }
  const btl::HandlerTable& handlers() const noexcept override { return handlers_; }
  Errc modex_put(const char* key, const void* data, std::size_t size) noexcept override {
    modex_[{job_.rank, key}].assign(static_cast<const char*>(data), size);
    return Errc::kOk;
  }
  Errc modex_get(std::uint32_t rank, const char* key, void* out, std::size_t capacity,
                 std::size_t* size) noexcept override {
    const std::string& blob = modex_[{rank, key}];
    *size = blob.size();
    if (blob.empty()) return Errc::kNotFound;
    if (blob.size() > capacity) return Errc::kTruncated;
    std::memcpy(out, blob.data(), blob.size());
    return Errc::kOk;
  }
  void modex_forget(std::uint32_t) noexcept override {}
  Errc watch(int fd, std::uint32_t events, btl::WatchFunction function, void* context) noexcept override {
    return loop_.watch(fd, events, function, context);
  }
  Errc rewatch(int fd, std::uint32_t events) noexcept override { return loop_.rewatch(fd, events); }
  void unwatch(int fd) noexcept override { loop_.unwatch(fd); }
  std::uint64_t call_at(std::uint64_t at_ns, void (*function)(void*) noexcept,
                        void* context) noexcept override {
    return no_timers ? 0 : loop_.call_at(at_ns, function, context);
  }
  bool cancel_call(std::uint64_t id) noexcept override { return loop_.cancel_call(id); }
  void wake() noexcept override {}
  void rail_failed(std::uint32_t, btl::Module&, btl::Endpoint&, Errc status,
                   const char* text) noexcept override {
    const tests::FailingMemory::Pause pause;  // the test's own memory
    failures.push_back({status, text});
  }
  void rails_changed(std::uint32_t) noexcept override {}
  bool logs(btl::LogLevel) const noexcept override { return true; }
  void log(btl::LogLevel level, const char*, const char* text) noexcept override {
    if (level == btl::LogLevel::kError) errors.emplace_back(text);
  }
  void say_once(const char*, const char*, const char*) noexcept override {}
  const hawser_btl_descriptor* component(const char*, char*, std::size_t) noexcept override {
    return nullptr;
  }

 private:
  static void deliver(void* context, const btl::Message&) noexcept {
    auto& self = *static_cast<Rank*>(context);
    ++self.received;
    if (self.on_deliver) self.on_deliver();
  }

  Modex& modex_;
  btl::Job job_{};
  btl::Proc proc_{};
  btl::HandlerTable handlers_{};
  progress::EventLoop loop_;
};

// As its first message one that cannot be.
void write_nonsense(Endpoint& to) {
  const Word word{1, kTag, 255, 255, Kind::kInline};
  to.segment.ring().slots[0].word.store(word.pack(), std::memory_order_release);
}

class Shm : public testing::Test {
 protected:
  static Modex& fresh(Modex& modex) {
    g_params.eager_limit = g_params.max_send_size = 4096;
    g_params.single_copy = "none";
    g_params.ring_slots = 8;
    g_params.ring_buffer_size = 4096;
    return modex;
  }
  void expect_failed(const Rank& rank, Errc status, const char* part) {
    ASSERT_EQ(rank.failures.size(), 1u);
    EXPECT_EQ(rank.failures[0].status, status);
    EXPECT_NE(rank.failures[0].text.find(part), std::string::npos) << rank.failures[0].text;
  }

  Modex modex_;
  Rank a_{fresh(modex_), 0};
  Rank b_{modex_, 1};
};

}  // namespace

TEST_F(Shm, WhoseRingIsDroppedIsTold) {
  Endpoint* to_b = a_.reach(1);
  ASSERT_TRUE(to_b && b_.reach(0));
  write_nonsense(*to_b);
  b_.shm.progress();
  expect_failed(b_, Errc::kProtocol, "makes no sense");
  EXPECT_TRUE(b_.errors.empty());
  a_.shm.progress();
  expect_failed(a_, Errc::kPeerGone, "gave the way to us up");
  EXPECT_EQ(a_.post(*to_b), btl::Posted::kUnreachable);
}

TEST_F(Shm, WhoseRingWasDroppedIsToldAtFirstContact) {
  Endpoint* to_b = a_.reach(1);
  ASSERT_TRUE(to_b);
  write_nonsense(*to_b);
  for (int i = 0; i < 3; ++i) b_.shm.progress();
  EXPECT_TRUE(b_.failures.empty());  // there is no rail that could fail, so a line says it, once
  ASSERT_EQ(b_.errors.size(), 1u);
  EXPECT_EQ(b_.errors[0],
            fmt::format("rank 0, process {}: wrote into our memory what makes no sense; nothing "
                        "more is taken from it",
                        ::getpid()));
  Endpoint* to_a = b_.reach(0);
  ASSERT_TRUE(to_a);
  EXPECT_EQ(b_.post(*to_a), btl::Posted::kUnreachable);
  b_.shm.progress();
  expect_failed(b_, Errc::kProtocol, "makes no sense");
  a_.shm.progress();
  expect_failed(a_, Errc::kPeerGone, "gave the way to us up");
}

TEST_F(Shm, AWayGivenUpBeforeFirstContactFails) {
  Endpoint* to_b = a_.reach(1);
  ASSERT_TRUE(to_b);
  EXPECT_EQ(a_.post(*to_b), btl::Posted::kDone);
  a_.shm.module(0).abandon(*to_b);
  b_.shm.progress();
  EXPECT_EQ(b_.received, 1);  // sent before
  ASSERT_TRUE(b_.reach(0));
  b_.shm.progress();
  expect_failed(b_, Errc::kPeerGone, "gave the way to us up");
}

TEST_F(Shm, NothingIsDeliveredOfAPeerThatComesAfterItWasGivenUp) {
  Endpoint* to_a = b_.reach(0);
  ASSERT_TRUE(to_a);
  b_.shm.module(0).abandon(*to_a);
  Endpoint* to_b = a_.reach(1);
  ASSERT_TRUE(to_b);
  EXPECT_EQ(a_.post(*to_b), btl::Posted::kDone);
  b_.shm.progress();
  EXPECT_EQ(b_.received, 0);
  EXPECT_TRUE(b_.failures.empty());  // it knows
  a_.shm.progress();
  expect_failed(a_, Errc::kPeerGone, "gave the way to us up");
}

TEST_F(Shm, WhoGivesUpAndGoesOnIsNotListenedToForEver) {
  Endpoint* to_b = a_.reach(1);
  ASSERT_TRUE(to_b);
  int left = 1000;
  b_.on_deliver = [&] {
    if (left-- > 0) std::ignore = a_.post(*to_b);
  };
  for (int i = 0; i < 8; ++i) EXPECT_EQ(a_.post(*to_b), btl::Posted::kDone);
  to_b->segment.tell_given_up();
  b_.shm.progress();
  EXPECT_GE(b_.received, 8);
  EXPECT_LT(b_.received, 200);
  const int before = b_.received;
  b_.shm.progress();
  EXPECT_EQ(b_.received, before);
}

TEST_F(Shm, WithoutATimerNobodySleepsForAPeerThatCannotRing) {
  Endpoint* to_b = a_.reach(1);
  ASSERT_TRUE(to_b);
  while (a_.post(*to_b) == btl::Posted::kDone) {  // rank 1 has not looked yet, and so cannot ring
  }
  a_.no_timers = true;
  EXPECT_FALSE(a_.shm.arm());
  a_.shm.disarm();
  a_.no_timers = false;
  EXPECT_TRUE(a_.shm.arm());
  a_.shm.disarm();
}

TEST_F(Shm, APeerIsLetGoThoughMemoryIsOutAndComesBack) {
  ASSERT_TRUE(a_.reach(1) && b_.reach(0));
  {
    const tests::FailingMemory none(0);
    a_.shm.release_peer(1);
  }
  Endpoint* to_b = a_.reach(1);
  ASSERT_TRUE(to_b);
  EXPECT_EQ(a_.post(*to_b), btl::Posted::kDone);
  b_.shm.progress();
  EXPECT_EQ(b_.received, 1);
}

TEST_F(Shm, ASenderForWhichThereIsNoMemoryIsTold) {
  Endpoint* to_b = a_.reach(1);
  ASSERT_TRUE(to_b && b_.reach(0));
  {
    const tests::FailingMemory none(0);
    b_.shm.progress();
  }
  b_.shm.progress();
  expect_failed(b_, Errc::kOutOfMemory, "no memory");
  a_.shm.progress();
  expect_failed(a_, Errc::kPeerGone, "gave the way to us up");
}

TEST_F(Shm, ASenderThatNobodyHereHasMetIsTakenOnceThereIsMemory) {
  Endpoint* to_b = a_.reach(1);
  ASSERT_TRUE(to_b && a_.post(*to_b) == btl::Posted::kDone);
  {
    const tests::FailingMemory none(0);
    b_.shm.progress();
  }
  EXPECT_EQ(b_.received, 0);
  b_.shm.progress();
  EXPECT_EQ(b_.received, 1);
  EXPECT_TRUE(a_.failures.empty() && b_.failures.empty());
}

#if defined(HAWSER_HOOKS)
/// Takes the room while the pieces of another message go into the ring: a lock keeps that from happening.
void fill(void* sender) {
  unsigned char header[16] = {};
  while (static_cast<RingSender*>(sender)->put_small({header, sizeof header, kTag}, nullptr, 0) ==
         Put::kDone) {
  }
}

TEST_F(Shm, ARingWithHalfAMessageIsGivenUp) {
  Endpoint* to_b = a_.reach(1);
  ASSERT_TRUE(to_b && b_.reach(0));
  const std::vector<char> bytes(3 * to_b->ring.piece());
  unsigned char header[16] = {};
  hooks::set("shm.piece_put", &fill, &to_b->ring);
  EXPECT_EQ(a_.shm.module(0).sendi(*to_b, {header, sizeof header, kTag}, bytes.data(), bytes.size()),
            btl::Posted::kUnreachable);
  hooks::set("shm.piece_put", nullptr, nullptr);
  a_.shm.progress();
  expect_failed(a_, Errc::kSystem, "half a message");
  EXPECT_EQ(a_.post(*to_b), btl::Posted::kUnreachable);
  b_.shm.progress();
  EXPECT_FALSE(b_.failures.empty());
}
#endif

}  // namespace hawser::shm
