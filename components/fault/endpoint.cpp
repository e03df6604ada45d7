// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "components/fault/endpoint.hpp"

#include "components/fault/component.hpp"
#include "components/fault/module.hpp"
#include "components/fault/params.hpp"
#include "framework/base/clock.hpp"

namespace hawser::fault {

using btl::Posted;

Endpoint::Endpoint(Component& component, Module& module, btl::Endpoint& wrapped, std::uint32_t peer,
                   Fate fate)
    : wrap::Endpoint(module, wrapped, peer), inbox(component), its_(module), fate_(fate) {}

bool Endpoint::refuses() noexcept {
  if (!its_.suffers() || g_params.refuse == 0) return false;
  HotLock lock(mutex_);
  const std::uint64_t number = ++posts_;
  if (still_refused_ == 0 && fate_.hits(Rule::kRefuse, number, g_params.refuse))
    still_refused_ = g_params.refuse_run;
  if (still_refused_ == 0) return false;
  --still_refused_;
  return true;
}

Endpoint::Plan Endpoint::plan_for(std::uint64_t number) const noexcept {
  if (!its_.suffers()) return {};
  const Params& p = g_params;
  const bool last = p.reset_after != 0 && number == static_cast<std::uint64_t>(p.reset_after);
  return {fate_.hits(Rule::kDrop, number, p.drop),           fate_.hits(Rule::kDelay, number, p.delay),
          fate_.hits(Rule::kDuplicate, number, p.duplicate), fate_.hits(Rule::kReorder, number, p.reorder),
          last || fate_.hits(Rule::kReset, number, p.reset), p.short_write != 0};
}

Posted Endpoint::post(const Post& what) noexcept {
  if (broken()) return Posted::kUnreachable;
  if (refuses()) {
    its_.count(Counter::kRefused);
    return refused(0);
  }
  std::uint64_t number = 0;
  bool straight = false;
  {
    HotLock lock(mutex_);
    number = ++messages_;
    straight = queue_.empty() && !sending_ && !late_;
  }
  const Plan plan = plan_for(number);
  if (plan.reset || plan.drop) return lose(plan, what.size);
  const bool waits = plan.delay || plan.reorder || plan.pieces || !straight;
  return waits ? hold(what, plan, number) : send_straight(what, plan, number);
}

Posted Endpoint::lose(const Plan& plan, std::size_t size) noexcept {
  its_.count(plan.reset ? Counter::kResets : Counter::kDropped);
  const bool breaks = plan.reset || !g_params.silent;
  if (breaks && !broken_.exchange(true)) {
    phase_.store(Phase::kToGiveUp, std::memory_order_release);
    its_.component().stir();
  }
  return plan.reset ? Posted::kUnreachable : taken(size, Posted::kDone);
}

// A number that was not used is given to the next post, which is mostly the same message once more.
Posted Endpoint::refused(std::uint64_t number) noexcept {
  its_.count(Counter::kNoResource);
  its_.component().owe_room();
  HotLock lock(mutex_);
  if (number != 0 && messages_ == number) --messages_;
  return Posted::kNoResource;
}

Posted Endpoint::taken(std::size_t size, Posted answer) noexcept {
  its_.count(Counter::kMessagesSent);
  its_.count(Counter::kBytesSent, size);
  return answer;
}

Parcel* Endpoint::copy_of(const Post& what) noexcept {
  Parcel* parcel = its_.pool().take();
  if (!parcel) return nullptr;
  if (parcel->keep(what.head, what.pieces, what.count, what.size, its_.attributes().max_send_size)) {
    parcel->endpoint = this;
    parcel->on_complete = &completed;
    return parcel;
  }
  its_.pool().give_back(*parcel);
  return nullptr;
}

Posted Endpoint::send_straight(const Post& what, const Plan& plan, std::uint64_t number) noexcept {
  Parcel* twin = plan.duplicate ? copy_of(what) : nullptr;
  Posted posted = Posted::kNoResource;
  if (!what.original) {
    posted = its_.inner().sendi(inner, what.head, what.count ? what.pieces->iov_base : nullptr, what.size);
  } else if (Parcel* parcel = its_.pool().take()) {
    parcel->stand_in_for(*what.original);
    parcel->endpoint = this;
    parcel->on_complete = &completed;
    away_.fetch_add(1);
    posted = its_.inner().send(inner, *parcel);
    if (posted != Posted::kPending) {
      away_.fetch_sub(1);
      its_.pool().give_back(*parcel);
    }
  }
  const bool sent = posted == Posted::kDone || posted == Posted::kPending;
  if (!sent && twin) its_.pool().give_back(*twin);
  if (posted == Posted::kNoResource) return refused(number);
  if (!sent) return posted;
  if (twin) {
    its_.count(Counter::kDuplicated);
    HotLock lock(mutex_);
    enqueue(*twin, false);
  }
  return taken(what.size, posted);
}

Posted Endpoint::hold(const Post& what, const Plan& plan, std::uint64_t number) noexcept {
  Parcel* parcel = what.original ? its_.pool().take() : copy_of(what);
  if (!parcel) return refused(number);
  if (what.original) {
    parcel->stand_in_for(*what.original);
    parcel->endpoint = this;
    parcel->on_complete = &completed;
  }
  const std::uint64_t most = g_params.delay_ns + 1;
  if (plan.delay) parcel->due_ns = now_ns() + fate_.draw(Rule::kHowLong, number) % most;
  if (plan.delay) its_.count(Counter::kDelayed);
  Parcel* twin = plan.duplicate ? copy_of(what) : nullptr;
  {
    HotLock lock(mutex_);
    const bool overtaken = plan.reorder && !late_;
    if (overtaken) parcel->due_ns = now_ns() + g_params.delay_ns;
    if (overtaken) its_.count(Counter::kReordered);
    enqueue(*parcel, overtaken);
    if (twin) enqueue(*twin, false);
  }
  if (twin) its_.count(Counter::kDuplicated);
  return taken(what.size, what.original ? Posted::kPending : Posted::kDone);
}

void Endpoint::enqueue(Parcel& parcel, bool overtaken) noexcept {
  waiting_.fetch_add(1, std::memory_order_seq_cst);
  if (overtaken) {
    late_ = &parcel;
  } else {
    queue_.push_back(parcel);
    if (late_) {
      late_->due_ns = 0;  // it has been overtaken
      queue_.push_back(*late_);
    }
    late_ = nullptr;
  }
  its_.component().stir();
}

}  // namespace hawser::fault
