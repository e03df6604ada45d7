// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/topo/scene.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <sstream>

#include "framework/mca/print.hpp"
#include "tools/topo/report.hpp"

namespace hawser::tools {

namespace {

using matching::Judged;
using matching::Verdict;

constexpr double kMargin = 24;
constexpr double kBetween = 430;  // from the left column to the right one
constexpr double kCardHead = 56;
constexpr double kCardPadding = 14;
constexpr double kBoxGap = 8;
constexpr double kHeadingHeight = 24;
constexpr std::size_t kWordsColumns = 50;     // characters of small text in a box
constexpr std::size_t kMostAddresses = 3;     // shown of one interface
constexpr std::size_t kMostLoserLines = 160;  // more is a grey cloud

std::vector<std::string> in_lines(const std::string& words, std::size_t columns) {
  std::vector<std::string> lines;
  std::istringstream in(mca::wrapped(words, "", columns));
  for (std::string line; std::getline(in, line);) {
    for (; line.size() > columns; line.erase(0, columns)) lines.push_back(line.substr(0, columns));
    lines.push_back(line);
  }
  return lines;
}

// The numbers of nodes first, then what is not known.
int node_order(const TopoNic& nic) {
  return nic.numa_node < 0 ? std::numeric_limits<int>::max() : nic.numa_node;
}

class Builder {
 public:
  Scene build(const TopoHost& host, const std::vector<Pairing>& pairings) {
    for (const auto& pairing : pairings) note_chosen(pairing);
    scene_.width = 2 * kMargin + column_width() + (pairings.empty() ? 0 : kBetween + column_width());
    const double left = add_card(host, kMargin, kMargin, card_of(host, nullptr));
    double right = kMargin;
    for (const auto& pairing : pairings) {
      const double x = kMargin + column_width() + kBetween;
      right = add_card(*pairing.theirs, x, right, card_of(*pairing.theirs, &pairing)) + kMargin;
    }
    scene_.height = std::max(left, pairings.empty() ? 0 : right - kMargin);
    center_left(scene_.height - left);
    for (const auto& pairing : pairings) add_lines(pairing);
    thin_out();
    return std::move(scene_);
  }

 private:
  static double column_width() { return kBoxWidth + 2 * kCardPadding; }

  // Beside several peers ours stands in the middle.
  void center_left(double room) {
    auto is_left = [](const auto& item) { return item.x < kMargin + column_width(); };
    for (auto& card : scene_.cards) card.y += is_left(card) ? room / 2 : 0;
    for (auto& heading : scene_.headings) heading.y += is_left(heading) ? room / 2 : 0;
    for (auto& box : scene_.boxes) box.y += is_left(box) ? room / 2 : 0;
  }

  void note_chosen(const Pairing& pairing) {
    for (const auto& pair : pairing.outcome.pairs) {
      const TopoNic* ours = pairing.our_ends[pair.ours].nic;
      const TopoNic* theirs = pairing.their_ends[pair.theirs].nic;
      chosen_.push_back(ours);
      chosen_.push_back(theirs);
      const auto place = ours - pairing.ours->nics.data();
      partner_[theirs] = node_order(*ours) == std::numeric_limits<int>::max() ? place + (1 << 24) : place;
    }
  }

  bool is_chosen(const TopoNic& nic) const { return std::ranges::find(chosen_, &nic) != chosen_.end(); }

  static SceneCard card_of(const TopoHost& host, const Pairing* pairing) {
    SceneCard card;
    card.title = host.name;
    if (!pairing) {
      card.subtitle = fmt::format("{} addresses used by tcp", host.used_addresses());
      return card;
    }
    const std::size_t pairs = pairing->outcome.pairs.size();
    const std::uint32_t links = std::min(pairing->ours->links, host.links);
    card.unreachable = pairs == 0;
    card.subtitle = pairing->same_node ? "on this node, " : "on another node, ";
    card.subtitle += pairs == 0 ? "no pair: tcp does not reach it"
                                : fmt::format("{} {}", pairs, pairs == 1 ? "pair" : "pairs");
    if (pairs != 0 && links > 1) card.subtitle += fmt::format(", {} connections each", links);
    return card;
  }

