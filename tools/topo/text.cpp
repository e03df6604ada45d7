// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "framework/btl/component.hpp"
#include "framework/mca/print.hpp"
#include "tools/common/terminal.hpp"
#include "tools/topo/look.hpp"
#include "tools/topo/report.hpp"

namespace hawser::tools {

namespace {

using matching::Judged;
using matching::Verdict;

std::string address_text(const TopoAddress& address) {
  return fmt::format("{}/{}", address.interface.address.text(), address.interface.prefix);
}

/// A line of the table of interfaces.
struct Row {
  std::string nic;
  std::string address;
  std::string speed;
  std::string numa;
  std::string use;
  enum class Tone { kGood, kPlain, kDim } tone = Tone::kPlain;
};

Row::Tone tone_of(const TopoNic& nic, bool used) {
  if (!used || (nic.properties & interfaces::kLoopback)) return Row::Tone::kDim;
  return penalties(nic) ? Row::Tone::kPlain : Row::Tone::kGood;
}

Row row_of(const TopoNic& nic) {
  const bool loopback = (nic.properties & interfaces::kLoopback) != 0;
  return {clean(nic.name), "", loopback ? "" : speed_text(nic.speed_mbps),
          numa_text(nic),  "", Row::Tone::kDim};
}

void add_rows(const TopoNic& nic, std::vector<Row>& rows) {
  Row row = row_of(nic);
  if (nic.addresses.empty()) {
    row.use = use_text(nic);
    rows.push_back(row);
  }
  for (const auto& address : nic.addresses) {
    const bool named = address.interface.has(interfaces::kNamed);
    row.address = address_text(address);
    row.use = !address.used() ? "not used: " + clean(address.why_not)
              : named && penalties(nic) != 0
                  ? "used, as you named it: " + interfaces::describe_properties(nic.properties)
                  : use_text(nic);
    row.tone = tone_of(nic, address.used());
    rows.push_back(row);
    row.nic = row.speed = row.numa = "";
  }
}

Row folded_row(const std::vector<const TopoNic*>& group) {
  constexpr std::size_t kWidest = 24;
  Row row = row_of(*group[0]);
  std::vector<std::string> names;
  std::size_t addresses = 0;
  for (const TopoNic* nic : group) {
    names.push_back(clean(nic->name));
    addresses += nic->addresses.size();
  }
  row.nic = fold_names(names);
  if (addresses != 0) {
    const std::string first = address_text(group.front()->addresses.front());
    const std::string last = address_text(group.back()->addresses.back());
    row.address = first + " .. " + last;
    if (row.address.size() > kWidest) row.address = fmt::format("{} addresses", addresses);
  }
  const bool used = group[0]->used();
  row.use = fmt::format("{} interfaces, {}", group.size(), use_text(*group[0]));
  row.tone = tone_of(*group[0], used);
  return row;
}

/// Words from column `at` on, where the cursor is; if there is little room, in lines of their own.
std::string hanging(std::string_view words, std::size_t at, std::size_t width) {
  constexpr std::size_t kNarrowest = 20;
  const bool below = at + std::min(words.size(), kNarrowest) > width;
  const std::string indent(below ? 6 : at, ' ');
  std::string lines = mca::wrapped(words, indent, width);
  lines.pop_back();
  return below ? "\n" + lines : lines.substr(at);
}

std::string painted(const Paint& paint, Row::Tone tone, std::string_view text) {
  if (text.starts_with('\n')) return "\n" + painted(paint, tone, text.substr(1));
  if (tone == Row::Tone::kGood) return paint.good(text);
  return tone == Row::Tone::kDim ? paint.dim(text) : std::string(text);
}

std::string nic_table(const std::vector<Row>& rows, const TopoView& view, const Paint& paint) {
  if (rows.empty()) return "  no interfaces\n";
  const std::size_t nic = widest(
      rows, [](const Row& row) { return std::string_view(row.nic); }, 9);
  const std::size_t address = widest(
      rows, [](const Row& row) { return std::string_view(row.address); }, 7);
  const std::size_t speed = widest(
      rows, [](const Row& row) { return std::string_view(row.speed); }, 5);
  const std::size_t numa = widest(
      rows, [](const Row& row) { return std::string_view(row.numa); }, 0);
  auto columns = [&](const Row& row) {
    std::string out = fmt::format("  {}  {}", padded(row.address, address), padded(row.speed, speed));
    return numa == 0 ? out : out + "  " + padded(row.numa, std::max<std::size_t>(numa, 4));
  };
  const Row head{"interface", "address", "speed", "NUMA", "use", Row::Tone::kDim};
  std::string out = paint.dim("  " + padded(head.nic, nic) + columns(head) + "  " + head.use) + "\n";
  for (const Row& row : rows) {
    const std::string middle = columns(row);
    const std::string use = hanging(row.use, 2 + nic + middle.size() + 2, view.width);
    out +=
        fmt::format("  {}{}  {}\n", paint.bold(padded(row.nic, nic)), middle, painted(paint, row.tone, use));
  }
  return out;
}

std::vector<const TopoNic*> paired_nics(const std::vector<Pairing>& pairings) {
  std::vector<const TopoNic*> result;
  for (const auto& pairing : pairings) {
    for (const auto& pair : pairing.outcome.pairs) result.push_back(pairing.our_ends[pair.ours].nic);
  }
  return result;
}

std::string host_text(const TopoHost& host, const std::vector<Pairing>& pairings, const TopoView& view,
                      const Paint& paint) {
  std::size_t addresses = 0;
  for (const auto& nic : host.nics) addresses += nic.addresses.size();
  std::string out =
      paint.bold(clean(host.name)) + fmt::format(": {} interfaces; tcp uses {} of {} addresses\n",
                                                 host.nics.size(), host.used_addresses(), addresses);
  std::vector<Row> rows;
  if (view.all) {
    for (const auto& nic : host.nics) add_rows(nic, rows);
  } else {
    for (const auto& group : folded(host.nics, paired_nics(pairings))) {
      if (group.size() == 1) {
        add_rows(*group[0], rows);
      } else {
        rows.push_back(folded_row(group));
      }
    }
  }
  return out + nic_table(rows, view, paint);
}

std::string route_text(const TopoHost& host, const interfaces::Route& route) {
  const TopoNic* nic = host.nic(route.interface);
  const std::string network = route.prefix == 0
                                  ? fmt::format("default (IPv{})", static_cast<int>(route.network.family))
                                  : fmt::format("{}/{}", route.network.text(), route.prefix);
  return fmt::format("{} {} {}", network, route.direct ? "on" : "via",
                     nic ? clean(nic->name) : fmt::format("#{}", route.interface));
}

std::string routes_text(const TopoHost& host, const TopoView& view, const Paint& paint) {
  constexpr std::size_t kShown = 8;
  if (host.routes.empty()) return "";
  std::vector<interfaces::Route> routes = host.routes;
  std::stable_partition(routes.begin(), routes.end(), [&](const interfaces::Route& route) {
    const TopoNic* nic = host.nic(route.interface);
    return nic && penalties(*nic) == 0;
  });
  std::string words;
  const std::size_t shown = view.all ? host.routes.size() : std::min(kShown, host.routes.size());
  for (std::size_t i = 0; i < shown; ++i) words += (i ? ", " : "") + route_text(host, routes[i]);
  if (shown < host.routes.size()) words += fmt::format(", and {} more", host.routes.size() - shown);
  const std::string label = "  routes     ";
  return paint.dim(label + hanging(words, label.size(), view.width)) + "\n";
}

std::string end_text(const TopoEnd& end) {
  const std::string address = end.address->interface.address.text();
  return end.nic->name.empty() ? address : clean(end.nic->name) + " " + address;
}

/// Two ends and what is to be said of them, in columns.
struct PairRow {
  std::string ours;
  std::string theirs;
  std::string weight;
  std::string words;
};

std::string pair_table(const std::vector<PairRow>& rows, const char* join, const TopoView& view,
                       const Paint& paint, Row::Tone tone) {
  const std::size_t ours = widest(
      rows, [](const PairRow& row) { return std::string_view(row.ours); }, 0);
  const std::size_t theirs = widest(
      rows, [](const PairRow& row) { return std::string_view(row.theirs); }, 0);
  const std::size_t weight = widest(
      rows, [](const PairRow& row) { return std::string_view(row.weight); }, 0);
  std::string out;
  for (const PairRow& row : rows) {
    std::string line = fmt::format("  {} {} {}  {}  ", padded(row.ours, ours), join,
                                   padded(row.theirs, theirs), padded(row.weight, weight));
    line += hanging(row.words, line.size(), view.width);
    out += painted(paint, tone, line) + "\n";
  }
  return out;
}

std::string chosen_text(const Pairing& pairing, const TopoView& view, const Paint& paint) {
  std::vector<PairRow> rows;
  for (const auto& pair : pairing.outcome.pairs) {
    const Judged& judged = pairing.judged(pair);
    const std::string doubt = judged.doubt ? fmt::format("doubt {}, ", judged.doubt) : std::string();
    rows.push_back({end_text(pairing.our_ends[pair.ours]), end_text(pairing.their_ends[pair.theirs]),
                    fmt::format("{}cost {}", doubt, pair.cost), describe(pairing.question, judged)});
  }
  return pair_table(rows, "===", view, paint, Row::Tone::kGood);
}

std::string every_loser_text(const Pairing& pairing, const TopoView& view, const Paint& paint) {
  std::vector<PairRow> rows;
  for (const auto& group : losers(pairing)) {
    const bool weighed = !weight_range(group).empty();
    for (const Judged* judged : group.members) {
      std::string words = describe(pairing.question, *judged);
      if (weighed && judged->verdict != Verdict::kDoubtful) {
        words = fmt::format("{}: {}", to_text(judged->verdict), words);
      }
      rows.push_back({end_text(pairing.our_ends[judged->ours]), end_text(pairing.their_ends[judged->theirs]),
                      weighed ? fmt::format("doubt {:>2}, cost {}", judged->doubt, judged->cost) : "",
                      words});
    }
  }
  return pair_table(rows, " - ", view, paint, Row::Tone::kDim);
}

std::string group_words(const Pairing& pairing, const LoserGroup& group) {
  std::string words;
  if (group.members.size() == 1) {
    const Judged& judged = *group.members[0];
    words = fmt::format("{} - {}: ", end_text(pairing.our_ends[judged.ours]),
                        end_text(pairing.their_ends[judged.theirs]));
  } else if (!group.names.empty()) {
    std::vector<std::string> names;
    for (const auto& name : group.names) names.push_back(clean(name));
    words = fmt::format("with {}: ", fold_names(names));
  }
  if (!group.because.empty()) words += group.because + "; ";
  words += to_text(group.verdict);
  const std::string weight = weight_range(group);
  return weight.empty() ? words : words + " (" + weight + ")";
}

std::string losers_text(const Pairing& pairing, const TopoView& view, const Paint& paint) {
  const std::size_t count = pairing.outcome.judged.size() - pairing.outcome.pairs.size();
  if (count == 0) return "";
  if (view.all) return fmt::format("  not used: {}\n", count) + every_loser_text(pairing, view, paint);
  const std::string label = fmt::format("{}", count);
  std::string out = fmt::format("  not used: {} {} (--all lists each)\n", count,
                                count == 1 ? "combination" : "combinations");
  for (const auto& group : losers(pairing)) {
    const std::string number = fmt::format("    {:>{}}  ", group.members.size(), label.size());
    out += paint.dim(number + hanging(group_words(pairing, group), number.size(), view.width)) + "\n";
  }
  return out;
}

std::string pairing_text(const Pairing& pairing, const TopoView& view, const Paint& paint) {
  const std::size_t pairs = pairing.outcome.pairs.size();
  const std::uint32_t links = std::min(pairing.ours->links, pairing.theirs->links);
  std::string out = "\n" + paint.bold("to " + clean(pairing.theirs->name));
  if (!pairing.theirs->from.starts_with("--peer")) out += fmt::format(" ({})", clean(pairing.theirs->from));
  out += fmt::format(", {}: ", pairing.same_node ? "on this node" : "on another node");
  out += pairs == 0 ? paint.bad("no pair, tcp does not reach it")
                    : fmt::format("{} {}", pairs, pairs == 1 ? "pair" : "pairs");
  if (links > 1 && pairs != 0) out += fmt::format(", {} connections each", links);
  out += "\n" + chosen_text(pairing, view, paint);
  if (pairs * links > btl::kMaxRails) {
    out +=
        fmt::format("  only the first {} of these {} connections are made\n", btl::kMaxRails, pairs * links);
  }
  if (pairing.tie) {
    out += "  other pairs would do as well: in a job it depends on which rank is the lower one\n";
  }
  if (pairing.our_ends.empty()) out += "  we have no usable address\n";
  if (pairing.their_ends.empty()) out += "  the peer has no usable address\n";
  return out + losers_text(pairing, view, paint);
}

std::string without_trailing_blanks(std::string_view text) {
  std::string out;
  for (char c : text) {
    if (c == '\n') out.erase(out.find_last_not_of(' ') + 1);
    out += c;
  }
  return out;
}

}  // namespace

std::string topo_text(const TopoHost& host, const std::vector<Pairing>& pairings, const Findings& findings,
                      const TopoView& view) {
  const Paint paint{view.colour};
  std::string out = host_text(host, pairings, view, paint) + routes_text(host, view, paint);
  for (const char* name : kTopoParams) {
    const mca::ParamView* param = findings.registry.find(name);
    if (!param || param->source == mca::Source::kDefault) continue;
    out +=
        fmt::format("  {} = {}  {}\n", name, clean(param->value), paint.dim("(" + clean(param->where) + ")"));
  }
  for (const auto& pairing : pairings) out += pairing_text(pairing, view, paint);
  return without_trailing_blanks(out);
}

}  // namespace hawser::tools
