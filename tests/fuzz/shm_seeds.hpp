// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>
#include <string>

#include "components/shm/blob.hpp"
#include "components/shm/segment.hpp"
#include "tests/fuzz/shm_input.hpp"

namespace hawser::shm {

/// Inputs of read_foreign_input that are as they should be.
inline std::string true_blob() {
  Blob blob;
  blob.pid = 123;
  blob.memory = 5;
  blob.doorbell = 6;
  blob.incarnation = 99;
  blob.rings = 4;
  blob.shape = {8, 4096};
  blob.segment_size = segment_size(4, blob.shape);
  return static_cast<char>(kFeedBlob) + write_blob(blob);
}

inline std::string true_step(Kind kind, unsigned tag, unsigned header_size, unsigned data_size,
                             Beginning beginning) {
  std::string step(kRingStep, '\0');
  step[0] = static_cast<char>(kind);
  step[1] = static_cast<char>(tag);
  step[2] = static_cast<char>(header_size);
  step[3] = static_cast<char>(data_size);
  std::memcpy(step.data() + 4, &beginning, sizeof beginning);
  return step;
}

inline std::string true_ring() {
  return static_cast<char>(kFeedRing) + true_step(Kind::kInline, 1, 16, 8, {}) +
         true_step(Kind::kData, 1, 16, 0, {{0, 100}, 0}) +
         true_step(Kind::kHeaderData, 1, 64, 0, {{128, 100}, 0}) +
         true_step(Kind::kFirst, 2, 16, 0, {{512, 300}, 700}) +
         true_step(Kind::kNext, 0, 0, 0, {{1024, 400}, 0}) +
         true_step(Kind::kFirst, 1, 80, 0, {{512, 300}, 600}) +
         true_step(Kind::kNext, 0, 0, 0, {{1024, 300}, 0});
}

}  // namespace hawser::shm
