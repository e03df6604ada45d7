// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "mpi/coll/shm_setup.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <new>

#include "mpi/coll/coll.hpp"

// How the members of a communicator become a team: each says whether it could, member 0 also where the memory
// is; each says whether it has mapped it. Unless all say yes, twice, none of them uses it.

namespace hawser::mpi::coll {

namespace {

constexpr const char* kAfterKey = "mpi.coll_shm_after";

// A program may have many communicators: those for which a process would map more than this go without.
constexpr std::uint64_t kMostMapped = 128 << 20;

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

/// What this member offers; member 0 makes the memory.
Offer offer_of(const Comm& comm, TeamMemory& memory, std::uint64_t chunk) {
  Offer mine{0, static_cast<std::uint32_t>(::getpid()), -1, 0, register_heavy_barriers() ? 1u : 0u};
  const bool has_room = TeamMemory::mapped_with(comm.size, chunk) <= kMostMapped;
  if (!library().params.coll_shm || !has_room || !reaches_all(comm)) return mine;
  mine.willing = 1;
  if (comm.rank != 0) return mine;
  auto made = TeamMemory::make(comm.size, chunk);
  mine.willing = made ? 1 : 0;
  if (!made) return mine;
  memory = std::move(*made);
  mine.cookie = memory.header().cookie;
  mine.number = memory.fd();
  return mine;
}

/// The team, as far as this member can tell; null: there is none.
std::unique_ptr<Team> prepare(const Comm& comm, const Offer* all, TeamMemory memory, std::uint64_t chunk) {
  const auto count = [&](auto member) {
    return std::count_if(all, all + comm.size, [&](const Offer& o) { return o.*member == 1; });
  };
  if (count(&Offer::willing) != comm.size) return nullptr;
  if (comm.rank != 0) {
    auto opened = TeamMemory::open(all[0].pid, all[0].number, all[0].cookie, comm.size, chunk);
    if (!opened) return nullptr;
    memory = std::move(*opened);
  }
  const bool all_here = library().runtime->job().local_size == static_cast<std::uint32_t>(comm.size);
  return std::make_unique<Team>(std::move(memory), comm.group->world_ranks, comm.rank,
                                count(&Offer::light) == comm.size,
                                all_here && library().params.coll_shm_spread);
}

/// Whatever goes wrong at this member, it takes part in both exchanges: the others wait for it there.
Team* make_team(Comm& comm) noexcept {
  const std::uint64_t chunk = library().params.coll_shm_chunk;
  TeamMemory memory;
  Offer mine{};
  try {
    mine = offer_of(comm, memory, chunk);
  } catch (const std::bad_alloc&) {
    mine.willing = 0;
  }
  std::array<Offer, kMaxTeam> all;
  const bool heard = allgather_bytes(comm, &mine, all.data(), sizeof mine) == Errc::kOk;
  std::unique_ptr<Team> team;
  try {
    if (heard) team = prepare(comm, all.data(), std::move(memory), chunk);
  } catch (const std::bad_alloc&) {
    team.reset();
  }
  if (!all_agree(comm, team != nullptr) || !team) return nullptr;
  team->close_fd();
  return team.release();
}

/// After how many collectives the members try: as member 0 has it, since each may be set otherwise.
Errc learn_after(Comm& comm) noexcept {
  std::int64_t after = library().params.coll_shm_after;
  if (comm.rank != 0) {
    std::size_t size = 0;
    const std::uint32_t first = comm.group->world_ranks[0];
    const Errc got = library().runtime->modex_get(first, kAfterKey, &after, sizeof after, &size);
    if (got != Errc::kOk) return got;
    if (size != sizeof after || after < 0) return Errc::kProtocol;
  }
  comm.team_after = after;
  return Errc::kOk;
}

}  // namespace

Errc publish_setup(Runtime& runtime) noexcept {
  const std::int64_t after = library().params.coll_shm_after;
  return runtime.modex_put(kAfterKey, &after, sizeof after);
}

Errc find_team(Comm& comm, Team*& team) noexcept {
  if (comm.size < 2 || comm.size > kMaxTeam || comm.team_calls < 0) return Errc::kOk;
  const std::int64_t before = comm.team_calls++;  // also if this one fails: it is one of theirs
  if (HAWSER_UNLIKELY(comm.team_after < 0)) {
    if (const Errc learned = learn_after(comm); learned != Errc::kOk) return learned;
  }
  if (before < comm.team_after) return Errc::kOk;
  comm.team_calls = -1;  // once; also where it is not wanted: the others wait for this answer
  team = comm.team = make_team(comm);
  return Errc::kOk;
}

void close_team(Comm& comm) noexcept {
  delete comm.team;
  comm.team = nullptr;
}

}  // namespace hawser::mpi::coll
