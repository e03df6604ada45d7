// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "framework/base/clock.hpp"
#include "framework/loader/loader.hpp"
#include "framework/mca/registry.hpp"
#include "tools/check/check.hpp"
#include "tools/check/expect.hpp"
#include "tools/check/host.hpp"
#include "tools/check/parcel.hpp"

namespace hawser::check {

/// What arrived.
struct Arrival {
  std::uint32_t from;
  Stamp stamp;
  std::uint8_t header_size;
};

/// What a rank is told of the check that it takes part in.
struct Part {
  const Subject& subject;
  Board& board;
  Shape shape;
  std::uint32_t rank;
  std::uint32_t ranks;  // processes
  std::uint32_t size;   // of the job, as the component sees it
  bool stranger = false;
};

/// One rank under test: the component, found and opened by the real loader, in a host of the kit. Threads may
/// call `try_sendi`, `reach` and `host`; the rest belongs to the thread that makes progress.
class Rank {
 public:
  explicit Rank(const Part& part);
  ~Rank();

  /// Loads and opens, also again after close; the check fails if it does not.
  void open();
  /// As open, but gives the error.
  Result<void> try_open();

  Host& host() noexcept { return *host_; }
  Board& board() noexcept { return part_.board; }
  const Subject& subject() const noexcept { return part_.subject; }
  Shape shape() const noexcept { return part_.shape; }
  btl::Component& component() noexcept { return *component_; }
  const mca::Registry& registry() const noexcept { return registry_; }
  /// The minor version of the interface that the plug-in was built for.
  std::uint32_t minor() const noexcept { return loader_.minor_of(*component_); }
  std::uint32_t own() const noexcept { return part_.rank; }
  std::uint32_t ranks() const noexcept { return part_.ranks; }
  std::uint32_t peer() const noexcept { return part_.ranks == 1 ? 0 : part_.rank ^ 1u; }
  /// This process is not that rank, and only says so.
  bool is_stranger() const noexcept { return part_.stranger; }
  bool sends() const noexcept { return own() == 0; }
  bool receives() const noexcept { return own() == 1 || ranks() == 1; }

  /// The first rail to the peer, or to `rank`; the check fails without one.
  btl::Reach::Rail rail();
  btl::Reach::Rail rail_to(std::uint32_t rank);
  btl::Reach reach(std::uint32_t rank);
  const btl::Attributes& attributes() { return rail().module->attributes(); }

  /// One pass of component and event loop.
  int pass();
  void passes(int count);
  /// Passes until `done()`; the check fails and ends if nothing moves in any rank for too long.
  template <class Done>
  void until(Done&& done, const char* what) {
    std::uint64_t moves = board().moves.load(std::memory_order_relaxed);
    Deadline deadline = Clock::now() + subject().patience;
    while (!done()) {
      pass();
      if (board().over.load(std::memory_order_relaxed)) throw Stop{};
      const std::uint64_t now = board().moves.load(std::memory_order_relaxed);
      if (now != moves) deadline = Clock::now() + subject().patience;
      moves = now;
      require(Clock::now() < deadline,
              "waited {} s for {}, and nothing moved meanwhile; {} messages had come here before",
              subject().patience.count(), what, arrivals_.size());
    }
  }
  /// Sleeps as the engine does: arm, wait for the event loop, disarm. Gives the milliseconds slept.
  std::int64_t sleep(int limit_ms);

  /// One try over the first rail.
  btl::Posted try_sendi(const Stamp& stamp, std::uint8_t header_bytes = sizeof(Stamp));
  btl::Posted try_send(Parcel& parcel);
  /// Posts, again after progress as long as there is no room. What the last post said.
  btl::Posted sendi(const Stamp& stamp, std::uint8_t header_bytes = sizeof(Stamp));
  btl::Posted send(Parcel& parcel);
  /// The message is sent, or the check ends.
  void say(const Stamp& stamp) { say_over(rail(), stamp); }
  void say_over(btl::Reach::Rail way, const Stamp& stamp);
  /// As send; the check ends if it is refused for good.
  btl::Posted send_whole(Parcel& parcel);
  /// Until that parcel, if it pends, is completed.
  void settle(Parcel& parcel, btl::Posted posted);

  /// Takes nothing and sends nothing until `done()`.
  template <class Done>
  void stand_still(Done&& done) {
    while (!done()) {
      if (board().over.load()) throw Stop{};
      std::this_thread::yield();
    }
  }
  /// Until so many messages arrived.
  void await(std::size_t count);
  /// The answer to a post, or the outcome of a descriptor, in words; if the rail is gone, with what the
  /// component reports of it. That comes after the completions, so progress goes on for a while.
  std::string told(btl::Posted posted);
  std::string told(Errc outcome);
  /// `stamp` with no more data than an immediate send of `module` may have.
  static Stamp fitted(const Stamp& stamp, const btl::Module& module) noexcept;

  /// Exactly `count` messages arrived, numbered from 0; in order, if the component promises that.
  void expect_each_once(std::size_t count);

  /// A message each way, so that both know the other.
  void meet();
  /// Meets the other ranks; progress goes on.
  void barrier(const char* what);
  std::uint64_t counter(const char* name);
  /// The end of a good run: everything flushed, barrier, close, and nothing to complain of.
  void finish();
  void close();
  std::uint64_t flag(std::size_t index) { return board().flags[index].load(); }
  void set_flag(std::size_t index, std::uint64_t value = 1) { board().flags[index] = value; }

  const std::vector<Arrival>& arrivals() const noexcept { return arrivals_; }
  /// Messages for which a place was given, and that neither came nor were given up.
  int places_open() const noexcept { return places_open_; }
  std::uint64_t refusals() const noexcept { return refusals_.load(); }
  /// Called inside each delivery, at its end.
  void (*on_delivery)(Rank& self) noexcept = nullptr;

 private:
  static void deliver(void* context, const btl::Message& message) noexcept;
  static bool place(void* context, const btl::Message& head, btl::Placement& out) noexcept;
  static void abandon(void* context, const btl::Message& head) noexcept;
  void take(const btl::Message& message) noexcept;
  std::string loss();
  void note(btl::Posted posted) noexcept;
  bool says_its_rail(const btl::Message& message, bool must) noexcept;

  const Part part_;
  mca::Registry registry_;
  loader::Loader loader_;
  std::unique_ptr<Host> host_;
  bool discovered_ = false;
  btl::Component* component_ = nullptr;
  btl::Module* module_ = nullptr;  // of the first rail, once it was asked for
  btl::Endpoint* endpoint_ = nullptr;
  std::vector<Arrival> arrivals_;
  std::vector<unsigned char> placed_;
  int places_open_ = 0;
  std::atomic<std::uint64_t> refusals_{0};
  std::uint32_t barriers_ = 0;
  bool waited_for_loss_ = false;
};

const char* to_text(btl::Posted posted) noexcept;

}  // namespace hawser::check
