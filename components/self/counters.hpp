// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/btl/module.hpp"

namespace hawser::self {

/// The counters of btl::BaseCounter, then our own.
enum class Counter : std::uint16_t {
  kMessagesSent,
  kBytesSent,
  kMessagesReceived,
  kBytesReceived,
  kNoResource,
  kRdmaGets,
  kRdmaGetBytes,
  kRdmaPuts,
  kRdmaPutBytes,
  kHeldDescriptors,
  kWakeups,
  kCount
};
static_assert(static_cast<int>(Counter::kHeldDescriptors) == static_cast<int>(btl::BaseCounter::kCount));

inline constexpr std::size_t kBaseCount = static_cast<std::size_t>(btl::BaseCounter::kCount);
inline constexpr CounterInfo kCounterInfo[] = {
    btl::kBaseCounterInfo[0],
    btl::kBaseCounterInfo[1],
    btl::kBaseCounterInfo[2],
    btl::kBaseCounterInfo[3],
    btl::kBaseCounterInfo[4],
    btl::kBaseCounterInfo[5],
    btl::kBaseCounterInfo[6],
    btl::kBaseCounterInfo[7],
    btl::kBaseCounterInfo[8],
    {"held_descriptors", "messages", "messages delivered straight from the sender's buffer"},
    {"wakeups", "times", "a sending thread woke the thread that makes progress"},
};
static_assert(sizeof kCounterInfo / sizeof kCounterInfo[0] == static_cast<std::size_t>(Counter::kCount));
static_assert(kBaseCount == 9, "copy every base counter above");

}  // namespace hawser::self
