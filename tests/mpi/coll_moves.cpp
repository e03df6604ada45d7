// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
// Collectives that move data: every root, sizes around the limits between algorithms, types with holes, in
// place, blocking and not, on communicators of several shapes.
#include "tests/mpi/coll_words.hpp"

using namespace mpi_tests;

namespace {

constexpr int kCounts[] = {0, 1, 3, 500, 9000};

struct Setting {
  MPI_Comm comm;
  int rank, size;
  Kind give, get;  // one block's words are the same in both
  bool blocking, in_place;
  int words;  // of a block
  int turn;

  /// With little data every root, else one of them.
  int first_root() const { return words < 1000 ? 0 : turn % size; }
  int end_of_roots() const { return words < 1000 ? size : first_root() + 1; }

  int give_count() const { return words / give.words; }
  int get_count() const { return words / get.words; }
  std::size_t items(const Kind& kind, int blocks) const {
    return static_cast<std::size_t>(words / kind.words) * static_cast<std::size_t>(blocks);
  }
};

/// Block `block` of `area` has what `from` gives at its place `from_block`.
void check_block(const Setting& it, Area& area, int block, int from, int from_block) {
  for (int i = 0; i < it.words; ++i) {
    const Word wanted = value_of(it.turn, from, static_cast<std::size_t>(from_block * it.words + i));
    CHECK(area[static_cast<std::size_t>(block * it.words + i)] == wanted);
  }
}

void set_block(const Setting& it, Area& area, int block, int from, int from_block) {
  for (int i = 0; i < it.words; ++i) {
    area[static_cast<std::size_t>(block * it.words + i)] =
        value_of(it.turn, from, static_cast<std::size_t>(from_block * it.words + i));
  }
}

void bcast(const Setting& it) {
  for (int root = it.first_root(); root < it.end_of_roots(); ++root) {
    // The sides may differ in type.
    const Kind& kind = it.rank % 2 == 0 ? it.give : it.get;
    Area area(kind, it.items(kind, 1));
    if (it.rank == root) area.set(it.turn, root);
    CALL(it.blocking, Bcast, Ibcast, area.base(), it.words / kind.words, kind.type, root, it.comm);
    check_block(it, area, 0, root, 0);
    area.check_holes();
  }
}

void gather(const Setting& it) {
  for (int root = it.first_root(); root < it.end_of_roots(); ++root) {
    Area own(it.give, it.items(it.give, 1)), all(it.get, it.items(it.get, it.size));
    own.set(it.turn, it.rank);
    const bool here = it.in_place && it.rank == root;
    if (here) set_block(it, all, root, root, 0);
    CALL(it.blocking, Gather, Igather, here ? MPI_IN_PLACE : own.base(), it.give_count(), it.give.type,
         it.rank == root ? all.base() : nullptr, it.get_count(), it.get.type, root, it.comm);
    if (it.rank != root) continue;
    for (int i = 0; i < it.size; ++i) check_block(it, all, i, i, 0);
    all.check_holes();
  }
}

void scatter(const Setting& it) {
  for (int root = it.first_root(); root < it.end_of_roots(); ++root) {
    Area all(it.give, it.items(it.give, it.size)), own(it.get, it.items(it.get, 1));
    if (it.rank == root) all.set(it.turn, root);
    const bool here = it.in_place && it.rank == root;
    CALL(it.blocking, Scatter, Iscatter, it.rank == root ? all.base() : nullptr, it.give_count(),
         it.give.type, here ? MPI_IN_PLACE : own.base(), it.get_count(), it.get.type, root, it.comm);
    if (here) continue;
    check_block(it, own, 0, root, it.rank);
    own.check_holes();
  }
}

void allgather(const Setting& it) {
  Area own(it.give, it.items(it.give, 1)), all(it.get, it.items(it.get, it.size));
  own.set(it.turn, it.rank);
  if (it.in_place) set_block(it, all, it.rank, it.rank, 0);
  CALL(it.blocking, Allgather, Iallgather, it.in_place ? MPI_IN_PLACE : own.base(), it.give_count(),
       it.give.type, all.base(), it.get_count(), it.get.type, it.comm);
  for (int i = 0; i < it.size; ++i) check_block(it, all, i, i, 0);
  all.check_holes();
}

void alltoall(const Setting& it) {
  Area from(it.give, it.items(it.give, it.size)), to(it.get, it.items(it.get, it.size));
  (it.in_place ? to : from).set(it.turn, it.rank);
  CALL(it.blocking, Alltoall, Ialltoall, it.in_place ? MPI_IN_PLACE : from.base(), it.give_count(),
       it.give.type, to.base(), it.get_count(), it.get.type, it.comm);
  for (int i = 0; i < it.size; ++i) check_block(it, to, i, i, it.rank);
  to.check_holes();
}

/// Blocks of unequal sizes, the last member's first, with gaps; some are empty.
struct Blocks {
  explicit Blocks(const Setting& it, const Kind& kind) {
    int at = 0;
    counts.resize(static_cast<std::size_t>(it.size));
    displs = counts;
    for (int i = it.size - 1; i >= 0; --i) {
      const auto n = static_cast<std::size_t>(i);
      counts[n] = words(it, i) / kind.words;
      displs[n] = at;
      at += counts[n] + 1;
    }
    items = static_cast<std::size_t>(at);
  }
  static int words(const Setting& it, int i) { return i % 3 == 1 ? 0 : it.words / (1 + i % 2) / 2 * 2; }
  std::vector<int> counts, displs;
  std::size_t items;
};

void check_unequal(const Setting& it, Area& area, const Blocks& blocks, int i, int from) {
  for (int k = 0; k < Blocks::words(it, i); ++k) {
    const int at = blocks.displs[static_cast<std::size_t>(i)] * it.get.words + k;
    CHECK(area[static_cast<std::size_t>(at)] == value_of(it.turn, from, static_cast<std::size_t>(k)));
  }
}

void set_unequal(const Setting& it, Area& area, const Kind& kind, const Blocks& blocks, int i, int from) {
  for (int k = 0; k < Blocks::words(it, i); ++k) {
    const int at = blocks.displs[static_cast<std::size_t>(i)] * kind.words + k;
    area[static_cast<std::size_t>(at)] = value_of(it.turn, from, static_cast<std::size_t>(k));
  }
}

void gatherv(const Setting& it) {
  const Blocks blocks(it, it.get);
  for (int root = it.first_root(); root < it.end_of_roots(); ++root) {
    Area own(it.give, it.items(it.give, 1)), all(it.get, blocks.items);
    own.set(it.turn, it.rank);
    const bool here = it.in_place && it.rank == root;
    if (here) set_unequal(it, all, it.get, blocks, root, root);
    const bool counts = it.rank == root;
    CALL(it.blocking, Gatherv, Igatherv, here ? MPI_IN_PLACE : own.base(),
         Blocks::words(it, it.rank) / it.give.words, it.give.type, counts ? all.base() : nullptr,
         counts ? blocks.counts.data() : nullptr, counts ? blocks.displs.data() : nullptr, it.get.type, root,
         it.comm);
    if (it.rank != root) continue;
    for (int i = 0; i < it.size; ++i) check_unequal(it, all, blocks, i, i);
    all.check_holes();
  }
}

void scatterv(const Setting& it) {
  const Blocks blocks(it, it.give);
  for (int root = it.first_root(); root < it.end_of_roots(); ++root) {
    Area all(it.give, blocks.items), own(it.get, it.items(it.get, 1));
    for (int i = 0; i < it.size; ++i) set_unequal(it, all, it.give, blocks, i, i);
    const bool here = it.in_place && it.rank == root;
    const bool counts = it.rank == root;
    CALL(it.blocking, Scatterv, Iscatterv, counts ? all.base() : nullptr,
         counts ? blocks.counts.data() : nullptr, counts ? blocks.displs.data() : nullptr, it.give.type,
         here ? MPI_IN_PLACE : own.base(), Blocks::words(it, it.rank) / it.get.words, it.get.type, root,
         it.comm);
    for (int k = 0; k < Blocks::words(it, it.rank) && !here; ++k) {
      CHECK(own[static_cast<std::size_t>(k)] == value_of(it.turn, it.rank, static_cast<std::size_t>(k)));
    }
    own.check_holes();
  }
}

void allgatherv(const Setting& it) {
  const Blocks blocks(it, it.get);
  Area own(it.give, it.items(it.give, 1)), all(it.get, blocks.items);
  own.set(it.turn, it.rank);
  if (it.in_place) set_unequal(it, all, it.get, blocks, it.rank, it.rank);
  CALL(it.blocking, Allgatherv, Iallgatherv, it.in_place ? MPI_IN_PLACE : own.base(),
       Blocks::words(it, it.rank) / it.give.words, it.give.type, all.base(), blocks.counts.data(),
       blocks.displs.data(), it.get.type, it.comm);
  for (int i = 0; i < it.size; ++i) check_unequal(it, all, blocks, i, i);
  all.check_holes();
}

/// What i and j give each other, in words: the same both ways.
int between(const Setting& it, int i, int j) {
  return (i + j) % 3 == 1 ? 0 : it.words / (1 + (i + j) % 2) / 2 * 2;
}

struct Exchange {
  Exchange(const Setting& it, const Kind& kind) {
    int at = 0;
    for (int j = 0; j < it.size; ++j) {
      counts.push_back(between(it, it.rank, j) / kind.words);
      displs.push_back(at);
      bytes.push_back(at * kind.extent * 8);
      types.push_back(kind.type);
      at += counts.back() + 1;
    }
    items = static_cast<std::size_t>(at);
  }
  std::vector<int> counts, displs, bytes;
  std::vector<MPI_Datatype> types;
  std::size_t items;
};

void alltoallvw(const Setting& it, bool own_types) {
  const Exchange give(it, it.give), get(it, it.get);
  Area from(it.give, give.items), to(it.get, get.items);
  const Exchange& source = it.in_place ? get : give;
  const Kind& kind = it.in_place ? it.get : it.give;
  for (int j = 0; j < it.size; ++j) {
    for (int k = 0; k < between(it, it.rank, j); ++k) {
      const int at = source.displs[static_cast<std::size_t>(j)] * kind.words + k;
      (it.in_place ? to : from)[static_cast<std::size_t>(at)] =
          value_of(it.turn, it.rank * 50 + j, static_cast<std::size_t>(k));
    }
  }
  void* base = it.in_place ? MPI_IN_PLACE : from.base();
  if (own_types) {
    CALL(it.blocking, Alltoallw, Ialltoallw, base, give.counts.data(), give.bytes.data(), give.types.data(),
         to.base(), get.counts.data(), get.bytes.data(), get.types.data(), it.comm);
  } else {
    CALL(it.blocking, Alltoallv, Ialltoallv, base, give.counts.data(), give.displs.data(), it.give.type,
         to.base(), get.counts.data(), get.displs.data(), it.get.type, it.comm);
  }
  for (int j = 0; j < it.size; ++j) {
    for (int k = 0; k < between(it, it.rank, j); ++k) {
      const int at = get.displs[static_cast<std::size_t>(j)] * it.get.words + k;
      CHECK(to[static_cast<std::size_t>(at)] ==
            value_of(it.turn, j * 50 + it.rank, static_cast<std::size_t>(k)));
    }
  }
  to.check_holes();
}

void all(Setting it) {
  bcast(it);
  gather(it);
  scatter(it);
  allgather(it);
  alltoall(it);
  gatherv(it);
  scatterv(it);
  allgatherv(it);
  alltoallvw(it, false);
  alltoallvw(it, true);
}

void on_comm(MPI_Comm comm) {
  Kind plain = plain_words();
  Kind holes = words_with_holes();
  Setting it{comm, 0, 0, plain, plain, true, false, 0, 0};
  MPI_Comm_rank(comm, &it.rank);
  MPI_Comm_size(comm, &it.size);
  for (int count : kCounts) {
    for (int form = 0; form < 16; ++form) {
      if (count > 1000 && form * 7 % 16 >= 4) continue;  // four of them, with each choice on and off
      it.blocking = (form & 1) != 0;
      it.in_place = (form & 2) != 0;
      it.give = (form & 4) != 0 ? holes : plain;
      it.get = (form & 8) != 0 ? holes : plain;
      it.words = count * 2;
      ++it.turn;
      all(it);
    }
  }
  MPI_Type_free(&holes.type);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  on_comm(MPI_COMM_WORLD);
  MPI_Comm other;
  MPI_Comm_split(MPI_COMM_WORLD, 0, -world_rank(), &other);  // the other way round
  on_comm(other);
  MPI_Comm_free(&other);
  MPI_Comm_split(MPI_COMM_WORLD, world_rank() % 2, world_rank(), &other);  // two at a time
  on_comm(other);
  MPI_Comm_free(&other);
  on_comm(MPI_COMM_SELF);
  MPI_Finalize();
  return 0;
}
