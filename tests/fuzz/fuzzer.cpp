// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
// What libFuzzer calls.
#include "tests/fuzz/fuzzer.hpp"

#include <filesystem>
#include <fstream>

namespace {

void fill(const std::filesystem::path& corpus) {
  int number = 0;
  for (const std::string& seed : hawser::fuzz::seeds())
    std::ofstream(corpus / ("seed-" + std::to_string(number++)), std::ios::binary) << seed;
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* count, char*** arguments) {
  for (int i = 1; i < *count; ++i) {
    const std::filesystem::path corpus = (*arguments)[i];
    if (std::filesystem::is_directory(corpus) && std::filesystem::is_empty(corpus)) fill(corpus);
  }
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  hawser::fuzz::read(data, size);
  return 0;
}
