// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/fuzzer.hpp"
#include "tests/fuzz/shm_input.hpp"
#include "tests/fuzz/shm_seeds.hpp"

namespace hawser::fuzz {

void read(const unsigned char* data, std::size_t size) {
  shm::read_foreign_input(data, size);
}

std::vector<std::string> seeds() {
  return {shm::true_blob(), shm::true_ring()};
}

}  // namespace hawser::fuzz
