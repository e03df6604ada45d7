// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/fakes/fake_module.hpp"

#include <cstring>

namespace hawser::fakes {

namespace {

std::string bytes_of(const void* data, std::size_t size) {
  return size == 0 ? std::string() : std::string(static_cast<const char*>(data), size);
}

}  // namespace

btl::Posted FakeModule::ask(Kind kind, std::size_t size, std::uint64_t limit) {
  ++posts;
  if (size > limit) broke_contract = true;
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
