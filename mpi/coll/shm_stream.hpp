// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>

#include "mpi/coll/shm_team.hpp"

namespace hawser::mpi::coll {

/// One member's side of an operation in which some give `chunks` chunks each and others take them all.
struct Stream {
  Team& team;
  unsigned chunks;
  bool gives;       // we do
  int only_source;  // the one that gives; -1: all do
  std::array<unsigned, kMaxTeam> taken{};

  bool takes_from(int member) const noexcept {
    return member != team.rank() && (only_source < 0 || member == only_source);
  }
  /// As many of another's chunks may be taken: what is got may lie where what is given lies.
  unsigned limit() const noexcept { return gives ? team.given() : chunks; }
  /// Something can be done now: changes nothing.
  bool ready() const noexcept {
    if (gives && team.given() < chunks && team.chunk_free()) return true;
    for (int i = 0; i < team.size(); ++i) {
      const unsigned have = taken[static_cast<std::size_t>(i)];
      if (takes_from(i) && have < limit() && team.given_by(i) > have) return true;
    }
    return false;
  }
};

/// Moves all: `put(chunk, index)` fills our chunk number `index`, `get(member, chunk, index)` empties one of
/// another's. Gives as far as there is room, then takes what there is, so that ranks that share a core do
/// much between two switches.
template <class Put, class Get>
void run(Stream stream, Put&& put, Get&& get) noexcept {
  Team& team = stream.team;
  const unsigned to_give = stream.gives ? stream.chunks : 0;
  for (;;) {
    bool moved = false;
    while (team.given() < to_give && team.chunk_free()) {
      put(team.claim_chunk(), team.given());
      team.give();
      moved = true;
    }
    unsigned least = stream.chunks;
    for (int i = 1; i < team.size(); ++i) {
      const int member = (team.rank() + i) % team.size();
      if (!stream.takes_from(member)) continue;
      unsigned& taken = stream.taken[static_cast<std::size_t>(member)];
      const unsigned until = std::min(team.given_by(member), stream.limit());
      if (taken == 0 && until != 0 && !team.agrees_with(member)) return;
      for (; taken < until; ++taken, moved = true) get(member, team.chunk_of(member, taken), taken);
      least = std::min(least, taken);
    }
    if (least != 0) team.done_with(least);
    if (team.given() == to_give && least == stream.chunks) return;
    if (!moved && !team.await([&] { return stream.ready(); })) return;
  }
}

}  // namespace hawser::mpi::coll
