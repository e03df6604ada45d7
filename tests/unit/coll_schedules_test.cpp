// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <memory>
#include <random>

#include "tests/unit/coll_memory.hpp"
#include "tests/unit/coll_simulator.hpp"

namespace hawser::mpi::coll {
namespace {

// Counts on both sides of the limits between the algorithms, and around the numbers of members.
constexpr std::uint64_t kCounts[] = {0, 1, 2, 7, 9, 300, 5000, 20011};
constexpr int kMostMembers = 9;

Word value_of(int member, std::uint64_t item) {
  return (static_cast<Word>(member) * 1000003 + item + 1) * 0x9e3779b97f4a7c15 | 1;
}

/// One collective of all members, in random circumstances.
class Schedules : public testing::Test {
 protected:
  template <class Body>
  void each_case(Body&& body) {
    for (int size = 1; size <= kMostMembers; ++size) {
      for (std::uint64_t count : kCounts) {
        for (int form = 0; form < 4; ++form) {
          SCOPED_TRACE(testing::Message() << size << " members, " << count << " items, form " << form);
          schedules_ = std::vector<Schedule>(static_cast<std::size_t>(size));
          memories_.clear();
          size_ = size;
          in_place_ = form % 2 != 0;
          body(size, count, form / 2 == 0 ? dense_type() : type_with_holes());
          if (HasFatalFailure()) return;
        }
      }
    }
  }
  /// A fresh buffer for each member.
  std::vector<Memory>& buffers(std::uint64_t count, const Datatype& type) {
    auto all = std::make_unique<std::vector<Memory>>();
    for (int i = 0; i < size_; ++i) all->emplace_back(count, type);
    memories_.push_back(std::move(all));
    return *memories_.back();
  }
  void fill(Memory& memory, int member, std::uint64_t count, std::uint64_t first_item = 0) {
    for (std::uint64_t i = 0; i < count; ++i) memory[i] = value_of(member, first_item + i);
  }
  std::string run(const Op* op = nullptr) { return Simulator(schedules_, op, seed_++).run(); }
  Schedule& of(int member) { return schedules_[static_cast<std::size_t>(member)]; }
  Place place(int member) const { return {member, size_}; }
  int random_member() { return static_cast<int>(random_() % static_cast<unsigned>(size_)); }

