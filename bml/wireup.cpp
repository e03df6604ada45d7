// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include <chrono>

#include "bml/bml.hpp"
#include "bml/ranking.hpp"

namespace hawser::bml {

Result<std::unique_ptr<Bml>> Bml::make(Runtime& runtime) {
  std::unique_ptr<Bml> bml(new Bml(runtime));
  bml->rows_ = bml_param_rows(bml->params_);
  if (auto declared = runtime.registry().declare("bml", "", bml->rows_.data(), bml->rows_.size());
      !declared) {
    return declared.error();
  }
  runtime.on_rail_failure(
      {[](void* self, std::uint32_t rank, btl::Module& module, Errc status, const char* text) noexcept {
         static_cast<Bml*>(self)->rail_failed(rank, module, status, text);
       },
       bml.get()});
  runtime.add_stats({[](void* self, std::string& text) {
                       const Bml& of = *static_cast<Bml*>(self);
                       text += fmt::format("hawser stats: rank {} bml wireups {}\n", of.runtime_.job().rank,
                                           of.wireups());
                     },
                     bml.get()});
  bml->peers_ = std::make_unique<peers::PeerTable<Peer>>(runtime.job().size);
  {
    HotLock lock(bml->stalled_mutex_);
    bml->stalled_peers_.reserve(runtime.job().size);
  }
  return bml;
}

void Bml::start() {
  runtime_.engine().add_poller({[](void* self) noexcept { return static_cast<Bml*>(self)->poll(); }, this});
}

Bml::~Bml() {
  runtime_.engine().remove_poller(this);
  runtime_.on_rail_failure({});
}

Result<Peer*> Bml::peer(std::uint32_t rank) {
  if (Peer* peer = find(rank)) return peer;
  // The creator is bound by the modex and by its components; this only bounds those who wait for it.
  const auto patience =
      std::chrono::nanoseconds(runtime_.params().modex_timeout_ns) + std::chrono::seconds(60);
  return peers_->get_or_make(rank, Clock::now() + patience, [&] { return wire_up(rank); });
}

/// Asks every component for its endpoints to `rank`, ranks them, and opens the way.
Result<std::unique_ptr<Peer>> Bml::wire_up(std::uint32_t rank) {
  std::vector<Rail> rails;
  std::vector<std::string> reasons;
  Errc worst = Errc::kUnreachable;
  auto reach = std::make_unique<btl::Reach>();
  for (btl::Component* component : runtime_.loader().components()) {
    const char* name = runtime_.loader().name_of(*component);
    *reach = {};
    component->add_procs(rank, *reach);
    for (std::size_t i = 0; i < reach->count; ++i) {
      btl::Module& module = *reach->rails[i].module;
      btl::Endpoint& endpoint = *reach->rails[i].endpoint;
      rails.push_back({&module, &endpoint, module.rdma(endpoint), module.attributes(), 0, 0, name});
    }
    if (reach->count != 0) continue;
    reasons.push_back(fmt::format("{}: {}", name, reach->reason));
    if (reach->status != Errc::kOk && reach->status != Errc::kUnreachable) worst = reach->status;
  }
  auto peer = std::make_unique<Peer>();
  peer->rank = rank;
  rank_rails(*peer, std::move(rails));
  if (peer->send.empty()) return unreachable(rank, reasons, worst);
  peer->pending.drain([](btl::Descriptor&) { return true; });  // empty: this opens the gate
  return peer;
}

/// One text with both ends, every component that was considered and why it declined, and what to do.
Error Bml::unreachable(std::uint32_t rank, const std::vector<std::string>& reasons, Errc worst) {
  const std::uint32_t me = runtime_.job().rank;
  auto host_of = [&](std::uint32_t who) {
    auto proc = runtime_.find_proc(who);
    return proc ? std::string((*proc)->host) : "unknown host";
  };
  std::string text = fmt::format("rank {} ({}) cannot reach rank {} ({}) over any BTL:", me, host_of(me),
                                 rank, host_of(rank));
  for (const std::string& reason : reasons) text += "\n  " + reason;
  for (const loader::PluginView& plugin : runtime_.loader().plugins()) {
    if (plugin.stage == loader::Stage::kOpen || plugin.stage == loader::Stage::kShadowed) continue;
    text += fmt::format("\n  {}: {}", plugin.name, plugin.reason);
  }
  const char* now = runtime_.params().btl;
  if (rank == me) {
    text += fmt::format("\n  A process reaches itself through the BTL 'self': add it to 'btl' (now \"{}\").",
                        now);
  } else {
    text += fmt::format("\n  Parameter 'btl' is now \"{}\"; 'hawser info' shows which BTLs there are.", now);
  }
  return Error{worst, 0, std::move(text)};
}

}  // namespace hawser::bml
