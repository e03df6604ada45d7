// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "components/fault/counters.hpp"
#include "components/fault/parcel.hpp"
#include "components/fault/wrap.hpp"
#include "framework/base/counters.hpp"

namespace hawser::fault {

class Component;

/// A module whose posts go through the rules. It counts by itself, so that what is held, lost or sent twice
/// is seen.
class Module final : public wrap::Module {
 public:
  Module(Component& component, btl::Module& wrapped);

  Component& component() const noexcept { return component_; }
  ParcelPool& pool() noexcept { return pool_; }
  /// Whether the rules hold for this rank and module.
  bool suffers() const noexcept { return suffers_; }
  void count(Counter counter, std::uint64_t n = 1) noexcept { counters_.add_shared(counter, n); }

  const btl::Attributes& attributes() const noexcept override { return attributes_; }
  btl::Posted sendi(btl::Endpoint& endpoint, btl::Head head, const void* data,
                    std::size_t size) noexcept override;
  btl::Posted send(btl::Endpoint& endpoint, btl::Descriptor& descriptor) noexcept override;
  void abandon(btl::Endpoint& endpoint) noexcept override;
  btl::CounterView counters() const noexcept override {
    return {kCounterInfo, counters_.data(), Counters<Counter>::kSize};
  }

 private:
  btl::Posted get(btl::Endpoint& endpoint, void* local, std::uint64_t remote, const btl::RemoteKey& key,
                  std::size_t size, btl::Descriptor& descriptor) noexcept override;
  btl::Posted put(btl::Endpoint& endpoint, const void* local, std::uint64_t remote, const btl::RemoteKey& key,
                  std::size_t size, btl::Descriptor& descriptor) noexcept override;
  btl::Posted refused() noexcept;

  Component& component_;
  const bool suffers_;
  const btl::Attributes attributes_;
  ParcelPool pool_;
  Counters<Counter> counters_;
};

}  // namespace hawser::fault
