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
    kUser,
    kMax,
    kMin,
    kSum,
    kProd,
    kLand,
    kBand,
    kLor,
    kBor,
    kLxor,
    kBxor,
    kMaxloc,
    kMinloc,
    kReplace,
    kNoOp,
    kCount
  };
  Kind kind = Kind::kUser;
  bool commutative = true;
  void* user_function = nullptr;  // MPI_User_function*

  /// Whether the operation is defined on that type: user ones on all; predefined ones on the predefined types
  /// that the standard lists; replace and no-op, which are for one-sided operations only, on none.
  bool defined_on(const Datatype& type) const noexcept;
  /// inout[i] = in[i] op inout[i] for `count` items as they lie in memory (`extent` apart), which must not
  /// overlap and, for predefined operations, be aligned for their elements. A user function is called with
  /// the type's handle, several times if the count exceeds an int. Precondition: defined_on(type).
  void apply(const void* in, void* inout, std::uint64_t count, const Datatype& type) const noexcept;
};

/// inout[i] = in[i] op inout[i], for `count` elements.
using OpKernel = void (*)(const void* in, void* inout, std::uint64_t count) noexcept;
/// Null: not defined.
OpKernel find_kernel(Op::Kind kind, Basic basic) noexcept;

}  // namespace hawser::mpi
