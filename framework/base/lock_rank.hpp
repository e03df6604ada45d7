// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace hawser {

/// The order of locks: a lock is taken only while every lock that this thread holds has a smaller rank.
/// Debug builds check it on every lock. See docs/threads-and-locks.md.
enum class LockRank : std::uint8_t {
  kRuntime = 10,     // start and stop
  kModex = 20,       // the modex cache and its socket
  kPeerTable = 30,   // who creates a peer, who is parked
  kMpi = 35,         // communicators, datatypes, requests' registry
  kMatcher = 40,     // one per communicator: posted and unexpected messages
  kRendezvous = 45,  // table of transfers under way
  kBmlPeer = 50,     // pending work of a peer
  kComponent = 55,   // a component's own tables
  kEndpoint = 60,    // send half of an endpoint
  kEventLoop = 65,   // registrations
  kPool = 70,        // the shared part of a free list
  kLeaf = 80,        // log sink, counters' registry; under anything
};

}  // namespace hawser
