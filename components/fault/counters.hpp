// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/btl/module.hpp"

namespace hawser::fault {

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
  kDropped,
  kDelayed,
  kDuplicated,
  kReordered,
  kRefused,
  kResets,
  kPieces,
  kCount
};
static_assert(static_cast<int>(Counter::kDropped) == static_cast<int>(btl::BaseCounter::kCount));

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
    {"dropped", "messages", "messages taken and never sent, by a rule"},
    {"delayed", "messages", "messages that waited, by a rule"},
    {"duplicated", "messages", "messages sent twice, by a rule"},
    {"reordered", "messages", "messages that the next one overtook, by a rule"},
    {"refused", "posts", "posts refused by a rule"},
    {"resets", "rails", "rails broken by a rule"},
    {"pieces", "pieces", "parts in which messages were taken up or written, by a rule"},
};
static_assert(sizeof kCounterInfo / sizeof kCounterInfo[0] == static_cast<std::size_t>(Counter::kCount));

}  // namespace hawser::fault
