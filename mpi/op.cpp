// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "mpi/op.hpp"

#include <algorithm>
#include <limits>

#include "mpi/handles.hpp"

namespace hawser::mpi {
namespace {

struct Predefined {
  MPI_Op handle;
  Op::Kind kind;
};

const Predefined kPredefined[] = {
    {MPI_SUM, Op::Kind::kSum},         {MPI_MIN, Op::Kind::kMin},       {MPI_MAX, Op::Kind::kMax},
    {MPI_PROD, Op::Kind::kProd},       {MPI_BAND, Op::Kind::kBand},     {MPI_BOR, Op::Kind::kBor},
    {MPI_BXOR, Op::Kind::kBxor},       {MPI_LAND, Op::Kind::kLand},     {MPI_LOR, Op::Kind::kLor},
    {MPI_LXOR, Op::Kind::kLxor},       {MPI_MINLOC, Op::Kind::kMinloc}, {MPI_MAXLOC, Op::Kind::kMaxloc},
    {MPI_REPLACE, Op::Kind::kReplace}, {MPI_NO_OP, Op::Kind::kNoOp},
};

PredefinedTable<Op, 32, 32> make_table() {
  PredefinedTable<Op, 32, 32> table;
  for (const Predefined& row : kPredefined) {
    auto* op = new Op;  // never deleted: programs may use it to their last instruction
    op->kind = row.kind;
    op->commutative = row.kind != Op::Kind::kReplace && row.kind != Op::Kind::kNoOp;
    table.set(reinterpret_cast<std::uintptr_t>(row.handle), *op);
  }
  return table;
}

/// A user function counts in int.
void call_user(MPI_User_function* function, const void* in, void* inout, std::uint64_t count,
               const Datatype& type) {
  auto* a = static_cast<std::byte*>(const_cast<void*>(in));
  auto* b = static_cast<std::byte*>(inout);
  while (count != 0) {
    auto len = static_cast<int>(std::min<std::uint64_t>(count, std::numeric_limits<int>::max()));
    auto handle = handle_of<MPI_Datatype>(type);
    const std::int64_t step = type.extent * len;
    count -= static_cast<std::uint64_t>(len);
    function(a, b, &len, &handle);
    a += step;
    b += step;
  }
}

}  // namespace

PredefinedTable<Op, 32, 32> g_ops = make_table();

bool Op::defined_on(const Datatype& type) const noexcept {
  return kind == Kind::kUser || (type.predefined && find_kernel(kind, type.basic) != nullptr);
}

void Op::apply(const void* in, void* inout, std::uint64_t count, const Datatype& type) const noexcept {
  if (kind == Kind::kUser) {
    call_user(reinterpret_cast<MPI_User_function*>(user_function), in, inout, count, type);
  } else {
    find_kernel(kind, type.basic)(in, inout, count);
  }
}

}  // namespace hawser::mpi
