// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0

// The loops of the predefined reductions: simple enough for the compiler to use vector instructions.

#include <array>
#include <cstdint>
#include <type_traits>

#include "mpi/op.hpp"

namespace hawser::mpi {
namespace {

template <class T>
struct Complex {
  T re;
  T im;
};
template <class V, class I>
struct Pair {
  V value;
  I index;
};
template <class T>
struct Logical {  // true is 1, any other than 0 counts as true
  T value;
};
struct Bits {
  std::uint8_t value;
};

/// Sums and products wrap, as the machine does; signed overflow would be undefined.
template <class T>
auto wrapping(T value) noexcept {
  if constexpr (!std::is_integral_v<T>) {
    return value;
  } else if constexpr (sizeof(T) < sizeof(unsigned)) {
    return static_cast<unsigned>(value);
  } else {
    return static_cast<std::make_unsigned_t<T>>(value);
  }
}

template <class T>
inline constexpr bool kLogical = false;
template <class T>
inline constexpr bool kLogical<Logical<T>> = true;
template <class T>
inline constexpr bool kComplex = false;
template <class T>
inline constexpr bool kComplex<Complex<T>> = true;
template <class T>
inline constexpr bool kPair = false;
template <class V, class I>
inline constexpr bool kPair<Pair<V, I>> = true;
template <class T>
inline constexpr bool kWhole = std::is_integral_v<T>;
#if defined(__SIZEOF_INT128__)
__extension__ using Int128 = __int128;
__extension__ using Uint128 = unsigned __int128;
template <>
inline constexpr bool kWhole<Int128> = true;
inline Uint128 wrapping(Int128 value) noexcept {
  return static_cast<Uint128>(value);
}
#endif
template <class T>
inline constexpr bool kNumber = !kLogical<T> && !kComplex<T> && !kPair<T> && !std::is_same_v<T, Bits>;

struct Max {
  template <class T>
  static constexpr bool kDefined = kNumber<T>;
  template <class T>
  static T of(T in, T inout) noexcept {
    return in > inout ? in : inout;
  }
};
struct Min {
  template <class T>
  static constexpr bool kDefined = kNumber<T>;
  template <class T>
  static T of(T in, T inout) noexcept {
    return in < inout ? in : inout;
  }
};
struct Sum {
  template <class T>
  static constexpr bool kDefined = kNumber<T> || kComplex<T>;
  template <class T>
  static T of(T in, T inout) noexcept {
    return static_cast<T>(wrapping(in) + wrapping(inout));
  }
  template <class T>
  static Complex<T> of(Complex<T> in, Complex<T> inout) noexcept {
    return {in.re + inout.re, in.im + inout.im};
  }
};
struct Prod {
  template <class T>
  static constexpr bool kDefined = kNumber<T> || kComplex<T>;
  template <class T>
  static T of(T in, T inout) noexcept {
    return static_cast<T>(wrapping(in) * wrapping(inout));
  }
  template <class T>
  static Complex<T> of(Complex<T> in, Complex<T> inout) noexcept {
    return {in.re * inout.re - in.im * inout.im, in.re * inout.im + in.im * inout.re};
  }
};

template <class Boolean>
struct LogicalOp {
  template <class T>
  static constexpr bool kDefined = kWhole<T> || kLogical<T>;
  template <class T>
  static T of(T in, T inout) noexcept {
    return static_cast<T>(Boolean::of(in != 0, inout != 0));
  }
  template <class T>
  static Logical<T> of(Logical<T> in, Logical<T> inout) noexcept {
    return {of(in.value, inout.value)};
  }
};
template <class Bitwise>
struct BitOp {
  template <class T>
  static constexpr bool kDefined = kWhole<T> || std::is_same_v<T, Bits>;
  template <class T>
  static T of(T in, T inout) noexcept {
    return static_cast<T>(Bitwise::of(in, inout));
  }
  static Bits of(Bits in, Bits inout) noexcept { return {of(in.value, inout.value)}; }
};
struct And {
  template <class T>
  static auto of(T a, T b) noexcept {
    return a & b;
  }
};
struct Or {
  template <class T>
  static auto of(T a, T b) noexcept {
    return a | b;
  }
};
struct Xor {
  template <class T>
  static auto of(T a, T b) noexcept {
    return a ^ b;
  }
};

/// The better value with its index; of equal values the lower index.
template <class Better>
struct LocOp {
  template <class T>
  static constexpr bool kDefined = kPair<T>;
  template <class V, class I>
  static Pair<V, I> of(Pair<V, I> in, Pair<V, I> inout) noexcept {
    if (in.value == inout.value) return {inout.value, in.index < inout.index ? in.index : inout.index};
    return Better::of(in.value, inout.value) == in.value ? in : inout;
  }
};

template <class Operation, class T>
void reduce(const void* in, void* inout, std::uint64_t count) noexcept {
  const T* __restrict a = static_cast<const T*>(in);
  T* __restrict b = static_cast<T*>(inout);
  for (std::uint64_t i = 0; i < count; ++i) b[i] = Operation::of(a[i], b[i]);
}

template <class Operation, class T>
constexpr OpKernel kernel() {
  if constexpr (Operation::template kDefined<T>) {
    return &reduce<Operation, T>;
  } else {
    return nullptr;
  }
}

using Row = std::array<OpKernel, static_cast<std::size_t>(Basic::kCount)>;

template <class Operation>
constexpr Row row() {
  Row row{};
  const auto set = [&row]<class T>(Basic basic, std::type_identity<T>) {
    row[static_cast<std::size_t>(basic)] = kernel<Operation, T>();
  };
  set(Basic::kByte, std::type_identity<Bits>{});
  set(Basic::kInt8, std::type_identity<std::int8_t>{});
  set(Basic::kInt16, std::type_identity<std::int16_t>{});
  set(Basic::kInt32, std::type_identity<std::int32_t>{});
  set(Basic::kInt64, std::type_identity<std::int64_t>{});
  set(Basic::kUint8, std::type_identity<std::uint8_t>{});
  set(Basic::kUint16, std::type_identity<std::uint16_t>{});
  set(Basic::kUint32, std::type_identity<std::uint32_t>{});
  set(Basic::kUint64, std::type_identity<std::uint64_t>{});
  set(Basic::kFloat, std::type_identity<float>{});
  set(Basic::kDouble, std::type_identity<double>{});
  set(Basic::kLongDouble, std::type_identity<long double>{});
  set(Basic::kBool, std::type_identity<Logical<std::uint8_t>>{});
  set(Basic::kLogical8, std::type_identity<Logical<std::int8_t>>{});
  set(Basic::kLogical16, std::type_identity<Logical<std::int16_t>>{});
  set(Basic::kLogical32, std::type_identity<Logical<std::int32_t>>{});
  set(Basic::kLogical64, std::type_identity<Logical<std::int64_t>>{});
  set(Basic::kFloatComplex, std::type_identity<Complex<float>>{});
  set(Basic::kDoubleComplex, std::type_identity<Complex<double>>{});
  set(Basic::kLongDoubleComplex, std::type_identity<Complex<long double>>{});
  set(Basic::kFloatInt, std::type_identity<Pair<float, int>>{});
  set(Basic::kDoubleInt, std::type_identity<Pair<double, int>>{});
  set(Basic::kLongInt, std::type_identity<Pair<long, int>>{});
  set(Basic::kTwoInt, std::type_identity<Pair<int, int>>{});
  set(Basic::kShortInt, std::type_identity<Pair<short, int>>{});
  set(Basic::kLongDoubleInt, std::type_identity<Pair<long double, int>>{});
  set(Basic::kTwoFloat, std::type_identity<Pair<float, float>>{});
  set(Basic::kTwoDouble, std::type_identity<Pair<double, double>>{});
#if defined(__SIZEOF_INT128__)
  set(Basic::kInt128, std::type_identity<Int128>{});
  set(Basic::kLogical128, std::type_identity<Logical<Int128>>{});
#endif
#if defined(__SIZEOF_FLOAT128__)
  set(Basic::kQuad, std::type_identity<__float128>{});
  set(Basic::kQuadComplex, std::type_identity<Complex<__float128>>{});
#endif
  return row;
}

constexpr auto kKernels = [] {
  std::array<Row, static_cast<std::size_t>(Op::Kind::kCount)> table{};
  const auto set = [&table](Op::Kind kind, const Row& kernels) {
    table[static_cast<std::size_t>(kind)] = kernels;
  };
  set(Op::Kind::kMax, row<Max>());
  set(Op::Kind::kMin, row<Min>());
  set(Op::Kind::kSum, row<Sum>());
  set(Op::Kind::kProd, row<Prod>());
  set(Op::Kind::kLand, row<LogicalOp<And>>());
  set(Op::Kind::kLor, row<LogicalOp<Or>>());
  set(Op::Kind::kLxor, row<LogicalOp<Xor>>());
  set(Op::Kind::kBand, row<BitOp<And>>());
  set(Op::Kind::kBor, row<BitOp<Or>>());
  set(Op::Kind::kBxor, row<BitOp<Xor>>());
  set(Op::Kind::kMaxloc, row<LocOp<Max>>());
  set(Op::Kind::kMinloc, row<LocOp<Min>>());
  return table;
}();

}  // namespace

OpKernel find_kernel(Op::Kind kind, Basic basic) noexcept {
  return kKernels[static_cast<std::size_t>(kind)][static_cast<std::size_t>(basic)];
}

}  // namespace hawser::mpi
