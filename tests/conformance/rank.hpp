// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "framework/base/clock.hpp"
#include "framework/loader/loader.hpp"
#include "framework/mca/registry.hpp"
#include "tests/conformance/fake_host.hpp"

namespace hawser::conformance {

/// What the program was asked to test.
struct Subject {
  std::string component;
  std::string path;
  bool loopback = false;  // it connects a rank with itself only
  std::vector<mca::Setting> settings;
};
Subject& subject();

inline constexpr btl::Tag kTag = 7;        // delivered
inline constexpr btl::Tag kPlacedTag = 8;  // offers memory to read into
inline constexpr std::chrono::seconds kPatience{20};

/// In front of each message of the suite.
struct Stamp {
  std::uint32_t number;
  std::uint32_t stream;  // messages of one stream arrive in order
  std::uint64_t size;    // of the data
};

/// Byte `i` of message `stamp`.
unsigned char pattern(const Stamp& stamp, std::size_t i) noexcept;
std::vector<unsigned char> make_data(const Stamp& stamp);

/// A message on its way, with what is known of its completion.
struct Parcel : btl::Descriptor {
  Parcel() { on_complete = &completed; }
  /// Fills header and data. `pieces`: how many parts the data is cut into.
  void fill(Stamp stamp, std::uint8_t header_bytes = sizeof(Stamp), std::size_t pieces = 1);

  std::atomic<int> completions{0};
  std::atomic<Errc> outcome{Errc::kOk};
  std::vector<unsigned char> bytes;
  std::vector<iovec> parts;

 private:
  static void completed(btl::Descriptor& self, Errc status) noexcept;
};

/// What arrived.
struct Arrival {
  Stamp stamp;
  std::uint8_t header_size;
};

/// One rank under test: the component, opened through the loader, in a fake host.
class Rank {
 public:
  Rank(Board& board, std::uint32_t rank, std::uint32_t size);
  ~Rank();

  FakeHost& host() noexcept { return host_; }
  btl::Component& component() noexcept { return *component_; }
  std::uint32_t own() const noexcept { return own_; }
  std::uint32_t peer() const noexcept { return subject().loopback ? own_ : 1 - own_; }
  bool sends() const noexcept { return own_ == 0; }
  bool receives() const noexcept { return own_ == 1 || subject().loopback; }

  /// The first rail to the peer; the test fails without one.
  btl::Reach::Rail rail();
  btl::Reach reach(std::uint32_t rank);

  /// One pass of component and event loop.
  int pass();
  /// Passes until `done()`, or the test fails.
  template <class Done>
  bool until(Done&& done, const char* what) {
    const Deadline deadline = Clock::now() + kPatience;
    while (!done()) {
      pass();
      if (Clock::now() > deadline) {
        ADD_FAILURE() << "rank " << own_ << " waited too long: " << what;
        return false;
      }
    }
    return true;
  }
  /// Sleeps as the engine does: arm, wait for the event loop, disarm. Gives the milliseconds slept.
  std::int64_t sleep(int limit_ms);

  /// Posts, again after progress as long as there is no room. What the last post said.
  btl::Posted sendi(Stamp stamp, std::uint8_t header_bytes = sizeof(Stamp));
  btl::Posted send(Parcel& parcel);
  /// As sendi, and the test fails if it is not done.
  void say(Stamp stamp) { EXPECT_EQ(sendi(stamp), btl::Posted::kDone); }
  /// One try.
  btl::Posted try_sendi(const Stamp& stamp, std::uint8_t header_bytes = sizeof(Stamp));
  btl::Posted try_send(Parcel& parcel);
  /// Until that parcel, if it pends, is completed.
  void settle(Parcel& parcel, btl::Posted posted);

  /// Meets the other rank; progress goes on.
  void barrier(const char* what);
  std::uint64_t counter(const char* name);
  /// Tells of the end: everything flushed, barrier, close. What a good run must not show is checked.
  void finish();
  void close();

  const std::vector<Arrival>& arrivals() const noexcept { return arrivals_; }
  std::uint64_t refusals() const noexcept { return refusals_; }

 private:
  static void deliver(void* context, const btl::Message& message) noexcept;
  static bool place(void* context, const btl::Message& head, btl::Placement& out) noexcept;
  static void abandon(void* context, const btl::Message& head) noexcept;
  void take(const btl::Message& message);

  const std::uint32_t own_;
  FakeHost host_;
  mca::Registry registry_;
  loader::Loader loader_;
  btl::Component* component_ = nullptr;
  btl::Module* module_ = nullptr;  // of the first rail, once it was asked for
  btl::Endpoint* endpoint_ = nullptr;
  std::vector<Arrival> arrivals_;
  std::vector<unsigned char> placed_;
  std::uint64_t refusals_ = 0;
  std::uint32_t barriers_ = 0;
  bool closed_ = false;
};

}  // namespace hawser::conformance
