// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "components/self/endpoint.hpp"
#include "components/self/module.hpp"
#include "framework/btl/component.hpp"

namespace hawser::self {

/// The way of a rank to itself. One module, one endpoint, no address to publish.
class Component final : public btl::Component {
 public:
  Errc open(btl::Host& host, char* why, std::size_t why_size) noexcept override;
  std::size_t module_count() const noexcept override { return 1; }
  btl::Module& module(std::size_t) noexcept override { return module_; }
  void add_procs(std::uint32_t rank, btl::Reach& reach) noexcept override;
  void release_peer(std::uint32_t rank) noexcept override;
  int progress() noexcept override { return module_.progress(); }
  bool arm() noexcept override { return module_.arm(); }
  void disarm() noexcept override { module_.disarm(); }
  bool flushed() noexcept override { return module_.flushed(); }
  void close() noexcept override { module_.drop_all(Errc::kShutdown); }

 private:
  btl::Host* host_ = nullptr;
  Module module_;
  Endpoint endpoint_;
};

}  // namespace hawser::self
