// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "tests/conformance/job.hpp"

// Reading and writing a peer's memory, for components that can.

namespace hawser::conformance {

namespace {

constexpr std::size_t kSizes[] = {0, 1, 4095, 65536, 5'000'001};
constexpr std::size_t kRoom = 5'000'001;

// What one rank tells the other through the board: a key and an address.
struct Lent {
  btl::RemoteKey key;
  std::uint64_t address;
};

void lend(Rank& self, const Lent& lent) {
  auto& entry = self.host().board().shelves[kMaxRanks - 1].entries[0];
  std::memcpy(entry.data, &lent, sizeof lent);
}

Lent borrow(Rank& self) {
  Lent lent;
  std::memcpy(&lent, self.host().board().shelves[kMaxRanks - 1].entries[0].data, sizeof lent);
  return lent;
}

template <class Work>
void with_peers_memory(Work&& work) {
  run_job([&](Rank& self) {
    const auto way = self.rail();
    btl::Rdma* rdma = way.module->rdma(*way.endpoint);
    self.host().board().flags[self.own()] = rdma != nullptr;
    self.barrier("ability");
    const bool both = rdma && self.host().board().flags[self.peer()].load() != 0;
    if (both) {
      std::vector<unsigned char> memory = make_data({9, 0, kRoom});
      Lent lent{{}, reinterpret_cast<std::uint64_t>(memory.data())};
      if (self.receives()) {
        ASSERT_EQ(rdma->register_memory(*way.endpoint, memory.data(), memory.size(), lent.key), Errc::kOk);
        lend(self, lent);
      }
      self.barrier("lent");
      work(self, *rdma, way, memory);
      self.barrier("used");
      if (self.receives()) rdma->deregister_memory(*way.endpoint, lent.key);
    }
    self.finish();
  });
}

}  // namespace

TEST(Memory, GetReadsThePeersBytes) {
  with_peers_memory([](Rank& self, btl::Rdma& rdma, btl::Reach::Rail way, std::vector<unsigned char>&) {
    if (!self.sends()) return;
    const Lent lent = borrow(self);
    for (const std::size_t size : kSizes) {
      std::vector<unsigned char> here(size + 1, 0xcc);
      Parcel parcel;
      const btl::Posted posted = rdma.get(*way.endpoint, here.data(), lent.address, lent.key, size, parcel);
      ASSERT_TRUE(posted == btl::Posted::kDone || posted == btl::Posted::kPending);
      self.settle(parcel, posted);
      for (std::size_t i = 0; i < size; ++i) ASSERT_EQ(here[i], pattern({9, 0, kRoom}, i)) << "byte " << i;
      EXPECT_EQ(here[size], 0xcc) << "one byte too many";
    }
    EXPECT_EQ(self.counter("rdma_gets"), std::size(kSizes));
  });
}

TEST(Memory, PutWritesThePeersBytes) {
  with_peers_memory(
      [](Rank& self, btl::Rdma& rdma, btl::Reach::Rail way, std::vector<unsigned char>& memory) {
        const Stamp stamp{3, 1, kRoom};
        if (self.sends()) {
          const Lent lent = borrow(self);
          const auto bytes = make_data(stamp);
          Parcel parcel;
          const btl::Posted posted =
              rdma.put(*way.endpoint, bytes.data(), lent.address, lent.key, kRoom - 1, parcel);
          ASSERT_TRUE(posted == btl::Posted::kDone || posted == btl::Posted::kPending);
          self.settle(parcel, posted);
          EXPECT_EQ(self.counter("rdma_puts"), 1u);
          self.host().board().flags[5] = 1;
        }
        if (self.receives()) {
          self.until([&] { return self.host().board().flags[5].load() != 0; }, "the put");
          for (std::size_t i = 0; i + 1 < kRoom; ++i) ASSERT_EQ(memory[i], pattern(stamp, i)) << "byte " << i;
          EXPECT_EQ(memory[kRoom - 1], pattern({9, 0, kRoom}, kRoom - 1)) << "one byte too many";
        }
      });
}

}  // namespace hawser::conformance
