// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "mpi/handles.hpp"
#include "pml/channel.hpp"

namespace hawser::mpi {

inline constexpr std::uint32_t kMaxComms = pml::kMaxContexts / 2;

/// MPI_COMM_WORLD and MPI_COMM_SELF.
void make_world(Library& lib);
void free_world(Library& lib) noexcept;

/// A communicator of `group` (takes the reference) with the agreed context.
Comm* make_comm(std::uint32_t context, Group* group, const Comm& parent);
void destroy(Comm& comm) noexcept;
// The same in two steps, and what becomes of one that is never opened.
Comm* prepare_comm(Group* group, const Comm& parent);
void open_comm(Comm& comm, std::uint32_t context);
void forget(Comm& comm) noexcept;
/// Gives references back; once there is none, and no receive is held any more, the channels close.
inline void drop(Comm& comm, std::uint32_t n = 1) noexcept {
  if (HAWSER_UNLIKELY(comm.RefCounted::drop(n)) && comm.p2p->close_when_unused()) destroy(comm);
}
/// Of `start_receive`, once the requests are given back.
inline void end_receives(Comm& comm, std::uint32_t n) noexcept {
  if (HAWSER_UNLIKELY(comm.p2p->end_uses(n))) destroy(comm);
}
void drop(Group& group) noexcept;
void drop(Errhandler& handler) noexcept;

/// A context that is free in every member of `parent` that takes part; every member calls it. `members`:
/// empty: all of `parent`; else the ranks in `parent` that take part, with a `tag` that tells concurrent
/// calls apart. `refuses`: this member can make no communicator, so that none is made: an error in all.
Result<std::uint32_t> agree_on_context(Comm& parent, const std::vector<int>& members = {}, int tag = 0,
                                       bool refuses = false);
void release_context(std::uint32_t context) noexcept;
// Its steps: the lowest one from `least` on that is free here; takes one. False: it is not free any more.
std::uint32_t free_context_from(std::uint32_t least);
bool take_context(std::uint32_t context);
inline constexpr std::uint32_t kFirstFreeContext = 2;  // after world and self
// What a member names that can make no communicator: higher than any context. And in words, for the others.
inline constexpr std::uint32_t kRefused = UINT32_MAX - 1;
inline constexpr const char* kRefusedThere = "a member of the communicator could not duplicate it";
/// Whether all know of the duplications that failed here. Until then this rank must not leave.
bool refusals_known() noexcept;

/// Exchanges `bytes` bytes of each taking part, as agree_on_context does.
Errc exchange(Comm& parent, const std::vector<int>& members, int tag, const void* mine, void* all,
              std::size_t bytes);

// Bindings that make communicators end in these. All members of `parent` call. MPI_SUCCESS, or what the
// binding returns; `made`: MPI_COMM_NULL in those that are in no new communicator.

/// Of those that say the same `color`, by `key`, then rank. Negative color: none.
int split(Comm& parent, std::int64_t color, int key, MPI_Comm* made, const char* function);
/// Of the first `count` members, in their order.
int create_of_first(Comm& parent, int count, MPI_Comm* made, const char* function);
/// Of all members, with nothing of what is attached to `parent`.
int create_of_all(Comm& parent, MPI_Comm* made, const char* function);

/// Copies the parent's attributes as their copy functions say (attributes.cpp). MPI_SUCCESS or the function's
/// error.
int copy_attributes(Comm& from, Comm& to);
/// MPI_SUCCESS, or the error of the first that does not go.
int delete_attributes(Comm& comm) noexcept;
/// Of one that goes, whatever its delete functions say.
void drop_attributes(Comm& comm) noexcept;

}  // namespace hawser::mpi
