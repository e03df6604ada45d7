// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/fakes/fake_module.hpp"

#include <algorithm>
#include <cstring>

namespace hawser::fakes {

namespace {

std::string bytes_of(const void* data, std::size_t size) {
  return size == 0 ? std::string() : std::string(static_cast<const char*>(data), size);
}

}  // namespace

void FakeModule::next(btl::Posted posted, std::uint64_t times) {
  std::lock_guard lock(mutex_);
  script_.push_back({posted, times});
}

void FakeModule::always(btl::Posted posted) {
  std::lock_guard lock(mutex_);
  script_.assign(1, {posted, kForever});
}

bool FakeModule::scripted(btl::Posted& posted) {
  std::lock_guard lock(mutex_);
  if (script_.empty()) return false;
  Line& line = script_.front();
  posted = line.posted;
  if (line.times != kForever && --line.times == 0) script_.pop_front();
  return true;
}

btl::Posted FakeModule::ask(Kind kind, std::size_t size, std::uint64_t limit) {
  ++posts;
  if (size > limit) broke_contract = true;
  btl::Posted posted;
  if (scripted(posted)) return posted;
  return answer ? answer(kind, size) : btl::Posted::kDone;
}

void FakeModule::take(Sent message) {
  if (deliver) return deliver(message);
  std::lock_guard lock(mutex_);
  sent.push_back(std::move(message));
}

void FakeModule::take(const Held& held) {
  if (held.kind != Kind::kSend) {
    if (held.copy.size != 0) std::memcpy(held.copy.to, held.copy.from, held.copy.size);
    return;
  }
  const btl::Descriptor& d = *held.descriptor;
  Sent message{d.tag, bytes_of(d.header, d.header_size), {}};
  for (std::uint32_t i = 0; i < d.data_count; ++i) {
    message.data += bytes_of(d.data[i].iov_base, d.data[i].iov_len);
  }
  if (message.data.size() != d.data_size || d.header_size > btl::kMaxHeader) broke_contract = true;
  take(std::move(message));
}

btl::Posted FakeModule::hold(Kind kind, std::size_t size, std::uint64_t limit, btl::Descriptor& descriptor,
                             Copy copy) {
  const btl::Posted posted = ask(kind, size, limit);
  const Held held{&descriptor, kind, copy};
  if (posted == btl::Posted::kDone) take(held);
  if (posted == btl::Posted::kPending) {
    std::lock_guard lock(mutex_);
    held_.push_back(held);
  }
  return posted;
}

bool FakeModule::complete(std::size_t index, Errc status) {
  Held held{};
  {
    std::lock_guard lock(mutex_);
    if (index >= held_.size()) return false;
    held = held_[index];
    held_.erase(held_.begin() + static_cast<std::ptrdiff_t>(index));
  }
  if (status == Errc::kOk) take(held);
  held.descriptor->on_complete(*held.descriptor, status);
  return true;
}

bool FakeModule::complete_in(const std::vector<std::size_t>& order, Errc status) {
  std::vector<std::size_t> gone;
  for (const std::size_t index : order) {
    const auto before = std::count_if(gone.begin(), gone.end(), [=](std::size_t one) { return one < index; });
    if (!complete(index - static_cast<std::size_t>(before), status)) return false;
    gone.push_back(index);
  }
  return true;
}

bool FakeModule::arrive(const btl::HandlerTable& handlers, std::uint32_t rank, const Sent& message) {
  alignas(8) unsigned char header[btl::kMaxHeader];
  std::memcpy(header, message.header.data(), message.header.size());
  return handlers.deliver({rank, message.tag, static_cast<std::uint8_t>(message.header.size()), header,
                           message.data.data(), message.data.size(), nullptr, this, &endpoint});
}

std::size_t FakeModule::pending() {
  std::lock_guard lock(mutex_);
  return held_.size();
}

btl::Posted FakeModule::sendi(btl::Endpoint&, btl::Head head, const void* data, std::size_t size) noexcept {
  btl::Posted posted = ask(Kind::kSendi, size, attributes_.eager_limit);
  if (posted == btl::Posted::kPending) posted = btl::Posted::kNoResource;
  if (posted == btl::Posted::kDone) take({head.tag, bytes_of(head.bytes, head.size), bytes_of(data, size)});
  return posted;
}

btl::Posted FakeModule::send(btl::Endpoint&, btl::Descriptor& descriptor) noexcept {
  return hold(Kind::kSend, descriptor.data_size, attributes_.max_send_size, descriptor, {});
}

Errc FakeModule::register_memory(btl::Endpoint&, const void*, std::size_t, btl::RemoteKey& key) noexcept {
  key = {};
  ++registered;
  return Errc::kOk;
}

btl::Posted FakeModule::get(btl::Endpoint&, void* local, std::uint64_t remote, const btl::RemoteKey&,
                            std::size_t size, btl::Descriptor& descriptor) noexcept {
  return hold(Kind::kGet, size, attributes_.rdma_max_size, descriptor,
              {local, reinterpret_cast<const void*>(remote), size});
}

btl::Posted FakeModule::put(btl::Endpoint&, const void* local, std::uint64_t remote, const btl::RemoteKey&,
                            std::size_t size, btl::Descriptor& descriptor) noexcept {
  return hold(Kind::kPut, size, attributes_.rdma_max_size, descriptor,
              {reinterpret_cast<void*>(remote), local, size});
}

}  // namespace hawser::fakes
