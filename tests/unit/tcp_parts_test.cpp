// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
// The pure parts of the tcp component: edge table, blob, hello, the cursor over a descriptor.
#include <gtest/gtest.h>

#include <random>

#include "components/tcp/blob.hpp"
#include "components/tcp/frame.hpp"
#include "components/tcp/hello.hpp"
#include "components/tcp/params.hpp"
#include "components/tcp/silence.hpp"
#include "components/tcp/states.hpp"

namespace hawser::tcp {
namespace {

TEST(States, EveryNameIsThere) {
  for (int i = 0; i < static_cast<int>(State::kCount); ++i)
    EXPECT_STRNE(to_text(static_cast<State>(i)), "unknown");
  for (int i = 0; i < static_cast<int>(Event::kCount); ++i)
    EXPECT_STRNE(to_text(static_cast<Event>(i)), "unknown");
}

TEST(States, EveryEventLeadsSomewhere) {
  for (int i = 0; i < static_cast<int>(Event::kCount); ++i) {
    bool used = false;
    for (const Edge& edge : kEdges) used = used || edge.event == static_cast<Event>(i);
    EXPECT_TRUE(used) << to_text(static_cast<Event>(i));
  }
}

Blob sample_blob() {
  Blob blob;
  blob.incarnation = 0x1122334455667788;
  blob.generation = 9;
  blob.links = 2;
  for (const char* text : {"10.9.0.1", "2001:db8::7"}) {
    Published address;
    address.candidate.address = *interfaces::IpAddress::parse(text);
    address.candidate.prefix = 24;
    address.candidate.nic = 3;
    address.candidate.speed_mbps = 100'000;
    address.candidate.properties = interfaces::kBridge;
    address.candidate.locality = interfaces::Locality::kNear;
    address.port = 4711;
    address.first_module = static_cast<std::uint16_t>(blob.addresses.size() * 2);
    address.name = "eth0";
    blob.addresses.push_back(address);
  }
  blob.routes.push_back({*interfaces::IpAddress::parse("10.9.0.0"), 24, 3, true});
  blob.routes.push_back({*interfaces::IpAddress::parse("::"), 0, 2, false});
  return blob;
}

TEST(BlobTest, ThereAndBack) {
  const Blob blob = sample_blob();
  const auto back = decode(encode(blob));
  ASSERT_TRUE(back) << back.error().text;
  EXPECT_EQ(back->incarnation, blob.incarnation);
  EXPECT_EQ(back->links, 2);
  EXPECT_EQ(back->largest, blob.largest);
  EXPECT_EQ(back->generation, 9u);
  EXPECT_EQ(back->routes, blob.routes);
  ASSERT_EQ(back->addresses.size(), 2u);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(back->addresses[i].candidate.address, blob.addresses[i].candidate.address);
    EXPECT_EQ(back->addresses[i].candidate.prefix, 24u);
    EXPECT_EQ(back->addresses[i].port, 4711);
    EXPECT_EQ(back->addresses[i].first_module, 2 * i);
    EXPECT_EQ(back->addresses[i].name, "eth0");
  }
}

TEST(BlobTest, EveryCutIsNoticed) {
  const std::string bytes = encode(sample_blob());
  for (std::size_t size = 0; size < bytes.size(); ++size) EXPECT_FALSE(decode(bytes.substr(0, size))) << size;
  EXPECT_FALSE(decode(bytes + "x"));
}

TEST(BlobTest, ALimitThatNobodyMaySetIsRefused) {
  Blob blob = sample_blob();
  for (const std::uint64_t largest : {std::uint64_t{0}, kMaxMessage + 1, ~std::uint64_t{0}}) {
    blob.largest = largest;
    EXPECT_FALSE(decode(encode(blob))) << largest;
  }
  blob.largest = kMaxMessage;
  EXPECT_TRUE(decode(encode(blob)));
}

TEST(BlobTest, OffersTheModulesOfItsAddresses) {
  Blob blob = sample_blob();
  blob.addresses[1].first_module = 7;
  for (const std::uint16_t module : {0, 1, 7, 8}) EXPECT_TRUE(blob.offers(module)) << module;
  for (const std::uint16_t module : {2, 6, 9}) EXPECT_FALSE(blob.offers(module)) << module;
}

TEST(BlobTest, AnotherVersionIsNamed) {
  std::string bytes = encode(sample_blob());
  bytes[0] = 9;
  const auto blob = decode(bytes);
  ASSERT_FALSE(blob);
  EXPECT_EQ(blob.error().code, Errc::kVersion);
}

class HelloTest : public ::testing::Test {
 protected:
  static btl::Job make_job(unsigned char secret) {
    btl::Job job{};
    job.id = 5;
    job.size = 4;
    std::fill(std::begin(job.secret), std::end(job.secret), secret);
    return job;
  }
  btl::Job ours = make_job(1);
  btl::Job others = make_job(2);
  Notary notary{ours};
  Notary stranger{others};
  Hello hello{5, 1, 2, 10, 20, 6, 7, 3, 4, make_nonce(), 9};
  const char* why = "";
};

TEST_F(HelloTest, ThreeMessagesAgree) {
  const HelloBytes bytes = notary.write_hello(hello);
  const auto read = notary.read_hello(bytes, why);
  ASSERT_TRUE(read) << why;
  EXPECT_EQ(read->from_rank, 1u);
  EXPECT_EQ(read->to_rank, 2u);
  EXPECT_EQ(read->from_incarnation, 10u);
  EXPECT_EQ(read->from_generation, 6u);
  EXPECT_EQ(read->to_generation, 7u);
  EXPECT_EQ(read->to_module, 4);
  EXPECT_EQ(read->number, 9u);
  const AnswerBytes answer = notary.write_answer(bytes, {Reply::kDuplicate, make_nonce(), 8});
  const auto reply = notary.read_answer(bytes, answer);
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->reply, Reply::kDuplicate);
  EXPECT_EQ(reply->dialled, 8u);
  EXPECT_TRUE(notary.check_proof(bytes, answer, notary.write_proof(bytes, answer)));
}

