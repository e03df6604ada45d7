// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0

// Datatypes with sizes and layouts worked out by hand.

#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>
#include <memory>
#include <numeric>
#include <vector>

#include "mpi/handles.hpp"
#include "mpi/type_build.hpp"

namespace hawser::mpi {
namespace {

using TypePtr = std::unique_ptr<Datatype>;

TypePtr build(const Blocks& blocks, const Datatype& old) {
  TypeBuilder builder;
  builder.add(blocks, old);
  return TypePtr(builder.finish());
}

const Datatype& named(MPI_Datatype handle) {
  return *object_of(handle);
}

struct Expected {
  MPI_Datatype handle;
  const char* name;
  std::uint64_t size;
  std::int64_t extent;
  std::uint64_t elements;
};

TEST(Predefined, SizesAreThoseOfTheLanguages) {
  const Expected kTypes[] = {
      {MPI_CHAR, "MPI_CHAR", 1, 1, 1},
      {MPI_BYTE, "MPI_BYTE", 1, 1, 1},
      {MPI_PACKED, "MPI_PACKED", 1, 1, 1},
      {MPI_SHORT, "MPI_SHORT", sizeof(short), sizeof(short), 1},
      {MPI_LONG, "MPI_LONG", sizeof(long), sizeof(long), 1},
      {MPI_LONG_LONG, "MPI_LONG_LONG_INT", 8, 8, 1},
      {MPI_WCHAR, "MPI_WCHAR", sizeof(wchar_t), sizeof(wchar_t), 1},
      {MPI_AINT, "MPI_AINT", 8, 8, 1},
      {MPI_COUNT, "MPI_COUNT", 8, 8, 1},
      {MPI_OFFSET, "MPI_OFFSET", 8, 8, 1},
      {MPI_C_BOOL, "MPI_C_BOOL", 1, 1, 1},
      {MPI_LONG_DOUBLE, "MPI_LONG_DOUBLE", sizeof(long double), sizeof(long double), 1},
      {MPI_C_DOUBLE_COMPLEX, "MPI_C_DOUBLE_COMPLEX", 16, 16, 1},
      {MPI_LOGICAL, "MPI_LOGICAL", 4, 4, 1},
      {MPI_DOUBLE_PRECISION, "MPI_DOUBLE_PRECISION", 8, 8, 1},
      {MPI_REAL2, "MPI_REAL2", 2, 2, 1},
      {MPI_INTEGER16, "MPI_INTEGER16", 16, 16, 1},
      {MPI_COMPLEX32, "MPI_COMPLEX32", 32, 32, 1},
      {MPI_FLOAT_INT, "MPI_FLOAT_INT", 8, 8, 2},
      {MPI_DOUBLE_INT, "MPI_DOUBLE_INT", 12, 16, 2},
      {MPI_SHORT_INT, "MPI_SHORT_INT", 6, 8, 2},
      {MPI_2INT, "MPI_2INT", 8, 8, 2},
      {MPI_2DOUBLE_PRECISION, "MPI_2DOUBLE_PRECISION", 16, 16, 2},
  };
  for (const Expected& row : kTypes) {
    SCOPED_TRACE(row.name);
    const Datatype* type = object_of(row.handle);
    ASSERT_NE(type, nullptr);
    EXPECT_EQ(type->name, row.name);
    EXPECT_EQ(type->size, row.size);
    EXPECT_EQ(type->extent, row.extent);
    EXPECT_EQ(type->elements, row.elements);
    EXPECT_TRUE(type->committed && type->predefined);
    EXPECT_EQ(type->dense, static_cast<std::int64_t>(row.size) == row.extent);
    EXPECT_EQ(handle_of<MPI_Datatype>(*type), row.handle);
  }
  EXPECT_EQ(object_of(MPI_DATATYPE_NULL), nullptr);
}

TEST(Predefined, PairsLeaveTheirPaddingAlone) {
  struct DoubleInt {
    double value;
    int index;
  };
  const DoubleInt in[2] = {{1.5, 3}, {2.5, 4}};
  unsigned char packed[24];
  named(MPI_DOUBLE_INT).pack(packed, in, 0, sizeof packed);
  DoubleInt out[2];
  std::memset(out, 0x77, sizeof out);
  named(MPI_DOUBLE_INT).unpack(out, packed, 0, sizeof packed);
  EXPECT_EQ(out[1].value, 2.5);
  EXPECT_EQ(out[1].index, 4);
  EXPECT_EQ(reinterpret_cast<unsigned char*>(out)[12], 0x77);
}

TEST(Bounds, StructIsPaddedAsInC) {
  TypeBuilder builder;
  builder.add({0, 1}, named(MPI_DOUBLE));
  builder.add({8, 1}, named(MPI_CHAR));
  const TypePtr type(builder.finish());
  EXPECT_EQ(type->size, 9u);
  EXPECT_EQ(type->extent, 16);
  EXPECT_EQ(type->true_extent, 9);
  EXPECT_EQ(build({0, 3}, *type)->extent, 48);
}

TEST(Bounds, NegativeStrideBeginsBelow) {
  const auto type = build({0, 1, 3, -8}, named(MPI_INT));
  EXPECT_EQ(type->lb, -16);
  EXPECT_EQ(type->extent, 20);
  EXPECT_EQ(type->true_lb, -16);
  EXPECT_EQ(type->true_extent, 20);
}

TEST(Bounds, SetOnesRuleOverThoseThatFollow) {
  const TypePtr wide(resized(named(MPI_INT), -4, 100));
  TypeBuilder builder;
  builder.add({0, 1}, *wide);
  builder.add({200, 1}, named(MPI_INT));
  const TypePtr type(builder.finish());
  EXPECT_EQ(type->lb, -4);
  EXPECT_EQ(type->extent, 100);
  EXPECT_EQ(type->true_lb, 0);
  EXPECT_EQ(type->true_extent, 204);
}

TEST(Bounds, NothingHasNone) {
  const auto type = build({100, 0, 5, 12}, named(MPI_INT));
  EXPECT_EQ(type->size, 0u);
  EXPECT_EQ(type->lb, 0);
  EXPECT_EQ(type->extent, 0);
  EXPECT_EQ(type->buffer(nullptr, 7).size, 0u);
  EXPECT_EQ(type->span(0), 0);
}

TEST(Shapes, RegularTypesStaySmall) {
  const auto vector = build({0, 3, 1 << 20, 64}, named(MPI_INT));
  ASSERT_EQ(vector->shape->parts().size(), 1u);
  EXPECT_EQ(vector->signature->stretches().size(), 1u);
  EXPECT_EQ(vector->elements, 3u << 20);

  TypeBuilder indexed;
  for (int i = 0; i < 1000; ++i) indexed.add({i * 24, 2}, named(MPI_INT));
  const TypePtr regular(indexed.finish());
  EXPECT_EQ(regular->shape->parts().size(), 1u) << "equally spaced blocks are a loop";

  const auto rows = build({0, 1, 500, 1 << 20}, *vector);
  EXPECT_LE(rows->shape->parts().size(), 1u);
}

TEST(Shapes, NeighboursAreOneRun) {
  TypeBuilder builder;
  for (int i = 0; i < 10; ++i) builder.add({i * 4, 1}, named(MPI_INT));
  const TypePtr type(builder.finish());
  EXPECT_TRUE(type->dense);
  EXPECT_EQ(build({0, 10}, *type)->size, 400u);
  EXPECT_EQ(type->buffer(nullptr, 5).layout, nullptr);
}

TEST(Shapes, OrderOfTheTypeMapIsKept) {
  TypeBuilder builder;
  builder.add({4, 1}, named(MPI_INT));
  builder.add({0, 1}, named(MPI_INT));
  const TypePtr type(builder.finish());
  EXPECT_FALSE(type->dense);
  const int in[2] = {1, 2};
  int out[2];
  type->pack(out, in, 0, sizeof out);
  EXPECT_EQ(out[0], 2);
  EXPECT_EQ(out[1], 1);
}

TEST(Shapes, EqualSizesWithOtherLayoutsAreNoLoop) {
  TypeBuilder rising;
  TypeBuilder falling;
  for (int i = 0; i < 60; ++i) {
    rising.add({i * i * 4, 1}, named(MPI_INT));
    falling.add({(4000 - i * i) * 4, 1}, named(MPI_INT));
  }
  const TypePtr first(rising.finish());
  const TypePtr second(falling.finish());
  TypeBuilder both;
  both.add({0, 1}, *first);
  both.add({20000, 1}, *second);
  const TypePtr type(both.finish());
  std::vector<int> memory(10000);
  std::iota(memory.begin(), memory.end(), 0);
  int out[120];
  type->pack(out, memory.data(), 0, sizeof out);
  for (int i = 0; i < 60; ++i) {
    EXPECT_EQ(out[i], i * i);
    EXPECT_EQ(out[60 + i], 5000 + 4000 - i * i);
  }
}

TEST(Shapes, OffsetsBeyondFourGibibytes) {
  // 2^20 blocks of 8 bytes, 8 KiB apart: nothing but address arithmetic is that large here.
  const std::uint64_t count = std::uint64_t{1} << 20;
  const auto type = build({0, 1, count, 8192}, named(MPI_DOUBLE));
  const std::uint64_t items = 1024;
  EXPECT_EQ(type->buffer(nullptr, items).size, count * 8 * items);
  double value = 4.25;
  const std::uint64_t at = (items - 1) * static_cast<std::uint64_t>(type->extent) + (count - 1) * 8192;
  const auto base = reinterpret_cast<std::uintptr_t>(&value) - at;
  double out = 0;
  type->pack(&out, reinterpret_cast<const void*>(base), count * 8 * items - 8, 8);
  EXPECT_EQ(out, 4.25);
}

TEST(Shapes, AbsoluteAddressesFromBottom) {
  int first = 7;
  int second = 9;
  TypeBuilder builder;
  builder.add({reinterpret_cast<std::intptr_t>(&first), 1}, named(MPI_INT));
  builder.add({reinterpret_cast<std::intptr_t>(&second), 1}, named(MPI_INT));
  const TypePtr type(builder.finish());
  int out[2];
  type->pack(out, MPI_BOTTOM, 0, sizeof out);
  EXPECT_EQ(out[0], 7);
  EXPECT_EQ(out[1], 9);
}

TEST(Limits, TooLargeIsRefused) {
  const std::uint64_t huge = std::uint64_t{1} << 61;
  EXPECT_EQ(build({0, huge}, named(MPI_INT)), nullptr);
  EXPECT_EQ(build({0, 1, huge, 8}, named(MPI_INT)), nullptr);
  EXPECT_EQ(build({Wide{1} << 80, 1}, named(MPI_INT)), nullptr);
  EXPECT_EQ(build({0, 1, 2, Wide{1} << 100}, named(MPI_INT)), nullptr);
  EXPECT_NE(build({0, huge / 4}, named(MPI_INT)), nullptr);
}

TEST(Life, TypesOutliveWhatTheyWereMadeOf) {
  TypePtr inner = build({0, 2, 20, 12}, named(MPI_SHORT));
  const auto outer = build({0, 3, 4, 1000}, *inner);
  std::vector<unsigned char> memory(5000);
  std::iota(memory.begin(), memory.end(), 0);
  std::vector<unsigned char> before(outer->size);
  outer->pack(before.data(), memory.data(), 0, before.size());
  inner.reset();
  std::vector<unsigned char> after(outer->size);
  outer->pack(after.data(), memory.data(), 0, after.size());
  EXPECT_EQ(before, after);
}

TEST(Life, FreedWhileATransferHoldsIt) {
  const Datatype* type = build({0, 1, 4, 8}, named(MPI_INT)).release();
  const int in[8] = {0, 1, 2, 3, 4, 5, 6, 7};
  const pml::Buffer buffer = type->buffer(in, 1);
  buffer.layout->retain();
  type->release();  // what MPI_Type_free does
  int out[4];
  buffer.layout->pack(out, buffer.base, 0, buffer.size);
  EXPECT_EQ(out[3], 6);
  buffer.layout->release();
}

}  // namespace
}  // namespace hawser::mpi
