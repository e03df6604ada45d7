// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0

// MPI_Type_get_envelope and MPI_Type_get_contents: how a datatype was made.

#include <algorithm>

#include "mpi/type_args.hpp"

namespace hawser::mpi {

namespace {

/// The contents of a type that has any; else null, with `error`.
const TypeContents* contents_of(MPI_Datatype datatype, const char* function, int& error) noexcept {
  const Datatype* type = object_of(datatype);
  if ((error = check_handle(function, type))) return nullptr;
  if (!type->contents)
    error = fail(nullptr, MPI_ERR_TYPE, function, type->name + " is predefined: nothing made it");
  return type->contents.get();
}

int not_large(const char* function) noexcept {
  return fail(nullptr, MPI_ERR_TYPE, function,
              "the datatype was made with counts of MPI_Count: the function with _c tells them");
}

template <class Integer>
int check_room(const char* function, const char* what, Integer room, std::size_t count) noexcept {
  if (room >= 0 && static_cast<std::size_t>(room) >= count) return MPI_SUCCESS;
  return fail(nullptr, MPI_ERR_ARG, function,
              fmt::format("there is room for {} {}, of {}", room, what, count));
}

template <class Integer>
struct Room {
  Integer integers;
  Integer addresses;
  Integer counts;
  Integer types;
};

template <class Integer>
int check_rooms(const char* function, const TypeContents& contents, const Room<Integer>& room) noexcept {
  if (int bad = check_room(function, "integers", room.integers, contents.integers.size())) return bad;
  if (int bad = check_room(function, "addresses", room.addresses, contents.addresses.size())) return bad;
  if (int bad = check_room(function, "large counts", room.counts, contents.counts.size())) return bad;
  return check_room(function, "datatypes", room.types, contents.types.size());
}

/// The caller has a reference of each derived type.
void copy_types(const TypeContents& contents, MPI_Datatype* out) noexcept {
  for (const Datatype* type : contents.types) {
    if (!type->predefined) type->retain();
    *out++ = handle_of<MPI_Datatype>(*type);
  }
}

template <class Integer>
int envelope(const char* function, MPI_Datatype datatype, Integer* integers, Integer* addresses,
             Integer* counts, Integer* types, int* combiner) noexcept {
  check_running(function);
  const Datatype* type = object_of(datatype);
  if (int bad = check_handle(function, type)) return bad;
  const TypeContents* contents = type->contents.get();
  if (contents && contents->large && !counts) return not_large(function);
  *integers = contents ? static_cast<Integer>(contents->integers.size()) : 0;
  *addresses = contents ? static_cast<Integer>(contents->addresses.size()) : 0;
  if (counts) *counts = contents ? static_cast<Integer>(contents->counts.size()) : 0;
  *types = contents ? static_cast<Integer>(contents->types.size()) : 0;
  *combiner = contents ? contents->combiner : MPI_COMBINER_NAMED;
  return MPI_SUCCESS;
}

}  // namespace

}  // namespace hawser::mpi

using namespace hawser::mpi;

int PMPI_Type_get_envelope(MPI_Datatype datatype, int* num_integers, int* num_addresses, int* num_datatypes,
                           int* combiner) {
  int* const no_counts = nullptr;
  return envelope("MPI_Type_get_envelope", datatype, num_integers, num_addresses, no_counts, num_datatypes,
                  combiner);
}
HAWSER_MPI_ALIAS(Type_get_envelope)

int PMPI_Type_get_envelope_c(MPI_Datatype datatype, MPI_Count* num_integers, MPI_Count* num_addresses,
                             MPI_Count* num_large_counts, MPI_Count* num_datatypes, int* combiner) {
  return envelope("MPI_Type_get_envelope_c", datatype, num_integers, num_addresses, num_large_counts,
                  num_datatypes, combiner);
}
HAWSER_MPI_ALIAS(Type_get_envelope_c)

int PMPI_Type_get_contents(MPI_Datatype datatype, int max_integers, int max_addresses, int max_datatypes,
                           int integers[], MPI_Aint addresses[], MPI_Datatype datatypes[]) {
  const char* function = "MPI_Type_get_contents";
  int error = MPI_SUCCESS;
  const TypeContents* contents = contents_of(datatype, function, error);
  if (!contents) return error;
  if (contents->large) return not_large(function);
  if (int bad = check_rooms<int>(function, *contents, {max_integers, max_addresses, 0, max_datatypes}))
    return bad;
  std::copy(contents->integers.begin(), contents->integers.end(), integers);
  std::copy(contents->addresses.begin(), contents->addresses.end(), addresses);
  copy_types(*contents, datatypes);
  return MPI_SUCCESS;
}
HAWSER_MPI_ALIAS(Type_get_contents)

int PMPI_Type_get_contents_c(MPI_Datatype datatype, MPI_Count max_integers, MPI_Count max_addresses,
                             MPI_Count max_large_counts, MPI_Count max_datatypes, int integers[],
                             MPI_Aint addresses[], MPI_Count large_counts[], MPI_Datatype datatypes[]) {
  const char* function = "MPI_Type_get_contents_c";
  int error = MPI_SUCCESS;
  const TypeContents* contents = contents_of(datatype, function, error);
  if (!contents) return error;
  if (int bad = check_rooms<MPI_Count>(function, *contents,
                                       {max_integers, max_addresses, max_large_counts, max_datatypes}))
    return bad;
  std::copy(contents->integers.begin(), contents->integers.end(), integers);
  std::copy(contents->addresses.begin(), contents->addresses.end(), addresses);
  std::copy(contents->counts.begin(), contents->counts.end(), large_counts);
  copy_types(*contents, datatypes);
  return MPI_SUCCESS;
}
HAWSER_MPI_ALIAS(Type_get_contents_c)
