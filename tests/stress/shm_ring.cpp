// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <thread>
#include <vector>

#include "components/shm/ring_receiver.hpp"
#include "components/shm/ring_sender.hpp"
#include "components/shm/segment.hpp"
#include "framework/base/spin_mutex.hpp"

// The ring with both ends in one process: at one address, so that a race detector sees that the accesses
// meet, and at two, as between processes. Small rings: they wrap all the time. Producers tag thread and
// number: loss, doubling and reordering show.

namespace hawser::shm {

namespace {

struct Tag {
  std::uint32_t thread;
  std::uint32_t number;
  std::uint32_t size;
  std::uint32_t check;
};

unsigned char pattern(const Tag& tag, std::size_t i) noexcept {
  return static_cast<unsigned char>(tag.thread * 101 + tag.number * 31 + i * 7);
}

class Ring {
 public:
  explicit Ring(RingShape shape, bool one_address = true) : fd_(::memfd_create("test", MFD_CLOEXEC)) {
    EXPECT_EQ(::ftruncate(fd_.get(), static_cast<off_t>(shape.bytes())), 0);
    auto there = Mapping::map(fd_.get(), 0, shape.bytes(), false);
    auto here = Mapping::map(fd_.get(), 0, shape.bytes(), false);
    EXPECT_TRUE(there && here);
    sender_memory_ = std::move(*there);
    receiver_memory_ = std::move(*here);
    sender.open(RingView::at(sender_memory_.base(), shape), shape);
    EXPECT_TRUE(sender.use_buffer());
    receiver.open(RingView::at((one_address ? sender_memory_ : receiver_memory_).base(), shape), shape);
  }

  RingSender sender;
  RingReceiver receiver;
  HotMutex<LockRank::kEndpoint> mutex;
  bool near = false;  // both ends, as if it had been measured

