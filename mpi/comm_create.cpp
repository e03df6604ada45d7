// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <tuple>

#include "mpi/attached.hpp"
#include "mpi/binding.hpp"
#include "mpi/comm.hpp"
#include "mpi/errors.hpp"

namespace hawser::mpi {

namespace {

int fail_with(const Comm& parent, const Error& error, const char* function) {
  return fail(&parent, class_of(error.code), function, error.text);
}

int duplicate(MPI_Comm comm, MPI_Comm* made, const char* function) {
  Comm* parent = object_of(comm);
  if (int bad = check_comm(parent, function)) return bad;
  parent->group->retain();
  Comm* copy = prepare_comm(parent->group, *parent);
  copy->name = fmt::format("duplicate of {}", parent->name).substr(0, MPI_MAX_OBJECT_NAME - 1);
  copy->topology = parent->topology;
  const int bad = copy_attributes(*parent, *copy);
  auto context = agree_on_context(*parent, {}, 0, bad != MPI_SUCCESS);
  if (!context) {
    drop_attributes(*copy);
    forget(*copy);
    return bad ? fail(parent, bad, function, kNotCopied) : fail_with(*parent, context.error(), function);
  }
  open_comm(*copy, *context);
  *made = handle_of<MPI_Comm>(*copy);
  return MPI_SUCCESS;
}

/// What each rank of a split says.
struct Choice {
  std::int64_t color;  // negative: none
  std::int32_t key;
  std::int32_t rank;
};

int create(Comm& parent, Group& group, const std::vector<int>& members, int tag, MPI_Comm* made,
           const char* function) {
  auto context = agree_on_context(parent, members, tag);
  if (!context) return fail_with(parent, context.error(), function);
  *made = MPI_COMM_NULL;
  if (group.my_rank < 0) {
    release_context(*context);
    return MPI_SUCCESS;
  }
  group.retain();
  Comm* comm = make_comm(*context, &group, parent);
  comm->name = fmt::format("part of {}", parent.name).substr(0, MPI_MAX_OBJECT_NAME - 1);
  *made = handle_of<MPI_Comm>(*comm);
  return MPI_SUCCESS;
}

}  // namespace

int split(Comm& parent, std::int64_t color, int key, MPI_Comm* made, const char* function) {
  const Choice mine{color, key, parent.rank};
  std::vector<Choice> all(static_cast<std::size_t>(parent.size));
  if (Errc error = exchange(parent, {}, 0, &mine, all.data(), sizeof mine); error != Errc::kOk) {
    return fail(&parent, error, function);
  }
  // One context serves all the new communicators: their groups have no rank in common.
  auto context = agree_on_context(parent);
  if (!context) return fail_with(parent, context.error(), function);
  *made = MPI_COMM_NULL;
  if (color < 0) {
    release_context(*context);
    return MPI_SUCCESS;
  }
  std::erase_if(all, [&](const Choice& choice) { return choice.color != color; });
  std::stable_sort(all.begin(), all.end(), [](const Choice& a, const Choice& b) {
    return std::tie(a.key, a.rank) < std::tie(b.key, b.rank);
  });
  auto* group = new Group;
  for (const Choice& choice : all) {
    if (choice.rank == parent.rank) group->my_rank = static_cast<int>(group->world_ranks.size());
    group->world_ranks.push_back(parent.group->world_ranks[static_cast<std::size_t>(choice.rank)]);
  }
  Comm* comm = make_comm(*context, group, parent);
  comm->name = fmt::format("part of {}", parent.name).substr(0, MPI_MAX_OBJECT_NAME - 1);
  *made = handle_of<MPI_Comm>(*comm);
  return MPI_SUCCESS;
}

int create_of_first(Comm& parent, int count, MPI_Comm* made, const char* function) {
  auto* group = new Group;
  group->world_ranks.assign(parent.group->world_ranks.begin(), parent.group->world_ranks.begin() + count);
  group->my_rank = parent.rank < count ? parent.rank : -1;
  const int error = create(parent, *group, {}, 0, made, function);
  drop(*group);
  return error;
}

int create_of_all(Comm& parent, MPI_Comm* made, const char* function) {
  return create(parent, *parent.group, {}, 0, made, function);
}

}  // namespace hawser::mpi