  std::vector<Schedule> schedules_;
  std::vector<std::unique_ptr<std::vector<Memory>>> memories_;
  int size_ = 0;
  bool in_place_ = false;
  unsigned seed_ = 1;
  std::mt19937 random_{7};
};

/// What a reduction of members [0, last] gives.
Word reduced(const Op& op, int last, std::uint64_t item) {
  Word result = value_of(0, item);
  for (int i = 1; i <= last; ++i) {
    result = op.commutative ? result + value_of(i, item) : after(result, value_of(i, item));
  }
  return result;
}

/// Sums for types that have a kernel, and functions that do not commute for all.
std::vector<const Op*> ops_for(const Datatype& type) {
  if (&type == &dense_type()) return {object_of(MPI_SUM), &chain_op()};
  return {&chain_op()};
}

#define CHECK_ITEMS(memory, count, wanted)                                      \
  for (std::uint64_t item = 0; item < (count); ++item) {                        \
    if ((memory)[item] == (wanted)) continue;                                   \
    FAIL() << "item " << item << ": " << (memory)[item] << " not " << (wanted); \
  }

TEST_F(Schedules, BarrierHoldsAll) {
  for (size_ = 1; size_ <= 40; ++size_) {
    schedules_ = std::vector<Schedule>(static_cast<std::size_t>(size_));
    for (int i = 0; i < size_; ++i) barrier(of(i), place(i));
    ASSERT_EQ(run(), "");
    // Without one member nobody gets through.
    if (size_ == 1) continue;
    of(random_member()).clear();
    ASSERT_NE(run(), "");
  }
}

TEST_F(Schedules, Bcast) {
  each_case([&](int size, std::uint64_t count, const Datatype& type) {
    const int root = random_member();
    auto& memory = buffers(count, type);
    fill(memory[static_cast<std::size_t>(root)], root, count);
    for (int i = 0; i < size; ++i) {
      bcast(of(i), place(i), memory[static_cast<std::size_t>(i)].items(count).buffer(), root);
    }
    ASSERT_EQ(run(), "");
    for (Memory& one : memory) {
      CHECK_ITEMS(one, count, value_of(root, item));
      ASSERT_TRUE(one.only_changed(std::vector<bool>(count, true)));
    }
  });
}

using AllReduction = void (*)(Schedule&, Place, const Op&, const Items&, const Items&);

class AllReductions : public Schedules {
 protected:
  /// `last_of(member)`: the last whose data are in that member's result; -1: it keeps what it has.
  template <class LastOf>
  void check(AllReduction algorithm, LastOf&& last_of) {
    each_case([&](int size, std::uint64_t count, const Datatype& type) {
      for (const Op* op : ops_for(type)) {
        for (Schedule& schedule : schedules_) schedule.clear();
        auto& from = buffers(count, type);
        auto& to = in_place_ ? from : buffers(count, type);
        for (int i = 0; i < size; ++i) {
          const auto n = static_cast<std::size_t>(i);
          fill(from[n], i, count);
          algorithm(of(i), place(i), *op, from[n].items(count), to[n].items(count));
        }
        ASSERT_EQ(run(op), "");
        for (int i = 0; i < size; ++i) check_member(i, *op, count, last_of(i), from, to);
      }
    });
  }
  void check_member(int i, const Op& op, std::uint64_t count, int last, std::vector<Memory>& from,
                    std::vector<Memory>& to) {
    const auto n = static_cast<std::size_t>(i);
    if (last >= 0) {
      CHECK_ITEMS(to[n], count, reduced(op, last, item));
    } else if (!in_place_) {
      CHECK_ITEMS(to[n], count, Memory::kGuard);
    }
    ASSERT_TRUE(to[n].only_changed(std::vector<bool>(count, true)));
    if (in_place_) return;
    CHECK_ITEMS(from[n], count, value_of(i, item));
  }
};

TEST_F(AllReductions, Allreduce) {
  check(&allreduce, [&](int) { return size_ - 1; });
}
TEST_F(AllReductions, Scan) {
  check(&scan, [](int i) { return i; });
}
TEST_F(AllReductions, Exscan) {
  check(&exscan, [](int i) { return i - 1; });
}

TEST_F(Schedules, Reduce) {
  each_case([&](int size, std::uint64_t count, const Datatype& type) {
    for (const Op* op : ops_for(type)) {
      for (Schedule& schedule : schedules_) schedule.clear();
      const int root = random_member();
      const auto top = static_cast<std::size_t>(root);
      auto& from = buffers(count, type);
      Memory result(count, type);
      for (int i = 0; i < size; ++i) {
        const auto n = static_cast<std::size_t>(i);
        fill(from[n], i, count);
        const Items to = i != root   ? Items{nullptr, count, &type}
                         : in_place_ ? from[n].items(count)
                                     : result.items(count);
        reduce(of(i), place(i), *op, from[n].items(count), to, root);
      }
      ASSERT_EQ(run(op), "");
      Memory& got = in_place_ ? from[top] : result;
      CHECK_ITEMS(got, count, reduced(*op, size - 1, item));
      for (int i = 0; i < size; ++i) {
        if (i == root && in_place_) continue;
        CHECK_ITEMS(from[static_cast<std::size_t>(i)], count, value_of(i, item));
      }
    }
  });
}

TEST_F(Schedules, ReduceScatter) {
  each_case([&](int size, std::uint64_t count, const Datatype& type) {
    if (count > 300) return;
    for (const Op* op : ops_for(type)) {
      for (const bool equal : {true, false}) {
        for (Schedule& schedule : schedules_) schedule.clear();
        std::vector<int> counts(static_cast<std::size_t>(size), static_cast<int>(count));
        std::uint64_t total = 0;
        for (int& one : counts) {
          if (!equal) one = static_cast<int>(random_() % (count + 1));
          total += static_cast<std::uint64_t>(one);
        }
        auto& from = buffers(total, type);
        auto& result = in_place_ ? from : buffers(count, type);
        for (int i = 0; i < size; ++i) {
          const auto n = static_cast<std::size_t>(i);
          fill(from[n], i, total);
          reduce_scatter(of(i), place(i), *op, from[n].items(total), equal ? nullptr : counts.data(),
                         result[n].items(static_cast<std::uint64_t>(counts[n])));
        }
        ASSERT_EQ(run(op), "");
        std::uint64_t first = 0;
        for (std::size_t n = 0; n < counts.size(); ++n) {
          const auto own = static_cast<std::uint64_t>(counts[n]);
          CHECK_ITEMS(result[n], own, reduced(*op, size - 1, first + item));
          first += own;
        }
      }
    }
  });
}

// --- blocks: equal ones, ones with counts and holes between them, ones with types of their own

/// Where each member's block is in a buffer: displacements that leave a gap, the last block first.
struct Layout {
  Layout(int members, std::uint64_t most, bool is_equal, std::mt19937& random) : equal(is_equal), each(most) {
    int at = 0;
    counts.resize(static_cast<std::size_t>(members));
    displs.resize(counts.size());
    for (std::size_t n = counts.size(); n-- > 0;) {
      counts[n] = static_cast<int>(equal ? most : random() % (most + 1));
      displs[n] = equal ? static_cast<int>(n * most) : at;
      at += counts[n] + 1;
    }
    room = equal ? most * counts.size() : static_cast<std::uint64_t>(at);
  }
  Blocks blocks(Memory& memory, const Datatype& type) const {
    if (equal) return {memory.base(), &type, each};
    return {memory.base(), &type, 0, counts.data(), displs.data()};
  }
  std::uint64_t count(int i) const { return static_cast<std::uint64_t>(counts[static_cast<std::size_t>(i)]); }
  std::uint64_t at(int i) const { return static_cast<std::uint64_t>(displs[static_cast<std::size_t>(i)]); }

