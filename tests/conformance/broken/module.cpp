// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include <limits.h>

#include <cstring>

#include "tests/conformance/broken/broken.hpp"

namespace hawser::broken {

using btl::Posted;

namespace {

thread_local bool t_delivering = false;

btl::Attributes spoiled(btl::Attributes a) noexcept {
  if (is(Fault::kLimitsCrossed)) a.eager_limit = a.max_send_size + 1;
  return a;
}

}  // namespace

void delivering(bool on) noexcept {
  t_delivering = on;
}

Module::Module(Component& component, btl::Module& wrapped)
    : wrap::Module(component, wrapped), component_(component), attributes_(spoiled(wrapped.attributes())) {}

const char* Module::name() const noexcept {
  return is(Fault::kNameless) ? "" : wrap::Module::name();
}

btl::CounterView Module::counters() const noexcept {
  static const std::atomic<std::uint64_t> kZeros[64]{};
  static CounterInfo other_order[64];
  btl::CounterView view = wrap::Module::counters();
  if (is(Fault::kCountersAsleep)) view.values = kZeros;
  if (is(Fault::kCountersInOwnOrder)) {
    for (std::size_t i = 0; i < view.count; ++i) other_order[i] = view.info[view.count - 1 - i];
    view.info = other_order;
  }
  return view;
}

Posted Module::put_off(btl::Endpoint& endpoint, btl::Head head, const void* data, std::size_t size) noexcept {
  const auto* bytes = static_cast<const char*>(data);
  const bool reads_late = is(Fault::kSendsLate);
  std::lock_guard lock(mutex_);
  late_.push_back({&endpoint, std::string(static_cast<const char*>(head.bytes), head.size), head.tag,
                   reads_late ? data : nullptr,
                   reads_late ? std::string(size, '\0') : std::string(size ? bytes : "", size), nullptr});
  return Posted::kDone;
}

Posted Module::put_off(btl::Endpoint& endpoint, btl::Descriptor& d) noexcept {
  std::string data;
  for (std::uint32_t i = 0; i < d.data_count; ++i)
    data.append(static_cast<const char*>(d.data[i].iov_base), d.data[i].iov_len);
  std::lock_guard lock(mutex_);
  late_.push_back({&endpoint, std::string(reinterpret_cast<const char*>(d.header), d.header_size), d.tag,
                   nullptr, data, &d});
  return Posted::kPending;
}

bool Module::behind() noexcept {
  std::lock_guard lock(mutex_);
  return !late_.empty();
}

void Module::catch_up() noexcept {
  if (is(Fault::kCompletesNever) || is(Fault::kKeepsBack)) return;
  std::vector<Late> late;
  {
    std::lock_guard lock(mutex_);
    late.swap(late_);
  }
  for (std::size_t i = 0; i < late.size(); ++i) {
    Late& one = late[i];
    if (one.theirs) std::memcpy(one.data.data(), one.theirs, one.data.size());
    const btl::Head head{one.header.data(), static_cast<std::uint32_t>(one.header.size()), one.tag};
    if (wrap::Module::sendi(*one.endpoint, head, one.data.data(), one.data.size()) == Posted::kNoResource) {
      std::lock_guard lock(mutex_);
      late_.insert(late_.begin(), late.begin() + static_cast<std::ptrdiff_t>(i), late.end());
      return;
    }
    if (!one.completes) continue;
    if (is(Fault::kLockInCompletion)) component_.lock.lock();
    one.completes->on_complete(*one.completes, Errc::kOk);
    if (is(Fault::kLockInCompletion)) component_.lock.unlock();
    if (is(Fault::kCompletesTwice)) one.completes->on_complete(*one.completes, Errc::kOk);
    if (is(Fault::kTouchesAfterCompletion)) one.completes->on_complete = nullptr;
  }
}

Posted Module::sendi(btl::Endpoint& endpoint, btl::Head head, const void* data, std::size_t size) noexcept {
  const unsigned number = ++posts_;
  if (is(Fault::kLockInDelivery) || is(Fault::kLockInCompletion)) std::lock_guard lock(component_.lock);
  if (is(Fault::kRefusesInDelivery) && t_delivering) return Posted::kUnreachable;
  if (component_.leads_nowhere(endpoint)) return Posted::kUnreachable;
  if (component_.deserted.load() == &endpoint) return Posted::kUnreachable;
  if (is(Fault::kKeepsBack) && head.may_wait) return put_off(endpoint, head, data, size);
  if (is(Fault::kRoomIsNotTold) && number % 50 == 0) return Posted::kNoResource;
  if (is(Fault::kSendsLate) || is(Fault::kFlushedTooEarly) || is(Fault::kThreadIsNotTold))
    return put_off(endpoint, head, data, size);
  const Posted posted = wrap::Module::sendi(endpoint, head, data, size);
  if (posted == Posted::kNoResource) component_.full = true;
  return is(Fault::kRefusedButSent) && number % 10 == 0 ? Posted::kNoResource : posted;
}

Posted Module::send(btl::Endpoint& endpoint, btl::Descriptor& d) noexcept {
  const unsigned number = ++posts_;
  const bool small = d.data_size <= attributes_.eager_limit;
  if (component_.deserted.load() == &endpoint) return Posted::kUnreachable;
  if (is(Fault::kPiecesCut) && d.data_count > IOV_MAX) {
    d.data_count = IOV_MAX;
    d.data_size = 0;
    for (std::uint32_t i = 0; i < d.data_count; ++i) d.data_size += d.data[i].iov_len;
  }
  if (is(Fault::kEmptyIsLost) && d.data_count == 0) return Posted::kDone;
  if (is(Fault::kCompletesNever)) return put_off(endpoint, d);
  const bool holds = is(Fault::kNewcomersPass) || is(Fault::kCompletesTwice) ||
                     is(Fault::kLockInCompletion) || is(Fault::kTouchesAfterCompletion);
  if (holds && small) return put_off(endpoint, d);
  if (is(Fault::kTagBent) && !component_.outer_host().handlers().entries[d.tag].deliver) d.tag = 7;
  const Posted posted = wrap::Module::send(endpoint, d);
  if (is(Fault::kCompletesInside) && posted == Posted::kDone) d.on_complete(d, Errc::kOk);
  if (is(Fault::kOwnerChanged)) d.owner = nullptr;
  return is(Fault::kRefusedButSent) && number % 5 == 0 ? Posted::kNoResource : posted;
}

void Module::abandon(btl::Endpoint& endpoint) noexcept {
  if (is(Fault::kAbandonUntold))
    component_.deserted = &endpoint;
  else if (!is(Fault::kAbandonIgnored))
    wrap::Module::abandon(endpoint);
}

btl::Taker* Module::inner_taker(btl::Endpoint& endpoint) noexcept {
  return inner().taker(static_cast<wrap::Endpoint&>(endpoint).inner);
}

btl::Taker* Module::taker(btl::Endpoint& endpoint) noexcept {
  return inner_taker(endpoint) ? this : nullptr;
}

std::ptrdiff_t Module::take(btl::Endpoint& endpoint, btl::Head head, void* memory, std::size_t room,
                            unsigned looks) noexcept {
  auto& peer = static_cast<wrap::Endpoint&>(endpoint);
  if (is(Fault::kTakenPastRoom)) room += 8;
  const std::ptrdiff_t size = inner_taker(endpoint)->take(peer.inner, head, memory, room, looks);
  if (is(Fault::kTakenFromTheGone) && size < 0) return 0;
  if (size < 0 || !is(Fault::kTakenTwice)) return size;
  const btl::Handler& handler = component_.outer_host().handlers().entries[head.tag];
  component_.deliver(handler, {peer.rank, head.tag, static_cast<std::uint8_t>(head.size), head.bytes, memory,
                               static_cast<std::size_t>(size), nullptr});
  return size;
}

Posted Module::get(btl::Endpoint& endpoint, void* local, std::uint64_t remote, const btl::RemoteKey& key,
                   std::size_t size, btl::Descriptor& descriptor) noexcept {
  const bool cut = is(Fault::kTransferShort) && size > 1;
  return wrap::Module::get(endpoint, local, remote, key, size - cut, descriptor);
}

Posted Module::put(btl::Endpoint& endpoint, const void* local, std::uint64_t remote,
                   const btl::RemoteKey& key, std::size_t size, btl::Descriptor& descriptor) noexcept {
  const bool cut = is(Fault::kTransferShort) && size > 1;
  return wrap::Module::put(endpoint, local, remote, key, size - cut, descriptor);
}

}  // namespace hawser::broken