using namespace hawser::mpi;

int PMPI_Comm_dup(MPI_Comm comm, MPI_Comm* made) {
  return duplicate(comm, made, "MPI_Comm_dup");
}
HAWSER_MPI_ALIAS(Comm_dup)

int PMPI_Comm_dup_with_info(MPI_Comm comm, MPI_Info, MPI_Comm* made) {
  return duplicate(comm, made, "MPI_Comm_dup_with_info");
}
HAWSER_MPI_ALIAS(Comm_dup_with_info)

int PMPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm* made) {
  Comm* parent = object_of(comm);
  if (int bad = check_comm(parent, "MPI_Comm_split")) return bad;
  if (color < 0 && color != MPI_UNDEFINED) {
    return fail(parent, MPI_ERR_ARG, "MPI_Comm_split",
                fmt::format("color is {}: it is not negative, or MPI_UNDEFINED", color));
  }
  return split(*parent, color == MPI_UNDEFINED ? -1 : color, key, made, "MPI_Comm_split");
}
HAWSER_MPI_ALIAS(Comm_split)

int PMPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info, MPI_Comm* made) {
  Comm* parent = object_of(comm);
  if (int bad = check_comm(parent, "MPI_Comm_split_type")) return bad;
  if (type != MPI_COMM_TYPE_SHARED && type != MPI_UNDEFINED) {
    return fail(parent, MPI_ERR_ARG, "MPI_Comm_split_type", "only MPI_COMM_TYPE_SHARED is supported");
  }
  // Ranks that share memory with the lowest such rank have its number as their color.
  std::int64_t color = -1;
  hawser::Runtime& runtime = *library().runtime;
  const auto me = runtime.find_proc(runtime.job().rank);
  for (int rank = 0; type == MPI_COMM_TYPE_SHARED && color < 0 && rank < parent->size; ++rank) {
    const auto other = runtime.find_proc(parent->group->world_ranks[static_cast<std::size_t>(rank)]);
    if (!me || !other)
      return fail(parent, MPI_ERR_OTHER, "MPI_Comm_split_type", other ? me.error().text : other.error().text);
    if (hawser::btl::same_node(**me, **other)) color = rank;
  }
  return split(*parent, color, key, made, "MPI_Comm_split_type");
}
HAWSER_MPI_ALIAS(Comm_split_type)

int PMPI_Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm* made) {
  Comm* parent = object_of(comm);
  if (int bad = check_comm(parent, "MPI_Comm_create")) return bad;
  Group* of = object_of(group);
  if (!of) return fail(parent, MPI_ERR_GROUP, "MPI_Comm_create", "the group is not valid");
  return create(*parent, *of, {}, 0, made, "MPI_Comm_create");
}
HAWSER_MPI_ALIAS(Comm_create)

int PMPI_Comm_create_group(MPI_Comm comm, MPI_Group group, int tag, MPI_Comm* made) {
  Comm* parent = object_of(comm);
  if (int bad = check_comm(parent, "MPI_Comm_create_group")) return bad;
  Group* of = object_of(group);
  if (!of) return fail(parent, MPI_ERR_GROUP, "MPI_Comm_create_group", "the group is not valid");
  *made = MPI_COMM_NULL;
  if (of->my_rank < 0) return MPI_SUCCESS;
  std::vector<int> members(of->world_ranks.size());
  for (std::size_t i = 0; i < members.size(); ++i) {
    const auto& ranks = parent->group->world_ranks;
    members[i] = static_cast<int>(std::find(ranks.begin(), ranks.end(), of->world_ranks[i]) - ranks.begin());
    if (members[i] == parent->size)
      return fail(parent, MPI_ERR_GROUP, "MPI_Comm_create_group",
                  "the group is not part of the communicator");
  }
  return create(*parent, *of, members, tag & 0x3fffffff, made, "MPI_Comm_create_group");
}
HAWSER_MPI_ALIAS(Comm_create_group)
