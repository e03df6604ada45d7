// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "mpi/binding.hpp"
#include "mpi/comm.hpp"
#include "mpi/errors.hpp"

namespace hawser::mpi {

namespace {

Group g_empty;

PredefinedTable<Group, 264, 2> make_table() noexcept {
  PredefinedTable<Group, 264, 2> table;
  table.set(reinterpret_cast<std::uintptr_t>(MPI_GROUP_EMPTY), g_empty);
  return table;
}

int check_group(const Group* group, const char* function) noexcept {
  check_running(function);
  return group ? MPI_SUCCESS : fail(nullptr, MPI_ERR_GROUP, function, "the group is not valid");
}

/// A handle to a group of these world ranks.
MPI_Group made_of(std::vector<std::uint32_t> ranks) {
  if (ranks.empty()) return MPI_GROUP_EMPTY;
  auto* group = new Group;
  const auto me = std::find(ranks.begin(), ranks.end(), library().runtime->job().rank);
  group->my_rank = me == ranks.end() ? -1 : static_cast<int>(me - ranks.begin());
  group->world_ranks = std::move(ranks);
  return handle_of<MPI_Group>(*group);
}

bool valid_ranks(const Group& group, int count, const int* ranks) {
  std::unordered_set<int> seen;
  for (int i = 0; i < count; ++i) {
    if (ranks[i] < 0 || static_cast<std::size_t>(ranks[i]) >= group.world_ranks.size()) return false;
    if (!seen.insert(ranks[i]).second) return false;
  }
  return true;
}

std::unordered_set<std::uint32_t> set_of(const Group& group) {
  return {group.world_ranks.begin(), group.world_ranks.end()};
}

/// The ranks of triplets (first, last, stride). False: one is not valid.
bool expand(int count, int ranges[][3], std::vector<int>& ranks) {
  for (int i = 0; i < count; ++i) {
    const auto [first, last, stride] = std::tie(ranges[i][0], ranges[i][1], ranges[i][2]);
    if (stride == 0) return false;
    for (long rank = first; stride > 0 ? rank <= last : rank >= last; rank += stride)
      ranks.push_back(static_cast<int>(rank));
  }
  return true;
}

}  // namespace

PredefinedTable<Group, 264, 2> g_groups = make_table();

void drop(Group& group) noexcept {
  if (group.RefCounted::drop() && group.predefined_handle == 0) delete &group;
}

}  // namespace hawser::mpi

using namespace hawser::mpi;

int PMPI_Group_size(MPI_Group group, int* size) {
  const Group* of = object_of(group);
  if (int bad = check_group(of, "MPI_Group_size")) return bad;
  *size = static_cast<int>(of->world_ranks.size());
  return MPI_SUCCESS;
}
HAWSER_MPI_ALIAS(Group_size)

int PMPI_Group_rank(MPI_Group group, int* rank) {
  const Group* of = object_of(group);
  if (int bad = check_group(of, "MPI_Group_rank")) return bad;
  *rank = of->my_rank < 0 ? MPI_UNDEFINED : of->my_rank;
  return MPI_SUCCESS;
}
HAWSER_MPI_ALIAS(Group_rank)

int PMPI_Group_compare(MPI_Group group1, MPI_Group group2, int* result) {
  const Group* a = object_of(group1);
  const Group* b = object_of(group2);
  if (int bad = check_group(a, "MPI_Group_compare")) return bad;
  if (int bad = check_group(b, "MPI_Group_compare")) return bad;
  *result = a->world_ranks == b->world_ranks ? MPI_IDENT
            : set_of(*a) == set_of(*b)       ? MPI_SIMILAR
                                             : MPI_UNEQUAL;
  return MPI_SUCCESS;
}
HAWSER_MPI_ALIAS(Group_compare)

int PMPI_Group_translate_ranks(MPI_Group group1, int count, const int* ranks1, MPI_Group group2,
                               int* ranks2) {
  const Group* from = object_of(group1);
  const Group* to = object_of(group2);
  if (int bad = check_group(from, "MPI_Group_translate_ranks")) return bad;
  if (int bad = check_group(to, "MPI_Group_translate_ranks")) return bad;
  std::unordered_map<std::uint32_t, int> place;
  for (std::size_t i = 0; i < to->world_ranks.size(); ++i)
    place.emplace(to->world_ranks[i], static_cast<int>(i));
  for (int i = 0; i < count; ++i) {
    if (ranks1[i] == MPI_PROC_NULL) {
      ranks2[i] = MPI_PROC_NULL;
      continue;
    }
    if (ranks1[i] < 0 || static_cast<std::size_t>(ranks1[i]) >= from->world_ranks.size()) {
      return fail(nullptr, MPI_ERR_RANK, "MPI_Group_translate_ranks",
                  fmt::format("rank {} is not in the group", ranks1[i]));
    }
    const auto found = place.find(from->world_ranks[static_cast<std::size_t>(ranks1[i])]);
    ranks2[i] = found == place.end() ? MPI_UNDEFINED : found->second;
  }
  return MPI_SUCCESS;
}
HAWSER_MPI_ALIAS(Group_translate_ranks)

