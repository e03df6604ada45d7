// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "framework/interfaces/interface.hpp"

namespace hawser::matching {

/// One published address, as both sides know it. Nothing that only one side can see may enter the matching,
/// or the two sides would disagree.
struct Candidate {
  interfaces::IpAddress address;  // as published
  unsigned prefix = 0;            // bits of its network
  std::uint32_t nic = 0;          // addresses of the same value share an interface
  std::uint32_t speed_mbps = 0;   // 0: unknown
  std::uint32_t properties = 0;   // interfaces::Property
  interfaces::Locality locality = interfaces::Locality::kUnknown;  // as its own side sees it
};

/// What is published of an interface.
Candidate candidate_of(const interfaces::Interface& interface);

/// Why a pair of addresses is, or is not, among the pairs.
enum class Verdict : std::uint8_t {
  kPaired,
  kFamily,            // IPv4 against IPv6
  kLoopbackOffNode,   // loopback reaches only this node
  kLoopbackAndOther,  // loopback against another interface
  kOwnAddress,        // both sides have it: we would reach ourselves
  kDoubtful,          // a pair with less against it exists
  kBetterAddress,     // the same two interfaces are joined by a better pair of addresses
  kOutmatched,        // one of the interfaces is in another pair
};
const char* to_text(Verdict verdict) noexcept;

/// How the two addresses of a pair reach each other, best first; of the two directions the worse one.
enum class Way : std::uint8_t {
  kNotAsked,      // the pair cannot be used anyway
  kSameNode,      // routes do not matter
  kSameNetwork,   // each lies in the network of the other
  kUnknown,       // other networks, and no side told its routes
  kOnLink,        // other networks, but routed without a gateway
  kRouted,        // by a route of that network, through the pair's own interface
  kDefaultRoute,  // only by default, through the pair's own interface
  kElsewhere,     // a side sends to that address through another interface
  kNoRoute,       // a side told its routes, and has none to that address
};
/// "routed through another interface"; "" for kNotAsked.
const char* to_text(Way way) noexcept;

/// What became of one combination of addresses.
struct Judged {
  std::size_t ours = 0;                // index into Question::ours
  std::size_t theirs = 0;              // index into Question::theirs
  Verdict verdict = Verdict::kFamily;  // used, or why not
  std::uint32_t doubt = 0;             // what speaks against the pair; only the pairs of least doubt are used
  std::uint32_t cost = 0;              // among those, the least total cost wins
  Way way = Way::kNotAsked;            // how it would go
};

/// Two addresses that are to be joined.
struct Pair {
  std::size_t ours = 0;    // index into Question::ours
  std::size_t theirs = 0;  // index into Question::theirs
  std::uint32_t cost = 0;  // as in Judged

  /// All members.
  bool operator==(const Pair&) const = default;
};

/// The answer, and how it was found.
struct Outcome {
  std::vector<Pair> pairs;     // cheapest first, then by address
  std::vector<Judged> judged;  // every combination of addresses, and what became of it
};

/// Both lists and what the two processes share.
struct Question {
  std::vector<Candidate> ours;    // of this process
  std::vector<Candidate> theirs;  // of the peer
  bool same_node = false;         // same kernel and network namespace
  bool we_are_lower =
      false;  // our rank is the lower one: fixes who is who, so that both sides solve the same task
  /// As published, through whatever interface; empty: unknown, which is neutral. Route::interface is a
  /// Candidate's nic. What they say counts between different networks: joined by specific routes of both
  /// sides through these very interfaces, by default routes (less), or not.
  std::vector<interfaces::Route> our_routes = {};
  std::vector<interfaces::Route> their_routes = {};  // likewise
};

/// Pairs interfaces of two processes: as many pairs as possible, each interface at most once, least total
/// cost. A pure function; the other side's answer is the mirror image.
Outcome match(const Question& question);

/// What a pair's doubt and cost are made of: "10 Gbit/s, far NUMA node (ours), routed, tunnel (both ends)";
/// for a pair that cannot be used, why.
std::string describe(const Question& question, const Judged& judged);

/// "10.9.0.1 - 172.17.0.1: ..." for each combination that was not used, best first, at most `limit` of them.
std::string explain(const Question& question, const Outcome& outcome, std::size_t limit = 8);

}  // namespace hawser::matching
