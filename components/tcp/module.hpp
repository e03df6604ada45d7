// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "components/tcp/endpoint.hpp"
#include "components/tcp/frame.hpp"
#include "framework/interfaces/interface.hpp"

namespace hawser::tcp {

/// One address of one interface, and one of the links over it.
class Module final : public btl::Module {
 public:
  /// `name`: of the address, unique; "eth0".
  Module(const Params& params, const interfaces::Interface& interface, const std::string& name,
         std::uint16_t index, unsigned link);

  const char* name() const noexcept override { return name_.c_str(); }
  const btl::Attributes& attributes() const noexcept override { return attributes_; }
  btl::Posted sendi(btl::Endpoint& endpoint, btl::Head head, const void* data,
                    std::size_t size) noexcept override {
    return static_cast<Endpoint&>(endpoint).sendi(head, data, size);
  }
  btl::Posted send(btl::Endpoint& endpoint, btl::Descriptor& descriptor) noexcept override {
    return static_cast<Endpoint&>(endpoint).send(descriptor);
  }
  void abandon(btl::Endpoint& endpoint) noexcept override { static_cast<Endpoint&>(endpoint).abandon(); }
  btl::Rdma* rdma(btl::Endpoint&) noexcept override { return nullptr; }  // Handler::place serves that purpose
  btl::CounterView counters() const noexcept override {
    return {kCounterInfo, counters_.data(), ModuleCounters::kSize};
  }

  std::uint16_t index() const noexcept { return index_; }
  ModuleCounters& own_counters() noexcept { return counters_; }
  /// Largest frame of an immediate send, bytes.
  std::size_t largest_frame() const noexcept {
    return kFrameSize + btl::kMaxHeader + attributes_.eager_limit;
  }

 private:
  const std::string name_;
  const std::uint16_t index_;
  btl::Attributes attributes_;
  ModuleCounters counters_;
};

}  // namespace hawser::tcp
