// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <set>
#include <thread>

#include "tools/check/groups.hpp"
#include "tools/check/rank.hpp"

// First contact.

namespace hawser::check {

namespace {

void absent_rank_is_refused(Rank& self) {
  self.open();
  const btl::Reach found = self.reach(self.ranks());
  expect(found.count == 0, "{} rails lead to a rank that published nothing", found.count);
  expect(found.status != Errc::kOk, "a rank without a way has the status ok");
  expect(found.reason[0] != '\0', "a rank without a way has no reason in words");
  expect(self.attributes().max_send_size > 0, "a refusal spoils another peer");
  self.barrier("first contact");
  self.finish();
}

void expect_same(const btl::Reach& one, const btl::Reach& other) {
  require(one.count == other.count, "add_procs answered {} rails, and {} to another caller", one.count,
          other.count);
  for (std::size_t r = 0; r < one.count; ++r) {
    require(one.rails[r].endpoint == other.rails[r].endpoint && one.rails[r].module == other.rails[r].module,
            "add_procs answered other endpoints to another caller, or in another order");
  }
}

void same_answer_every_time(Rank& self) {
  self.open();
  const btl::Reach first = self.reach(self.peer());
  require(first.count > 0, "no way to the peer: {}", first.reason);
  expect(first.status == Errc::kOk && first.reason[0] == '\0',
         "a reachable peer has status \"{}\", reason \"{}\"", to_text(first.status), first.reason);
  for (int i = 0; i < 10; ++i) expect_same(first, self.reach(self.peer()));
  self.barrier("first contact");
  self.finish();
}

void each_module_once(Rank& self) {
  self.open();
  const btl::Reach found = self.reach(self.peer());
  std::set<const btl::Module*> modules;
  for (std::size_t i = 0; i < self.component().module_count(); ++i)
    modules.insert(&self.component().module(i));
  std::set<const btl::Endpoint*> endpoints;
  require(found.count > 0 && found.count <= btl::kMaxRails, "{} rails lead to the peer", found.count);
  for (std::size_t r = 0; r < found.count; ++r) {
    expect(modules.count(found.rails[r].module) == 1, "rail {} is of a module that the component has not", r);
    require(found.rails[r].endpoint != nullptr, "rail {} has no endpoint", r);
    expect(endpoints.insert(found.rails[r].endpoint).second, "two rails have the same endpoint");
  }
  self.barrier("first contact");
  self.finish();
}

void every_rail_carries(Rank& self) {
  self.open();
  const btl::Reach found = self.reach(self.peer());
  require(found.count > 0, "no way to the peer: {}", found.reason);
  for (std::uint32_t r = 0; r < found.count; ++r) self.say_over(found.rails[r], {r, r, 64});
  self.board().flags[self.own()] = found.count;
  self.barrier("all rails used");
  self.await(self.flag(self.peer()));
  self.finish();
}

constexpr int kThreads = 64;

// All at once, and the other side too: whoever gets an answer gets all of it, and can send at once.
void many_threads_get_one_whole_set(Rank& self) {
  self.open();
  self.barrier("both are open");
  std::vector<btl::Reach> found(kThreads);
  std::vector<std::thread> threads;
  threads.reserve(kThreads);
  std::atomic<int> ready{0};
  std::atomic<int> finished{0};
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      ready.fetch_add(1);
      while (ready.load() < kThreads) std::this_thread::yield();
      found[static_cast<std::size_t>(i)] = self.reach(self.peer());
      finished.fetch_add(1);
    });
  }
  const auto all_back = [&] { return finished.load() == kThreads; };
  try {
    self.until(all_back, "all of 64 threads in add_procs");
  } catch (const Stop&) {
    for (auto& thread : threads) thread.detach();
    throw;
  }
  for (auto& thread : threads) thread.join();
  require(found[0].count > 0, "no way to the peer: {}", found[0].reason);
  for (const btl::Reach& one : found) expect_same(found[0], one);
  for (std::uint32_t r = 0; r < found[0].count; ++r) self.say_over(found[0].rails[r], {r, self.own(), 100});
  self.await(found[0].count);
  self.finish();
}

