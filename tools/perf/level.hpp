// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace hawser::tools {

/// Two ranks that exchange messages at one level of the stack. Both call the same functions in the same
/// order. What cannot go on ends the job, with a text for people.
class PerfLevel {
 public:
  virtual ~PerfLevel() = default;

  virtual std::uint32_t rank() const = 0;
  /// What rank 0 gave, in both; rank 1's argument is not looked at.
  virtual std::uint64_t agree(std::uint64_t value) = 0;
  /// Messages there and back, begun by rank 0.
  virtual void round_trips(std::size_t size, std::uint64_t count) = 0;
  /// `count` times: `window` messages from rank 0, and a small one back when all are there.
  virtual void windows(std::size_t size, std::uint32_t window, std::uint64_t count) = 0;
  /// Leaves the job.
  virtual void finish() = 0;
};

/// Active messages of one module; handlers do not copy what they are given.
std::unique_ptr<PerfLevel> make_btl_level(std::size_t largest);
/// The same over all rails, messages above the eager limit in slices.
std::unique_ptr<PerfLevel> make_bml_level(std::size_t largest);
/// MPI_Send and MPI_Recv, MPI_Isend and MPI_Irecv; the library is loaded when asked for.
std::unique_ptr<PerfLevel> make_mpi_level(std::size_t largest);

}  // namespace hawser::tools