  // Answers the lower edge.
  double add_card(const TopoHost& host, double x, double y, SceneCard card) {
    card.x = x;
    card.y = y;
    double at = y + kCardHead;
    std::map<int, std::vector<const TopoNic*>> nodes;
    for (const auto& nic : host.nics) {
      if (nic.used()) nodes[node_order(nic)].push_back(&nic);
    }
    for (auto& [node, nics] : nodes) at = add_node(host, nics, nodes.size() > 1, x + kCardPadding, at);
    at = add_unused(host, x + kCardPadding, at);
    card.height = at + kCardPadding - kBoxGap - y;
    scene_.cards.push_back(card);
    return card.y + card.height;
  }

  double add_node(const TopoHost& host, std::vector<const TopoNic*>& nics, bool several, double x,
                  double at) {
    const TopoNic& first = *nics[0];
    if (several || first.numa_node >= 0) {
      const std::string where = numa_text(first);
      scene_.headings.push_back(
          {where.empty() ? "NUMA node unknown" : "NUMA node " + where, x, at + kHeadingHeight - 10});
      at += kHeadingHeight;
    }
    // Partners side by side, so that the lines cross little.
    std::ranges::stable_sort(
        nics, [this](const TopoNic* a, const TopoNic* b) { return rank_of(*a) < rank_of(*b); });
    for (const auto& group : folded(host.nics, chosen_)) {
      if (std::ranges::find(nics, group[0]) == nics.end() || group.size() == 1) continue;
      std::erase_if(nics, [&](const TopoNic* nic) {
        return nic != group[0] && std::ranges::find(group, nic) != group.end();
      });
      groups_[group[0]] = group;
    }
    for (const TopoNic* nic : nics) at = add_box(*nic, x, at);
    return at;
  }

  std::ptrdiff_t rank_of(const TopoNic& nic) const {
    const auto found = partner_.find(&nic);
    if (found != partner_.end()) return found->second;
    return is_chosen(nic) ? -1 : std::numeric_limits<std::ptrdiff_t>::max();
  }

  double add_box(const TopoNic& nic, double x, double at) {
    SceneBox box;
    const auto group = groups_.find(&nic);
    box.nics = group == groups_.end() ? std::vector<const TopoNic*>{&nic} : group->second;
    std::vector<std::string> names;
    for (const TopoNic* one : box.nics) names.push_back(clean(one->name));
    box.title = fold_names(names);
    box.speed = nic.speed_mbps ? speed_text(nic.speed_mbps) : "speed unknown";
    if (nic.properties & interfaces::kLoopback) box.speed.clear();
    add_addresses(box);
    box.pale = penalties(nic) != 0;
    box.chosen = is_chosen(nic);
    const bool loopback = (nic.properties & interfaces::kLoopback) != 0;
    const std::string against =
        loopback ? "for processes of one node" : interfaces::describe_properties(nic.properties);
    if (!against.empty()) box.words = in_lines(against, kWordsColumns);
    box.x = x;
    box.y = at;
    box.height = kLineHeight * static_cast<double>(1 + box.addresses.size() + box.words.size()) + 14;
    for (const TopoNic* one : box.nics) box_of_[one] = scene_.boxes.size();
    scene_.boxes.push_back(box);
    return at + box.height + kBoxGap;
  }

  static void add_addresses(SceneBox& box) {
    std::vector<std::string> all;
    for (const TopoNic* nic : box.nics) {
      for (const auto& address : nic->addresses) {
        if (!address.used()) continue;
        all.push_back(fmt::format("{}/{}", address.interface.address.text(), address.interface.prefix));
      }
    }
    if (box.nics.size() > 1) {
      box.addresses = {fmt::format("{} interfaces, {} addresses", box.nics.size(), all.size())};
      return;
    }
    const std::size_t shown = all.size() > kMostAddresses ? kMostAddresses - 1 : all.size();
    box.addresses.assign(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(shown));
    if (shown < all.size()) box.addresses.push_back(fmt::format("and {} more addresses", all.size() - shown));
  }

