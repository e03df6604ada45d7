// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "components/tcp/wireup.hpp"

#include <algorithm>

#include "framework/base/hooks.hpp"
#include "framework/btl/component.hpp"

namespace hawser::tcp {
namespace {

std::vector<matching::Candidate> candidates_of(const Blob& blob) {
  std::vector<matching::Candidate> result;
  for (const Published& address : blob.addresses) result.push_back(address.candidate);
  return result;
}

}  // namespace

Endpoint* Peer::find(std::uint16_t our_module, std::uint16_t their_module) const noexcept {
  for (const auto& endpoint : endpoints) {
    if (endpoint->module().index() == our_module && endpoint->facts().their_module == their_module)
      return endpoint.get();
  }
  return nullptr;
}

Result<const btl::Proc*> Wireup::proc_of(std::uint32_t rank) {
  char why[btl::kReasonSize] = "";
  const btl::Proc* proc = context_.host.proc(rank, why, sizeof why);
  if (!proc) return make_error(Errc::kNotFound, "nothing is known of rank {}: {}", rank, why);
  return proc;
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

Result<std::unique_ptr<Peer>> Wireup::make_peer(std::uint32_t rank) {
  const std::uint32_t own_rank = context_.host.job().rank;
  if (rank == own_rank) {
    return make_error(Errc::kUnreachable, "tcp does not reach the process itself; component \"self\" does");
  }
  const auto own = proc_of(own_rank);
  if (!own) return own.error();
  const auto proc = proc_of(rank);
  if (!proc) return proc.error();
  const auto theirs = blob_of(rank);
  if (!theirs) return theirs.error();
  matching::Question question;
  question.ours = candidates_of(ours_);
  question.theirs = candidates_of(*theirs);
  question.same_node = btl::same_node(**own, **proc);
  question.we_are_lower = own_rank < rank;
  const matching::Outcome outcome = matching::match(question);
  if (outcome.pairs.empty()) {
    return make_error(Errc::kUnreachable, "no pair of addresses joins us with rank {} on {}: {}", rank,
                      (*proc)->host, matching::explain(question, outcome));
  }
  if (context_.host.logs(btl::LogLevel::kDebug)) {
    context_.log(btl::LogLevel::kDebug, "rank {} on {}: {} pairs; not used: {}", rank, (*proc)->host,
                 outcome.pairs.size(), matching::explain(question, outcome, 32));
  }
  auto peer = std::make_unique<Peer>();
  peer->rank = rank;
  peer->incarnation = theirs->incarnation;
  build_endpoints(*peer, *theirs, **proc, outcome.pairs);
  HAWSER_HOOK("tcp.before_publish");
  return peer;
}

// The endpoints of all modules, before anybody can find any of them. Link i goes with link i; the smaller
// number of links counts on both sides.
void Wireup::build_endpoints(Peer& peer, const Blob& theirs, const btl::Proc& proc,
                             const std::vector<matching::Pair>& pairs) {
  const unsigned links = std::min(ours_.links, theirs.links);
  for (const matching::Pair& pair : pairs) {
    const Published& here = ours_.addresses[pair.ours];
    const Published& there = theirs.addresses[pair.theirs];
    for (unsigned link = 0; link < links && peer.endpoints.size() < btl::kMaxRails; ++link) {
      RailFacts facts;
      facts.rank = peer.rank;
      facts.incarnation = theirs.incarnation;
      facts.their_module = static_cast<std::uint16_t>(pair.theirs * theirs.links + link);
      facts.host = proc.host;
      facts.local = interfaces::socket_address(here.candidate.address, 0, here.candidate.nic);
      facts.remote = interfaces::socket_address(there.candidate.address, there.port, here.candidate.nic);
      peer.endpoints.push_back(
          std::make_unique<Endpoint>(context_, *modules_[pair.ours * ours_.links + link], std::move(facts)));
      HAWSER_HOOK("tcp.between_rails");
    }
  }
}

}  // namespace hawser::tcp
