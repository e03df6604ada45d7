// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
// True input with a few bytes changed, from fixed seeds.
#include <gtest/gtest.h>

#include <random>

#include "tests/fuzz/params_input.hpp"
#include "tests/fuzz/params_seeds.hpp"

namespace hawser::mca {
namespace {

TEST(ParamsInput, TrueInputWithBytesChangedBreaksNoPromise) {
  std::mt19937 random(5);
  const auto inputs = true_inputs();
  constexpr char kTelling[] = "=#\"'\n ,^-+0x19kmg.";
  for (int round = 0; round < 20'000; ++round) {
    std::string text = inputs[random() % inputs.size()];
    for (unsigned changes = random() % 4; changes != 0; --changes) {
      char& byte = text[1 + random() % (text.size() - 1)];
      byte = random() % 2 == 0 ? kTelling[random() % (sizeof kTelling - 1)] : static_cast<char>(random());
    }
    if (random() % 8 == 0) text.resize(1 + random() % (text.size() - 1));
    read_foreign_input(reinterpret_cast<const unsigned char*>(text.data()), text.size());
  }
}

}  // namespace
}  // namespace hawser::mca
