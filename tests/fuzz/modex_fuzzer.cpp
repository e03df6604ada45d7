// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "framework/modex/protocol.hpp"
#include "tests/fuzz/fuzzer.hpp"
#include "tests/fuzz/modex_input.hpp"

namespace hawser::fuzz {

void read(const unsigned char* data, std::size_t size) {
  modex::read_foreign_input(data, size);
}

std::vector<std::string> seeds() {
  using namespace modex::protocol;
  const std::string blob = encode_blob({{"key", "value"}, {"btl.tcp", "12345678"}});
  Welcome welcome;
  welcome.job.size = 3;
  std::vector<std::string> all{'\1' + blob};
  for (const std::string& frame :
       {encode(Hello{7}), encode(welcome), encode(Refused{"no"}), encode(Commit{1, blob}),
        encode(Committed{1}), encode(Fence{1, true, 5}),
        encode(FenceDone{1, Errc::kOk, "", {blob, "", blob}}), encode(Get{1, 2}),
        encode(Got{1, 0, Errc::kOk, "", blob}), encode(Report{1, "topic"}), encode(Reported{1, true}),
        encode(Abort{3, "why"}), encode(Leave{}) + encode(Left{})}) {
    all.push_back('\0' + frame.substr(kHeaderSize));
    all.push_back('\2' + frame);
    // A step of the launcher's half: rank and type, length, payload.
    const std::string payload = frame.substr(kHeaderSize, 47);
    all.push_back(std::string{'\3', frame[6], static_cast<char>(payload.size())} + payload);
    all.push_back('\4' + frame);
  }
  return all;
}

}  // namespace hawser::fuzz
