// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "tools/top/report.hpp"

namespace hawser::tools {

namespace {

using Json = nlohmann::ordered_json;

Json rail_json(const RailLook& rail, const RankLook& rank, const Looks& before) {
  Json json = {{"peer", rail.peer},
               {"component", rail.component},
               {"module", rail.module},
               {"state", to_text(rail.state)}};
  for (std::size_t i = 0; i < std::size(rail.counts); ++i) {
    json[live::kRailCounterInfo[i].name] = rail.counts[i];
  }
  const Rates rate = rates(rail, rank, before);
  json["messages_per_second"] = rate.known ? Json(rate.messages) : Json(nullptr);
  json["bytes_per_second"] = rate.known ? Json(rate.bytes) : Json(nullptr);
  return json;
}

Json rank_json(const RankLook& rank, const Looks& before) {
  Json peers = Json::array();
  for (const PeerLook& peer : rank.peers) {
    peers.push_back({{"rank", peer.rank},
                     {"pending", peer.pending},
                     {"unacknowledged", peer.unacknowledged},
                     {"failed", peer.failed}});
  }
  Json rails = Json::array();
  for (const RailLook& rail : rank.rails) rails.push_back(rail_json(rail, rank, before));
  const double cpu = cpu_share(rank, before);
  return {{"job", fmt::format("{:016x}", rank.job)},
          {"rank", rank.rank},
          {"ranks", rank.ranks},
          {"process", rank.process.pid},
          {"parent", rank.process.parent},
          {"user", rank.process.user},
          {"program", rank.process.program},
          {"state", std::string(1, rank.process.state)},
          {"waits", rank.waits},
          {"seconds", rank.process.age_seconds},
          {"cpu_seconds", rank.process.cpu_seconds},
          {"cpu", cpu < 0 ? Json(nullptr) : Json(cpu)},
          {"posted", rank.posted},
          {"unexpected", rank.unexpected},
          {"ahead", rank.ahead},
          {"pending", rank.pending()},
          {"transfers", rank.transfers},
          {"unacknowledged", rank.unacknowledged()},
          {"unseen", rank.unseen},
          {"peers", peers},
          {"rails", rails}};
}

}  // namespace

std::string looks_json(const Looks& looks, const Looks& before) {
  Json ranks = Json::array();
  for (const auto& [pid, look] : looks) ranks.push_back(rank_json(look, before));
  return Json{{"ranks", ranks}}.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace hawser::tools