TEST_F(HelloTest, EveryFlippedBitIsNoticed) {
  const HelloBytes bytes = notary.write_hello(hello);
  const AnswerBytes answer = notary.write_answer(bytes, {Reply::kWelcome, make_nonce()});
  for (std::size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    HelloBytes bad = bytes;
    bad[bit / 8] ^= static_cast<unsigned char>(1u << bit % 8);
    EXPECT_FALSE(notary.read_hello(bad, why)) << bit;
  }
  for (std::size_t bit = 0; bit < answer.size() * 8; ++bit) {
    AnswerBytes bad = answer;
    bad[bit / 8] ^= static_cast<unsigned char>(1u << bit % 8);
    EXPECT_FALSE(notary.read_answer(bytes, bad)) << bit;
  }
}

TEST_F(HelloTest, AnotherSecretIsAStranger) {
  const HelloBytes bytes = stranger.write_hello(hello);
  EXPECT_FALSE(notary.read_hello(bytes, why));
  EXPECT_STREQ(why, "its seal is wrong");
}

TEST_F(HelloTest, AnOldProofDoesNotFitANewAnswer) {
  const HelloBytes bytes = notary.write_hello(hello);
  const AnswerBytes old = notary.write_answer(bytes, {Reply::kWelcome, make_nonce()});
  const ProofBytes proof = notary.write_proof(bytes, old);
  const AnswerBytes fresh = notary.write_answer(bytes, {Reply::kWelcome, make_nonce()});
  EXPECT_FALSE(notary.check_proof(bytes, fresh, proof));
}

// Last words are written as they are, with nothing between the frame and the data.
TEST(OutgoingTest, OnlyMessagesArePadded) {
  const Place place{0, 1};
  EXPECT_NE(place.frame(kAlignFrom, FrameKind::kMessage, 1, 0).pad, 0u);
  EXPECT_EQ(place.frame(kAlignFrom, FrameKind::kUpdate, 0, 0).pad, 0u);
}

