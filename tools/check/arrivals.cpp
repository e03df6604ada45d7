// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include "tools/check/rank.hpp"

// What a rank is handed, and what is looked at in each message.

namespace hawser::check {

namespace {

constexpr unsigned char kUnset = 0xee;

}  // namespace

bool Rank::says_its_rail(const btl::Message& message, bool must) noexcept {
  if (!message.module && !message.endpoint && !must) return true;
  return expect(message.module && message.endpoint,
                "a message that was asked a place for does not say the rail that it came over");
}

void Rank::deliver(void* context, const btl::Message& message) noexcept {
  assert_no_locks_held();
  expect(!Posting::going_on(), "a message was delivered inside a post");
  auto& self = *static_cast<Rank*>(context);
  self.take(message);
  if (self.on_delivery) self.on_delivery(self);
}

void Rank::take(const btl::Message& message) noexcept {
  const bool from_peer = ranks() > 2 ? message.rank < ranks() : message.rank == peer();
  if (!expect(from_peer, "a message says it is of rank {}, who sent none", message.rank)) return;
  says_its_rail(message, false);
  if (message.placed) --places_open_;
  expect(reinterpret_cast<std::uintptr_t>(message.header) % 8 == 0,
         "a header does not lie at a multiple of 8");
  if (!expect(message.header_size >= sizeof(Stamp) && message.header_size <= btl::kMaxHeader,
              "a message of at least 16 bytes of header came with {}", message.header_size))
    return;
  Arrival arrival{message.rank, {}, message.header_size};
  std::memcpy(&arrival.stamp, message.header, sizeof(Stamp));
  arrivals_.push_back(arrival);
  note_move();
  const auto* header = static_cast<const unsigned char*>(message.header);
  for (std::size_t i = sizeof(Stamp); i < message.header_size; ++i) {
    if (!expect(header[i] == 0, "byte {} of the header of message {} is not what was sent", i,
                arrival.stamp.number))
      return;
  }
  if (!expect(message.size == arrival.stamp.size, "message {} of {} bytes came with {}", arrival.stamp.number,
              arrival.stamp.size, message.size))
    return;
  expect(!message.placed || message.data == message.placed,
         "the data of a placed message is not in its place");
  const auto* bytes = static_cast<const unsigned char*>(message.data);
  for (std::size_t i = 0; i < message.size; ++i) {
    if (!expect(bytes[i] == pattern(arrival.stamp, i),
                "byte {} of message {} ({} bytes) is not what was sent", i, arrival.stamp.number,
                message.size))
      return;
  }
}

bool Rank::place(void* context, const btl::Message& head, btl::Placement& out) noexcept {
  assert_no_locks_held();
  auto& self = *static_cast<Rank*>(context);
  self.says_its_rail(head, true);
  expect(head.header_size >= sizeof(Stamp), "a place was asked for without the header of the message");
  self.placed_.assign(head.size, kUnset);
  out = {self.placed_.data(), self.placed_.data()};
  if (head.size != 0) ++self.places_open_;
  return head.size != 0;
}

void Rank::abandon(void* context, const btl::Message& head) noexcept {
  assert_no_locks_held();
  auto& self = *static_cast<Rank*>(context);
  expect(head.placed == self.placed_.data(), "what is given up does not say the place that it had");
  --self.places_open_;
}

}  // namespace hawser::check
