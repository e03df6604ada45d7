// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0

// Random datatypes against the slow way of doing it.

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <random>
#include <string>

#include "mpi/handles.hpp"
#include "tests/unit/datatype_oracle.hpp"

namespace hawser::mpi {
namespace {

constexpr std::uint64_t kMostElements = 3000;
constexpr std::int64_t kMostSpan = 1 << 20;

struct Both {
  std::unique_ptr<Datatype> type;
  oracle::TypeMap map;
};

class Maker {
 public:
  explicit Maker(unsigned seed) : random_(seed) {}

  std::int64_t in(std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random_);
  }

  /// Random constructors, `depth` of them inside each other.
  Both make(int depth) {
    if (depth == 0) return basic();
    Both inner = make(depth - 1);
    if (inner.map.elements.size() > 60) return inner;
    switch (in(0, 5)) {
      case 0:
        return build({{0, pick(), 1, 0}}, inner);
      case 1:
        return build({{0, pick(), pick(), in(-20, 20) * inner.type->extent}}, inner);
      case 2:
        return build({{in(-40, 40), pick(), pick(), in(-50, 50)}}, inner);
      case 3:
        return build(scattered(inner), inner);
      case 4:
        return structure(inner, make(static_cast<int>(in(0, depth - 1))));
      default:
        return bounds(inner);
    }
  }

 private:
  std::uint64_t pick() { return static_cast<std::uint64_t>(in(0, 9) == 0 ? 0 : in(1, 5)); }

  Both basic() {
    static const MPI_Datatype kTypes[] = {MPI_CHAR, MPI_SHORT, MPI_INT, MPI_DOUBLE, MPI_LONG_DOUBLE};
    const Datatype& type = *object_of(kTypes[in(0, 4)]);
    const auto size = static_cast<std::uint32_t>(type.size);
    Both out{std::unique_ptr<Datatype>(duplicate(type)), {}};
    out.map.elements = {{0, size, type.alignment}};
    return out;
  }

  std::vector<Blocks> scattered(const Both& inner) {
    std::vector<Blocks> out;
    std::int64_t at = in(-5, 5);
    const bool steady = in(0, 1) == 0;
    for (auto n = pick() * 2; n > 0; --n) {
      out.push_back({at * inner.type->extent, steady ? 1 : pick(), 1, 0});
      at += steady ? 2 : in(-3, 6);
    }
    return out;
  }

  Both build(const std::vector<Blocks>& blocks, const Both& inner) {
    TypeBuilder builder;
    Both out;
    for (const Blocks& b : blocks) {
      builder.add(b, *inner.type);
      out.map.add(b, inner.map);
    }
    out.type.reset(builder.finish());
    return out;
  }

  Both structure(const Both& first, const Both& second) {
    TypeBuilder builder;
    Both out;
    std::int64_t at = 0;
    for (const Both* part : {&first, &second, &first}) {
      const Blocks blocks{at, pick(), 1, 0};
      builder.add(blocks, *part->type);
      out.map.add(blocks, part->map);
      at += part->type->extent * static_cast<std::int64_t>(blocks.length) + in(0, 12);
    }
    out.type.reset(builder.finish());
    return out;
  }

  Both bounds(const Both& inner) {
    const std::int64_t lb = in(-16, 16);
    const std::int64_t extent = in(-8, 64);
    Both out{std::unique_ptr<Datatype>(resized(*inner.type, lb, extent)), inner.map};
    out.map.lb_markers = {lb};
    out.map.ub_markers = {lb + extent};
    return out;
  }

  std::mt19937 random_;
};

bool usable(const Both& both, std::uint64_t count) {
  return both.map.elements.size() * count <= kMostElements && both.type->span(count) < kMostSpan;
}

/// Memory around a base such that all places lie inside.
struct Arena {
  explicit Arena(const std::vector<std::int64_t>& at) {
    const auto [low, high] = std::minmax_element(at.begin(), at.end());
    first = at.empty() ? 0 : *low;
    bytes.assign(at.empty() ? 1 : static_cast<std::size_t>(*high - first + 1), 0xEE);
  }
  unsigned char* base() {
    return reinterpret_cast<unsigned char*>(reinterpret_cast<std::uintptr_t>(bytes.data()) -
                                            static_cast<std::uintptr_t>(first));
  }
  unsigned char& at(std::int64_t place) { return bytes[static_cast<std::size_t>(place - first)]; }

  std::int64_t first;
  std::vector<unsigned char> bytes;
};

class RandomTypes : public testing::TestWithParam<int> {
 protected:
  static constexpr int kTypes = 250;