constexpr std::size_t kOpen = 0, kTurn = 1, kNone = 2;
constexpr std::uint32_t kStrangers = 99;  // the stream of what it sends
constexpr uid_t kNobody = 65534;

/// For a while, or until its rail is taken from it. It may fail in any way.
void try_as_stranger(Rank& self) {
  const Deadline end = Clock::now() + std::chrono::milliseconds(100);
  const btl::Reach found = self.reach(0);
  const Stamp stamp{0, kStrangers, 0};
  while (Clock::now() < end && self.host().failures().empty() && !self.board().over.load()) {
    for (std::size_t r = 0; r < found.count; ++r)
      static_cast<void>(
          found.rails[r].module->sendi(*found.rails[r].endpoint, {&stamp, sizeof stamp, kTag}, nullptr, 0));
    self.pass();
  }
}

/// Another user, so that the kernel can tell it from a rank; it has the addresses, and not the secret.
void be_stranger(Rank& self) {
  if (::geteuid() != 0) return;  // the ranks say why
  while (self.flag(kOpen) < 2) {
    if (self.board().over.load()) return;
    std::this_thread::yield();
  }
  self.open();
  if (::setresuid(kNobody, kNobody, kNobody) != 0) {
    const std::string cause = std::strerror(errno);
    self.set_flag(kNone);
    skip("no stranger can be made: root may not become user 65534 here (" + cause + "); test that yourself");
  }
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // lost with the user
  for (const std::uint64_t turn : {1, 3}) {
    while (self.flag(kTurn) != turn) {
      if (self.board().over.load()) return;
      self.pass();
    }
    try_as_stranger(self);
    self.set_flag(kTurn, turn + 1);
  }
  self.close();
}

/// Until it has had that turn.
void await_stranger(Rank& self, std::uint64_t turn) {
  self.until([&] { return self.flag(kTurn) == turn || self.flag(kNone) != 0; }, "the stranger");
  if (self.flag(kNone) != 0) throw Stop{};
}

void stranger_is_refused(Rank& self) {
  if (self.is_stranger()) return be_stranger(self);
  if (::geteuid() != 0) skip("a stranger of another user can be made by root alone; test that yourself");
  self.open();
  self.board().flags[kOpen].fetch_add(1);
  if (self.sends()) self.set_flag(kTurn, 1);  // first the stranger, while nobody has met
  await_stranger(self, 2);
  self.say({0, self.own(), 10});
  self.await(1);
  self.barrier("the first message each way");
  if (self.sends()) self.set_flag(kTurn, 3);  // then again, as one who is known
  await_stranger(self, 4);
  self.say({1, self.own(), 10});
  self.await(2);
  self.barrier("the second message each way");
  for (const Arrival& arrival : self.arrivals()) {
    expect(
        arrival.stamp.stream != kStrangers,
        "a message of a process that is not rank 1, is of another user and does not know the secret of the "
        "job was delivered as one of rank {}",
        arrival.from);
  }
  for (const Host::Failure& failure : self.host().failures())
    fail("a stranger cost a rank its rail: " + failure.text);
  self.close();
}

constexpr Check kChecks[] = {
    {"reach.says_why_not",
     "add_procs answers no rail to a rank that published nothing, with a status and a reason in words.",
     kBoth, &absent_rank_is_refused, nullptr, -1, 1},
    {"reach.same_answer", "add_procs answers the same rails every time, in the same order.", kBoth,
     &same_answer_every_time},
    {"reach.own_modules",
     "Every rail that add_procs answers is of a module of the component, and no endpoint comes twice.", kBoth,
     &each_module_once},
    {"reach.every_rail_carries", "Every rail that add_procs answers carries messages at once.", kBoth,
     &every_rail_carries},
    {"reach.whole_under_threads",
     "64 threads that ask for a new peer at once, while it asks too, all get the same whole set of rails.",
     kBoth, &many_threads_get_one_whole_set},
    {"reach.stranger_is_refused",
     "Nothing of a process is delivered that says it is a rank, is of another user and does not know the "
     "job's secret; and no rank loses a rail by it.",
     kPair, &stranger_is_refused, nullptr, -1, 0, true},
};

}  // namespace

std::span<const Check> reach_checks() {
  return kChecks;
}

}  // namespace hawser::check
