// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "components/shm/assembly.hpp"

#include <cstring>

namespace hawser::shm {

bool Assembly::begin(const btl::Message& head, const btl::HandlerTable& handlers) noexcept {
  head_ = head;
  std::memcpy(header_, head.header, head.header_size);
  head_.header = header_;
  received_ = 0;
  const btl::Handler& handler = handlers.entries[head.tag];
  btl::Placement place;
  if (handler.place && handler.place(handler.context, head_, place)) {
    head_.placed = place.cookie;
    memory_ = static_cast<unsigned char*>(place.memory);
  } else {
    own_.reset(static_cast<unsigned char*>(std::malloc(head_.size)));
    memory_ = own_.get();
  }
  return memory_ != nullptr;
}

bool Assembly::add(const void* data, std::size_t size) noexcept {
  if (size > head_.size - received_) return false;
  if (memory_) std::memcpy(memory_ + received_, data, size);
  received_ += size;
  return true;
}

// The handler may have this very rail given up: by then nothing is under way any more.
btl::Message Assembly::take() noexcept {
  btl::Message message = head_;
  message.data = memory_;
  memory_ = nullptr;
  return message;
}

void Assembly::deliver(const btl::HandlerTable& handlers) noexcept {
  handlers.deliver(take());
  own_.reset();
}

void Assembly::drop(const btl::HandlerTable& handlers) noexcept {
  if (!memory_) return;
  const btl::Message head = take();
  own_.reset();
  const btl::Handler& handler = handlers.entries[head.tag];
  if (head.placed && handler.abandon) handler.abandon(handler.context, head);
}

}  // namespace hawser::shm
