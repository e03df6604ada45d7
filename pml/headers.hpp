// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "framework/btl/rdma.hpp"

namespace hawser::pml {

// What the PML writes before the data of its messages; host byte order, see docs/wire-format.md. The tag of
// the active message says which header it is.

inline constexpr btl::Tag kTagEager = 0x10;  // MatchHeader, then all of the data
inline constexpr btl::Tag kTagRendezvous =
    0x11;                                      // RendezvousHeader; no data, or all of it (synchronous sends)
inline constexpr btl::Tag kTagClear = 0x12;    // ClearHeader: "send me that much"
inline constexpr btl::Tag kTagSlice = 0x13;    // bml::SliceHeader, then data
inline constexpr btl::Tag kTagFinish = 0x14;   // FinishHeader: "I have it"
inline constexpr btl::Tag kTagGivenUp = 0x15;  // GivenUpHeader: "I take nothing more from you"

/// What is matched.
struct MatchHeader {
  std::uint32_t context;
  std::int32_t tag;
  std::int32_t source;     // rank in the channel
  std::uint32_t sequence;  // of messages from that source to this receiver on that channel
};
static_assert(sizeof(MatchHeader) == 16);

struct RendezvousHeader {
  MatchHeader match;
  std::uint64_t size;       // of the whole message, bytes
  std::uint64_t sender_id;  // names the send in what comes back
  std::uint64_t address;    // of the data in the sender's memory, if `readable`
  btl::RemoteKey key;
  std::uint32_t readable;
  std::uint32_t padding;
};
static_assert(sizeof(RendezvousHeader) == 72);

struct ClearHeader {
  std::uint64_t sender_id;
  std::uint64_t receiver_id;
  std::uint64_t wanted;  // bytes from the beginning; less than the message if it is cut
};
static_assert(sizeof(ClearHeader) == 24);

struct FinishHeader {
  std::uint64_t sender_id;
};
static_assert(sizeof(FinishHeader) == 8);

struct GivenUpHeader {
  std::uint32_t no_memory;  // 1: there was none for a message; 0: for another reason
  std::uint32_t padding;
};
static_assert(sizeof(GivenUpHeader) == 8);

}  // namespace hawser::pml
