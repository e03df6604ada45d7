// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/shm_input.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

#include "components/shm/assembly.hpp"
#include "components/shm/blob.hpp"
#include "components/shm/ring_receiver.hpp"

namespace hawser::shm {
namespace {

constexpr RingShape kShape{8, 4096};

void require(bool promise) {
  if (!promise) std::abort();
}

void feed_blob(const unsigned char* data, std::size_t size) {
  const auto blob = read_blob(data, size);
  if (!blob) return require(!blob.error().text.empty());
  require(blob->shape.valid() && blob->rings != 0);
  const std::string again = write_blob(*blob);
  require(again.size() == size && std::memcmp(again.data(), data, size) == 0);
}

/// Reads every byte that it is handed, and gives every second message of tag 2 a place.
struct Reader {
  std::vector<unsigned char> memory;
  bool placing = false;
  unsigned sum = 0;
  std::uint64_t asked = 0;

  static void deliver(void* context, const btl::Message& message) noexcept {
    auto& self = *static_cast<Reader*>(context);
    require(message.header_size <= btl::kMaxHeader);
    require(reinterpret_cast<std::uintptr_t>(message.header) % 8 == 0);
    self.add(message.header, message.header_size);
    self.add(message.data, message.size);
    if (message.placed) require(std::exchange(self.placing, false));
  }
  static bool place(void* context, const btl::Message& head, btl::Placement& out) noexcept {
    auto& self = *static_cast<Reader*>(context);
    require(!self.placing && head.size <= kLargestMessage);
    self.add(head.header, head.header_size);
    if (++self.asked % 2 == 0) return false;
    self.placing = true;
    self.memory.assign(head.size + 1, 0);
    out = {self.memory.data(), &self};
    return true;
  }
  static void abandon(void* context, const btl::Message&) noexcept {
    require(std::exchange(static_cast<Reader*>(context)->placing, false));
  }
  void add(const void* bytes, std::size_t size) noexcept {
    for (std::size_t i = 0; i < size; ++i) sum += static_cast<const unsigned char*>(bytes)[i];
  }
};

/// One sender's ring, in memory that ends where it ends.
class Ring {
 public:
  Ring() {
    std::memset(memory_.get(), 0, kShape.bytes());
    receiver_.open(view(), kShape);
    table_->entries[1] = {&Reader::deliver, nullptr, nullptr, &reader_};
    table_->entries[2] = {&Reader::deliver, &Reader::place, &Reader::abandon, &reader_};
  }
  ~Ring() {
    assembly_.drop(*table_);
    require(!reader_.placing);
  }

  void write(const unsigned char* step) {
    const std::uint64_t head = written_++;
    Slot& slot = view().slots[head % kShape.slots];
    std::memcpy(slot.payload, step + 4, Slot::kPayload);
    const auto lap = static_cast<std::uint32_t>(head / kShape.slots) + 1;
    slot.word.store(Word{lap, step[1], step[2], step[3], static_cast<Kind>(step[0] % 7)}.pack());
  }
  /// As shm takes what lies there. False: the sender is cut off.
  bool take() {
    btl::Message message{};
    const RingReceiver::Look look = receiver_.look(message);
    if (look == RingReceiver::Look::kBroken || look == RingReceiver::Look::kEmpty) return false;
    const bool good = look == RingReceiver::Look::kMessage ? table_->deliver(message) : piece(look, message);
    if (good) receiver_.advance();
    return good;
  }

 private:
  struct Free {
    void operator()(unsigned char* memory) const noexcept { std::free(memory); }
  };

  RingView view() { return RingView::at(memory_.get(), kShape); }
  bool piece(RingReceiver::Look look, const btl::Message& piece) {
    if (look == RingReceiver::Look::kFirst) {
      assembly_.drop(*table_);
      if (receiver_.total() > kLargestMessage || !table_->entries[piece.tag].deliver) return false;
      btl::Message head = piece;
      head.data = nullptr;
      head.size = static_cast<std::size_t>(receiver_.total());
      if (!assembly_.begin(head, *table_)) return false;
    }
    if (!assembly_.add(piece.data, piece.size)) return false;
    if (assembly_.whole()) assembly_.deliver(*table_);
    return true;
  }

  std::unique_ptr<unsigned char, Free> memory_{
      static_cast<unsigned char*>(std::aligned_alloc(RingShape::kPage, kShape.bytes()))};
  Reader reader_;
  const std::unique_ptr<btl::HandlerTable> table_ = std::make_unique<btl::HandlerTable>();
  RingReceiver receiver_;
  Assembly assembly_;
  std::uint64_t written_ = 0;
};

}  // namespace

void read_foreign_input(const unsigned char* data, std::size_t size) {
  if (size == 0) return;
  const unsigned char what = *data++;
  --size;
  if (what % 2 == kFeedBlob) return feed_blob(data, size);
  Ring ring;
  for (bool goes_on = true; goes_on && size >= kRingStep; data += kRingStep, size -= kRingStep) {
    ring.write(data);
    goes_on = ring.take();
  }
}

}  // namespace hawser::shm