int PMPI_Group_incl(MPI_Group group, int count, const int* ranks, MPI_Group* made) {
  const Group* of = object_of(group);
  if (int bad = check_group(of, "MPI_Group_incl")) return bad;
  if (count < 0 || !valid_ranks(*of, count, ranks))
    return fail(nullptr, MPI_ERR_RANK, "MPI_Group_incl", "a rank is not in the group, or there twice");
  std::vector<std::uint32_t> chosen;
  chosen.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) chosen.push_back(of->world_ranks[static_cast<std::size_t>(ranks[i])]);
  *made = made_of(std::move(chosen));
  return MPI_SUCCESS;
}
HAWSER_MPI_ALIAS(Group_incl)

int PMPI_Group_excl(MPI_Group group, int count, const int* ranks, MPI_Group* made) {
  const Group* of = object_of(group);
  if (int bad = check_group(of, "MPI_Group_excl")) return bad;
  if (count < 0 || !valid_ranks(*of, count, ranks))
    return fail(nullptr, MPI_ERR_RANK, "MPI_Group_excl", "a rank is not in the group, or there twice");
  const std::unordered_set<int> out(ranks, ranks + count);
  std::vector<std::uint32_t> chosen;
  for (std::size_t i = 0; i < of->world_ranks.size(); ++i) {
    if (out.count(static_cast<int>(i)) == 0) chosen.push_back(of->world_ranks[i]);
  }
  *made = made_of(std::move(chosen));
  return MPI_SUCCESS;
}
HAWSER_MPI_ALIAS(Group_excl)

int PMPI_Group_range_incl(MPI_Group group, int count, int ranges[][3], MPI_Group* made) {
  std::vector<int> ranks;
  if (!expand(count, ranges, ranks))
    return fail(nullptr, MPI_ERR_ARG, "MPI_Group_range_incl", "a stride is 0");
  return PMPI_Group_incl(group, static_cast<int>(ranks.size()), ranks.data(), made);
}
HAWSER_MPI_ALIAS(Group_range_incl)

int PMPI_Group_range_excl(MPI_Group group, int count, int ranges[][3], MPI_Group* made) {
  std::vector<int> ranks;
  if (!expand(count, ranges, ranks))
    return fail(nullptr, MPI_ERR_ARG, "MPI_Group_range_excl", "a stride is 0");
  return PMPI_Group_excl(group, static_cast<int>(ranks.size()), ranks.data(), made);
}
HAWSER_MPI_ALIAS(Group_range_excl)

namespace {

/// All of `a`, or those that are (or are not) in `b`; then, if `rest`, what only `b` has.
int combine(MPI_Group group1, MPI_Group group2, MPI_Group* made, const char* function, bool keep_common,
            bool keep_own, bool rest) {
  const Group* a = object_of(group1);
  const Group* b = object_of(group2);
  if (int bad = check_group(a, function)) return bad;
  if (int bad = check_group(b, function)) return bad;
  const auto in_a = set_of(*a);
  const auto in_b = set_of(*b);
  std::vector<std::uint32_t> chosen;
  for (std::uint32_t rank : a->world_ranks) {
    if (in_b.count(rank) != 0 ? keep_common : keep_own) chosen.push_back(rank);
  }
  for (std::uint32_t rank : b->world_ranks) {
    if (rest && in_a.count(rank) == 0) chosen.push_back(rank);
  }
  *made = made_of(std::move(chosen));
  return MPI_SUCCESS;
}

}  // namespace

int PMPI_Group_union(MPI_Group group1, MPI_Group group2, MPI_Group* made) {
  return combine(group1, group2, made, "MPI_Group_union", true, true, true);
}
HAWSER_MPI_ALIAS(Group_union)

int PMPI_Group_intersection(MPI_Group group1, MPI_Group group2, MPI_Group* made) {
  return combine(group1, group2, made, "MPI_Group_intersection", true, false, false);
}
HAWSER_MPI_ALIAS(Group_intersection)

int PMPI_Group_difference(MPI_Group group1, MPI_Group group2, MPI_Group* made) {
  return combine(group1, group2, made, "MPI_Group_difference", false, true, false);
}
HAWSER_MPI_ALIAS(Group_difference)

int PMPI_Group_free(MPI_Group* group) {
  Group* of = object_of(*group);
  if (int bad = check_group(of, "MPI_Group_free")) return bad;
  drop(*of);
  *group = MPI_GROUP_NULL;
  return MPI_SUCCESS;
}
HAWSER_MPI_ALIAS(Group_free)
