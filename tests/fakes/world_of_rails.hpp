// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tests/fakes/fake_component.hpp"
#include "tests/fakes/fake_rail.hpp"
#include "tests/fakes/world_of_one.hpp"

namespace hawser::fakes {

/// A world of one whose only way to itself are cables that the test holds. FAKE_FOLDER: where the plug-in is.
struct WorldOfRails {
  explicit WorldOfRails(const char* guard = "auto", const char* window = "512")
      : address(component.address()),
        world{{"btl", "fake"},
              {"mca_component_path", FAKE_FOLDER},
              {"btl_fake_object", address.c_str()},
              {"bml_guard", guard},
              {"bml_guard_window", window}} {
    world.bml->on_peer_failure({[](void* self, std::uint32_t, Errc status, const char* text) noexcept {
                                  auto& me = *static_cast<WorldOfRails*>(self);
                                  ++me.failures;
                                  me.failure = status;
                                  me.failure_text = text;
                                },
                                this});
  }

  FakeRail& make_rail(std::uint64_t eager = 1000, std::uint64_t most = 4000, std::uint32_t latency = 100,
                      std::uint32_t flags = btl::kFlagSend | btl::kFlagOrdered) {
    const btl::Attributes limits{1, flags, eager, eager, most, 1, most, latency, 1000};
    rails.push_back(std::make_unique<FakeRail>("fake/" + std::to_string(rails.size()), limits));
    rails.back()->host = world.runtime.get();
    return *rails.back();
  }
  /// The rails from now on; a peer that is wired up already is told.
  void set_rails(const std::vector<FakeRail*>& now) {
    component.rails.clear();
    for (FakeRail* rail : now) component.rails.push_back({rail, &rail->endpoint()});
    world.runtime->rails_changed(0);
  }
  bml::Bml& bml() { return *world.bml; }
  bml::Peer& peer() { return **world.bml->peer(0); }
  void progress() { world.runtime->engine().progress(); }

  FakeComponent component;
  const std::string address;
  int failures = 0;
  Errc failure = Errc::kOk;
  std::string failure_text;
  std::vector<std::unique_ptr<FakeRail>> rails;  // all there ever were
  WorldOfOne world;
};

/// A descriptor with a number in its header.
struct Numbered {
  btl::Descriptor descriptor;
  std::string bytes;
  iovec part{};
  int ends = 0;
  Errc status = Errc::kOk;

  Numbered(btl::Tag tag, std::uint32_t number, std::string data = {}) : bytes(std::move(data)) {
    std::memcpy(descriptor.header, &number, sizeof number);
    descriptor.header_size = sizeof number;
    descriptor.tag = tag;
    part = {bytes.data(), bytes.size()};
    descriptor.data = &part;
    descriptor.data_count = 1;
    descriptor.data_size = bytes.size();
    descriptor.owner = this;
    descriptor.on_complete = [](btl::Descriptor& self, Errc how) noexcept {
      auto& me = *static_cast<Numbered*>(self.owner);
      ++me.ends;
      me.status = how;
    };
  }
};

}  // namespace hawser::fakes
