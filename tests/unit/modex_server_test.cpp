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
  Server() : server_(job(), *this) {}
  static btl::Job job() {
    btl::Job job{};
    job.size = kSize;
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
    for (std::uint32_t rank = 0; rank < kSize; ++rank) say(rank, Hello{rank + 100});
    sent_.clear();
  }
  /// The last message to that rank, which must be of this type; none must be left after it.
  template <class M>
  M take(std::uint32_t rank, Type type) {
    M message;
    auto& mine = sent_[rank];
    EXPECT_EQ(mine.size(), 1U);
    if (mine.size() == 1) {
      EXPECT_EQ(mine[0].type, type);
      EXPECT_TRUE(decode(mine[0].payload, message));
    }
    mine.clear();
    return message;
  }

  void send(std::uint32_t rank, const std::string& frame) override {
    FrameCutter cutter(kMaxFromLauncher);
    cutter.append(frame.data(), frame.size());
    sent_[rank].push_back(**cutter.next());
  }
  void on_abort(std::uint32_t, int, const std::string& text) override { abort_ = text; }
  void on_fault(std::uint32_t rank, const std::string& text) override {
    fault_ = std::to_string(rank) + " " + text;
  }

  ModexServer server_;
  std::map<std::uint32_t, std::vector<Frame>> sent_;
  std::string abort_;
  std::string fault_;
};

TEST_F(Server, FenceWaitsForAllAndCollects) {
  join_all();
  say(1, Commit{encode_blob({{"k", "v"}})});
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
  EXPECT_THAT(done.text, HasSubstr("ranks 0, 2"));
}

TEST_F(Server, GetWaitsForCommitOrDeath) {
  join_all();
  say(0, Get{5, 1});
  say(0, Get{6, 2});
  EXPECT_TRUE(sent_[0].empty());
  say(1, Commit{encode_blob({{"k", "v"}})});
  EXPECT_EQ(take<Got>(0, Type::kGot).id, 5U);
  server_.on_exit(2, "exited with status 0");
  EXPECT_EQ(take<Got>(0, Type::kGot).code, Errc::kNotFound);
  server_.on_exit(1, "exited with status 0");
  say(0, Get{7, 1});
  EXPECT_EQ(take<Got>(0, Type::kGot).code, Errc::kOk) << "what it published outlives it";
}

TEST_F(Server, EpochsAreApart) {
  join_all();
  say(0, Commit{encode_blob({{"k", "old"}})});
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
