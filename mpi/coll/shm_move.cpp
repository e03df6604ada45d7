// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "mpi/coll/shm_coll.hpp"
#include "mpi/coll/shm_stream.hpp"

// Barrier, and collectives that move data, over shared memory.

namespace hawser::mpi::coll {

namespace {

constexpr std::uint64_t kSmallestPiece = 16UL * 1024;

/// Copies `size` bytes from place `at` of the packed data of `buffer`.
void take_out(const Buffer& buffer, std::uint64_t at, void* out, std::uint64_t size) noexcept {
  if (size == 0) return;
  if (buffer.layout) return buffer.layout->pack(out, buffer.base, at, size);
  if (size == sizeof(std::uint64_t)) {  // the most frequent: without a call
    std::memcpy(out, static_cast<const char*>(buffer.base) + at, sizeof(std::uint64_t));
    return;
  }
  std::memcpy(out, static_cast<const char*>(buffer.base) + at, size);
}
void put_in(const Buffer& buffer, std::uint64_t at, const void* in, std::uint64_t size) noexcept {
  if (size == 0) return;
  if (buffer.layout) return buffer.layout->unpack(buffer.base, in, at, size);
  if (size == sizeof(std::uint64_t)) {
    std::memcpy(static_cast<char*>(buffer.base) + at, in, sizeof(std::uint64_t));
    return;
  }
  std::memcpy(static_cast<char*>(buffer.base) + at, in, size);
}

/// Blocks that lie one after the other as their bytes.
bool is_one_run(const Blocks& blocks) noexcept {
  return blocks.type->dense;
}

/// How `bytes` bytes are cut into pieces for chunks that hold `room` of them: few enough to fill chunks, yet
/// several, so that one member copies in while others copy out.
struct Cut {
  Cut(std::uint64_t bytes, std::uint64_t room) noexcept
      : bytes(bytes),
        piece(std::min(room, std::max((bytes / 4 + 63) / 64 * 64, kSmallestPiece))),
        pieces(static_cast<unsigned>((bytes + piece - 1) / piece)) {}
  std::uint64_t at(unsigned i) const noexcept { return i * piece; }
  std::uint64_t length(unsigned i) const noexcept { return std::min(piece, bytes - at(i)); }
  std::uint64_t bytes;
  std::uint64_t piece;
  unsigned pieces;
};

void bcast_by_chunks(Team& team, const Buffer& buffer, int root) noexcept {
  const Cut cut(buffer.size, team.chunk_size());
  run(
      {team, cut.pieces, team.rank() == root, root},
      [&](unsigned char* chunk, unsigned i) { take_out(buffer, cut.at(i), chunk, cut.length(i)); },
      [&](int, const unsigned char* chunk, unsigned i) { put_in(buffer, cut.at(i), chunk, cut.length(i)); });
}

void allgather_by_chunks(Team& team, const Buffer& own, const Blocks& all) noexcept {
  const Cut cut(own.size, team.chunk_size());
  run(
      {team, cut.pieces, true, -1},
      [&](unsigned char* chunk, unsigned i) { take_out(own, cut.at(i), chunk, cut.length(i)); },
      [&](int member, const unsigned char* chunk, unsigned i) {
        put_in(all[member], cut.at(i), chunk, cut.length(i));
      });
}

/// A chunk has a piece for each other member.
void alltoall_by_chunks(Team& team, const Blocks& from, const Blocks& to, std::uint64_t each) noexcept {
  const int others = team.size() - 1;
  const Cut cut(each, team.chunk_size() / static_cast<unsigned>(others) / 64 * 64);
  const auto place = [&](int writer, int reader) {
    return static_cast<std::uint64_t>(reader < writer ? reader : reader - 1) * cut.piece;
  };
  run(
      {team, cut.pieces, true, -1},
      [&](unsigned char* chunk, unsigned i) {
        for (int k = 1; k <= others; ++k) {
          const int member = (team.rank() + k) % team.size();
          take_out(from[member], cut.at(i), chunk + place(team.rank(), member), cut.length(i));
        }
      },
      [&](int member, const unsigned char* chunk, unsigned i) {
        put_in(to[member], cut.at(i), chunk + place(member, team.rank()), cut.length(i));
      });
}

}  // namespace

Outcome barrier(Team& team) noexcept {
  team.begin(TeamKind::kBarrier, 0);
  if (!team.claim_slot()) return team.end();
  team.say();
  return team.hear_all() ? team.end_together() : team.end();
}

Outcome bcast(Team& team, const Buffer& buffer, int root) noexcept {
  team.begin(TeamKind::kBcast, buffer.size);
  if (team.rank() == root && !team.claim_slot()) return team.end();
  if (buffer.size > TeamSlot::kPayload) {
    bcast_by_chunks(team, buffer, root);
  } else if (team.rank() == root) {
    take_out(buffer, 0, team.payload(), buffer.size);
    team.say();
  } else if (team.follow(root)) {
    put_in(buffer, 0, team.payload_of(root), buffer.size);
  }
  return team.end();
}

Outcome allgather(Team& team, const Buffer* own, const Blocks& all) noexcept {
  if (own && own->size != all[team.rank()].size) return team.refuse(TeamKind::kAllgather);
  if (own) copy(*own, all[team.rank()]);
  const Buffer mine = own ? *own : all[team.rank()];
  team.begin(TeamKind::kAllgather, mine.size);
  if (!team.claim_slot()) return team.end();
  if (mine.size > Team::kWhole) {
    allgather_by_chunks(team, mine, all);
    return team.failed() ? team.end() : team.end_together();
  }
  unsigned char* const out = team.claim_whole(mine.size);
  if (!out) return team.end();
  take_out(mine, 0, out, mine.size);
  team.say_whole(mine.size);
  if (mine.size == 0 || !team.hear_all()) return team.end();
  for (int i = 0; i < team.size(); ++i) {
    if (i != team.rank()) put_in(all[i], 0, team.whole_of(i, mine.size), mine.size);
  }
  return team.end_together();
}

Outcome alltoall(Team& team, const Blocks* from, const Blocks& to) noexcept {
  const int rank = team.rank();
  const std::uint64_t each = to[rank].size;
  if (from && (*from)[rank].size != each) return team.refuse(TeamKind::kAlltoall);
  if (from) copy((*from)[rank], to[rank]);
  const Blocks& source = from ? *from : to;
  team.begin(TeamKind::kAlltoall, each);
  if (!team.claim_slot()) return team.end();
  const std::uint64_t bytes = each * static_cast<unsigned>(team.size());
  if (bytes > Team::kWhole) {
    alltoall_by_chunks(team, source, to, each);
    return team.failed() ? team.end() : team.end_together();
  }
  unsigned char* const out = team.claim_whole(bytes);
  if (!out) return team.end();
  if (each != 0 && is_one_run(source)) {
    std::memcpy(out, source.base, bytes);
  } else {
    for (int i = 0; i < team.size(); ++i) take_out(source[i], 0, out + static_cast<unsigned>(i) * each, each);
  }
  team.say_whole(bytes);
  if (each == 0 || !team.hear_all()) return team.end();
  for (int i = 0; i < team.size(); ++i) {
    if (i != rank) put_in(to[i], 0, team.whole_of(i, bytes) + static_cast<unsigned>(rank) * each, each);
  }
  return team.end_together();
}

}  // namespace hawser::mpi::coll
