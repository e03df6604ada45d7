// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "components/tcp/blob.hpp"
#include "components/tcp/endpoint.hpp"
#include "components/tcp/module.hpp"
#include "framework/base/result.hpp"

namespace hawser::tcp {

/// A peer with the endpoints of all our modules to it. Immutable once published, but for what is inside the
/// endpoints.
struct Peer {
  std::uint32_t rank = 0;
  std::uint64_t incarnation = 0;
  std::vector<std::unique_ptr<Endpoint>> endpoints;

  /// The endpoint of that pair of modules; null: there is none.
  Endpoint* find(std::uint16_t our_module, std::uint16_t their_module) const noexcept;
};

/// Builds peers: identity and addresses from the modex, matching, and then every endpoint. Any thread; may
/// block on the modex up to its deadline.
class Wireup {
 public:
  Wireup(Context& context, const Blob& ours, const std::vector<std::unique_ptr<Module>>& modules) noexcept
      : context_(context), ours_(ours), modules_(modules) {}

  Result<std::unique_ptr<Peer>> make_peer(std::uint32_t rank);

 private:
  Result<const btl::Proc*> proc_of(std::uint32_t rank);
  Result<Blob> blob_of(std::uint32_t rank);
  void build_endpoints(Peer& peer, const Blob& theirs, const btl::Proc& proc,
                       const std::vector<matching::Pair>& pairs);

  Context& context_;
  const Blob& ours_;
  const std::vector<std::unique_ptr<Module>>& modules_;
};

}  // namespace hawser::tcp
