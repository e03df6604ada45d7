// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "mpi/handles.hpp"

namespace hawser::mpi {

/// The call that made a datatype, as MPI_Type_get_contents tells it: arguments in their order, by kind.
class TypeContents {
 public:
  /// `large`: of the call with counts of MPI_Count, which are kept apart.
  TypeContents(int combiner, bool large) noexcept : combiner(combiner), large(large) {}
  ~TypeContents() {
    for (const Datatype* type : types) type->release();
  }
  TypeContents(const TypeContents&) = delete;
  TypeContents& operator=(const TypeContents&) = delete;

  void add(MPI_Count number) {
    large ? counts.push_back(number) : integers.push_back(static_cast<int>(number));
  }
  void add_address(MPI_Count bytes) { large ? counts.push_back(bytes) : addresses.push_back(bytes); }
  void add_type(const Datatype& type) {
    types.push_back(&type);
    type.retain();
  }

  const int combiner;
  const bool large;
  std::vector<int> integers;
  std::vector<MPI_Aint> addresses;
  std::vector<MPI_Count> counts;
  std::vector<const Datatype*> types;  // each with a reference
};

}  // namespace hawser::mpi
