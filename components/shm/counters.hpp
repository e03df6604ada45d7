// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/btl/module.hpp"

namespace hawser::shm {

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
  kWakeupsSent,
  kArmed,
  kRingFull,
  kBufferFull,
  kPeersConnected,
  kRingsAdopted,
  kSingleCopyDenied,
  kPeersLost,
  kRingsBroken,
  kCount
};
static_assert(static_cast<int>(Counter::kWakeupsSent) == static_cast<int>(btl::BaseCounter::kCount));

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
    {"wakeups_sent", "times", "sleeping peers that were woken"},
    {"armed", "times", "times this process prepared to sleep"},
    {"ring_full", "posts", "posts refused because every slot was taken"},
    {"buffer_full", "posts", "posts refused because a slot was free but no room for the data"},
    {"peers_connected", "peers", "peers whose memory was mapped"},
    {"rings_adopted", "rings", "senders that this process polls"},
    {"single_copy_denied", "peers", "peers whose memory the system does not let us read"},
    {"peers_lost", "peers", "peers that ended without saying goodbye"},
    {"rings_broken", "rings", "rings given up because their content makes no sense"},
};
static_assert(sizeof kCounterInfo / sizeof kCounterInfo[0] == static_cast<std::size_t>(Counter::kCount));
static_assert(static_cast<std::size_t>(btl::BaseCounter::kCount) == 9, "copy every base counter above");

}  // namespace hawser::shm
