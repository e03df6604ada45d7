// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "framework/modex/protocol.hpp"

namespace hawser::modex::protocol {
namespace {

/// The payload of the one frame in `bytes`.
std::string payload(const std::string& bytes) {
  FrameCutter cutter(kMaxFromLauncher);
  cutter.append(bytes.data(), bytes.size());
  auto frame = cutter.next();
  EXPECT_TRUE(frame && *frame);
  return frame && *frame ? (*frame)->payload : "";
}

TEST(ModexProtocol, FramesSurviveAnyCut) {
  const std::string bytes = encode(Get{7, 3}) + encode(Leave{}) + encode(Report{9, "topic"});
  for (std::size_t step = 1; step <= bytes.size(); ++step) {
    FrameCutter cutter(kMaxFromRank);
    std::vector<Type> types;
    for (std::size_t at = 0; at < bytes.size(); at += step) {
      const std::string part = bytes.substr(at, step);
      cutter.append(part.data(), part.size());
      for (;;) {
        auto frame = cutter.next();
        ASSERT_TRUE(frame);
        if (!*frame) break;
        types.push_back((*frame)->type);
      }
    }
    EXPECT_EQ(types, (std::vector<Type>{Type::kGet, Type::kLeave, Type::kReport}));
  }
}

TEST(ModexProtocol, OtherVersionAndTooLongAreRefused) {
  std::string bytes = encode(Leave{});
  bytes[4] = static_cast<char>(bytes[4] + 1);
  FrameCutter other(kMaxFromRank);
  other.append(bytes.data(), bytes.size());
  EXPECT_EQ(other.next().error().code, Errc::kVersion);

  bytes = encode(Leave{});
  bytes[3] = '\x7f';
  FrameCutter longer(kMaxFromRank);
  longer.append(bytes.data(), bytes.size());
  EXPECT_EQ(longer.next().error().code, Errc::kProtocol);
}

TEST(ModexProtocol, BlobsComeBack) {
  const Blob blob{{"a", "1"}, {"", ""}, {"long", std::string(100000, 'x')}};
  const std::string bytes = encode_blob(blob);
  const auto back = decode_blob(bytes);
  ASSERT_TRUE(back);
  EXPECT_EQ(*back, blob);
  for (const auto& [key, value] : blob) EXPECT_EQ(find_in_blob(bytes, key), value) << key;
  EXPECT_FALSE(find_in_blob(bytes, "lon"));
  EXPECT_FALSE(find_in_blob("", ""));
}

TEST(ModexProtocol, EveryCutBlobIsRefusedAndAnotherVersionToldAsThat) {
  const std::string whole = encode_blob({{"key", "value"}, {"other", ""}});
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const auto cut = decode_blob(whole.substr(0, size));
    ASSERT_FALSE(cut) << size;
    EXPECT_EQ(cut.error().code, Errc::kProtocol);
  }
  EXPECT_FALSE(decode_blob(whole + "x"));
  std::string other = whole;
  other[0] = 9;
  const auto refused = decode_blob(other);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::kVersion);
  EXPECT_NE(refused.error().text.find("version 9"), std::string::npos) << refused.error().text;
}

TEST(ModexProtocol, TheSameKeyTwiceIsRefused) {
  std::string twice = encode_blob({{"a", "1"}, {"b", "2"}});
  const std::size_t b = twice.find('b');
  ASSERT_NE(b, std::string::npos);
  twice[b] = 'a';
  EXPECT_FALSE(decode_blob(twice));
}

TEST(ModexProtocol, EveryShorterOrLongerPayloadIsRefused) {
  const std::string blob = encode_blob({{"k", "v"}});
  FenceDone done{4, Errc::kPeerGone, "text", {blob, ""}};
  const std::string whole = payload(encode(done));
  FenceDone back;
  ASSERT_TRUE(decode(whole, back));
  EXPECT_EQ(back.blobs, done.blobs);
  EXPECT_EQ(back.text, "text");
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_FALSE(decode(std::string_view(whole).substr(0, size), back)) << size;
  EXPECT_FALSE(decode(whole + "x", back));
}

TEST(ModexProtocol, RankOutsideItsJobIsRefused) {
  Welcome welcome;
  welcome.job.size = 2;
  welcome.job.rank = 1;
  Welcome back;
  EXPECT_TRUE(decode(payload(encode(welcome)), back));
  welcome.job.rank = 2;
  EXPECT_FALSE(decode(payload(encode(welcome)), back));
  welcome.job.size = kMaxRanks + 1;
  EXPECT_FALSE(decode(payload(encode(welcome)), back)) << "nobody makes room for what is only claimed";
}

}  // namespace
}  // namespace hawser::modex::protocol
