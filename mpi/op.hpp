// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "mpi/datatype.hpp"
#include "mpi/objects.hpp"

namespace hawser::mpi {

/// A reduction. Predefined ones have a kernel per Basic; user ones call back.
struct Op : RefCounted {
  enum class Kind : std::uint8_t {
    kUser, kMax, kMin, kSum, kProd, kLand, kBand, kLor, kBor, kLxor, kBxor, kMaxloc, kMinloc, kReplace, kNoOp
  };
  Kind kind = Kind::kUser;
  bool commutative = true;
  void* user_function = nullptr;  // MPI_User_function*

  /// Whether the operation is defined on that type.
  bool defined_on(const Datatype& type) const noexcept;
  /// inout[i] = in[i] op inout[i], for `count` items. `handle` is what a user function gets as its datatype.
  void apply(const void* in, void* inout, int count, const Datatype& type) const noexcept;
};

}  // namespace hawser::mpi
