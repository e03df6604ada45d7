// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0

// Reductions against loops written out here.

#include <gtest/gtest.h>

#include <complex>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <random>
#include <set>
#include <vector>

#include "mpi/handles.hpp"
#include "mpi/type_build.hpp"

namespace hawser::mpi {
namespace {

constexpr std::size_t kCounts[] = {1, 2, 7, 64, 1003};  // also such as no vector register divides

template <class T>
T random_value(std::mt19937_64& random) {
  if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(std::uniform_int_distribution<int>(-1000, 1000)(random)) / 8;
  } else {
    return static_cast<T>(random());
  }
}

template <class T, class Function>
void expect_op(MPI_Op op, MPI_Datatype type, Function function) {
  std::mt19937_64 random(7);
  for (const std::size_t count : kCounts) {
    std::vector<T> in(count), inout(count), expected(count);
    for (std::size_t i = 0; i < count; ++i) {
      in[i] = random_value<T>(random);
      inout[i] = i % 5 == 0 ? in[i] : random_value<T>(random);
      if (i % 7 == 0) in[i] = T{0};
      expected[i] = function(in[i], inout[i]);
    }
    ASSERT_TRUE(object_of(op)->defined_on(*object_of(type)));
    object_of(op)->apply(in.data(), inout.data(), count, *object_of(type));
    ASSERT_EQ(inout, expected) << object_of(type)->name << ", " << count;
  }
}

template <class T>
void expect_order_and_sums(MPI_Datatype type) {
  expect_op<T>(MPI_MAX, type, [](T a, T b) { return std::max(a, b); });
  expect_op<T>(MPI_MIN, type, [](T a, T b) { return std::min(a, b); });
  if constexpr (std::is_floating_point_v<T>) {
    expect_op<T>(MPI_SUM, type, std::plus<T>());
    expect_op<T>(MPI_PROD, type, std::multiplies<T>());
  } else {  // wraps
    using Wrap = std::uint64_t;
    expect_op<T>(MPI_SUM, type,
                 [](T a, T b) { return static_cast<T>(static_cast<Wrap>(a) + static_cast<Wrap>(b)); });
    expect_op<T>(MPI_PROD, type,
                 [](T a, T b) { return static_cast<T>(static_cast<Wrap>(a) * static_cast<Wrap>(b)); });
  }
}

template <class T>
void expect_logic(MPI_Datatype type) {
  expect_op<T>(MPI_LAND, type, [](T a, T b) { return static_cast<T>(a != 0 && b != 0); });
  expect_op<T>(MPI_LOR, type, [](T a, T b) { return static_cast<T>(a != 0 || b != 0); });
  expect_op<T>(MPI_LXOR, type, [](T a, T b) { return static_cast<T>((a != 0) != (b != 0)); });
}

template <class T>
void expect_bits(MPI_Datatype type) {
  expect_op<T>(MPI_BAND, type, [](T a, T b) { return static_cast<T>(a & b); });
  expect_op<T>(MPI_BOR, type, [](T a, T b) { return static_cast<T>(a | b); });
  expect_op<T>(MPI_BXOR, type, [](T a, T b) { return static_cast<T>(a ^ b); });
}

template <class T>
void expect_integer(MPI_Datatype type) {
  expect_order_and_sums<T>(type);
  expect_logic<T>(type);
  expect_bits<T>(type);
}

TEST(Ops, Integers) {
  expect_integer<short>(MPI_SHORT);
  expect_integer<int>(MPI_INT);
  expect_integer<long>(MPI_LONG);
  expect_integer<long long>(MPI_LONG_LONG);
  expect_integer<unsigned short>(MPI_UNSIGNED_SHORT);
  expect_integer<unsigned>(MPI_UNSIGNED);
  expect_integer<unsigned long>(MPI_UNSIGNED_LONG);
  expect_integer<unsigned long long>(MPI_UNSIGNED_LONG_LONG);
  expect_integer<signed char>(MPI_SIGNED_CHAR);
  expect_integer<unsigned char>(MPI_UNSIGNED_CHAR);
  expect_integer<std::int8_t>(MPI_INT8_T);
  expect_integer<std::int16_t>(MPI_INT16_T);
  expect_integer<std::int32_t>(MPI_INT32_T);
  expect_integer<std::int64_t>(MPI_INT64_T);
  expect_integer<std::uint8_t>(MPI_UINT8_T);
  expect_integer<std::uint16_t>(MPI_UINT16_T);
  expect_integer<std::uint32_t>(MPI_UINT32_T);
  expect_integer<std::uint64_t>(MPI_UINT64_T);
  expect_integer<MPI_Aint>(MPI_AINT);
  expect_integer<MPI_Count>(MPI_COUNT);
  expect_integer<MPI_Offset>(MPI_OFFSET);
  expect_integer<std::int32_t>(MPI_INTEGER);
  expect_integer<std::int64_t>(MPI_INTEGER8);
}

TEST(Ops, FloatingPoint) {
  expect_order_and_sums<float>(MPI_FLOAT);
  expect_order_and_sums<double>(MPI_DOUBLE);
  expect_order_and_sums<long double>(MPI_LONG_DOUBLE);
  expect_order_and_sums<float>(MPI_REAL);
  expect_order_and_sums<double>(MPI_DOUBLE_PRECISION);
}

TEST(Ops, LogicalAndByte) {
  expect_logic<unsigned char>(MPI_C_BOOL);
  expect_logic<std::int32_t>(MPI_LOGICAL);
  expect_logic<std::int8_t>(MPI_LOGICAL1);
  expect_logic<std::int16_t>(MPI_LOGICAL2);
  expect_logic<std::int64_t>(MPI_LOGICAL8);
  expect_bits<unsigned char>(MPI_BYTE);
}

#if defined(__SIZEOF_INT128__) && defined(__SIZEOF_FLOAT128__)
TEST(Ops, SixteenBytes) {
  __extension__ using Int128 = __int128;
  Int128 a = Int128{3} << 90;
  Int128 b = 5;
  object_of(MPI_SUM)->apply(&a, &b, 1, *object_of(MPI_INTEGER16));
  EXPECT_TRUE(b == (Int128{3} << 90) + 5);
  __float128 c = 0.5;
  __float128 d = 3;
  object_of(MPI_PROD)->apply(&c, &d, 1, *object_of(MPI_REAL16));
  EXPECT_TRUE(d == static_cast<__float128>(1.5));
}
#endif

template <class T>
void expect_complex(MPI_Datatype type) {
  using C = std::complex<T>;
  const C in[3] = {{1, 2}, {0, -3}, {2.5, 0}};
  const C other[3] = {{4, -1}, {2, 2}, {-1, 8}};
  C sum[3], product[3];
  std::copy(other, other + 3, sum);
  std::copy(other, other + 3, product);
  object_of(MPI_SUM)->apply(in, sum, 3, *object_of(type));
  object_of(MPI_PROD)->apply(in, product, 3, *object_of(type));
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(sum[i], in[i] + other[i]);
    EXPECT_EQ(product[i], in[i] * other[i]);
  }
}

