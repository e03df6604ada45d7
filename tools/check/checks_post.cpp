// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include "tools/check/groups.hpp"
#include "tools/check/rank.hpp"

// The answer to a post, and what follows from it.

namespace hawser::check {

namespace {

constexpr std::uint32_t kCount = 200;

std::size_t some_size(Rank& self, std::uint32_t i) {
  const std::size_t limit = std::min<std::size_t>(self.attributes().max_send_size, 200'000);
  return i % 4 == 3 ? limit : (i * 97ull) % std::min<std::size_t>(limit, 3000);
}

// Done: no callback. Pending: one. Whatever it was, the descriptor is as it was but for next and scratch.
void one_callback_if_pending(Rank& self) {
  self.open();
  if (self.sends()) {
    std::deque<Parcel> parcels;
    std::deque<btl::Posted> answers;
    for (std::uint32_t i = 0; i < kCount; ++i) {
      Parcel& parcel = parcels.emplace_back();
      parcel.fill({i, 0, some_size(self, i)}, 24, 1 + i % 3);
      answers.push_back(self.send(parcel));
    }
    self.until([&] { return self.component().flushed(); }, "everything to be flushed");
    for (std::uint32_t i = 0; i < kCount; ++i) self.settle(parcels[i], answers[i]);
    self.passes(200);
    for (std::uint32_t i = 0; i < kCount; ++i) {
      const int wanted = answers[i] == btl::Posted::kPending ? 1 : 0;
      expect(parcels[i].completions.load() == wanted, "a post answered {} and was completed {} times",
             to_text(answers[i]), parcels[i].completions.load());
      expect(parcels[i].outcome.load() == Errc::kOk, "a post on a good rail completed with: {}",
             self.told(parcels[i].outcome.load()));
    }
  }
  if (self.receives()) self.await(kCount);
  self.finish();
}

void bytes_are_ours_after_done(Rank& self) {
  self.open();
  if (self.sends()) {
    for (std::uint32_t i = 0; i < kCount; ++i) {
      if (i % 2 == 0) {
        const std::size_t size = std::min<std::size_t>(some_size(self, i), self.attributes().eager_limit);
        const btl::Posted posted = self.sendi({i, 0, size});  // which overwrites them at once
        require(posted == btl::Posted::kDone, "an immediate send answered {}", self.told(posted));
        continue;
      }
      Parcel parcel;
      parcel.fill({i, 0, some_size(self, i)});
      self.settle(parcel, self.send_whole(parcel));
      parcel.scribble();
    }
  }
  if (self.receives()) self.await(kCount);
  self.finish();
}

void descriptor_left_alone(Rank& self) {
  self.open();
  if (self.sends()) {
    for (std::uint32_t i = 0; i < kCount; ++i) {
      Parcel parcel;
      parcel.fill({i, 0, some_size(self, i)}, 24, 1 + i % 3);
      const btl::Posted posted = self.send(parcel);
      expect(parcel.untouched(),
             "a post that answered {} changed more of its descriptor than next and scratch", to_text(posted));
      self.settle(parcel, posted);
      expect(parcel.untouched(), "a completed descriptor is not what it was, but for next and scratch");
    }
  }
  if (self.receives()) self.await(kCount);
  self.finish();
}

// A descriptor that posts itself again when it completes, as long as it pends.
struct Chain {
  Rank* self;
  std::uint32_t posted = 0;
  bool idle = false;
};

void post_again(Parcel& parcel) noexcept {
  auto& chain = *static_cast<Chain*>(parcel.context);
  btl::Posted posted = btl::Posted::kNoResource;
  if (chain.posted < kCount) {
    parcel.fill({chain.posted, 0, parcel.data_size});
    posted = chain.self->try_send(parcel);
  }
  if (posted == btl::Posted::kPending || posted == btl::Posted::kDone) ++chain.posted;
  chain.idle = posted != btl::Posted::kPending;
}

void posted_again_inside(Rank& self) {
  self.open();
  self.barrier("both are open");
  if (self.sends()) {
    Chain chain{&self};
    const std::size_t size = std::min<std::size_t>(self.attributes().max_send_size, 100'000);
    Parcel parcel;
    parcel.then = &post_again;
    parcel.context = &chain;
    while (chain.posted < kCount) {
      parcel.fill({chain.posted++, 0, size});
      chain.idle = false;
      if (self.send_whole(parcel) != btl::Posted::kPending) continue;
      self.until([&] { return chain.idle; },
                 "the completion of a descriptor that was posted in a completion");
    }
  }
  if (self.receives()) self.await(kCount);
  self.finish();
}

// Another thread posts and asks while we are inside a callback: if a lock of the component is held here, it
// cannot get through.
constexpr std::chrono::seconds kLockPatience{2};

struct Visitor {
  std::mutex mutex;
  std::condition_variable back;
  bool done = false;
  btl::Posted posted = btl::Posted::kUnreachable;
};

/// What the other thread's post answered.
btl::Posted another_thread_gets_through(Rank& self, const char* where) noexcept {
  const auto way = self.rail();
  auto visitor = std::make_shared<Visitor>();
  std::thread([visitor, way, &self] {
    static_cast<void>(self.reach(self.peer()));
    const Stamp stamp = Rank::fitted({1000, 9, 8}, *way.module);
    const auto bytes = make_data(stamp);
    const btl::Posted posted =
        way.module->sendi(*way.endpoint, {&stamp, sizeof stamp, kTag}, bytes.data(), bytes.size());
    std::lock_guard lock(visitor->mutex);
    visitor->posted = posted;
    visitor->done = true;
    visitor->back.notify_one();
  }).detach();
  std::unique_lock lock(visitor->mutex);
  expect(visitor->back.wait_for(lock, kLockPatience, [&] { return visitor->done; }),
         "a lock is held inside {}: another thread could not post or ask meanwhile", where);
  return visitor->posted;
}

void no_lock_in_delivery(Rank& self) {
  self.open();
  self.on_delivery = [](Rank& rank) noexcept {
    if (rank.arrivals().back().stamp.number != 1) return;
    const btl::Posted posted = another_thread_gets_through(rank, "a delivery");
    rank.set_flag(rank.own(), posted == btl::Posted::kNoResource ? 2 : 1);
  };
  self.meet();
  self.say({1, self.own(), 100});
  self.until([&] { return self.flag(self.own()) != 0; }, "a delivery with a visitor");
  if (self.flag(self.own()) == 2) self.say({1000, self.own(), 8});  // the visitor was refused, as it may be
  self.await(3);                                                    // the first, this one, and the visitor's
  self.finish();
}

constexpr std::size_t kVisited = 4, kPosted = 5;

void visit_once(Parcel& done) noexcept {
  auto& self = *static_cast<Rank*>(done.context);
  if (self.board().flags[kVisited].exchange(1) == 0)
    static_cast<void>(another_thread_gets_through(self, "a completion"));
}

/// Some answer done to all that fits: posts until one pends, while the other side takes nothing.
void post_until_one_pends(Rank& self, std::deque<Parcel>& parcels) {
  constexpr int kTries = 100;  // refused for want of something that comes back soon
  btl::Posted posted = btl::Posted::kDone;
  for (std::uint32_t i = 1; i < 64 && posted == btl::Posted::kDone; ++i) {
    Parcel& parcel = parcels.emplace_back();
    parcel.fill({i, 0, self.attributes().max_send_size});
    parcel.context = &self;
    parcel.then = &visit_once;
    posted = self.try_send(parcel);
    for (int tries = 0; tries < kTries && posted == btl::Posted::kNoResource; ++tries) {
      self.pass();
      posted = self.try_send(parcel);
    }
  }
  self.set_flag(kPosted);
  self.settle(parcels.back(), posted);
}

void no_lock_in_completion(Rank& self) {
  self.open();
  self.meet();
  std::deque<Parcel> parcels;
  if (self.sends()) {
    post_until_one_pends(self, parcels);
  } else {
    self.stand_still([&] { return self.flag(kPosted) != 0; });
  }
  self.barrier("the completion");
  self.until([&] { return self.component().flushed(); }, "everything to be flushed");
  self.barrier("all sent");
  self.close();
  if (self.flag(kVisited) == 0) skip("none of its sends pended");
}

// A handler may post, also to the one whose message it handles.
void post_from_delivery(Rank& self) {
  constexpr std::uint32_t kLast = 50;
  self.open();
  self.on_delivery = [](Rank& rank) noexcept {
    const auto& last = rank.arrivals().back().stamp;
    if (last.number == 0 || last.number >= kLast) return;
    const btl::Posted posted = rank.try_sendi({last.number + 1, rank.own(), 64});
    expect(posted == btl::Posted::kDone || posted == btl::Posted::kNoResource,
           "a post inside a delivery answered {}", to_text(posted));
    if (posted == btl::Posted::kNoResource) rank.set_flag(2);
  };
  self.meet();
  if (self.sends()) self.say({1, 0, 64});
  self.until(
      [&] {
        if (self.arrivals().back().stamp.number + 1 >= kLast) self.set_flag(1);
        return self.flag(1) != 0 || self.flag(2) != 0;
      },
      "an answer that was posted inside a delivery");
  self.until([&] { return self.component().flushed(); }, "everything to be flushed");
  self.barrier("all answered");
  self.close();
}

constexpr Check kChecks[] = {
    {"post.one_callback_if_pending",
     "A post that answers pending is completed exactly once, one that answers done never, and none inside "
     "the "
     "post.",
     kBoth, &one_callback_if_pending},
    {"post.bytes_are_copied",
     "After done, or after the completion, the bytes are the poster's again: what he writes there is not "
     "sent.",
     kBoth, &bytes_are_ours_after_done},
    {"post.descriptor_left_alone",
     "Of a descriptor the component changes next and scratch, and nothing else.", kBoth,
     &descriptor_left_alone},
    {"post.again_inside_completion", "A descriptor may be posted again inside its completion.", kBoth,
     &posted_again_inside},
    {"post.no_lock_in_delivery",
     "No lock is held in a delivery: another thread can post and ask for peers meanwhile.", kBoth,
     &no_lock_in_delivery},
    {"post.no_lock_in_completion",
     "No lock is held in a completion: another thread can post and ask for peers meanwhile.", kBoth,
     &no_lock_in_completion},
    {"post.inside_delivery", "A handler may post, also to the peer whose message it handles.", kBoth,
     &post_from_delivery},
};

}  // namespace

std::span<const Check> post_checks() {
  return kChecks;
}

}  // namespace hawser::check