  template <class Check>
  void for_types(Check check) {
    Maker maker(static_cast<unsigned>(GetParam()));
    for (int i = 0; i < kTypes; ++i) {
      Both both = maker.make(static_cast<int>(maker.in(1, 4)));
      const auto count = static_cast<std::uint64_t>(maker.in(1, 7));
      if (!usable(both, count)) continue;
      SCOPED_TRACE("type " + std::to_string(i) + " of seed " + std::to_string(GetParam()));
      check(maker, both, count);
      ++used_;
      if (HasFailure()) return;
    }
    EXPECT_GT(used_, kTypes / 3);
  }

 private:
  int used_ = 0;
};

TEST_P(RandomTypes, SizesAndBoundsAreThoseOfTheTypeMap) {
  for_types([](Maker&, const Both& both, std::uint64_t) {
    EXPECT_EQ(both.type->size, both.map.size());
    EXPECT_EQ(both.type->lb, both.map.lb());
    EXPECT_EQ(both.type->extent, both.map.extent());
    EXPECT_EQ(both.type->true_lb, both.map.true_lb());
    EXPECT_EQ(both.type->true_extent, both.map.true_ub() - both.map.true_lb());
    EXPECT_EQ(both.type->elements, both.map.elements.size());
  });
}

TEST_P(RandomTypes, AnyRangePacksAsTheWholeDoes) {
  for_types([](Maker& maker, const Both& both, std::uint64_t count) {
    const auto at = oracle::places(both.map, count);
    Arena arena(at);
    for (auto& byte : arena.bytes) byte = static_cast<unsigned char>(maker.in(0, 255));
    std::vector<unsigned char> whole;
    for (const auto place : at) whole.push_back(arena.at(place));
    const auto size = static_cast<std::int64_t>(whole.size());
    for (int i = 0; i < 20; ++i) {
      const auto from = static_cast<std::size_t>(i == 0 ? 0 : maker.in(0, size));
      const auto bytes =
          static_cast<std::size_t>(i == 0 ? size : maker.in(0, size - static_cast<std::int64_t>(from)));
      std::vector<unsigned char> out(bytes + 1, 0x55);
      both.type->pack(out.data(), arena.base(), from, bytes);
      ASSERT_TRUE(std::equal(out.begin(), out.end() - 1, whole.begin() + static_cast<std::ptrdiff_t>(from)));
      ASSERT_EQ(out.back(), 0x55) << "wrote behind the range";
    }
  });
}

TEST_P(RandomTypes, SlicesInAnyOrderUnpackToTheWhole) {
  for_types([](Maker& maker, const Both& both, std::uint64_t count) {
    const auto at = oracle::places(both.map, count);
    auto sorted = at;
    std::sort(sorted.begin(), sorted.end());
    if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end())
      return;  // overlaps: not to be received
    Arena expected(at);
    Arena arena(at);
    std::vector<unsigned char> stream;
    for (const auto place : at) {
      stream.push_back(static_cast<unsigned char>(maker.in(0, 255)));
      expected.at(place) = stream.back();
    }
    std::vector<std::size_t> cuts{0, stream.size()};
    for (int i = 0; i < 9; ++i) {
      cuts.push_back(static_cast<std::size_t>(maker.in(0, static_cast<std::int64_t>(stream.size()))));
    }
    std::sort(cuts.begin(), cuts.end());
    std::vector<std::size_t> order(cuts.size() - 1);
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), std::mt19937(static_cast<unsigned>(maker.in(0, 1000))));
    for (const auto slice : order) {
      both.type->unpack(arena.base(), stream.data() + cuts[slice], cuts[slice],
                        cuts[slice + 1] - cuts[slice]);
    }
    ASSERT_EQ(arena.bytes, expected.bytes);
  });
}

TEST_P(RandomTypes, DenseTypesAreOneRun) {
  for_types([](Maker&, const Both& both, std::uint64_t count) {
    if (!both.type->dense) return;
    const auto at = oracle::places(both.map, count);
    for (std::size_t i = 0; i < at.size(); ++i) ASSERT_EQ(at[i], static_cast<std::int64_t>(i));
  });
}

TEST_P(RandomTypes, PrefixesHoldTheElementsOfTheTypeMap) {
  for_types([](Maker&, const Both& both, std::uint64_t) {
    std::uint64_t bytes = 0;
    for (std::size_t i = 0; i < both.map.elements.size(); ++i) {
      const std::uint64_t size = both.map.elements[i].size;
      ASSERT_EQ(both.type->signature->of_elements(i).bytes, bytes);
      const auto inside = both.type->signature->of_bytes(bytes + size - 1);
      ASSERT_EQ(inside.elements, i);
      ASSERT_EQ(inside.bytes, bytes);
      bytes += size;
    }
    ASSERT_EQ(both.type->signature->of_bytes(bytes).elements, both.map.elements.size());
  });
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomTypes, testing::Range(1, 9));

}  // namespace
}  // namespace hawser::mpi
