// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "components/tcp/module.hpp"

namespace hawser::tcp {
namespace {

constexpr std::uint32_t kUnknownSpeed = 10'000;   // Mbit/s
constexpr std::uint32_t kLoopbackSpeed = 40'000;  // Mbit/s
constexpr std::uint32_t kLoopbackFaster = 3;  // latency within a node, as a fraction of that between nodes

btl::Attributes attributes_of(const Params& params, const interfaces::Interface& interface) noexcept {
  const bool loopback = interface.has(interfaces::kLoopback);
  const std::uint32_t own = interface.speed_mbps ? interface.speed_mbps
                            : loopback           ? kLoopbackSpeed
                                                 : kUnknownSpeed;
  btl::Attributes a{};
  a.exclusivity = static_cast<std::uint32_t>(params.exclusivity);
  a.flags = btl::kFlagSend | btl::kFlagOrdered | btl::kFlagNeedsProgress;
  a.eager_limit = params.eager_limit;
  a.rndv_eager_limit = params.rndv_eager_limit;
  a.max_send_size = params.max_send_size;
  a.latency_ns = static_cast<std::uint32_t>(params.latency_us) * 1000;
  if (loopback) a.latency_ns /= kLoopbackFaster;
  a.bandwidth_mbps = params.bandwidth_mbps ? static_cast<std::uint32_t>(params.bandwidth_mbps) : own;
  return a;
}

}  // namespace

Module::Module(const Params& params, const interfaces::Interface& interface, const std::string& name,
               std::uint16_t index, unsigned link)
    : name_(fmt::format("tcp/{}#{}", name, link)),
      index_(index),
      attributes_(attributes_of(params, interface)) {}

}  // namespace hawser::tcp
