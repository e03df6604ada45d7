// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/fakes/fake_rail.hpp"

#include <cstring>
#include <utility>

namespace hawser::fakes {

using btl::Posted;

Posted FakeRail::take(Frame frame, btl::Descriptor* descriptor) {
  std::lock_guard lock(mutex_);
  if (dead_) return Posted::kUnreachable;
  const How how = mood ? mood() : How::kTaken;
  if (how == How::kNoRoom) return Posted::kNoResource;
  if (!deaf_) way_.push_back(std::move(frame));
  if (how == How::kTaken || !descriptor) return Posted::kDone;
  held_.push_back(descriptor);
  return Posted::kPending;
}

Posted FakeRail::sendi(btl::Endpoint&, btl::Head head, const void* data, std::size_t size) noexcept {
  return take({head.tag,
               {static_cast<const char*>(head.bytes), head.size},
               std::string(static_cast<const char*>(data ? data : ""), size)},
              nullptr);
}

Posted FakeRail::send(btl::Endpoint&, btl::Descriptor& descriptor) noexcept {
  Frame frame{descriptor.tag, {reinterpret_cast<const char*>(descriptor.header), descriptor.header_size}, {}};
  for (std::uint32_t i = 0; i < descriptor.data_count; ++i) {
    frame.data.append(static_cast<const char*>(descriptor.data[i].iov_base), descriptor.data[i].iov_len);
  }
  return take(std::move(frame), &descriptor);
}

std::ptrdiff_t FakeRail::take(btl::Endpoint&, btl::Head head, void* memory, std::size_t room,
                              unsigned) noexcept {
  std::lock_guard lock(mutex_);
  ++looks;
  if (way_.empty()) return -1;
  const Frame& next = way_.front();
  const bool is_it = next.tag == head.tag && next.data.size() <= room &&
                     next.header == std::string(static_cast<const char*>(head.bytes), head.size);
  if (!is_it) return -1;
  const auto size = static_cast<std::ptrdiff_t>(next.data.copy(static_cast<char*>(memory), room));
  way_.pop_front();
  ++taken;
  return size;
}

void FakeRail::break_sender(Errc status) {
  std::deque<btl::Descriptor*> held;
  {
    std::lock_guard lock(mutex_);
    dead_ = true;
    held.swap(held_);
  }
  for (btl::Descriptor* each : held) each->on_complete(*each, status);
}

void FakeRail::fail(Errc status, const char* text) {
  break_sender(status);
  host->rail_failed(rank, *this, endpoint_, status, text);
}

std::size_t FakeRail::held() noexcept {
  std::lock_guard lock(mutex_);
  return held_.size();
}

std::size_t FakeRail::on_way() noexcept {
  std::lock_guard lock(mutex_);
  return way_.size();
}

void FakeRail::complete(std::size_t index) {
  btl::Descriptor* held = nullptr;
  {
    std::lock_guard lock(mutex_);
    held = held_[index];
    held_.erase(held_.begin() + static_cast<std::ptrdiff_t>(index));
  }
  held->on_complete(*held, Errc::kOk);
}

btl::Message FakeRail::message_of(const Frame& frame, void* placed) noexcept {
  std::memcpy(header_, frame.header.data(), frame.header.size());
  return {rank,
          frame.tag,
          static_cast<std::uint8_t>(frame.header.size()),
          header_,
          placed ? place_.memory : frame.data.data(),
          frame.data.size(),
          placed,
          this,
          &endpoint_};
}

void FakeRail::hand_up(const Frame& frame, void* placed) {
  host->handlers().deliver(message_of(frame, placed));
}

FakeRail::Frame FakeRail::pull(std::size_t index, bool stays) {
  std::lock_guard lock(mutex_);
  Frame frame = way_[index];
  if (!stays) way_.erase(way_.begin() + static_cast<std::ptrdiff_t>(index));
  return frame;
}

void FakeRail::arrive(std::size_t index, bool stays) {
  hand_up(pull(index, stays), nullptr);
}

void FakeRail::begin_placing(std::size_t index) {
  read_ = pull(index, false);
  const btl::Handler& handler = host->handlers().entries[read_.tag];
  place_ = {};
  if (!handler.place || !handler.place(handler.context, message_of(read_, nullptr), place_)) {
    return hand_up(read_, nullptr);
  }
  placing_ = true;
  std::memcpy(place_.memory, read_.data.data(), read_.data.size() / 2);
}

void FakeRail::finish_placing() {
  placing_ = false;
  const std::size_t half = read_.data.size() / 2;
  std::memcpy(static_cast<char*>(place_.memory) + half, read_.data.data() + half, read_.data.size() - half);
  const Frame frame = std::move(read_);
  hand_up(frame, place_.cookie);
}

void FakeRail::break_receiver() {
  {
    std::lock_guard lock(mutex_);
    deaf_ = true;
    way_.clear();
  }
  if (!std::exchange(placing_, false)) return;
  const btl::Handler& handler = host->handlers().entries[read_.tag];
  if (handler.abandon) handler.abandon(handler.context, message_of(read_, place_.cookie));
}

void FakeRail::abandon(btl::Endpoint&) noexcept {
  ++abandoned;
  break_sender(Errc::kUnreachable);
  break_receiver();
}

}  // namespace hawser::fakes
