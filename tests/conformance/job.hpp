// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "tests/conformance/rank.hpp"

namespace hawser::conformance {

/// Runs `body` as every rank, each in a process of its own, so that a test can crash or leave threads without
/// harm to others; two ranks, or one if the component is a loopback. A failed expectation in a rank fails the
/// test. `size`: ranks of the job as the component sees it. `dies`: the rank that ends by SIGKILL, as the
/// test wants.
void run_job(const std::function<void(Rank&)>& body, std::uint32_t size = 2, int dies = -1);

#define HAWSER_NEEDS_TWO_RANKS() \
  if (subject().loopback) GTEST_SKIP() << "connects a rank with itself only"

}  // namespace hawser::conformance
