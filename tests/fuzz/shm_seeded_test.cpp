// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
// True input with a few bytes changed, from fixed seeds.
#include <gtest/gtest.h>

#include <random>

#include "tests/fuzz/shm_input.hpp"
#include "tests/fuzz/shm_seeds.hpp"

namespace hawser::shm {
namespace {

TEST(ShmInput, TrueInputWithBytesChangedBreaksNoPromise) {
  std::mt19937 random(3);
  for (int round = 0; round < 20'000; ++round) {
    std::string text = round % 2 == 0 ? true_blob() : true_ring();
    for (unsigned changes = random() % 4; changes != 0; --changes)
      text[1 + random() % (text.size() - 1)] = static_cast<char>(random());
    if (round % 16 < 2) text.resize(1 + random() % (text.size() - 1));
    read_foreign_input(reinterpret_cast<const unsigned char*>(text.data()), text.size());
  }
}

}  // namespace
}  // namespace hawser::shm