  // Interfaces that tcp leaves alone share a box, with the reasons in words.
  double add_unused(const TopoHost& host, double x, double at) {
    constexpr std::size_t kMostReasons = 4;
    constexpr std::string_view kPrefix = "not used: ";
    std::vector<std::pair<std::string, std::vector<std::string>>> reasons;
    for (const auto& nic : host.nics) {
      if (nic.used()) continue;
      std::string why = use_text(nic);
      if (why.starts_with(kPrefix)) why.erase(0, kPrefix.size());
      const auto found = std::ranges::find(reasons, why, &decltype(reasons)::value_type::first);
      if (found == reasons.end()) {
        reasons.push_back({why, {clean(nic.name)}});
      } else {
        found->second.push_back(clean(nic.name));
      }
    }
    if (reasons.empty()) return at;
    SceneBox box;
    box.title = "not used";
    box.pale = true;
    for (std::size_t i = 0; i < reasons.size() && i < kMostReasons; ++i) {
      for (auto& line : in_lines(fold_names(reasons[i].second) + ": " + reasons[i].first, kWordsColumns))
        box.words.push_back(line);
    }
    if (reasons.size() > kMostReasons)
      box.words.push_back(fmt::format("and {} more reasons", reasons.size() - kMostReasons));
    box.x = x;
    box.y = at;
    box.height = kLineHeight * static_cast<double>(1 + box.words.size()) + 14;
    scene_.boxes.push_back(box);
    return at + box.height + kBoxGap;
  }

  static bool worth_a_line(Verdict verdict) {
    return verdict == Verdict::kOwnAddress || verdict == Verdict::kDoubtful ||
           verdict == Verdict::kBetterAddress || verdict == Verdict::kOutmatched;
  }

  void add_lines(const Pairing& pairing) {
    std::map<std::pair<std::size_t, std::size_t>, bool> joined;
    for (const auto& pair : pairing.outcome.pairs) {
      const TopoEnd& ours = pairing.our_ends[pair.ours];
      const TopoEnd& theirs = pairing.their_ends[pair.theirs];
      const std::uint32_t speed = speed_of(pairing, pair.ours, pair.theirs);
      SceneLine line{box_of_.at(ours.nic), box_of_.at(theirs.nic), kChosen, "", ""};
      line.label = (speed ? speed_text(speed) + ", " : std::string()) + fmt::format("cost {}", pair.cost);
      line.tip = fmt::format("{} - {}: used", tip_of(ours), tip_of(theirs));
      joined[{line.from, line.to}] = true;
      scene_.lines.push_back(line);
      ++scene_.chosen;
    }
    // The groups come nearest first, so each two boxes get the best of their reasons.
    for (const auto& group : losers(pairing)) {
      const std::size_t reason = reason_of(group);
      scene_.reasons[reason].count += group.members.size();
      if (!worth_a_line(group.verdict)) continue;
      for (const Judged* judged : group.members) {
        const TopoEnd& ours = pairing.our_ends[judged->ours];
        const TopoEnd& theirs = pairing.their_ends[judged->theirs];
        SceneLine line{box_of_.at(ours.nic), box_of_.at(theirs.nic), reason, "", ""};
        if (!joined.try_emplace({line.from, line.to}, true).second) continue;
        line.tip = fmt::format("{} - {}: {}", tip_of(ours), tip_of(theirs), scene_.reasons[reason].text);
        scene_.lines.push_back(line);
      }
    }
  }

  static std::string tip_of(const TopoEnd& end) {
    return fmt::format("{} {}", end.nic->name, end.address->interface.address.text());
  }

  std::size_t reason_of(const LoserGroup& group) {
    std::string text = group.because.empty() ? std::string() : group.because + ": ";
    text += to_text(group.verdict);
    const auto found = std::ranges::find(scene_.reasons, text, &SceneReason::text);
    if (found != scene_.reasons.end()) return static_cast<std::size_t>(found - scene_.reasons.begin());
    scene_.reasons.push_back({text, 0, false});
    return scene_.reasons.size() - 1;
  }

  // Keeps the nearest of too many, and says what the legend has to explain.
  void thin_out() {
    std::size_t kept = 0;
    std::erase_if(scene_.lines, [&](const SceneLine& line) {
      const bool drop = line.reason != kChosen && kept == kMostLoserLines;
      if (line.reason != kChosen && !drop) ++kept;
      scene_.left_out += drop ? 1 : 0;
      return drop;
    });
    for (const auto& line : scene_.lines) {
      if (line.reason != kChosen) scene_.reasons[line.reason].drawn = true;
    }
  }

  Scene scene_;
  std::vector<const TopoNic*> chosen_;
  std::map<const TopoNic*, std::ptrdiff_t> partner_;              // of theirs: where ours stands
  std::map<const TopoNic*, std::vector<const TopoNic*>> groups_;  // by the first of those that are folded
  std::map<const TopoNic*, std::size_t> box_of_;
};

}  // namespace

Scene make_scene(const TopoHost& host, const std::vector<Pairing>& pairings) {
  return Builder().build(host, pairings);
}

}  // namespace hawser::tools
