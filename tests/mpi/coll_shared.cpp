// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
// Collectives that may go over shared memory: one after the other without a barrier between, of all sizes and
// roots, mixed with messages; the same bits for all; many communicators; messages advance while a rank waits;
// ranks that were crowded are as free as before.
#include <sched.h>
#include <unistd.h>

#include <fstream>
#include <string>

#include "tests/mpi/coll_words.hpp"

using namespace mpi_tests;

namespace {

struct Group {
  explicit Group(MPI_Comm comm) : comm(comm) {
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
  }
  std::size_t n() const { return static_cast<std::size_t>(size); }
  MPI_Comm comm;
  int rank, size;
};

using Words = std::vector<Word>;

Words words_of(int turn, int rank, std::size_t count) {
  Words words(count);
  for (std::size_t i = 0; i < count; ++i) words[i] = value_of(turn, rank, i);
  return words;
}

void check_sum(const Group& on, int turn, const Words& got) {
  for (std::size_t i = 0; i < got.size(); ++i) {
    Word sum = 0;
    for (int r = 0; r < on.size; ++r) sum += value_of(turn, r, i);
    CHECK(got[i] == sum);
  }
}

void bcast(const Group& on, int turn, std::size_t count) {
  const int root = turn % on.size;
  Words words = on.rank == root ? words_of(turn, root, count) : Words(count);
  CHECK_EQ(MPI_Bcast(words.data(), static_cast<int>(count), MPI_UINT64_T, root, on.comm), MPI_SUCCESS);
  CHECK(words == words_of(turn, root, count));
}

void allreduce(const Group& on, int turn, std::size_t count) {
  Words own = words_of(turn, on.rank, count), sum(count);
  const bool here = turn % 3 == 0;
  if (here) sum = own;
  CHECK_EQ(MPI_Allreduce(here ? MPI_IN_PLACE : own.data(), sum.data(), static_cast<int>(count), MPI_UINT64_T,
                         MPI_SUM, on.comm),
           MPI_SUCCESS);
  check_sum(on, turn, sum);
}

void reduce(const Group& on, int turn, std::size_t count) {
  const int root = (turn / 2) % on.size;
  Words own = words_of(turn, on.rank, count), sum(count);
  const bool here = turn % 3 == 0 && on.rank == root;
  if (here) sum = own;
  CHECK_EQ(MPI_Reduce(here ? MPI_IN_PLACE : own.data(), on.rank == root ? sum.data() : nullptr,
                      static_cast<int>(count), MPI_UINT64_T, MPI_SUM, root, on.comm),
           MPI_SUCCESS);
  CHECK(here || own == words_of(turn, on.rank, count));
  if (on.rank == root) check_sum(on, turn, sum);
}

void allgather(const Group& on, int turn, std::size_t count) {
  const Words own = words_of(turn, on.rank, count);
  Words all(count * on.n());
  CHECK_EQ(MPI_Allgather(own.data(), static_cast<int>(count), MPI_UINT64_T, all.data(),
                         static_cast<int>(count), MPI_UINT64_T, on.comm),
           MPI_SUCCESS);
  for (int r = 0; r < on.size; ++r) {
    const Words theirs = words_of(turn, r, count);
    CHECK(std::equal(theirs.begin(), theirs.end(), all.begin() + r * static_cast<std::ptrdiff_t>(count)));
  }
}

void alltoall(const Group& on, int turn, std::size_t count) {
  Words own = words_of(turn, on.rank, count * on.n()), all(own.size());
  const bool here = turn % 2 == 0;
  if (here) all = own;
  CHECK_EQ(MPI_Alltoall(here ? MPI_IN_PLACE : own.data(), static_cast<int>(count), MPI_UINT64_T, all.data(),
                        static_cast<int>(count), MPI_UINT64_T, on.comm),
           MPI_SUCCESS);
  for (int r = 0; r < on.size; ++r) {
    for (std::size_t i = 0; i < count; ++i) {
      CHECK(all[static_cast<std::size_t>(r) * count + i] ==
            value_of(turn, r, static_cast<std::size_t>(on.rank) * count + i));
    }
  }
}

void barrier(const Group& on, int, std::size_t) {
  CHECK_EQ(MPI_Barrier(on.comm), MPI_SUCCESS);
}

/// A message goes round; who receives it comes late to the next collective.
void message(const Group& on, int turn, std::size_t count) {
  const Words own = words_of(turn, on.rank, count);
  Words got(count);
  const int left = (on.rank + on.size - 1) % on.size;
  MPI_Sendrecv(own.data(), static_cast<int>(count), MPI_UINT64_T, (on.rank + 1) % on.size, turn, got.data(),
               static_cast<int>(count), MPI_UINT64_T, left, turn, on.comm, MPI_STATUS_IGNORE);
  CHECK(got == words_of(turn, left, count));
}

/// One that does not wait, and one that does in between.
void in_flight(const Group& on, int turn, std::size_t count) {
  Words own = words_of(turn, on.rank, count), sum(count);
  MPI_Request request;
  MPI_Iallreduce(own.data(), sum.data(), static_cast<int>(count), MPI_UINT64_T, MPI_SUM, on.comm, &request);
  bcast(on, turn + 1, count);
  CHECK_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
  check_sum(on, turn, sum);
}

constexpr void (*kMoves[])(const Group&, int, std::size_t) = {bcast,   allreduce, reduce,    allgather,
                                                              barrier, alltoall,  in_flight, message};
constexpr std::size_t kCounts[] = {1, 6, 7, 0, 3, 200, 1, 2047, 1, 5000, 8, 1, 40001, 2, 1, 12};

/// Each order of two of them, with sizes that fit into a line, a chunk, and many chunks.
void chain(const Group& on, int turns) {
  for (int turn = 0; turn < turns; ++turn) {
    const auto n = static_cast<std::size_t>(turn);
    kMoves[(n + n / 8 * 3) % std::size(kMoves)](on, turn, kCounts[(n * 5 + n / 16) % std::size(kCounts)]);
  }
}

/// One root far ahead of the others, then each.
void many_small(const Group& on) {
  for (int root = 0; root < on.size; ++root) {
    for (Word i = 0; i < 300; ++i) {
      Word word = on.rank == root ? i : ~i;
      MPI_Bcast(&word, 1, MPI_UINT64_T, root, on.comm);
      CHECK(word == i);
      if (i % 100 == 99) reduce(on, static_cast<int>(i) + root, 3);
    }
  }
}

/// Sums of numbers that do not commute in the last bit are the same for all.
void same_bits(const Group& on) {
  for (const std::size_t count : {1u, 5u, 900u, 30000u}) {
    std::vector<double> own(count), sum(count), first(count);
    for (std::size_t i = 0; i < count; ++i)
      own[i] = 1.0 / static_cast<double>(value_of(3, on.rank, i) >> (on.rank * 3 + 11));
    MPI_Allreduce(own.data(), sum.data(), static_cast<int>(count), MPI_DOUBLE, MPI_SUM, on.comm);
    first = sum;
    MPI_Bcast(first.data(), static_cast<int>(count), MPI_DOUBLE, 0, on.comm);
    CHECK(std::memcmp(first.data(), sum.data(), count * sizeof(double)) == 0);
  }
}

template <class T>
T number(int rank, std::size_t i) {
  return static_cast<T>(1.0 + 1.0 / static_cast<double>(1 + (value_of(5, rank, i) >> (rank * 2 + 43))));
}

/// The same call gives the same bits however often it was called before, and whichever way it went.
template <class T>
void same_bits_every_time(MPI_Datatype type, MPI_Op op, std::size_t count) {
  MPI_Comm fresh;
  MPI_Comm_dup(MPI_COMM_WORLD, &fresh);
  const Group on(fresh);
  std::vector<T> own(count), first(count), again(count), none(count);
  for (std::size_t i = 0; i < count; ++i) own[i] = number<T>(on.rank, i);
  const int n = static_cast<int>(count);
  const auto same = [&] { return std::memcmp(again.data(), first.data(), count * sizeof(T)) == 0; };
  MPI_Allreduce(own.data(), first.data(), n, type, op, fresh);
  for (int turn = 0; turn < 8; ++turn) {
    MPI_Allreduce(own.data(), again.data(), n, type, op, fresh);
    CHECK(same());
  }
  MPI_Request request;
  MPI_Iallreduce(own.data(), again.data(), n, type, op, fresh, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  CHECK(same());
  for (int root = 0; root < on.size; ++root) {
    MPI_Ireduce(own.data(), first.data(), n, type, op, root, fresh, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Reduce(own.data(), on.rank == root ? again.data() : none.data(), n, type, op, root, fresh);
    if (on.rank == root) CHECK(same());
  }
  MPI_Comm_free(&fresh);
}

void same_bits_every_time() {
  for (const std::size_t count : {1u, 7u, 900u, 5000u, 30000u}) {
    same_bits_every_time<double>(MPI_DOUBLE, MPI_SUM, count);
    same_bits_every_time<float>(MPI_FLOAT, MPI_PROD, count);
  }
}

/// Pairs with holes, and the rarer lengths of numbers.
void other_types(const Group& on) {
  struct DoubleInt {
    double value;
    int index;
  };
  for (const int count : {1, 3, 700, 9000}) {
    std::vector<DoubleInt> own(static_cast<std::size_t>(count)), best(own);
    std::vector<char> small(static_cast<std::size_t>(count)), most(small);
    for (std::size_t i = 0; i < own.size(); ++i) {
      own[i] = {static_cast<double>((i * 7 + static_cast<std::size_t>(on.rank) * 3) % 11), on.rank};
      small[i] = static_cast<char>((i + static_cast<std::size_t>(on.rank)) % 100);
    }
    MPI_Allreduce(own.data(), best.data(), count, MPI_DOUBLE_INT, MPI_MAXLOC, on.comm);
    MPI_Allreduce(small.data(), most.data(), count, MPI_INT8_T, MPI_MAX, on.comm);
    for (std::size_t i = 0; i < own.size(); ++i) {
      DoubleInt wanted{-1, -1};
      int top = 0;
      for (int r = 0; r < on.size; ++r) {
        const auto value = static_cast<double>((i * 7 + static_cast<std::size_t>(r) * 3) % 11);
        if (value > wanted.value) wanted = {value, r};
        top = std::max(top, static_cast<int>((i + static_cast<std::size_t>(r)) % 100));
      }
      CHECK(best[i].value == wanted.value && best[i].index == wanted.index);
      CHECK_EQ(most[i], top);
    }
  }
}

/// A rank in a barrier still serves a message whose sender waits before the barrier.
void messages_advance() {
  const Group on(MPI_COMM_WORLD);
  Words words(1 << 18);
  MPI_Request request = MPI_REQUEST_NULL;
  if (on.rank == 0 && on.size > 1) {
    MPI_Irecv(words.data(), static_cast<int>(words.size()), MPI_UINT64_T, on.size - 1, 5, on.comm, &request);
  } else if (on.size > 1 && on.rank == on.size - 1) {
    words = words_of(9, on.rank, words.size());
    MPI_Ssend(words.data(), static_cast<int>(words.size()), MPI_UINT64_T, 0, 5, on.comm);
  }
  MPI_Barrier(on.comm);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  if (on.rank == 0 && on.size > 1) CHECK(words == words_of(9, on.size - 1, words.size()));
}

/// A rank that comes so late that the others sleep.
void late_ranks(const Group& on) {
  for (int late = 0; late < on.size && late < 3; ++late) {
    if (on.rank == late) usleep(150'000);
    allreduce(on, late, 1);
    if (on.rank == late) usleep(150'000);
    bcast(on, late, 40001);
  }
}

/// Pieces of shared memory for collectives that this process has mapped.
int mapped() {
  std::ifstream maps("/proc/self/maps");
  int found = 0;
  for (std::string line; std::getline(maps, line);) {
    if (line.find("hawser_coll") != std::string::npos) ++found;
  }
  return found;
}

void many_communicators() {
  const int before = mapped();
  for (int i = 0; i < 40; ++i) {
    MPI_Comm parts[3];
    MPI_Comm_dup(MPI_COMM_WORLD, &parts[0]);
    MPI_Comm_split(MPI_COMM_WORLD, world_rank() % 2, -world_rank(), &parts[1]);
    MPI_Comm_split(MPI_COMM_WORLD, world_rank() / 2, world_rank(), &parts[2]);
    for (int k = 0; k < 6; ++k) {
      for (MPI_Comm part : parts) kMoves[(i + k) % 6](Group(part), i + k, kCounts[(i + k) % 16]);
    }
    for (MPI_Comm& part : parts) MPI_Comm_free(&part);
  }
  CHECK_EQ(mapped(), before);
}

/// All ranks begin on one core; those that go elsewhere are bound to no other cores than before.
void crowded_ranks(const Group& on) {
  cpu_set_t before, after, one;
  if (sched_getaffinity(0, sizeof before, &before) != 0) return;  // more cores than the set holds
  int first = 0;
  while (!CPU_ISSET(first, &before)) ++first;
  CPU_ZERO(&one);
  CPU_SET(first, &one);
  CHECK_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  CHECK_EQ(sched_setaffinity(0, sizeof before, &before), 0);
  for (int turn = 0; turn < 600; ++turn) CHECK_EQ(MPI_Barrier(on.comm), MPI_SUCCESS);
  CHECK_EQ(sched_getaffinity(0, sizeof after, &after), 0);
  CHECK(CPU_EQUAL(&before, &after));
}

}  // namespace

int main(int argc, char** argv) {
  const int turns = argc > 1 ? std::atoi(argv[1]) : 400;
  MPI_Init(&argc, &argv);
  const Group world(MPI_COMM_WORLD);
  chain(world, turns);
  if (argc > 2) CHECK_EQ(mapped() > 0, std::string(argv[2]) == "shared");
  many_small(world);
  same_bits(world);
  same_bits_every_time();
  other_types(world);
  messages_advance();
  late_ranks(world);
  crowded_ranks(world);
  many_communicators();
  MPI_Comm back;
  MPI_Comm_split(MPI_COMM_WORLD, 0, -world_rank(), &back);
  chain(Group(back), turns / 4);
  MPI_Comm_free(&back);
  MPI_Finalize();
  return 0;
}
