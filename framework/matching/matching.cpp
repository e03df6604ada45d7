// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "framework/matching/matching.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <tuple>

#include "framework/matching/assignment.hpp"
#include "framework/matching/judge.hpp"

namespace hawser::matching {
namespace {

// Solves with ours as the left list.
class Task {
 public:
  explicit Task(const Question& question) : question_(question) { outcome_.judged = judge_all(question); }

  Outcome solve() {
    keep_least_doubt();
    join_interfaces();
    return std::move(outcome_);
  }

 private:
  // A doubtful way is used only if there is no better one: it may be a black hole.
  void keep_least_doubt() {
    std::optional<std::uint32_t> least;
    for (const Judged& judged : outcome_.judged) {
      if (judged.verdict == Verdict::kOutmatched && (!least || judged.doubt < *least)) least = judged.doubt;
    }
    for (Judged& judged : outcome_.judged) {
      if (judged.verdict == Verdict::kOutmatched && judged.doubt > *least)
        judged.verdict = Verdict::kDoubtful;
    }
  }

  void join_interfaces() {
    const auto rows = number_interfaces(question_.ours);
    const auto columns = number_interfaces(question_.theirs);
    CostTable table(rows.count, columns.count);
    std::vector<Judged*> best(rows.count * columns.count, nullptr);
    for (Judged& judged : outcome_.judged) {
      if (judged.verdict != Verdict::kOutmatched) continue;
      Judged*& slot = best[rows.of[judged.ours] * columns.count + columns.of[judged.theirs]];
      if (slot && slot->cost <= judged.cost) {
        judged.verdict = Verdict::kBetterAddress;
        continue;
      }
      if (slot) slot->verdict = Verdict::kBetterAddress;
      slot = &judged;
      table.at(rows.of[judged.ours], columns.of[judged.theirs]) = judged.cost;
    }
    const auto assigned = assign(table);
    for (std::size_t row = 0; row < assigned.size(); ++row) {
      if (!assigned[row]) continue;
      Judged& judged = *best[row * columns.count + *assigned[row]];
      judged.verdict = Verdict::kPaired;
      outcome_.pairs.push_back({judged.ours, judged.theirs, judged.cost});
    }
    std::sort(outcome_.pairs.begin(), outcome_.pairs.end(), [](const Pair& a, const Pair& b) {
      return std::tie(a.cost, a.ours, a.theirs) < std::tie(b.cost, b.ours, b.theirs);
    });
  }

  struct Numbered {
    std::vector<std::size_t> of;  // interface of each candidate, numbered in the order of first address
    std::size_t count = 0;
  };
  static Numbered number_interfaces(const std::vector<Candidate>& list) {
    Numbered result;
    std::map<std::uint32_t, std::size_t> seen;
    for (const Candidate& candidate : list) {
      result.of.push_back(seen.try_emplace(candidate.nic, seen.size()).first->second);
    }
    result.count = seen.size();
    return result;
  }

  const Question& question_;
  Outcome outcome_;
};

std::vector<std::size_t> order_by_address(const std::vector<Candidate>& list) {
  std::vector<std::size_t> order(list.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const auto key = [](const Candidate& c) {  // all there is, as the order given must not matter
      return std::tuple(c.address, c.nic, c.prefix, c.speed_mbps, c.properties, c.locality);
    };
    return key(list[a]) < key(list[b]);
  });
  return order;
}

std::vector<Candidate> reorder(const std::vector<Candidate>& list, const std::vector<std::size_t>& order) {
  std::vector<Candidate> result;
  result.reserve(order.size());
  for (const std::size_t at : order) result.push_back(list[at]);
  return result;
}

}  // namespace

Candidate candidate_of(const interfaces::Interface& interface) {
  return {interface.address,    interface.prefix,     interface.index,
          interface.speed_mbps, interface.properties, interface.locality};
}

// Both sides solve the same task: lists in the order of addresses, the lower rank's on the left.
Outcome match(const Question& question) {
  const auto our_order = order_by_address(question.ours);
  const auto their_order = order_by_address(question.theirs);
  Question sorted{reorder(question.ours, our_order),
                  reorder(question.theirs, their_order),
                  question.same_node,
                  true,
                  question.our_routes,
                  question.their_routes};
  const bool swap = !question.we_are_lower;
  if (swap) {
    std::swap(sorted.ours, sorted.theirs);
    std::swap(sorted.our_routes, sorted.their_routes);
  }
  Outcome outcome = Task(sorted).solve();
  const auto restore = [&](auto& item) {
    if (swap) std::swap(item.ours, item.theirs);
    item.ours = our_order[item.ours];
    item.theirs = their_order[item.theirs];
  };
  for (Pair& pair : outcome.pairs) restore(pair);
  for (Judged& judged : outcome.judged) restore(judged);
  return outcome;
}

}  // namespace hawser::matching
