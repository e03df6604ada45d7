// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "tools/run/server.hpp"

namespace hawser::tools {
namespace {

using namespace modex::protocol;
using testing::HasSubstr;

/// A job without processes: what the server sends is kept, by rank.
class Server : public testing::Test, public ServerEvents {
 protected:
  static constexpr std::uint32_t kSize = 3;
  explicit Server(std::uint32_t size = kSize) : size_(size), server_(job(size), *this) {}
  static btl::Job job(std::uint32_t size) {
    btl::Job job{};
    job.size = size;
    return job;
  }

  template <class M>
  void say(std::uint32_t rank, const M& message) {
    const std::string bytes = encode(message);
    FrameCutter cutter(kMaxFromRank);
    cutter.append(bytes.data(), bytes.size());
    server_.on_frame(rank, **cutter.next());
  }
  void join_all() {
    for (std::uint32_t rank = 0; rank < size_; ++rank) say(rank, Hello{rank + 100});
    sent_.clear();
  }
  void commit(std::uint32_t rank, const std::string& blob) {
    say(rank, Commit{7, blob});
    ASSERT_FALSE(sent_[rank].empty());
    EXPECT_EQ(sent_[rank].back().type, Type::kCommitted);
    sent_[rank].pop_back();
  }
  /// The last message to that rank, which must be of this type; none must be left after it.
  template <class M>
  M take(std::uint32_t rank, Type type) {
    M message;
    auto& mine = sent_[rank];
    EXPECT_EQ(mine.size(), 1U);
    if (mine.size() == 1) {
      EXPECT_EQ(mine[0].type, type);
      taken_ = std::move(mine[0].payload);
      EXPECT_TRUE(decode(taken_, message));
    }
    mine.clear();
    return message;
  }

  void send(std::uint32_t rank, const SharedFrame& frame) override {
    FrameCutter cutter(kMaxFromLauncher);
    cutter.append(frame->data(), frame->size());
    sent_[rank].push_back(**cutter.next());
    frames_[rank] = frame;
  }
  void on_abort(std::uint32_t, int, const std::string& text) override { abort_ = text; }
  void on_fault(std::uint32_t rank, const std::string& text) override {
    fault_ = std::to_string(rank) + " " + text;
  }

