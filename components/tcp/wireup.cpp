// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "components/tcp/wireup.hpp"

#include <algorithm>

#include "components/tcp/hope.hpp"
#include "framework/base/hooks.hpp"
#include "framework/btl/peer_facts.hpp"

namespace hawser::tcp {
namespace {

std::vector<matching::Candidate> candidates_of(const Blob& blob) {
  std::vector<matching::Candidate> result;
  for (const Published& address : blob.addresses) result.push_back(address.candidate);
  return result;
}

}  // namespace

std::shared_ptr<Endpoint> Peer::find(std::uint16_t our_module, std::uint16_t their_module) const noexcept {
  for (const auto& endpoint : endpoints) {
    if (endpoint->module().index() == our_module && endpoint->facts().their_module == their_module &&
        !endpoint->facts().pairless())
      return endpoint;
  }
  return nullptr;
}

Result<Blob> Wireup::blob_of(std::uint32_t rank) {
  std::string bytes(4096, '\0');
  for (;;) {
    std::size_t size = 0;
    const Errc code = context_.host.modex_get(rank, kBlobKey, bytes.data(), bytes.size(), &size);
    if (code == Errc::kTruncated && size > bytes.size() && size <= kMaxBlob) {
      bytes.resize(size);
      continue;
    }
    if (code == Errc::kNotFound) return make_error(Errc::kUnreachable, "rank {} does not use tcp", rank);
    if (code != Errc::kOk) {
      return make_error(code, "the tcp addresses of rank {} are not to be had: {}", rank, to_text(code));
    }
    bytes.resize(size);
    auto blob = decode(bytes);
    if (!blob) return make_error(blob.error().code, "rank {}: {}", rank, blob.error().text);
    return blob;
  }
}

Result<Blob> Wireup::ask_again(std::uint32_t rank) {
  context_.host.modex_forget(rank);
  return blob_of(rank);
}

Result<std::unique_ptr<Peer>> Wireup::make_peer(std::uint32_t rank) {
  if (rank == context_.host.job().rank) {
    return make_error(Errc::kUnreachable, "tcp does not reach the process itself; component \"self\" does");
  }
  const auto proc = btl::proc_of(context_.host, rank);  // knows whether it ended before it published anything
  if (!proc) return proc.error();
  auto theirs = blob_of(rank);
  if (!theirs) return theirs.error();
  return compose(rank, std::make_shared<const Blob>(std::move(*theirs)), nullptr);
}

Result<std::unique_ptr<Peer>> Wireup::remake_peer(const Peer& old, std::shared_ptr<const Blob> theirs) {
  return compose(old.rank, std::move(theirs), &old);
}

Result<std::unique_ptr<Peer>> Wireup::compose(std::uint32_t rank, std::shared_ptr<const Blob> theirs,
                                              const Peer* old) {
  const std::uint32_t own_rank = context_.host.job().rank;
  const auto own = btl::proc_of(context_.host, own_rank);
  if (!own) return own.error();
  const auto proc = btl::proc_of(context_.host, rank);
  if (!proc) return proc.error();
  const auto ours = offer_.snapshot();
  matching::Question question;
  question.ours = candidates_of(*ours);
  question.theirs = candidates_of(*theirs);
  question.same_node = btl::same_node(**own, **proc);
  question.we_are_lower = own_rank < rank;
  question.our_routes = ours->routes;
  question.their_routes = theirs->routes;
  const matching::Outcome outcome = matching::match(question);
  if (outcome.pairs.empty() && !old) {
    const std::string why = why_hopeless(question, *ours, context_.params);
    if (!why.empty()) {
      return make_error(Errc::kUnreachable, "no pair of addresses joins us with rank {} on {}: {}; {}", rank,
                        (*proc)->host, why, matching::explain(question, outcome));
    }
  }
  if (context_.host.logs(btl::LogLevel::kDebug)) {
    context_.log(btl::LogLevel::kDebug, "rank {} on {}: {} pairs; not used: {}", rank, (*proc)->host,
                 outcome.pairs.size(), matching::explain(question, outcome, 32));
  }
  auto peer = std::make_unique<Peer>();
  peer->rank = rank;
  peer->our_generation = ours->generation;
  peer->host = (*proc)->host;
  peer->same_machine = std::equal((*own)->boot_id, std::end((*own)->boot_id), (*proc)->boot_id);
  peer->theirs = std::move(theirs);
  if (outcome.pairs.empty()) {
    if (old) peer->endpoints = old->endpoints;
    if (!old) peer->endpoints.push_back(wait_for_pair(*peer, *ours));
    Endpoint& first = *peer->endpoints.front();
    if (first.facts().pairless()) first.explain(matching::explain(question, outcome));
  } else {
    build_endpoints(*peer, *ours, outcome.pairs, old);
  }
  HAWSER_HOOK("tcp.before_publish");
  return peer;
}

// What is sent meanwhile waits there; it is made anew, with pairs, when an address comes on one side.
std::shared_ptr<Endpoint> Wireup::wait_for_pair(const Peer& peer, const Blob& ours) {
  RailFacts facts;
  facts.rank = peer.rank;
  facts.incarnation = peer.theirs->incarnation;
  facts.their_module = kNoModule;
  facts.host = peer.host;
  return std::make_shared<Endpoint>(context_, offer_.modules()[ours.addresses.front().first_module],
                                    std::move(facts));
}

std::unique_ptr<Peer> Wireup::revive_peer(const Peer& old) {
  auto peer = std::make_unique<Peer>();
  peer->rank = old.rank;
  peer->our_generation = old.our_generation.load(std::memory_order_relaxed);
  peer->host = old.host;
  peer->theirs = old.theirs;
  for (const auto& endpoint : old.endpoints) {
    peer->endpoints.push_back(endpoint);
    if (!endpoint->may_be_revived()) continue;
    auto fresh = std::make_shared<Endpoint>(context_, endpoint->module(), endpoint->facts());
    fresh->probe_for(*endpoint);
    peer->endpoints.back() = std::move(fresh);
  }
  return peer;
}

// The endpoints of all modules, before anybody can find any of them. Link i goes with link i; the smaller
// number of links counts on both sides.
void Wireup::build_endpoints(Peer& peer, const Blob& ours, const std::vector<matching::Pair>& pairs,
                             const Peer* old) {
  const unsigned links = std::min(ours.links, peer.theirs->links);
  for (const matching::Pair& pair : pairs) {
    const Published& here = ours.addresses[pair.ours];
    const Published& there = peer.theirs->addresses[pair.theirs];
    for (unsigned link = 0; link < links && peer.endpoints.size() < btl::kMaxRails; ++link) {
      const auto our_module = static_cast<std::uint16_t>(here.first_module + link);
      RailFacts facts;
      facts.their_module = static_cast<std::uint16_t>(there.first_module + link);
      auto endpoint = old ? old->find(our_module, facts.their_module) : nullptr;
      if (!endpoint) {
        facts.rank = peer.rank;
        facts.incarnation = peer.theirs->incarnation;
        facts.largest = peer.theirs->largest;
        facts.host = peer.host;
        facts.same_machine = peer.same_machine;
        facts.local = interfaces::socket_address(here.candidate.address, 0, here.candidate.nic);
        facts.remote = interfaces::socket_address(there.candidate.address, there.port, here.candidate.nic);
        endpoint = std::make_shared<Endpoint>(context_, offer_.modules()[our_module], std::move(facts));
      }
      peer.endpoints.push_back(std::move(endpoint));
      HAWSER_HOOK("tcp.between_rails");
    }
  }
  if (!old) return;
  for (const auto& endpoint : old->endpoints) {
    const std::uint16_t our_module = endpoint->module().index();
    const std::uint16_t their_module = endpoint->facts().their_module;
    const bool both_there = ours.offers(our_module) && peer.theirs->offers(their_module);
    if (both_there && endpoint->in_use() && !peer.find(our_module, their_module) &&
        peer.endpoints.size() < btl::kMaxRails) {
      peer.endpoints.push_back(endpoint);
    }
  }
}

}  // namespace hawser::tcp
