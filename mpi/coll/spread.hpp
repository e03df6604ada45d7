// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sched.h>

#include <cstdint>
#include <span>

// Ranks that share cores should do so evenly: a collective is as slow as the most crowded core, and the
// kernel may leave three ranks that wait for each other on one core, and one on another.

namespace hawser::mpi::coll {

/// The core to which member `rank` should move, -1: it stays. `cores`: 1 + the core of each member, 0 if not
/// known. Of a core that has at least two members more than another one of `allowed`, the last member moves:
/// members that see the same decide alike, so one goes.
int less_crowded_core(std::span<const std::uint32_t> cores, std::size_t rank,
                      const cpu_set_t& allowed) noexcept;

/// Moves the calling thread there; it is as free to be moved as before. False: the system did not allow it.
bool move_to_core(int core, const cpu_set_t& allowed) noexcept;

}  // namespace hawser::mpi::coll
