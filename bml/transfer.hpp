// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

#include "bml/peer.hpp"
#include "framework/base/list.hpp"

namespace hawser::bml {

class Bml;
struct Slice;

/// A large message on its way: cut into slices that the peer's rails pull as they have room, so that unequal
/// rails share the load by what they really deliver.
///
/// Owned by the starter until `on_done`, which is called exactly once, with no lock held, perhaps before
/// `start` returns. Either sends (active messages of `tag`, each with a SliceHeader, in any order) or reads
/// the peer's memory.
struct Transfer {
  enum class Kind : std::uint8_t { kSend, kGet };

  Transfer* next = nullptr;
  Kind kind = Kind::kSend;
  btl::Tag tag = 0;
  Peer* peer = nullptr;
  std::uint64_t size = 0;       // bytes in all
  std::uint64_t remote_id = 0;  // kSend: goes into every slice's header
  char* base = nullptr;         // kGet, or kSend of contiguous bytes
  /// kSend of bytes that are not contiguous: writes packed bytes [offset, offset + size) to `out`.
  void (*pack)(const Transfer& self, void* out, std::uint64_t offset, std::size_t size) noexcept = nullptr;
  std::uint64_t remote_address = 0;  // kGet
  btl::RemoteKey remote_key{};       // kGet
  void (*on_done)(Transfer& self, Errc status) noexcept = nullptr;
  void* owner = nullptr;

  // --- the BML's own, after `start`
  Bml* bml = nullptr;
  std::uint64_t next_offset = 0;               // the puller's, like all down to `status`
  std::uint64_t given = 0;                     // slices and holds that will come back with a token
  std::uint32_t in_rail[btl::kMaxRails] = {};  // slices that each rail holds, by Rail::id
  Fifo<Slice> refused;                         // slices that came back unsent
  Errc status = Errc::kOk;
  std::atomic<bool> stalled{false};      // listed for another try; that listing is a hold
  std::atomic<std::uint64_t> tokens{0};  // low half: calls for a puller; high half: what came back
  std::atomic<Slice*> ended{nullptr};    // slices that came back, newest first
};

/// Before the data of every slice.
struct SliceHeader {
  std::uint64_t remote_id;
  std::uint64_t offset;
};

}  // namespace hawser::bml