TEST(Ops, Complex) {
  expect_complex<float>(MPI_C_FLOAT_COMPLEX);
  expect_complex<double>(MPI_C_DOUBLE_COMPLEX);
  expect_complex<long double>(MPI_C_LONG_DOUBLE_COMPLEX);
  expect_complex<float>(MPI_CXX_FLOAT_COMPLEX);
  expect_complex<double>(MPI_DOUBLE_COMPLEX);
}

template <class V, class I>
void expect_loc(MPI_Datatype type) {
  struct Pair {
    V value;
    I index;
  };
  const Pair in[4] = {{5, 1}, {2, 9}, {7, 8}, {-3, 4}};
  const Pair other[4] = {{4, 2}, {6, 3}, {7, 6}, {-3, 5}};
  Pair most[4], least[4];
  std::copy(other, other + 4, most);
  std::copy(other, other + 4, least);
  object_of(MPI_MAXLOC)->apply(in, most, 4, *object_of(type));
  object_of(MPI_MINLOC)->apply(in, least, 4, *object_of(type));
  const Pair expected_most[4] = {{5, 1}, {6, 3}, {7, 6}, {-3, 4}};
  const Pair expected_least[4] = {{4, 2}, {2, 9}, {7, 6}, {-3, 4}};
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(most[i].value, expected_most[i].value);
    EXPECT_EQ(most[i].index, expected_most[i].index) << "of equal values the lower index";
    EXPECT_EQ(least[i].value, expected_least[i].value);
    EXPECT_EQ(least[i].index, expected_least[i].index);
  }
}

