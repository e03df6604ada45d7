// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "framework/btl/component.hpp"
#include "tools/topo/format.hpp"
#include "tools/topo/look.hpp"
#include "tools/topo/report.hpp"

namespace hawser::tools {

namespace {

using Json = nlohmann::ordered_json;

const char* scope_word(interfaces::Scope scope) {
  switch (scope) {
    case interfaces::Scope::kLoopback:
      return "loopback";
    case interfaces::Scope::kLink:
      return "link";
    case interfaces::Scope::kPrivate:
      return "private";
    case interfaces::Scope::kGlobal:
      return "global";
  }
  return "unknown";
}

Json or_null(std::uint32_t value) {
  return value ? Json(value) : Json(nullptr);
}

Json host_json(const TopoHost& host) {
  std::string boot_id;
  for (unsigned char byte : host.proc.boot_id) boot_id += fmt::format("{:02x}", byte);
  return {{"name", host.name},
          {"boot_id", boot_id},
          {"net_namespace", host.proc.net_namespace},
          {"pid_namespace", host.proc.pid_namespace}};
}

Json parameters(const Findings& findings) {
  Json list = Json::array();
  for (const char* name : kTopoParams) {
    const mca::ParamView* param = findings.registry.find(name);
    if (!param) continue;
    list.push_back({{"name", name},
                    {"value", param->value},
                    {"source", to_text(param->source)},
                    {"where", param->where}});
  }
  return list;
}

Json address_json(const TopoAddress& address) {
  const interfaces::Interface& interface = address.interface;
  return {{"address", interface.address.text()},
          {"prefix", interface.prefix},
          {"label", interface.label},
          {"scope", scope_word(interface.address.scope())},
          {"named", interface.has(interfaces::kNamed)},
          {"used", address.used()},
          {"why_not", address.why_not}};
}

Json nic_json(const TopoNic& nic) {
  Json properties = Json::array();
  for (const auto& entry : kPropertyWords) {
    if (nic.properties & entry.property) properties.push_back(entry.word);
  }
  Json addresses = Json::array();
  for (const auto& address : nic.addresses) addresses.push_back(address_json(address));
  return {{"name", nic.name},
          {"index", nic.index},
          {"up", nic.up},
          {"speed_mbps", or_null(nic.speed_mbps)},
          {"mtu", or_null(nic.mtu)},
          {"numa_node", nic.numa_node < 0 ? Json(nullptr) : Json(nic.numa_node)},
          {"locality", kLocalityWords[static_cast<std::size_t>(nic.locality)]},
          {"properties", properties},
          {"state", use_text(nic)},
          {"addresses", addresses}};
}

Json route_json(const interfaces::Route& route) {
  return {{"network", route.network.text()},
          {"prefix", route.prefix},
          {"interface", route.interface},
          {"direct", route.direct}};
}

Json end_json(const TopoEnd& end) {
  return {{"interface", end.nic->name}, {"address", end.address->interface.address.text()}};
}

Json pair_json(const Pairing& pairing, const matching::Pair& pair) {
  return {{"ours", end_json(pairing.our_ends[pair.ours])},
          {"theirs", end_json(pairing.their_ends[pair.theirs])},
          {"doubt", pairing.judged(pair).doubt},
          {"cost", pair.cost},
          {"details", describe(pairing.question, pairing.judged(pair))},
          {"speed_mbps", or_null(speed_of(pairing, pair.ours, pair.theirs))}};
}

Json loser_json(const Pairing& pairing, const LoserGroup& group, const matching::Judged& judged) {
  return {{"ours", end_json(pairing.our_ends[judged.ours])},
          {"theirs", end_json(pairing.their_ends[judged.theirs])},
          {"verdict", verdict_word(judged.verdict)},
          {"because", group.because},
          {"reason", to_text(judged.verdict)},
          {"doubt", judged.doubt},
          {"cost", judged.cost},
          {"details", describe(pairing.question, judged)}};
}

Json pairing_json(const Pairing& pairing) {
  const std::uint32_t links = std::min(pairing.ours->links, pairing.theirs->links);
  Json pairs = Json::array();
  for (const auto& pair : pairing.outcome.pairs) pairs.push_back(pair_json(pairing, pair));
  Json lost = Json::array();
  for (const auto& group : losers(pairing)) {
    for (const auto* judged : group.members) lost.push_back(loser_json(pairing, group, *judged));
  }
  return {{"name", pairing.theirs->name},
          {"from", pairing.theirs->from},
          {"same_node", pairing.same_node},
          {"links", links},
          {"connections", std::min(pairing.outcome.pairs.size() * links, btl::kMaxRails)},
          {"tie", pairing.tie},
          {"pairs", pairs},
          {"lost", lost}};
}

}  // namespace

std::string topo_json(const TopoHost& host, const std::vector<Pairing>& pairings, const Findings& findings) {
  Json report;
  report["kind"] = kTopoKind;
  report["format"] = kTopoFormat;
  report["version"] = HAWSER_VERSION;
  report["host"] = host_json(host);
  report["parameters"] = parameters(findings);
  report["links"] = host.links;
  report["nics"] = Json::array();
  for (const auto& nic : host.nics) report["nics"].push_back(nic_json(nic));
  report["routes"] = Json::array();
  for (const auto& route : host.routes) report["routes"].push_back(route_json(route));
  report["peers"] = Json::array();
  for (const auto& pairing : pairings) report["peers"].push_back(pairing_json(pairing));
  report["notes"] = findings.notes;
  report["errors"] = findings.errors;
  return report.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace hawser::tools
