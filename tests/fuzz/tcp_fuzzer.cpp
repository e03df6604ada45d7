// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "components/tcp/blob.hpp"
#include "components/tcp/frame.hpp"
#include "components/tcp/hello.hpp"
#include "tests/fuzz/fuzzer.hpp"
#include "tests/fuzz/tcp_input.hpp"

namespace hawser::fuzz {

namespace {

std::string blob() {
  tcp::Blob blob;
  for (const char* text : {"10.9.0.1", "fd00::1"}) {
    tcp::Published address;
    address.candidate.address = *interfaces::IpAddress::parse(text);
    address.candidate.prefix = 16;
    address.port = 99;
    address.first_module = static_cast<std::uint16_t>(blob.addresses.size());
    address.name = "eth0";
    blob.addresses.push_back(address);
  }
  blob.routes.push_back({*interfaces::IpAddress::parse("10.9.0.0"), 16, 2, true});
  return encode(blob);
}

std::string frames() {
  std::string text;
  for (std::uint32_t sequence = 0; sequence < 4; ++sequence) {
    const bool update = sequence == 1;
    const tcp::Frame frame{20,
                           sequence,
                           update ? tcp::FrameKind::kUpdate : tcp::FrameKind::kMessage,
                           static_cast<btl::Tag>(update ? 0 : 1 + sequence % 2),
                           static_cast<std::uint8_t>(update ? 0 : 16),
                           0};
    text.append(reinterpret_cast<const char*>(&frame), sizeof frame);
    text.append(frame.header_size + frame.size, 'x');
  }
  return text;
}

}  // namespace

void read(const unsigned char* data, std::size_t size) {
  tcp::read_foreign_input(data, size);
}

std::vector<std::string> seeds() {
  const btl::Job job{};
  const tcp::HelloBytes hello = tcp::Notary(job).write_hello(tcp::Hello{});
  return {static_cast<char>(tcp::kFeedBlob) + blob(),
          static_cast<char>(tcp::kFeedHello) +
              std::string(reinterpret_cast<const char*>(hello.data()), hello.size()),
          static_cast<char>(tcp::kFeedFrames) + frames()};
}

}  // namespace hawser::fuzz
