// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "mpi/coll/spread.hpp"

#include <algorithm>

namespace hawser::mpi::coll {

int less_crowded_core(std::span<const std::uint32_t> cores, std::size_t rank,
                      const cpu_set_t& allowed) noexcept {
  const std::uint32_t here = cores[rank];
  const auto members_on = [&](std::uint32_t core) { return std::count(cores.begin(), cores.end(), core); };
  if (here == 0 || members_on(0) != 0) return -1;
  const auto after = cores.subspan(rank + 1);
  if (std::find(after.begin(), after.end(), here) != after.end()) return -1;
  auto least = members_on(here) - 1;
  int best = -1;
  for (int core = 0; core < CPU_SETSIZE && least > 0; ++core) {
    if (!CPU_ISSET(core, &allowed)) continue;
    const auto there = members_on(static_cast<std::uint32_t>(core) + 1);
    if (there < least) least = there, best = core;
  }
  return best;
}

bool move_to_core(int core, const cpu_set_t& allowed) noexcept {
  cpu_set_t there;
  CPU_ZERO(&there);
  CPU_SET(core, &there);
  if (::sched_setaffinity(0, sizeof there, &there) != 0) return false;
  return ::sched_setaffinity(0, sizeof allowed, &allowed) == 0;
}

}  // namespace hawser::mpi::coll
