// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "mpi/coll/shm_setup.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <new>

#include "mpi/coll/coll.hpp"

// How the members of a communicator become a team: each says whether it could, member 0 also where the memory
// is; each says whether it has mapped it. Unless all say yes, twice, none of them uses it.

namespace hawser::mpi::coll {

namespace {

// A program may have many communicators: those for which a process would map more than this go without.
constexpr std::uint64_t kMostMapped = 64 << 20;

struct Offer {
  std::uint64_t cookie;
  std::uint32_t pid;
  std::int32_t number;    // of the memory's descriptor in that process
  std::uint32_t willing;  // 1: on this node, and reaches all others
  std::uint32_t light;    // 1: registered for heavy barriers
};

/// Messages to each of the others go over shared memory: so it is there, it is permitted, and the user wants
/// it. From then on a failure of any of them is known, too.
bool reaches_all(const Comm& comm) noexcept try {
  for (const std::uint32_t rank : comm.group->world_ranks) {
    if (rank == library().runtime->job().rank) continue;
    const auto peer = library().bml->peer(rank);
    if (!peer) return false;
    const auto& ways = (*peer)->rails().eager;
    if (ways.empty() || std::strcmp(ways.front().component, "shm") != 0) return false;
  }
  return true;
} catch (const std::bad_alloc&) {
  return false;
}

bool all_agree(Comm& comm, bool own) {
  std::uint8_t vote = own ? 1 : 0;
  return allreduce_band_bytes(comm, &vote, 1) == Errc::kOk && vote == 1;
}

Team* make_team(Comm& comm) {
  const auto size = static_cast<std::size_t>(comm.size);
  const std::uint64_t chunk = library().params.coll_shm_chunk;
  Offer mine{0, static_cast<std::uint32_t>(::getpid()), -1, 0, register_heavy_barriers() ? 1u : 0u};
  TeamMemory memory;
  const bool has_room = TeamMemory::mapped_with(comm.size, chunk) <= kMostMapped;
  mine.willing = library().params.coll_shm && has_room && reaches_all(comm) ? 1 : 0;
  if (mine.willing == 1 && comm.rank == 0) {
    auto made = TeamMemory::make(comm.size, chunk);
    mine.willing = made ? 1 : 0;
    if (made) memory = std::move(*made);
    if (made) mine.cookie = memory.header().cookie;
    mine.number = memory.fd();
  }
  std::vector<Offer> all(size);
  if (allgather_bytes(comm, &mine, all.data(), sizeof mine) != Errc::kOk) return nullptr;
  const auto count = [&](auto member) {
    return static_cast<std::size_t>(
        std::count_if(all.begin(), all.end(), [&](const Offer& o) { return o.*member == 1; }));
  };
  if (count(&Offer::willing) != size) return nullptr;
  if (comm.rank != 0) {
    auto opened = TeamMemory::open(all[0].pid, all[0].number, all[0].cookie, comm.size, chunk);
    if (opened) memory = std::move(*opened);
  }
  if (!all_agree(comm, memory.mapped())) return nullptr;
  memory.close_fd();
  return new Team(std::move(memory), comm.group->world_ranks, comm.rank, count(&Offer::light) == size);
}

}  // namespace

Team* find_team(Comm& comm) noexcept {
  const MpiParams& params = library().params;
  if (comm.size < 2 || comm.size > kMaxTeam || comm.team_calls < 0) return nullptr;
  if (comm.team_calls++ < params.coll_shm_after) return nullptr;
  comm.team_calls = -1;  // once; also where it is not wanted: the others wait for this answer
  try {
    comm.team = make_team(comm);
  } catch (const std::bad_alloc&) {
    comm.team = nullptr;  // the others miss this member's answer, and end with it
  }
  return comm.team;
}

void close_team(Comm& comm) noexcept {
  delete comm.team;
  comm.team = nullptr;
}

}  // namespace hawser::mpi::coll
