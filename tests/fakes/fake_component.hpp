// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "framework/btl/component.hpp"

namespace hawser::fakes {

/// A component whose rails the test changes as it likes; every rank is reached over all of them. The loader
/// gets it through the plug-in `fake`, which hands out the object that `btl_fake_object` names.
class FakeComponent : public btl::Component {
 public:
  virtual ~FakeComponent() = default;

  /// The rails from now on; the test says `host->rails_changed` itself.
  std::vector<btl::Reach::Rail> rails;
  Errc why_not = Errc::kUnreachable;  // while there are none
  btl::Host* host = nullptr;
  int asked = 0;

  /// For the parameter `btl_fake_object`.
  std::string address() {
    char text[32];
    std::snprintf(text, sizeof text, "%p", static_cast<void*>(static_cast<btl::Component*>(this)));
    return text;
  }

  Errc open(btl::Host& lent, char*, std::size_t) noexcept override {
    host = &lent;
    return Errc::kOk;
  }
  std::size_t module_count() const noexcept override { return 0; }
  btl::Module& module(std::size_t) noexcept override { __builtin_unreachable(); }
  void add_procs(std::uint32_t, btl::Reach& reach) noexcept override {
    ++asked;
    if (on_asked) on_asked(*this);
    for (const btl::Reach::Rail& rail : rails) reach.rails[reach.count++] = rail;
    if (rails.empty()) {
      reach.status = why_not;
      std::snprintf(reach.reason, sizeof reach.reason, "no cable is plugged in");
    }
  }
  void release_peer(std::uint32_t) noexcept override {}
  int progress() noexcept override { return on_progress ? on_progress() : 0; }
  bool arm() noexcept override { return true; }
  void disarm() noexcept override {}
  bool flushed() noexcept override { return true; }
  void close() noexcept override {}

  /// In the middle of add_procs, before it answers.
  void (*on_asked)(FakeComponent& self) = nullptr;
  /// In every pass of the progress role.
  std::function<int()> on_progress;
};

}  // namespace hawser::fakes