  bool equal;
  std::uint64_t each;
  std::vector<int> counts, displs;
  std::uint64_t room = 0;
};

class BlockMoves : public Schedules {
 protected:
  template <class Body>
  void each_layout(std::uint64_t most, Body&& body) {
    each_case([&](int size, std::uint64_t count, const Datatype& type) {
      for (const bool equal : {true, false}) {
        if (count > most) continue;
        for (Schedule& schedule : schedules_) schedule.clear();
        body(size, Layout(size, count, equal, random_), type);
      }
    });
  }
  std::vector<bool> blocks_only(const Layout& layout) const {
    std::vector<bool> all(layout.room, false);
    for (int i = 0; i < size_; ++i) {
      for (std::uint64_t k = 0; k < layout.count(i); ++k) all[layout.at(i) + k] = true;
    }
    return all;
  }
  const Datatype& other(const Datatype& type) const {
    return &type == &dense_type() ? type_with_holes() : dense_type();
  }
};

#define CHECK_BLOCK(memory, layout, i, wanted)                                           \
  for (std::uint64_t item = 0; item < (layout).count(i); ++item) {                       \
    const Word got = (memory)[(layout).at(i) + item];                                    \
    if (got == (wanted)) continue;                                                       \
    FAIL() << "block " << (i) << " item " << item << ": " << got << " not " << (wanted); \
  }

TEST_F(BlockMoves, Gather) {
  each_layout(5000, [&](int size, const Layout& layout, const Datatype& type) {
    const int root = random_member();
    auto& own = buffers(layout.each, other(type));
    Memory all(layout.room, type);
    for (int i = 0; i < size; ++i) {
      const auto n = static_cast<std::size_t>(i);
      const bool here = i == root && in_place_;
      fill(own[n], i, layout.count(i));
      if (here) {
        for (std::uint64_t k = 0; k < layout.count(i); ++k) all[layout.at(i) + k] = value_of(i, k);
      }
      const Buffer buffer = own[n].items(layout.count(i)).buffer();
      gather(of(i), place(i), here ? nullptr : &buffer, layout.blocks(all, type), root);
    }
    ASSERT_EQ(run(), "");
    for (int i = 0; i < size; ++i) CHECK_BLOCK(all, layout, i, value_of(i, item));
    ASSERT_TRUE(all.only_changed(blocks_only(layout)));
  });
}

TEST_F(BlockMoves, Scatter) {
  each_layout(5000, [&](int size, const Layout& layout, const Datatype& type) {
    const int root = random_member();
    auto& own = buffers(layout.each, other(type));
    Memory all(layout.room, type);
    for (int i = 0; i < size; ++i) {
      for (std::uint64_t k = 0; k < layout.count(i); ++k) all[layout.at(i) + k] = value_of(i, k);
    }
    for (int i = 0; i < size; ++i) {
      const bool here = i == root && in_place_;
      const Buffer buffer = own[static_cast<std::size_t>(i)].items(layout.count(i)).buffer();
      scatter(of(i), place(i), layout.blocks(all, type), here ? nullptr : &buffer, root);
    }
    ASSERT_EQ(run(), "");
    for (int i = 0; i < size; ++i) {
      Memory& got = own[static_cast<std::size_t>(i)];
      const bool here = i == root && in_place_;
      CHECK_ITEMS(got, layout.count(i), here ? Memory::kGuard : value_of(i, item));
      ASSERT_TRUE(got.only_changed(std::vector<bool>(layout.count(i), true)));
    }
  });
}

TEST_F(BlockMoves, Allgather) {
  each_layout(5000, [&](int size, const Layout& layout, const Datatype& type) {
    auto& own = buffers(layout.each, other(type));
    auto& all = buffers(layout.room, type);
    for (int i = 0; i < size; ++i) {
      const auto n = static_cast<std::size_t>(i);
      fill(own[n], i, layout.count(i));
      if (in_place_) {
        for (std::uint64_t k = 0; k < layout.count(i); ++k) all[n][layout.at(i) + k] = value_of(i, k);
      }
      const Buffer buffer = own[n].items(layout.count(i)).buffer();
      allgather(of(i), place(i), in_place_ ? nullptr : &buffer, layout.blocks(all[n], type));
    }
    ASSERT_EQ(run(), "");
    for (Memory& one : all) {
      for (int i = 0; i < size; ++i) CHECK_BLOCK(one, layout, i, value_of(i, item));
      ASSERT_TRUE(one.only_changed(blocks_only(layout)));
    }
  });
}

/// The words that member `from` gives to `to`.
Word given(int from, int to, std::uint64_t item) {
  return value_of(from * 100 + to, item);
}

TEST_F(BlockMoves, Alltoall) {
  each_layout(300, [&](int size, const Layout& layout, const Datatype& type) {
    // What i gives to j has a size that both know, and is the same both ways, as it must be in place.
    const auto length = [&](int i, int j) {
      return static_cast<int>(layout.equal ? layout.each
                                           : (static_cast<Word>(i) * j + i + j) % (layout.each + 1));
    };
    std::vector<Layout> layouts;
    for (int i = 0; i < size; ++i) {
      Layout mine = layout;
      int at = 0;
      for (int j = 0; j < size; ++j) {
        mine.counts[static_cast<std::size_t>(j)] = length(i, j);
        mine.displs[static_cast<std::size_t>(j)] = at;
        at += length(i, j) + (layout.equal ? 0 : 1);
      }
      mine.room = static_cast<std::uint64_t>(at);
      layouts.push_back(mine);
    }
    std::vector<Memory> from, to;
    for (const Layout& mine : layouts) {
      from.emplace_back(mine.room, in_place_ ? type : other(type));
      to.emplace_back(mine.room, type);
    }
    for (int i = 0; i < size; ++i) {
      const auto n = static_cast<std::size_t>(i);
      Memory& give = in_place_ ? to[n] : from[n];
      for (int j = 0; j < size; ++j) {
        for (std::uint64_t k = 0; k < layouts[n].count(j); ++k) give[layouts[n].at(j) + k] = given(i, j, k);
      }
      const Blocks source = layouts[n].blocks(from[n], other(type));
      alltoall(of(i), place(i), in_place_ ? nullptr : &source, layouts[n].blocks(to[n], type));
    }
    ASSERT_EQ(run(), "");
    for (int i = 0; i < size; ++i) {
      const auto n = static_cast<std::size_t>(i);
      for (int j = 0; j < size; ++j) CHECK_BLOCK(to[n], layouts[n], j, given(j, i, item));
      ASSERT_TRUE(to[n].only_changed(blocks_only(layouts[n])));
    }
  });
}

}  // namespace
}  // namespace hawser::mpi::coll