 private:
  Fd fd_;
  Mapping sender_memory_;
  Mapping receiver_memory_;
};

// Sizes that meet every kind of slot, and the limits of the ring.
std::size_t size_of(std::uint32_t number, std::size_t limit) {
  const std::size_t sizes[] = {0, 8, 39, 40, 41, 57, 64, 200, limit / 3, limit - 1, limit};
  return std::min(sizes[number % std::size(sizes)], limit);
}

void produce(Ring& ring, std::uint32_t thread, std::uint32_t count, std::size_t limit) {
  std::vector<unsigned char> data(limit);
  for (std::uint32_t i = 0; i < count; ++i) {
    alignas(8) unsigned char header[btl::kMaxHeader] = {};
    const Tag tag{thread, i, static_cast<std::uint32_t>(size_of(i * 7 + thread, limit)), ~i};
    std::memcpy(header, &tag, sizeof tag);
    for (std::size_t k = 0; k < tag.size; ++k) data[k] = pattern(tag, k);
    const std::uint32_t header_size = i % 5 == 0 ? 88 : 16;
    const iovec parts[] = {
        {data.data(), tag.size / 3}, {nullptr, 0}, {data.data() + tag.size / 3, tag.size - tag.size / 3}};
    for (;;) {
      Put put;
      {
        HotLock lock(ring.mutex);
        if (ring.near) ring.sender.distance().saw(0);
        const btl::Head head{header, header_size, 9, i % 3 == 0};
        put = i % 2 == 0 ? ring.sender.put(head, parts, 3, tag.size)
                         : ring.sender.put_small(head, data.data(), tag.size);
      }
      if (put == Put::kDone) break;
      std::this_thread::yield();
    }
  }
}

void consume(Ring& ring, std::uint32_t threads, std::uint32_t count) {
  std::vector<std::uint32_t> next(threads);
  for (std::uint64_t taken = 0; taken < std::uint64_t{threads} * count;) {
    btl::Message message;
    const auto look = ring.receiver.look(message);
    ASSERT_NE(look, RingReceiver::Look::kBroken);
    if (look == RingReceiver::Look::kEmpty) {
      ring.receiver.tell();
      std::this_thread::yield();
      continue;
    }
    Tag tag;
    ASSERT_EQ(message.tag, 9);
    ASSERT_EQ(reinterpret_cast<std::uintptr_t>(message.header) % 8, 0u);
    std::memcpy(&tag, message.header, sizeof tag);
    ASSERT_LT(tag.thread, threads);
    ASSERT_EQ(tag.check, ~tag.number);
    ASSERT_EQ(tag.number, next[tag.thread]++) << "lost, doubled or out of order";
    ASSERT_EQ(message.size, tag.size);
    const auto* data = static_cast<const unsigned char*>(message.data);
    for (std::size_t k = 0; k < message.size; ++k) ASSERT_EQ(data[k], pattern(tag, k));
    ring.receiver.advance();
    ++taken;
  }
  btl::Message nothing;
  ASSERT_EQ(ring.receiver.look(nothing), RingReceiver::Look::kEmpty);
}

void run(RingShape shape, std::uint32_t threads, std::uint32_t count, bool one_address = true) {
  ASSERT_TRUE(shape.valid());
  Ring ring(shape, one_address);
  std::vector<std::thread> producers;
  for (std::uint32_t t = 0; t < threads; ++t) {
    producers.emplace_back([&, t] { produce(ring, t, count, shape.max_data()); });
  }
  consume(ring, threads, count);
  if (testing::Test::HasFatalFailure()) std::abort();  // the producers would wait for ever
  for (auto& producer : producers) producer.join();
}

}  // namespace

TEST(ShmRing, TwoSlots) {
  run({2, 1024}, 1, 20000);
}
TEST(ShmRing, FewSlotsMuchBuffer) {
  run({8, 65536}, 1, 10000);
}
TEST(ShmRing, ManySlotsLittleBuffer) {
  run({1024, 1024}, 1, 20000);
}
TEST(ShmRing, TwoAddresses) {
  run({8, 4096}, 1, 10000, false);
}
TEST(ShmRing, ManyProducers) {
  run({16, 4096}, 4, 10000);
}

// Messages that their receiver waits for go back to the front of the buffer, between others that do not.
TEST(ShmRing, NearEnds) {
  const RingShape shape{64, 64 * 1024};
  for (const bool one_address : {true, false}) {
    Ring ring(shape, one_address);
    ring.near = true;
    std::thread producer([&] { produce(ring, 0, 2000, 12 * 1024 - 200); });
    consume(ring, 1, 2000);
    if (testing::Test::HasFatalFailure()) std::abort();
    producer.join();
  }
}

TEST(ShmRing, NearEndsReuseTheFrontOfTheBuffer) {
  const RingShape shape{64, 64 * 1024};
  const std::vector<unsigned char> data(4000, 7);
  alignas(8) unsigned char header[16] = {};
  Ring ring(shape);
  std::uintptr_t lowest = UINTPTR_MAX, highest = 0;
  for (int i = 0; i < 20; ++i) {  // less than until the distance is measured
    if (i < Distance::kSure) ring.sender.distance().saw(0);
    ASSERT_EQ(ring.sender.put_small({header, 16, 1}, data.data(), data.size()), Put::kDone);
    btl::Message message;
    ASSERT_EQ(ring.receiver.look(message), RingReceiver::Look::kMessage);
    lowest = std::min(lowest, reinterpret_cast<std::uintptr_t>(message.data));
    highest = std::max(highest, reinterpret_cast<std::uintptr_t>(message.data) + message.size);
    ring.receiver.advance();
    ring.receiver.tell();
  }
  EXPECT_LE(highest - lowest, shape.buffer / 2);
}

// What the receiver has not taken is not written over.
TEST(ShmRing, NearEndsFillTheBufferFirst) {
  const RingShape shape{64, 64 * 1024};
  Ring ring(shape);
  for (int i = 0; i < Distance::kSure; ++i) ring.sender.distance().saw(0);
  alignas(8) unsigned char header[16] = {};
  std::vector<unsigned char> data(4000);
  int puts = 0;
  for (;; ++puts) {
    std::fill(data.begin(), data.end(), static_cast<unsigned char>(puts));
    if (ring.sender.put_small({header, 16, 1}, data.data(), data.size()) != Put::kDone) break;
  }
  EXPECT_GE(puts, 14);
  for (int i = 0; i < puts; ++i) {
    btl::Message message;
    ASSERT_EQ(ring.receiver.look(message), RingReceiver::Look::kMessage);
    const auto* bytes = static_cast<const unsigned char*>(message.data);
    for (std::size_t k = 0; k < message.size; ++k) ASSERT_EQ(bytes[k], i);
    ring.receiver.advance();
  }
}

TEST(ShmRing, AnEmptyRingHasRoomForTheLargestAtEveryPosition) {
  const RingShape shape{64, 1024};
  Ring ring(shape);
  std::vector<unsigned char> data(shape.max_data());
  alignas(8) unsigned char header[btl::kMaxHeader] = {};
  for (std::size_t step = 1; step <= shape.max_data(); ++step) {
    for (const std::size_t size : {step, shape.max_data()}) {
      ASSERT_EQ(ring.sender.put_small({header, 88, 1}, data.data(), size), Put::kDone) << step;
      btl::Message message;
      ASSERT_EQ(ring.receiver.look(message), RingReceiver::Look::kMessage);
      ASSERT_EQ(message.size, size);
      ring.receiver.advance();
      ring.receiver.tell();
    }
  }
}

TEST(ShmRing, ARefusedPutLeavesNoTrace) {
  const RingShape shape{4, 1024};
  Ring ring(shape);
  alignas(8) unsigned char header[16] = {};
  for (int i = 0; i < 4; ++i) ASSERT_EQ(ring.sender.put_small({header, 16, 1}, nullptr, 0), Put::kDone);
  ASSERT_EQ(ring.sender.put_small({header, 16, 2}, nullptr, 0), Put::kNoSlot);
  ASSERT_FALSE(ring.sender.has_room());
  btl::Message message;
  for (int i = 0; i < 4; ++i) {
    ASSERT_EQ(ring.receiver.look(message), RingReceiver::Look::kMessage);
    ASSERT_EQ(message.tag, 1);
    ring.receiver.advance();
  }
  ring.receiver.tell();
  ASSERT_TRUE(ring.sender.has_room());
  ASSERT_EQ(ring.receiver.look(message), RingReceiver::Look::kEmpty);
}

}  // namespace hawser::shm
