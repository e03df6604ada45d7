// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "components/shm/ring.hpp"
#include "framework/base/result.hpp"

namespace hawser::shm {

/// What a process publishes under "btl_shm".
struct Blob {
  std::uint32_t pid = 0;
  std::int32_t memory = -1;        // number of the segment's descriptor in that process
  std::int32_t doorbell = -1;      // number of the doorbell's writing end in that process
  std::uint64_t incarnation = 0;   // random; also in the segment
  std::uint64_t segment_size = 0;  // bytes
  std::uint32_t rings = 0;         // one per rank of the job
  RingShape shape{};
  std::uint64_t probe_address =
      0;  // where that process keeps its incarnation: a read of it proves single copy
};

inline constexpr char kBlobKey[] = "btl_shm";
inline constexpr std::size_t kMaxBlob = 256;

std::string write_blob(const Blob& blob);
/// Checks version, length and every number; the text says what is wrong, without naming the rank.
Result<Blob> read_blob(const void* data, std::size_t size);

}  // namespace hawser::shm