TEST(Ops, Locations) {
  expect_loc<float, int>(MPI_FLOAT_INT);
  expect_loc<double, int>(MPI_DOUBLE_INT);
  expect_loc<long, int>(MPI_LONG_INT);
  expect_loc<int, int>(MPI_2INT);
  expect_loc<short, int>(MPI_SHORT_INT);
  expect_loc<long double, int>(MPI_LONG_DOUBLE_INT);
  expect_loc<float, float>(MPI_2REAL);
  expect_loc<double, double>(MPI_2DOUBLE_PRECISION);
  expect_loc<int, int>(MPI_2INTEGER);
}

TEST(Ops, DefinedWhereTheStandardSays) {
  const auto defined = [](MPI_Op op, MPI_Datatype type) {
    return object_of(op)->defined_on(*object_of(type));
  };
  const MPI_Op kAll[] = {MPI_SUM,  MPI_PROD, MPI_MIN, MPI_MAX,  MPI_LAND,   MPI_LOR,
                         MPI_LXOR, MPI_BAND, MPI_BOR, MPI_BXOR, MPI_MINLOC, MPI_MAXLOC};
  struct Row {
    MPI_Datatype type;
    std::set<MPI_Op> defined;
  };
  const std::set<MPI_Op> sums{MPI_SUM, MPI_PROD};
  const std::set<MPI_Op> numbers{MPI_SUM, MPI_PROD, MPI_MIN, MPI_MAX};
  const std::set<MPI_Op> logic{MPI_LAND, MPI_LOR, MPI_LXOR};
  const std::set<MPI_Op> bits{MPI_BAND, MPI_BOR, MPI_BXOR};
  const std::set<MPI_Op> loc{MPI_MINLOC, MPI_MAXLOC};
  const Row kRows[] = {{MPI_DOUBLE, numbers}, {MPI_REAL, numbers},  {MPI_C_COMPLEX, sums},
                       {MPI_C_BOOL, logic},   {MPI_LOGICAL, logic}, {MPI_BYTE, bits},
                       {MPI_CHAR, {}},        {MPI_WCHAR, {}},      {MPI_PACKED, {}},
                       {MPI_CHARACTER, {}},   {MPI_2INT, loc},      {MPI_DOUBLE_INT, loc}};
  for (const Row& row : kRows) {
    for (const MPI_Op op : kAll) {
      EXPECT_EQ(defined(op, row.type), row.defined.count(op) == 1)
          << object_of(row.type)->name << ", op " << reinterpret_cast<std::uintptr_t>(op);
    }
    EXPECT_FALSE(defined(MPI_REPLACE, row.type)) << "only for one-sided operations";
  }
  const std::unique_ptr<Datatype> copy(duplicate(*object_of(MPI_INT)));
  EXPECT_FALSE(object_of(MPI_SUM)->defined_on(*copy)) << "derived";
  EXPECT_EQ(object_of(MPI_OP_NULL), nullptr);
}

std::vector<int> g_lengths;
MPI_Datatype g_seen = nullptr;

void note_lengths(void*, void*, int* len, MPI_Datatype* type) {
  g_lengths.push_back(*len);
  g_seen = *type;
}

TEST(UserOps, LongRowsComeInPieces) {
  const std::unique_ptr<Datatype> type(resized(*object_of(MPI_BYTE), 0, 0));  // all items at one place
  Op op;
  op.user_function = reinterpret_cast<void*>(&note_lengths);
  char in = 0;
  char inout = 0;
  g_lengths.clear();
  op.apply(&in, &inout, (std::uint64_t{1} << 31) + 5, *type);
  EXPECT_EQ(g_lengths, (std::vector<int>{std::numeric_limits<int>::max(), 6}));
  EXPECT_EQ(g_seen, handle_of<MPI_Datatype>(*type));
}

void subtract(void* in, void* inout, int* len, MPI_Datatype* type) {
  ASSERT_EQ(*type, MPI_INT);
  for (int i = 0; i < *len; ++i)
    static_cast<int*>(inout)[i] = static_cast<int*>(in)[i] - static_cast<int*>(inout)[i];
}

TEST(UserOps, GetInThenInOut) {
  Op op;
  op.user_function = reinterpret_cast<void*>(&subtract);
  const int in[2] = {10, 20};
  int inout[2] = {1, 2};
  op.apply(in, inout, 2, *object_of(MPI_INT));
  EXPECT_EQ(inout[0], 9);
  EXPECT_EQ(inout[1], 18);
}

}  // namespace
}  // namespace hawser::mpi
