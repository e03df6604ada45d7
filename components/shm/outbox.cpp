// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "components/shm/outbox.hpp"

#include <utility>

namespace hawser::shm {

void Outbox::push(btl::Descriptor& message) noexcept {
  waiting_.push_back(message);
  bytes_ += message.data_size;
}

int Outbox::pump(RingSender& ring, Fifo<btl::Descriptor>& done) noexcept {
  int puts = 0;
  while (!waiting_.empty() && put_front(ring) == Put::kDone) {
    ++puts;
    if (begun_) continue;
    btl::Descriptor& sent = *waiting_.pop_front();
    bytes_ -= sent.data_size;
    done.push_back(sent);
  }
  return puts;
}

// The next put of the first message; the last one leaves `begun_` false.
Put Outbox::put_front(RingSender& ring) noexcept {
  const btl::Descriptor& message = *waiting_.front();
  const btl::Head head{message.header, message.header_size, message.tag};
  if (message.data_size <= ring.piece())
    return ring.put(head, message.data, message.data_count, message.data_size);
  if (!begun_) rest_ = {message.data, 0, message.data_size};
  const Put put = ring.put_piece(begun_ ? nullptr : &head, rest_, true);
  if (put == Put::kDone) begun_ = rest_.size != 0;
  return put;
}

Fifo<btl::Descriptor> Outbox::take_all() noexcept {
  bytes_ = 0;
  begun_ = false;
  return std::move(waiting_);
}

}  // namespace hawser::shm
