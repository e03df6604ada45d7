// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
// Random bytes, and true messages with a few of their bytes changed, from fixed seeds.
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "framework/modex/protocol.hpp"
#include "tests/fuzz/modex_input.hpp"

namespace hawser::modex {
namespace {

using namespace protocol;

constexpr int kRounds = 10'000;

void read(const std::string& bytes) {
  read_foreign_input(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
}

std::vector<std::string> true_messages() {
  const std::string blob = encode_blob({{"key", "value"}, {"btl.tcp", std::string(40, '\x5a')}});
  FenceDone done{1, Errc::kOk, "", {blob, "", blob}};
  Welcome welcome;
  welcome.job.size = 3;
  return {blob,
          encode(Hello{7}),
          encode(welcome),
          encode(Refused{"no"}),
          encode(Commit{1, blob}),
          encode(Committed{1}),
          encode(Fence{1, true, 5}),
          encode(done),
          encode(Get{1, 2}),
          encode(Got{1, 0, Errc::kOk, "", blob}) + encode(Got{2, 1, Errc::kNotFound, "gone", ""}),
          encode(Report{1, "topic"}),
          encode(Reported{1, true}),
          encode(Abort{3, "why"}),
          encode(Leave{}) + encode(Left{})};
}

TEST(ModexInput, RandomBytes) {
  std::mt19937 random(7);
  for (int i = 0; i < kRounds; ++i) {
    std::string bytes(1 + random() % 96, '\0');
    for (char& byte : bytes) byte = static_cast<char>(random() % (i % 2 ? 256 : 4));
    bytes[0] = static_cast<char>(i % 5);
    read(bytes);
  }
}

TEST(ModexInput, TrueMessagesWithBytesChangedCutOrAdded) {
  std::mt19937 random(11);
  const auto messages = true_messages();
  for (int i = 0; i < kRounds; ++i) {
    std::string bytes(1, static_cast<char>(i % 5));
    for (std::uint32_t n = 1 + random() % 3; n != 0; --n) {
      const std::string& one = messages[random() % messages.size()];
      bytes += i % 5 < 2 && random() % 2 == 0 && one.size() > kHeaderSize ? one.substr(kHeaderSize) : one;
      if (i % 5 < 2) break;
    }
    for (std::uint32_t n = random() % 4; n != 0; --n) {
      const std::size_t at = 1 + random() % (bytes.size() - 1);
      if (random() % 4 == 0) {
        bytes.resize(at);
      } else {
        bytes[at] = static_cast<char>(random());
      }
      if (bytes.size() < 2) break;
    }
    read(bytes);
  }
}

// Steps of true kinds, so that the launcher's half comes to its deeper states.
TEST(ModexInput, RanksOutOfTurn) {
  std::mt19937 random(13);
  for (int i = 0; i < kRounds / 4; ++i) {
    std::string bytes(1, '\3');
    std::uint64_t fences[3] = {};
    for (int step = 0; step < 24; ++step) {
      const std::uint32_t rank = random() % 3;
      const std::string blob = encode_blob({{"k", "v"}});
      std::string frame;
      switch (random() % 7) {
        case 0:
          frame = encode(Hello{rank});
          break;
        case 1:
          frame = encode(Commit{1, blob});
          break;
        case 2:
          frame = encode(Fence{++fences[rank], random() % 2 == 0, random() % 2});
          break;
        case 3:
          frame = encode(Get{random() % 4, static_cast<std::uint32_t>(random() % 4)});
          break;
        case 4:
          frame = encode(Leave{});
          break;
        case 5:
          frame = encode(Report{1, "t"});
          break;
        default:
          frame = std::string(kHeaderSize, '\0');
          frame[6] = 15;  // an exit
      }
      bytes += static_cast<char>(rank << 4 | static_cast<unsigned char>(frame[6]));
      bytes += static_cast<char>(frame.size() - kHeaderSize);
      bytes += frame.substr(kHeaderSize);
    }
    read(bytes);
  }
}

}  // namespace
}  // namespace hawser::modex
