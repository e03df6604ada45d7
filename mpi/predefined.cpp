// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0

// The predefined datatypes. Fortran's have the sizes that gfortran gives its default kinds.

#include <cstddef>
#include <cwchar>
#include <memory>
#include <type_traits>

#include "mpi/handles.hpp"

namespace hawser::mpi {
namespace {

/// A type of one basic element.
struct Single {
  MPI_Datatype handle;
  const char* name;
  Basic basic;
  std::uint32_t size;
  std::uint32_t alignment;
};

/// A type of two, laid out as a C struct.
struct Pair {
  MPI_Datatype handle;
  const char* name;
  Basic basic;
  std::uint32_t first_size;
  std::uint32_t second_size;
  std::uint32_t second_offset;
  std::uint32_t extent;
  std::uint32_t alignment;
};

template <class Integer>
constexpr Basic integer_basic() {
  constexpr bool kSigned = std::is_signed_v<Integer>;
  switch (sizeof(Integer)) {
    case 1:
      return kSigned ? Basic::kInt8 : Basic::kUint8;
    case 2:
      return kSigned ? Basic::kInt16 : Basic::kUint16;
    case 4:
      return kSigned ? Basic::kInt32 : Basic::kUint32;
    default:
      return kSigned ? Basic::kInt64 : Basic::kUint64;
  }
}

template <class Integer>
Single integer(MPI_Datatype handle, const char* name) {
  return {handle, name, integer_basic<Integer>(), sizeof(Integer), alignof(Integer)};
}

template <class Value>
Single single(MPI_Datatype handle, const char* name, Basic basic) {
  return {handle, name, basic, sizeof(Value), alignof(Value)};
}

template <class Value>
Single complex(MPI_Datatype handle, const char* name, Basic basic) {
  return {handle, name, basic, 2 * sizeof(Value), alignof(Value)};
}

template <class First, class Second>
Pair pair(MPI_Datatype handle, const char* name, Basic basic) {
  struct Both {
    First first;
    Second second;
  };
  return {handle,       name,         basic, sizeof(First), sizeof(Second), offsetof(Both, second),
          sizeof(Both), alignof(Both)};
}

#define HAWSER_NAMED(Name) MPI_##Name, "MPI_" #Name

const Single kSingles[] = {
    // C
    integer<MPI_Aint>(HAWSER_NAMED(AINT)),
    integer<MPI_Count>(HAWSER_NAMED(COUNT)),
    integer<MPI_Offset>(HAWSER_NAMED(OFFSET)),
    single<char>(HAWSER_NAMED(PACKED), Basic::kMixed),
    integer<short>(HAWSER_NAMED(SHORT)),
    integer<int>(HAWSER_NAMED(INT)),
    integer<long>(HAWSER_NAMED(LONG)),
    integer<long long>(HAWSER_NAMED(LONG_LONG_INT)),
    integer<unsigned short>(HAWSER_NAMED(UNSIGNED_SHORT)),
    integer<unsigned>(HAWSER_NAMED(UNSIGNED)),
    integer<unsigned long>(HAWSER_NAMED(UNSIGNED_LONG)),
    integer<unsigned long long>(HAWSER_NAMED(UNSIGNED_LONG_LONG)),
    single<float>(HAWSER_NAMED(FLOAT), Basic::kFloat),
    complex<float>(HAWSER_NAMED(C_COMPLEX), Basic::kFloatComplex),
    single<double>(HAWSER_NAMED(DOUBLE), Basic::kDouble),
    complex<double>(HAWSER_NAMED(C_DOUBLE_COMPLEX), Basic::kDoubleComplex),
    single<long double>(HAWSER_NAMED(LONG_DOUBLE), Basic::kLongDouble),
    complex<long double>(HAWSER_NAMED(C_LONG_DOUBLE_COMPLEX), Basic::kLongDoubleComplex),
    single<bool>(HAWSER_NAMED(C_BOOL), Basic::kBool),
    single<wchar_t>(HAWSER_NAMED(WCHAR), Basic::kWchar),
    integer<std::int8_t>(HAWSER_NAMED(INT8_T)),
    integer<std::uint8_t>(HAWSER_NAMED(UINT8_T)),
    single<char>(HAWSER_NAMED(CHAR), Basic::kChar),
    integer<signed char>(HAWSER_NAMED(SIGNED_CHAR)),
    integer<unsigned char>(HAWSER_NAMED(UNSIGNED_CHAR)),
    single<std::byte>(HAWSER_NAMED(BYTE), Basic::kByte),
    integer<std::int16_t>(HAWSER_NAMED(INT16_T)),
    integer<std::uint16_t>(HAWSER_NAMED(UINT16_T)),
    integer<std::int32_t>(HAWSER_NAMED(INT32_T)),
    integer<std::uint32_t>(HAWSER_NAMED(UINT32_T)),
    integer<std::int64_t>(HAWSER_NAMED(INT64_T)),
    integer<std::uint64_t>(HAWSER_NAMED(UINT64_T)),
    // C++
    complex<float>(HAWSER_NAMED(CXX_FLOAT_COMPLEX), Basic::kFloatComplex),
    complex<double>(HAWSER_NAMED(CXX_DOUBLE_COMPLEX), Basic::kDoubleComplex),
    complex<long double>(HAWSER_NAMED(CXX_LONG_DOUBLE_COMPLEX), Basic::kLongDoubleComplex),
    single<bool>(HAWSER_NAMED(CXX_BOOL), Basic::kBool),
    // Fortran, default kinds
    single<std::int32_t>(HAWSER_NAMED(LOGICAL), Basic::kLogical32),
    integer<std::int32_t>(HAWSER_NAMED(INTEGER)),
    single<float>(HAWSER_NAMED(REAL), Basic::kFloat),
    complex<float>(HAWSER_NAMED(COMPLEX), Basic::kFloatComplex),
    single<double>(HAWSER_NAMED(DOUBLE_PRECISION), Basic::kDouble),
    complex<double>(HAWSER_NAMED(DOUBLE_COMPLEX), Basic::kDoubleComplex),
    single<char>(HAWSER_NAMED(CHARACTER), Basic::kChar),
    // Fortran, by size. Half precision is moved, not reduced: the compilers we build with have no such
    // number.
    single<std::int8_t>(HAWSER_NAMED(LOGICAL1), Basic::kLogical8),
    single<std::int16_t>(HAWSER_NAMED(LOGICAL2), Basic::kLogical16),
    single<std::int32_t>(HAWSER_NAMED(LOGICAL4), Basic::kLogical32),
    single<std::int64_t>(HAWSER_NAMED(LOGICAL8), Basic::kLogical64),
    {HAWSER_NAMED(LOGICAL16), Basic::kLogical128, 16, 16},
    integer<std::int8_t>(HAWSER_NAMED(INTEGER1)),
    integer<std::int16_t>(HAWSER_NAMED(INTEGER2)),
    integer<std::int32_t>(HAWSER_NAMED(INTEGER4)),
    integer<std::int64_t>(HAWSER_NAMED(INTEGER8)),
    {HAWSER_NAMED(INTEGER16), Basic::kInt128, 16, 16},
    {HAWSER_NAMED(REAL2), Basic::kMixed, 2, 2},
    single<float>(HAWSER_NAMED(REAL4), Basic::kFloat),
    single<double>(HAWSER_NAMED(REAL8), Basic::kDouble),
    {HAWSER_NAMED(REAL16), Basic::kQuad, 16, 16},
    {HAWSER_NAMED(COMPLEX4), Basic::kMixed, 4, 2},
    complex<float>(HAWSER_NAMED(COMPLEX8), Basic::kFloatComplex),
    complex<double>(HAWSER_NAMED(COMPLEX16), Basic::kDoubleComplex),
    {HAWSER_NAMED(COMPLEX32), Basic::kQuadComplex, 32, 16},
};

const Pair kPairs[] = {
    pair<float, int>(HAWSER_NAMED(FLOAT_INT), Basic::kFloatInt),
    pair<double, int>(HAWSER_NAMED(DOUBLE_INT), Basic::kDoubleInt),
    pair<long, int>(HAWSER_NAMED(LONG_INT), Basic::kLongInt),
    pair<int, int>(HAWSER_NAMED(2INT), Basic::kTwoInt),
    pair<short, int>(HAWSER_NAMED(SHORT_INT), Basic::kShortInt),
    pair<long double, int>(HAWSER_NAMED(LONG_DOUBLE_INT), Basic::kLongDoubleInt),
    pair<float, float>(HAWSER_NAMED(2REAL), Basic::kTwoFloat),
    pair<double, double>(HAWSER_NAMED(2DOUBLE_PRECISION), Basic::kTwoDouble),
    pair<std::int32_t, std::int32_t>(HAWSER_NAMED(2INTEGER), Basic::kTwoInt),
};

Datatype& make(MPI_Datatype handle, const char* name, Basic basic, std::uint32_t extent,
               std::uint32_t alignment, std::vector<Part> parts, const std::vector<Stretch>& stretches) {
  auto* type = new Datatype;  // never deleted: programs may use it to their last instruction
  type->predefined_handle = reinterpret_cast<std::uintptr_t>(handle);
  type->name = name;
  type->basic = basic;
  type->extent = extent;
  type->alignment = alignment;
  type->predefined = type->committed = true;
  const std::int64_t last = parts.back().offset + static_cast<std::int64_t>(parts.back().size);
  type->take_shape(std::make_shared<const Shape>(std::move(parts)), 0, last);
  type->signature = std::make_shared<const Signature>(stretches);
  type->elements = type->signature->elements();
  return *type;
}

Part block(std::int64_t offset, std::uint64_t size) {
  return {offset, size, 1, 0, 0, nullptr};
}
Stretch element(std::uint64_t size) {
  return {size, 1, 1, nullptr};
}

PredefinedTable<Datatype, 512, 256> make_table() {
  PredefinedTable<Datatype, 512, 256> table;
  for (const Single& row : kSingles) {
    table.set(reinterpret_cast<std::uintptr_t>(row.handle),
              make(row.handle, row.name, row.basic, row.size, row.alignment, {block(0, row.size)},
                   {element(row.size)}));
  }
  for (const Pair& row : kPairs) {
    table.set(reinterpret_cast<std::uintptr_t>(row.handle),
              make(row.handle, row.name, row.basic, row.extent, row.alignment,
                   {block(0, row.first_size), block(row.second_offset, row.second_size)},
                   {element(row.first_size), element(row.second_size)}));
  }
  return table;
}

}  // namespace

PredefinedTable<Datatype, 512, 256> g_types = make_table();

}  // namespace hawser::mpi
