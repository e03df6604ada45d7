// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
// Valid input with a few bytes changed, cut or repeated, and pure noise: seeded, so that a failure repeats.
#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <string>

#include "components/tcp/blob.hpp"
#include "components/tcp/frame.hpp"
#include "components/tcp/hello.hpp"
#include "tests/fuzz/tcp_input.hpp"

namespace hawser::tcp {
namespace {

std::string valid_blob() {
  Blob blob;
  blob.links = 2;
  for (const char* text : {"10.9.0.1", "fd00::1", "172.17.0.1"}) {
    Published address;
    address.candidate.address = *interfaces::IpAddress::parse(text);
    address.candidate.prefix = 16;
    address.port = 99;
    address.first_module = static_cast<std::uint16_t>(2 * blob.addresses.size());
    address.name = "eth0";
    blob.addresses.push_back(address);
  }
  blob.routes.push_back({*interfaces::IpAddress::parse("10.9.0.0"), 16, 2, true});
  blob.routes.push_back({*interfaces::IpAddress::parse("::"), 0, 2, false});
  return encode(blob);
}

std::string valid_hello() {
  const btl::Job job{};
  const HelloBytes bytes = Notary(job).write_hello(Hello{});
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string valid_frames(std::mt19937& random) {
  std::string text;
  for (std::uint32_t sequence = 0; sequence < 12; ++sequence) {
    const bool update = sequence % 4 == 1;
    const std::uint64_t size = sequence % 3 == 0 ? random() % 150'000 : random() % 300;
    Frame frame{update ? size % kMaxBlob : size,
                sequence,
                update ? FrameKind::kUpdate : FrameKind::kMessage,
                static_cast<btl::Tag>(update ? 0 : 1 + random() % 2),
                static_cast<std::uint8_t>(update ? 0 : random() % 89),
                0};
    if (frame.size >= kAlignFrom) frame.pad = static_cast<std::uint8_t>(random() % kAlignment);
    text.append(reinterpret_cast<const char*>(&frame), sizeof frame);
    text.append(head_size(frame) - kFrameSize + frame.size, static_cast<char>(random()));
  }
  return text;
}

void change(std::string& text, std::mt19937& random) {
  if (text.empty()) return;
  switch (random() % 4) {
    case 0:
      text[random() % text.size()] = static_cast<char>(random());
      break;
    case 1:
      text.resize(random() % text.size());
      break;
    case 2:
      text.insert(random() % text.size(), text.substr(0, random() % text.size()));
      break;
    default:
      text[random() % std::min<std::size_t>(text.size(), 32)] ^= static_cast<char>(1u << random() % 8);
      break;
  }
}

class ForeignInput : public ::testing::TestWithParam<unsigned char> {};

TEST_P(ForeignInput, NeverBreaksAPromise) {
  std::mt19937 random(GetParam() + 1u);
  for (int round = 0; round < 2000; ++round) {
    std::string text = GetParam() == kFeedBlob    ? valid_blob()
                       : GetParam() == kFeedHello ? valid_hello()
                                                  : valid_frames(random);
    for (unsigned changes = random() % 4; changes != 0; --changes) change(text, random);
    if (round % 10 == 0) {
      for (char& c : text) c = static_cast<char>(random());
    }
    text.insert(text.begin(), static_cast<char>(GetParam()));
    read_foreign_input(reinterpret_cast<const unsigned char*>(text.data()), text.size());
  }
}

INSTANTIATE_TEST_SUITE_P(Readers, ForeignInput, ::testing::Values(kFeedBlob, kFeedHello, kFeedFrames));

}  // namespace
}  // namespace hawser::tcp
