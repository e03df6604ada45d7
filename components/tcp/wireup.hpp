// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "components/tcp/blob.hpp"
#include "components/tcp/endpoint.hpp"
#include "components/tcp/offer.hpp"
#include "framework/base/result.hpp"

namespace hawser::tcp {

/// A peer with the endpoints of all our modules to it. Immutable once published, but for what is inside the
/// endpoints, and what says something else. A peer whose rails change is published anew; endpoints of pairs
/// that stay are shared by the two.
struct Peer {
  std::uint32_t rank = 0;
  std::string host;
  bool same_machine = false;  // as ours
  std::vector<std::shared_ptr<Endpoint>> endpoints;
  std::atomic<std::uint32_t> our_generation{0};  // of our blob that they follow from; changes
  std::shared_ptr<const Blob> theirs;            // likewise; changes, progress role's own once published
  std::unique_ptr<Peer> next;                    // of those that were retired

  /// The endpoint of that pair of modules; null: there is none.
  std::shared_ptr<Endpoint> find(std::uint16_t our_module, std::uint16_t their_module) const noexcept;
};

/// Builds peers: identity and addresses from the modex, matching, and then every endpoint. Any thread; may
/// block on the modex up to its deadline.
class Wireup {
 public:
  Wireup(Context& context, const Offer& offer) noexcept : context_(context), offer_(offer) {}

  Result<std::unique_ptr<Peer>> make_peer(std::uint32_t rank);
  /// The same peer with what it publishes now, and what we do. Endpoints whose two addresses are still there
  /// are kept, also if matching would have others by now: what is under way on them is not lost. If no pair
  /// is left, the old endpoints are kept all.
  Result<std::unique_ptr<Peer>> remake_peer(const Peer& old, std::shared_ptr<const Blob> theirs);
  /// The same peer, as its rails are, with fresh endpoints for those that failed and may come back.
  std::unique_ptr<Peer> revive_peer(const Peer& old);
  /// Asks the modex anew.
  Result<Blob> ask_again(std::uint32_t rank);

 private:
  Result<Blob> blob_of(std::uint32_t rank);
  Result<std::unique_ptr<Peer>> compose(std::uint32_t rank, std::shared_ptr<const Blob> theirs,
                                        const Peer* old);
  std::shared_ptr<Endpoint> wait_for_pair(const Peer& peer, const Blob& ours);
  void build_endpoints(Peer& peer, const Blob& ours, const std::vector<matching::Pair>& pairs,
                       const Peer* old);

  Context& context_;
  const Offer& offer_;
};

}  // namespace hawser::tcp
