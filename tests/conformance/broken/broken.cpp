// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include <sys/eventfd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "framework/btl/parts.hpp"
#include "tests/conformance/broken/broken.hpp"

namespace hawser::broken {

Fault g_fault = Fault::kNone;

void delivering(bool on) noexcept;

namespace {

/// In the order of Fault.
constexpr const char kNames[] =
    "none|limits_crossed|nameless|counters_in_own_order|counters_asleep|open_without_reason|reach_without_"
    "reason|"
    "reach_varies|reach_foreign_module|reach_dead_rail|reach_early|reach_one_at_a_time|wrong_byte|empty_is_"
    "lost|"
    "place_without_rail|overtakes|tag_bent|wrong_sender|completes_inside|completes_never|completes_twice|"
    "sends_late|"
    "owner_changed|touches_after_completion|lock_in_delivery|lock_in_completion|refuses_in_delivery|"
    "refused_but_sent|newcomers_pass|flushed_too_early|never_idle|arm_is_blind|room_is_not_told|"
    "thread_is_not_told|transfer_short|cries_wolf|reports_twice|reports_others|abandon_ignored|descriptor_"
    "leak|"
    "memory_leak|keeps_back|pieces_cut|abandon_untold|goodbye_dropped|release_breaks|place_"
    "forgotten|taken_past_room|taken_twice|taken_from_the_gone";

const mca::ParamRow kRows[] = {
    mca::param_string("target", &g_params.target, "self", 9, "the good component that is wrapped"),
    mca::param_choice("fault", &g_params.fault, "none", kNames, 9, "the promise that is broken"),
};

Fault fault_named(const char* name) noexcept {
  int number = 0;
  const std::size_t length = std::strlen(name);
  for (const char* at = kNames; at; ++number) {
    const char* end = std::strchr(at, '|');
    const std::size_t size = end ? static_cast<std::size_t>(end - at) : std::strlen(at);
    if (size == length && std::strncmp(at, name, size) == 0) return static_cast<Fault>(number);
    at = end ? end + 1 : nullptr;
  }
  return Fault::kNone;
}

}  // namespace

Kept::Kept(const btl::Message& from)
    : message(from),
      header(static_cast<const char*>(from.header), from.header_size),
      data(from.size ? std::string(static_cast<const char*>(from.data), from.size) : std::string()) {}

void Kept::hand_up(const btl::Handler& handler) noexcept {
  alignas(8) char aligned[btl::kMaxHeader];
  std::memcpy(aligned, header.data(), header.size());
  message.header = aligned;
  message.data = data.data();
  message.placed = nullptr;
  handler.deliver(handler.context, message);
}

Errc Component::open(btl::Host& host, char* why, std::size_t why_size) noexcept {
  g_fault = fault_named(g_params.fault);
  if (is(Fault::kDescriptorLeak)) static_cast<void>(::eventfd(0, 0));
  if (is(Fault::kMemoryLeak)) {
    auto* lost = static_cast<volatile char*>(std::malloc(65536));
    if (lost) lost[0] = 1;
  }
  const Errc status = wrap::Component::open(host, why, why_size);
  if (is(Fault::kOpenWithoutReason)) why[0] = '\0';
  if (status == Errc::kOk) static_cast<void>(module(0));
  return status;
}

std::unique_ptr<wrap::Module> Component::make_module(btl::Module& wrapped) {
  auto made = std::make_unique<Module>(*this, wrapped);
  ours_.push_back(made.get());
  return made;
}

void Component::spoil(std::uint32_t rank, btl::Reach& reach) {
  std::lock_guard guard(mutex_);
  auto& first = static_cast<wrap::Endpoint&>(*reach.rails[0].endpoint);
  seen_ = &first;
  if (is(Fault::kReachVaries)) {
    extra_.push_back(std::make_unique<wrap::Endpoint>(first.module, first.inner, rank));
    reach.rails[0].endpoint = extra_.back().get();
  }
  if (is(Fault::kReachForeignModule)) {
    if (!foreign_) foreign_ = std::make_unique<wrap::Module>(*this, first.module.inner());
    reach.rails[0].module = foreign_.get();
  }
  if (is(Fault::kReachDeadRail)) {
    if (extra_.empty()) extra_.push_back(std::make_unique<wrap::Endpoint>(first.module, first.inner, rank));
    reach.rails[reach.count++] = {reach.rails[0].module, extra_.back().get()};
  }
}

bool Component::leads_nowhere(const btl::Endpoint& endpoint) noexcept {
  std::lock_guard guard(mutex_);
  return is(Fault::kReachDeadRail) && !extra_.empty() && extra_.back().get() == &endpoint;
}

void Component::add_procs(std::uint32_t rank, btl::Reach& reach) noexcept {
  const bool alone = inside_.fetch_add(1) == 0;
  const bool slow = is(Fault::kReachEarly) || is(Fault::kReachOneAtATime);
  if (slow && alone) std::this_thread::sleep_for(std::chrono::milliseconds(20));
  if (is(Fault::kReachOneAtATime) && !alone) {
    reach.status = Errc::kUnreachable;
    std::snprintf(reach.reason, sizeof reach.reason, "busy with another peer");
  } else {
    wrap::Component::add_procs(rank, reach);
    // Found by the others before it was whole.
    if (is(Fault::kReachEarly) && !alone && !made_) reach.count = 0;
    if (alone) made_ = true;
  }
  if (is(Fault::kReachWithoutReason) && reach.count == 0) reach.reason[0] = '\0';
  if (reach.count != 0) spoil(rank, reach);
  inside_.fetch_sub(1);
}

int Component::progress() noexcept {
  ++passes_;
  const bool due = !is(Fault::kFlushedTooEarly) || passes_ % 4096 == 0;
  for (Module* module : ours_) {
    if (due) module->catch_up();
  }
  if (is(Fault::kCriesWolf) && seen_ && delivered_ != 0 && passes_ % 500 == 0)
    wrap::Component::rail_failed(*seen_, Errc::kPeerGone, "wolf");
  return wrap::Component::progress();
}

bool Component::arm() noexcept {
  if (is(Fault::kNeverIdle)) return wrap::Component::arm() && false;
  if (is(Fault::kArmIsBlind)) return true;
  return wrap::Component::arm();
}

void Component::disarm() noexcept {
  if (!is(Fault::kArmIsBlind)) wrap::Component::disarm();
}

bool Component::flushed() noexcept {
  bool behind = false;
  for (Module* module : ours_) behind |= module->behind();
  const bool honest = !is(Fault::kFlushedTooEarly) && !is(Fault::kCompletesNever);
  return wrap::Component::flushed() && !(honest && behind);
}

void Component::deliver(const btl::Handler& handler, const btl::Message& message) noexcept {
  if (deserted.load() && message.endpoint == deserted.load()) return;
  ++delivered_;
  if (is(Fault::kOvertakes) && !held_back_ && delivered_ % 100 == 50) {
    held_back_ = std::make_unique<Kept>(message);
    return;
  }
  Kept spoiled(message);
  if (is(Fault::kWrongByte) && message.size > 4000) spoiled.data.back() ^= 1;
  if (is(Fault::kWrongSender)) spoiled.message.rank = (message.rank + 1) % outer_host().job().size;
  if (is(Fault::kLockInDelivery)) lock.lock();
  delivering(true);
  message.placed ? wrap::Component::deliver(handler, message) : spoiled.hand_up(handler);
  delivering(false);
  if (is(Fault::kLockInDelivery)) lock.unlock();
  if (auto late = std::move(held_back_)) late->hand_up(handler);
}

bool Component::place(const btl::Handler& handler, const btl::Message& told, btl::Placement& out) noexcept {
  btl::Message head = told;
  if (is(Fault::kPlaceWithoutRail)) head.module = nullptr;
  return wrap::Component::place(handler, head, out);
}

void Component::abandon(const btl::Handler& handler, const btl::Message& head) noexcept {
  if (!is(Fault::kPlaceForgotten)) wrap::Component::abandon(handler, head);
}

void Component::release_peer(std::uint32_t rank) noexcept {
  if (is(Fault::kReleaseBreaks)) seen_->module.inner().abandon(seen_->inner);
  wrap::Component::release_peer(rank);
}

void Component::close() noexcept {
  if (!is(Fault::kGoodbyeDropped) || !full) wrap::Component::close();
}

void Component::rail_failed(wrap::Endpoint& endpoint, Errc status, const char* text) noexcept {
  wrap::Component::rail_failed(endpoint, status, text);
  if (is(Fault::kReportsTwice)) wrap::Component::rail_failed(endpoint, status, text);
  if (!is(Fault::kReportsOthers)) return;
  for (wrap::Endpoint* other = newest(); other; other = other->older) {
    if (other != &endpoint) wrap::Component::rail_failed(*other, status, text);
  }
}

}  // namespace hawser::broken

HAWSER_BTL_COMPONENT_FLAGS("broken", "1.0", hawser::broken::kRows,
                           &hawser::btl::create<hawser::broken::Component>,
                           &hawser::btl::destroy<hawser::broken::Component>, ::hawser::btl::kOnlyByName);