TEST(OutgoingTest, AnyCutOfTheWritesGivesTheSameBytes) {
  std::mt19937 random(1);
  Place place{42, 0};
  for (int round = 0; round < 300; ++round) {
    std::string data(random() % (round % 10 == 0 ? 2 * kAlignFrom : 500), 'x');
    for (char& c : data) c = static_cast<char>(random());
    std::vector<iovec> pieces;
    for (std::size_t at = 0; at < data.size();) {
      const std::size_t most = 60 + data.size() / 10;  // some are empty
      const std::size_t size = std::min<std::size_t>(random() % most, data.size() - at);
      pieces.push_back({data.data() + at, size});
      at += size;
    }
    btl::Descriptor descriptor;
    descriptor.data = pieces.data();
    descriptor.data_count = static_cast<std::uint32_t>(pieces.size());
    descriptor.data_size = data.size();
    descriptor.header_size = static_cast<std::uint8_t>(random() % (btl::kMaxHeader + 1));
    descriptor.tag = 3;
    for (unsigned char& c : descriptor.header) c = static_cast<unsigned char>(random());
    const Place here = place;
    Outgoing out(descriptor);
    place = out.begin(here);
    std::string wire;
    while (out.left() != 0) {
      iovec parts[3];
      const std::size_t count = out.gather(parts, 1 + random() % 3);
      std::string offered;
      for (std::size_t i = 0; i < count; ++i)
        offered.append(static_cast<char*>(parts[i].iov_base), parts[i].iov_len);
      ASSERT_FALSE(offered.empty());
      const std::size_t taken = 1 + random() % offered.size();
      wire += offered.substr(0, taken);
      EXPECT_EQ(out.advance(taken), 0u);
    }
    Frame frame;
    std::memcpy(&frame, wire.data(), sizeof frame);
    EXPECT_EQ(frame.size, data.size());
    EXPECT_EQ(frame.sequence, 42u + static_cast<unsigned>(round));
    EXPECT_EQ(wire.substr(kFrameSize),
              std::string(reinterpret_cast<char*>(descriptor.header), descriptor.header_size) +
                  std::string(frame.pad, '\0') + data);
    EXPECT_EQ(place.offset, here.offset + wire.size());
    const bool room = frame.header_size + kAlignment <= btl::kMaxHeader + 1;
    if (data.size() < kAlignFrom) {
      EXPECT_EQ(frame.pad, 0u);
    } else if (room) {
      EXPECT_EQ((here.offset + head_size(frame)) % kAlignment, 0u);
    }
  }
}

TEST(SilenceTest, OnlyUnansweredLinesAreSilent) {
  constexpr std::uint64_t kLimit = 30'000;
  EXPECT_FALSE(is_silent({0, 0, 0, 3'600'000}, kLimit)) << "idle: keep-alive looks after it";
  EXPECT_FALSE(is_silent({0, 0, 1, 100'000}, kLimit)) << "closed window, the last probe is just out";
  EXPECT_FALSE(is_silent({5, 1, 0, 40'000}, kLimit)) << "sent a moment ago after a long pause";
  EXPECT_FALSE(is_silent({5, 6, 0, 29'999}, kLimit));
  EXPECT_TRUE(is_silent({5, 6, 0, 30'000}, kLimit));
  EXPECT_TRUE(is_silent({0, 0, 3, 30'000}, kLimit));
}

TEST(ParamsTest, EveryRowIsComplete) {
  for (const mca::ParamRow& row : g_param_rows) {
    ASSERT_NE(row.name, nullptr);
    EXPECT_NE(row.storage, nullptr) << row.name;
    EXPECT_GT(std::strlen(row.help), 10u) << row.name;
  }
}

}  // namespace
}  // namespace hawser::tcp
