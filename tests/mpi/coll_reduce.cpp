// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
// Collectives that reduce: sums, and operations whose order counts; every root, sizes around the limits
// between algorithms, types with holes, in place, blocking and not. Sums of doubles: the same bits
// everywhere.
#include "tests/mpi/coll_words.hpp"

using namespace mpi_tests;

namespace {

constexpr int kCounts[] = {0, 1, 2, 7, 600, 9001};

struct Setting {
  MPI_Comm comm;
  int rank, size;
  Kind kind;
  MPI_Op op;
  bool sum, blocking, in_place;
  int count;
  int turn;

  std::size_t items() const { return static_cast<std::size_t>(count); }
};

/// The reduction of what ranks [0, last] give at place i.
Word reduced(const Setting& it, int last, std::size_t i) {
  Word result = value_of(it.turn, 0, i);
  for (int rank = 1; rank <= last; ++rank) {
    const Word next = value_of(it.turn, rank, i);
    result = it.sum ? result + next : after(result, next);
  }
  return result;
}

void check(const Setting& it, Area& area, int last, std::size_t words, std::size_t first = 0) {
  for (std::size_t i = 0; i < words; ++i) CHECK(area[i] == reduced(it, last, first + i));
  area.check_holes();
}

void reduce(const Setting& it) {
  for (int root = 0; root < it.size; ++root) {
    Area from(it.kind, it.items()), to(it.kind, it.items());
    const bool here = it.in_place && it.rank == root;
    (here ? to : from).set(it.turn, it.rank);
    CALL(it.blocking, Reduce, Ireduce, here ? MPI_IN_PLACE : from.base(),
         it.rank == root ? to.base() : nullptr, it.count, it.kind.type, it.op, root, it.comm);
    if (it.rank == root) check(it, to, it.size - 1, to.words());
  }
}

void allreduce(const Setting& it) {
  Area from(it.kind, it.items()), to(it.kind, it.items());
  (it.in_place ? to : from).set(it.turn, it.rank);
  CALL(it.blocking, Allreduce, Iallreduce, it.in_place ? MPI_IN_PLACE : from.base(), to.base(), it.count,
       it.kind.type, it.op, it.comm);
  check(it, to, it.size - 1, to.words());
}

void scan(const Setting& it) {
  Area from(it.kind, it.items()), to(it.kind, it.items());
  (it.in_place ? to : from).set(it.turn, it.rank);
  CALL(it.blocking, Scan, Iscan, it.in_place ? MPI_IN_PLACE : from.base(), to.base(), it.count, it.kind.type,
       it.op, it.comm);
  check(it, to, it.rank, to.words());
}

void exscan(const Setting& it) {
  Area from(it.kind, it.items()), to(it.kind, it.items());
  (it.in_place ? to : from).set(it.turn, it.rank);
  CALL(it.blocking, Exscan, Iexscan, it.in_place ? MPI_IN_PLACE : from.base(), to.base(), it.count,
       it.kind.type, it.op, it.comm);
  if (it.rank > 0) check(it, to, it.rank - 1, to.words());
}

void reduce_scatter(const Setting& it, bool equal) {
  std::vector<int> counts;
  int total = 0;
  int first = 0;
  for (int i = 0; i < it.size; ++i) {
    if (i == it.rank) first = total;
    counts.push_back(equal ? it.count : i % 3 == 1 ? 0 : it.count / (1 + i % 2));
    total += counts.back();
  }
  const int own = counts[static_cast<std::size_t>(it.rank)];
  Area from(it.kind, static_cast<std::size_t>(total)), to(it.kind, static_cast<std::size_t>(own));
  from.set(it.turn, it.rank);
  void* give = it.in_place ? MPI_IN_PLACE : from.base();
  void* get = it.in_place ? from.base() : to.base();
  if (equal) {
    CALL(it.blocking, Reduce_scatter_block, Ireduce_scatter_block, give, get, it.count, it.kind.type, it.op,
         it.comm);
  } else {
    CALL(it.blocking, Reduce_scatter, Ireduce_scatter, give, get, counts.data(), it.kind.type, it.op,
         it.comm);
  }
  const auto words = static_cast<std::size_t>(it.kind.words);
  check(it, it.in_place ? from : to, it.size - 1, static_cast<std::size_t>(own) * words,
        static_cast<std::size_t>(first) * words);
}

void all(const Setting& it) {
  reduce(it);
  allreduce(it);
  scan(it);
  exscan(it);
  if (it.count > 600) return;
  reduce_scatter(it, true);
  reduce_scatter(it, false);
}

void on_comm(MPI_Comm comm) {
  Kind plain = plain_words();
  Kind holes = words_with_holes();
  MPI_Op chain, chain_with_holes;
  MPI_Op_create(&chain_plain, 0, &chain);
  MPI_Op_create(&chain_holes, 0, &chain_with_holes);
  Setting it{comm, 0, 0, plain, MPI_SUM, true, true, false, 0, 0};
  MPI_Comm_rank(comm, &it.rank);
  MPI_Comm_size(comm, &it.size);
  for (int count : kCounts) {
    for (int form = 0; form < 12; ++form) {
      it.blocking = form % 2 == 0;
      it.in_place = form / 2 % 2 == 0;
      it.kind = form < 8 ? plain : holes;
      it.sum = form < 4;
      it.op = form < 4 ? MPI_SUM : form < 8 ? chain : chain_with_holes;
      it.count = count;
      ++it.turn;
      all(it);
    }
  }
  MPI_Op_free(&chain);
  MPI_Op_free(&chain_with_holes);
  MPI_Type_free(&holes.type);
}

/// Rounding depends on the order of the additions: all must have taken the same.
void same_bits_everywhere() {
  for (int count : {1, 10, 20000}) {
    std::vector<double> mine(static_cast<std::size_t>(count)), sum(mine.size()), least(mine.size()),
        most(mine.size());
    for (std::size_t i = 0; i < mine.size(); ++i)
      mine[i] = 1.0 / static_cast<double>(i + 3 + mine.size() * static_cast<std::size_t>(world_rank()));
    MPI_Allreduce(mine.data(), sum.data(), count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(sum.data(), least.data(), count, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
    MPI_Allreduce(sum.data(), most.data(), count, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    CHECK(std::memcmp(least.data(), most.data(), least.size() * sizeof(double)) == 0);
    CHECK(std::memcmp(least.data(), sum.data(), least.size() * sizeof(double)) == 0);
  }
}

void pairs() {
  struct {
    double value;
    int place;
  } mine{static_cast<double>((world_rank() * 7 + 3) % 5), world_rank()}, most{};
  MPI_Allreduce(&mine, &most, 1, MPI_DOUBLE_INT, MPI_MAXLOC, MPI_COMM_WORLD);
  double best = -1;
  int place = -1;
  for (int i = 0; i < world_size(); ++i) {
    const double value = (i * 7 + 3) % 5;
    if (value > best) {
      best = value;
      place = i;
    }
  }
  CHECK(most.value == best);
  CHECK_EQ(most.place, place);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  on_comm(MPI_COMM_WORLD);
  MPI_Comm other;
  MPI_Comm_split(MPI_COMM_WORLD, 0, -world_rank(), &other);
  on_comm(other);
  MPI_Comm_free(&other);
  on_comm(MPI_COMM_SELF);
  same_bits_everywhere();
  pairs();
  MPI_Finalize();
  return 0;
}
