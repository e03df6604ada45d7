// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include "tools/check/groups.hpp"
#include "tools/check/rank.hpp"

// Reading and writing a peer's memory, for components that can.

namespace hawser::check {

namespace {

constexpr std::size_t kSizes[] = {0, 1, 4095, 65536, 5'000'001};
constexpr std::size_t kRoom = 5'000'001;
constexpr Stamp kTheirs{9, 0, kRoom};

/// What one rank tells the other through the board: a key and an address.
struct Lent {
  btl::RemoteKey key;
  std::uint64_t address;
};
static_assert(sizeof(Lent) <= sizeof Board::lent);

using Work = void (*)(Rank& self, btl::Rdma& rdma, btl::Reach::Rail way, std::vector<unsigned char>& memory);

Lent borrow(Rank& self) {
  Lent lent;
  std::memcpy(&lent, self.board().lent, sizeof lent);
  return lent;
}

void with_peers_memory(Rank& self, Work work) {
  self.open();
  const auto way = self.rail();
  btl::Rdma* rdma = way.module->rdma(*way.endpoint);
  self.set_flag(self.own(), rdma != nullptr);
  self.barrier("ability");
  if (!rdma || self.flag(self.peer()) == 0) skip("it cannot reach a peer's memory, or may not here");
  std::vector<unsigned char> memory = make_data(kTheirs);
  Lent lent{{}, reinterpret_cast<std::uint64_t>(memory.data())};
  if (self.receives()) {
    const Errc status = rdma->register_memory(*way.endpoint, memory.data(), memory.size(), lent.key);
    require(status == Errc::kOk, "register_memory answered: {}", to_text(status));
    std::memcpy(self.board().lent, &lent, sizeof lent);
  }
  self.barrier("lent");
  work(self, *rdma, way, memory);
  self.barrier("used");
  if (self.receives()) rdma->deregister_memory(*way.endpoint, lent.key);
  self.finish();
}

template <class Try>
btl::Posted with_room(Rank& self, Try&& one) {
  btl::Posted posted = btl::Posted::kNoResource;
  self.until([&] { return (posted = one()) != btl::Posted::kNoResource; }, "room for a transfer");
  require(posted == btl::Posted::kDone || posted == btl::Posted::kPending, "a transfer answered {}",
          to_text(posted));
  return posted;
}

void get_reads(Rank& self, btl::Rdma& rdma, btl::Reach::Rail way, std::vector<unsigned char>&) {
  if (!self.sends()) return;
  const Lent lent = borrow(self);
  for (const std::size_t size : kSizes) {
    std::vector<unsigned char> here(size + 1, 0xcc);
    Parcel parcel;
    self.settle(parcel, with_room(self, [&] {
                  return rdma.get(*way.endpoint, here.data(), lent.address, lent.key, size, parcel);
                }));
    for (std::size_t i = 0; i < size; ++i)
      require(here[i] == pattern(kTheirs, i), "byte {} of a get of {} bytes is not the peer's", i, size);
    expect(here[size] == 0xcc, "a get of {} bytes wrote one more", size);
  }
  const std::uint64_t counted = self.counter("rdma_gets");
  expect(counted == std::size(kSizes), "counter rdma_gets says {}; it was {}", counted, std::size(kSizes));
}

void put_writes(Rank& self, btl::Rdma& rdma, btl::Reach::Rail way, std::vector<unsigned char>& memory) {
  const Stamp ours{3, 1, kRoom};
  if (self.sends()) {
    const Lent lent = borrow(self);
    const auto bytes = make_data(ours);
    Parcel parcel;
    self.settle(parcel, with_room(self, [&] {
                  return rdma.put(*way.endpoint, bytes.data(), lent.address, lent.key, kRoom - 1, parcel);
                }));
    const std::uint64_t counted = self.counter("rdma_puts");
    expect(counted == 1, "counter rdma_puts says {}; it was 1", counted);
    self.set_flag(5);
  }
  if (!self.receives()) return;
  self.until([&] { return self.flag(5) != 0; }, "the put");
  for (std::size_t i = 0; i + 1 < kRoom; ++i)
    require(memory[i] == pattern(ours, i), "byte {} of a put is not there", i);
  expect(memory[kRoom - 1] == pattern(kTheirs, kRoom - 1), "a put wrote one byte too many");
}

void get_reads_the_peer(Rank& self) {
  with_peers_memory(self, &get_reads);
}
void put_writes_the_peer(Rank& self) {
  with_peers_memory(self, &put_writes);
}

constexpr Check kChecks[] = {
    {"memory.get_reads", "get brings exactly the bytes of the peer, of any size, and counts.", kBoth,
     &get_reads_the_peer},
    {"memory.put_writes", "put writes exactly the bytes that it is given, and counts.", kBoth,
     &put_writes_the_peer},
};

}  // namespace

std::span<const Check> memory_checks() {
  return kChecks;
}

}  // namespace hawser::check