  const std::uint32_t size_;
  ModexServer server_;
  std::map<std::uint32_t, SharedFrame> frames_;  // the last to each rank
  std::map<std::uint32_t, std::vector<Frame>> sent_;
  std::string taken_;  // what the last taken message has views into
  std::string abort_;
  std::string fault_;
};

TEST_F(Server, FenceWaitsForAllAndCollects) {
  join_all();
  commit(1, encode_blob({{"k", "v"}}));
  say(0, Fence{1, true, 1000});
  say(1, Fence{1, false, 1000});
  EXPECT_TRUE(sent_[0].empty());
  say(2, Fence{1, false, 1000});
  EXPECT_EQ(take<FenceDone>(0, Type::kFenceDone).blobs.size(), kSize);
  EXPECT_TRUE(take<FenceDone>(1, Type::kFenceDone).blobs.empty());
  EXPECT_EQ(take<FenceDone>(2, Type::kFenceDone).code, Errc::kOk);
  EXPECT_FALSE(server_.next_deadline());
}

TEST_F(Server, FenceFailsForAllWhenAMemberIsGone) {
  join_all();
  say(0, Fence{1, false, 1000});
  server_.on_exit(2, "was killed by signal 9");
  const auto done = take<FenceDone>(0, Type::kFenceDone);
  EXPECT_EQ(done.code, Errc::kPeerGone);
  EXPECT_THAT(done.text, HasSubstr("rank 2 was killed by signal 9"));
  say(1, Fence{1, false, 1000});  // comes late, hears the same
  EXPECT_EQ(take<FenceDone>(1, Type::kFenceDone).text, done.text);
}

TEST_F(Server, FenceFailsForAMemberThatEnteredAndDied) {
  join_all();
  say(0, Fence{1, false, 1000});
  server_.on_exit(0, "exited with status 3");
  say(1, Fence{1, false, 1000});
  EXPECT_EQ(take<FenceDone>(1, Type::kFenceDone).code, Errc::kPeerGone);
}

TEST_F(Server, FenceOutOfTimeNamesTheMissing) {
  join_all();
  say(1, Fence{1, false, 0});
  ASSERT_TRUE(server_.next_deadline());
  server_.run_timers(*server_.next_deadline());
  const auto done = take<FenceDone>(1, Type::kFenceDone);
  EXPECT_EQ(done.code, Errc::kTimedOut);
  EXPECT_THAT(done.text, HasSubstr("not there: ranks 0, 2;"));
  EXPECT_THAT(done.text, HasSubstr("hawser_modex_timeout"));
}

TEST_F(Server, FenceOutOfTimeTellsWhoHasNotEvenJoined) {
  say(0, Hello{1});
  say(1, Hello{2});
  sent_.clear();
  say(1, Fence{1, false, 0});
  server_.run_timers(*server_.next_deadline());
  EXPECT_THAT(take<FenceDone>(1, Type::kFenceDone).text,
              HasSubstr("not there: rank 0; not even in the job yet: rank 2;"));
}

TEST_F(Server, ARankThatNeverComesFailsTheFenceWithHowItEnded) {
  say(0, Hello{1});
  say(1, Hello{2});
  sent_.clear();
  say(0, Fence{1, true, 1000});
  server_.on_exit(2, "exited with status 0");
  const std::string text = take<FenceDone>(0, Type::kFenceDone).text;
  EXPECT_THAT(text, HasSubstr("rank 2 exited with status 0 before it joined the job"));
  EXPECT_THAT(text, HasSubstr("every rank of the job must enter"));
}

TEST_F(Server, TwoDeathsAreBothNamedToWhoComesAfterThem) {
  join_all();
  server_.on_exit(1, "was killed by signal 9");
  server_.on_exit(2, "exited with status 3");
  say(0, Fence{1, false, 1000});
  EXPECT_THAT(take<FenceDone>(0, Type::kFenceDone).text,
              HasSubstr("rank 1 was killed by signal 9, rank 2 exited with status 3"));
}

TEST_F(Server, ALeaverFailsTheFenceOfTheOthersAndHearsNothingOfIt) {
  join_all();
  say(0, Fence{1, false, 1000});
  say(1, Fence{1, false, 1000});
  say(1, Leave{});
  EXPECT_THAT(take<FenceDone>(0, Type::kFenceDone).text, HasSubstr("rank 1 left the job"));
  ASSERT_EQ(sent_[1].size(), 1u);
  EXPECT_EQ(sent_[1][0].type, Type::kLeft) << "the last that a process hears";
  say(2, Fence{1, false, 1000});
  EXPECT_EQ(take<FenceDone>(2, Type::kFenceDone).code, Errc::kPeerGone);
}

TEST_F(Server, TwoFencesUnderWayAreTwo) {
  join_all();
  say(0, Fence{1, false, 1000});
  say(0, Fence{2, false, 0});
  say(1, Fence{1, false, 1000});
  server_.run_timers(Clock::now());
  EXPECT_EQ(take<FenceDone>(0, Type::kFenceDone).number, 2u) << "timed out alone";
  say(2, Fence{1, false, 1000});
  EXPECT_EQ(take<FenceDone>(0, Type::kFenceDone).code, Errc::kOk);
  sent_.clear();
  say(2, Fence{2, false, 1000});
  EXPECT_EQ(take<FenceDone>(2, Type::kFenceDone).code, Errc::kTimedOut) << "one outcome for all";
}

/// As large as a job gets.
class LargeServer : public Server {
 protected:
  LargeServer() : Server(kMaxRanks) {}
  void send(std::uint32_t rank, const SharedFrame& frame) override {
    if (frame->size() < 1 << 20 || rank == 127) return Server::send(rank, frame);
    frames_[rank] = frame;  // no copy for each
  }
  void fence_all() {
    for (std::uint32_t rank = 0; rank < kMaxRanks; ++rank) say(rank, Fence{fences_ + 1, true, 1000});
    ++fences_;
  }
  std::uint64_t fences_ = 0;
};

TEST_F(LargeServer, ACollectingFenceIsOneFrameForAll) {
  join_all();
  const std::string blob = encode_blob({{"k", std::string(65536, 'x')}});
  for (std::uint32_t rank = 0; rank < kMaxRanks; ++rank) commit(rank, blob);
  fence_all();
  EXPECT_EQ(take<FenceDone>(127, Type::kFenceDone).blobs.size(), kMaxRanks);
  for (std::uint32_t rank = 1; rank < kMaxRanks; ++rank) ASSERT_EQ(frames_[rank], frames_[0]);
}

TEST_F(LargeServer, WhatIsTooMuchToCollectIsAskedFor) {
  join_all();
  const std::string blob = encode_blob({{"k", std::string(kMaxCollected / kMaxRanks, 'x')}});
  for (std::uint32_t rank = 0; rank < kMaxRanks; ++rank) commit(rank, blob);
  fence_all();
  const auto done = take<FenceDone>(5, Type::kFenceDone);
  EXPECT_EQ(done.code, Errc::kOk);
  EXPECT_TRUE(done.blobs.empty());
  say(5, Get{1, 7});
  EXPECT_EQ(take<Got>(5, Type::kGot).blob.size(), blob.size());
}

TEST_F(Server, WhatCannotBeReadIsAFaultWithTheReason) {
  join_all();
  std::string other = encode_blob({{"k", "v"}});
  other[0] = 7;
  say(1, Commit{7, other});
  EXPECT_THAT(fault_, HasSubstr("1 published data of version 7"));
  say(2, Commit{7, "no blob at all"});
  EXPECT_THAT(fault_, HasSubstr("2 published data"));
}

TEST_F(Server, GetWaitsForCommitOrDeath) {
  join_all();
  say(0, Get{5, 1});
  say(0, Get{6, 2});
  EXPECT_TRUE(sent_[0].empty());
  commit(1, encode_blob({{"k", "v"}}));
  EXPECT_EQ(take<Got>(0, Type::kGot).id, 5U);
  server_.on_exit(2, "exited with status 0");
  EXPECT_EQ(take<Got>(0, Type::kGot).code, Errc::kNotFound);
  server_.on_exit(1, "exited with status 0");
  say(0, Get{7, 1});
  EXPECT_EQ(take<Got>(0, Type::kGot).code, Errc::kOk) << "what it published outlives it";
}

TEST_F(Server, EpochsAreApart) {
  join_all();
  commit(0, encode_blob({{"k", "old"}}));
  say(0, Leave{});
  sent_.clear();
  say(0, Hello{200});
  EXPECT_EQ(take<Welcome>(0, Type::kWelcome).epoch, 1U);
  say(0, Fence{1, false, 1000});  // of the second processes; the first ones of 1 and 2 do not count
  say(1, Fence{1, false, 1000});
  EXPECT_EQ(take<FenceDone>(1, Type::kFenceDone).code, Errc::kPeerGone) << "rank 0 left this epoch";
  EXPECT_TRUE(sent_[0].empty());
  say(0, Get{1, 1});
  EXPECT_TRUE(sent_[0].empty()) << "the second process of rank 1 may still come";
}

TEST_F(Server, WhatAllAreAfterIsNotKept) {
  for (int epoch = 0; epoch < 100; ++epoch) {
    join_all();
    for (std::uint32_t rank = 0; rank < kSize; ++rank) commit(rank, encode_blob({{"k", "v"}}));
    say(0, Leave{});
    say(0, Hello{200});  // one is ahead
    sent_.clear();
    say(1, Get{1, 0});
    EXPECT_EQ(take<Got>(1, Type::kGot).code, Errc::kOk) << "the others are not, so it is still there";
    EXPECT_LE(server_.epochs(), 2 * kSize);
    for (std::uint32_t rank = 0; rank < kSize; ++rank) say(rank, Leave{});
    for (std::uint32_t rank = 1; rank < kSize; ++rank) {  // and the others catch up
      say(rank, Hello{201});
      say(rank, Leave{});
    }
  }
  EXPECT_EQ(fault_, "");
}

TEST_F(Server, TwoProcessesAtOnceAreAFault) {
  join_all();
  say(1, Hello{300});
  EXPECT_THAT(fault_, HasSubstr("did not finalize"));
}

TEST_F(Server, OutOfTurnIsAFault) {
  say(0, Get{1, 1});
  EXPECT_THAT(fault_, HasSubstr("0 sent a message"));
  fault_.clear();
  join_all();
  say(2, Get{1, kSize});
  EXPECT_THAT(fault_, HasSubstr("2 sent"));
  fault_.clear();
  say(1, Fence{2, false, 0});
  EXPECT_THAT(fault_, HasSubstr("1 sent"));
  fault_.clear();
  server_.on_frame(0, Frame{static_cast<Type>(99), ""});
  EXPECT_THAT(fault_, HasSubstr("0 sent"));
}

TEST_F(Server, OneIsFirstToReport) {
  join_all();
  say(2, Report{1, "a"});
  say(0, Report{1, "a"});
  EXPECT_TRUE(take<Reported>(2, Type::kReported).first);
  EXPECT_FALSE(take<Reported>(0, Type::kReported).first);
}

}  // namespace
}  // namespace hawser::tools
