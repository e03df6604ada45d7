// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
// Reductions over shared memory give the bits that the schedules over messages give.
#include <gtest/gtest.h>

#include <cstring>

#include "mpi/coll/fold.hpp"
#include "mpi/coll/halving.hpp"
#include "tests/unit/coll_simulator.hpp"

namespace hawser::mpi::coll {
namespace {

constexpr std::uint64_t kMost = 5000;  // doubles: halving pays

/// The members' operands: sums of them in another order have other last bits.
struct Members {
  explicit Members(int size, std::uint64_t count)
      : from(static_cast<std::size_t>(size), std::vector<double>(count)), to(from) {
    for (std::size_t m = 0; m < from.size(); ++m) {
      for (std::size_t i = 0; i < count; ++i)
        from[m][i] = 1.0 / static_cast<double>(3 + (m * 7919 + i * 104729) % 10007);
    }
  }
  Items items(std::vector<double>& of) const {
    return {reinterpret_cast<char*>(of.data()), of.size(), object_of(MPI_DOUBLE)};
  }
  std::vector<std::vector<double>> from;
  std::vector<std::vector<double>> to;
};

std::vector<double> folded(const Fold& fold, Members& members) {
  std::vector<double> out(members.from[0].size());
  const std::uint64_t most = Fold::kBlock / sizeof(double);
  for (std::uint64_t at = 0; at < out.size(); at += most) {
    const std::uint64_t count = std::min<std::uint64_t>(most, out.size() - at);
    fold.run(find_kernel(Op::Kind::kSum, Basic::kDouble), count, count * sizeof(double),
             reinterpret_cast<char*>(out.data() + at),
             [&](int i) { return members.from[static_cast<std::size_t>(i)].data() + at; });
  }
  return out;
}

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

/// What the schedules of all members give; `build(schedule, member, from, to)` makes each.
template <class Build>
void run(Members& members, Build&& build) {
  std::vector<Schedule> schedules(members.from.size());
  for (std::size_t i = 0; i < schedules.size(); ++i) {
    const Place place{static_cast<int>(i), static_cast<int>(schedules.size())};
    build(schedules[i], place, members.items(members.from[i]), members.items(members.to[i]));
  }
  ASSERT_EQ(Simulator(schedules, object_of(MPI_SUM), 5).run(), "");
}

bool halves(int size, std::uint64_t count) {
  double none = 0;
  const Items items{reinterpret_cast<char*>(&none), count, object_of(MPI_DOUBLE)};
  return use_halving(Core(size), *object_of(MPI_SUM), items);
}

TEST(Folds, HaveTheBitsOfAllreduce) {
  for (int size = 2; size <= kMaxTeam; ++size) {
    for (const std::uint64_t count : {std::uint64_t{3}, kMost}) {
      SCOPED_TRACE(testing::Message() << size << " members, " << count << " items");
      Members members(size, count);
      run(members, [&](Schedule& schedule, Place place, const Items& from, const Items& to) {
        allreduce(schedule, place, *object_of(MPI_SUM), from, to);
      });
      const auto wanted = folded(Fold::of_allreduce(size, halves(size, count)), members);
      for (const auto& got : members.to) ASSERT_TRUE(same_bits(got, wanted));
    }
  }
}

TEST(Folds, HaveTheBitsOfReduce) {
  for (int size = 2; size <= kMaxTeam; ++size) {
    for (const std::uint64_t count : {std::uint64_t{3}, kMost}) {
      const int root = size * 5 / 7;
      SCOPED_TRACE(testing::Message() << size << " members, " << count << " items, root " << root);
      Members members(size, count);
      run(members, [&](Schedule& schedule, Place place, const Items& from, const Items& to) {
        reduce(schedule, place, *object_of(MPI_SUM), from, to, root);
      });
      const auto wanted = folded(Fold::of_reduce(size, root, halves(size, count)), members);
      ASSERT_TRUE(same_bits(members.to[static_cast<std::size_t>(root)], wanted));
    }
  }
}

TEST(Folds, InARowIsAnotherOrder) {
  Members members(5, 3000);
  EXPECT_FALSE(same_bits(folded(Fold::in_a_row(5), members), folded(Fold::of_allreduce(5, false), members)));
}

}  // namespace
}  // namespace hawser::mpi::coll
