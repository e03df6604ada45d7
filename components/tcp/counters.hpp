// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/base/counters.hpp"
#include "framework/btl/module.hpp"

namespace hawser::tcp {

/// Per module; the first are btl::BaseCounter, in order. Those of a listening address are counted on the
/// first link over it.
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
  kConnectionsMade,
  kAccepted,
  kRefusedStrangers,
  kTiesLost,
  kParkedPromoted,
  kDialsRepeated,
  kShortWrites,
  kGathered,
  kPlacedBytes,
  kDroppedInbound,
  kAcceptsDelayed,
  kRailsFailed,
  kRailsRetired,
  kUpdatesReceived,
  kUpdatesIgnored,
  kRailsAside,
  kRailsProbed,
  kRailsBack,
  kPeersKept,
  kCount
};

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
    {"connections_made", "connections", "connections that this side opened and that serve a peer"},
    {"accepted", "connections", "connections that the peer opened and that serve it"},
    {"refused_strangers", "connections",
     "inbound connections closed because they did not prove to be of this job"},
    {"ties_lost", "connections", "own connections given up because the peer's came first by rank"},
    {"parked_promoted", "connections",
     "inbound connections that waited behind an own one and took its place"},
    {"dials_repeated", "attempts", "connection attempts after the first one to a peer"},
    {"short_writes", "writes", "writes of which the socket took only a part"},
    {"gathered", "messages", "messages that waited to share a write with others"},
    {"placed_bytes", "bytes", "data read from the socket straight to its destination"},
    {"dropped_inbound", "connections", "connections of known peers for which no rail was found; stays zero"},
    {"accepts_delayed", "times", "times a listener had to pause because no file descriptor was left"},
    {"rails_failed", "rails", "rails to a peer that were lost or could not be set up"},
    {"rails_retired", "rails",
     "rails to a peer that were let go because the interface of one side went away"},
    {"updates_received", "updates", "lists of addresses that a peer sent when its interfaces changed"},
    {"updates_ignored", "updates", "those of them that were not newer than what was known"},
    {"rails_aside", "rails", "rails that were long in being connected, so that others of the peer served"},
    {"rails_probed", "attempts", "attempts to connect a rail again that had failed"},
    {"rails_back", "rails", "rails that serve again after they had failed or stood aside"},
    {"peers_kept", "peers",
     "records of a peer that a change of its rails replaced; a thread may be inside, so they are freed at "
     "the end"},
};
static_assert(sizeof kCounterInfo / sizeof kCounterInfo[0] == static_cast<std::size_t>(Counter::kCount),
              "describe every counter");
static_assert(static_cast<int>(Counter::kConnectionsMade) == static_cast<int>(btl::BaseCounter::kCount));

}  // namespace hawser::tcp
