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
  runtime.on_rail_failure({[](void* self, std::uint32_t rank, btl::Module& module, btl::Endpoint& endpoint,
                              Errc status, const char* text) noexcept {
                             static_cast<Bml*>(self)->rail_failed(rank, {&module, &endpoint}, status, text);
                           },
                           bml.get()});
  runtime.on_rails_change(
      {[](void* self, std::uint32_t rank) noexcept { static_cast<Bml*>(self)->rails_changed(rank); },
       bml.get()});
  runtime.add_stats({[](void* self, std::string& text) {
                       const Bml& of = *static_cast<Bml*>(self);
                       text += fmt::format("hawser stats: rank {} bml wireups {}\n", of.runtime_.job().rank,
                                           of.wireups());
                     },
                     bml.get()});
  runtime.add_counters("bml guard",
                       {kGuardCounterInfo, bml->counters_.data(), Counters<GuardCounter>::kSize});
  bml->peers_ = std::make_unique<peers::PeerTable<Peer>>(runtime.job().size);
  bml->changes_ = std::make_unique<std::atomic<std::uint32_t>[]>(runtime.job().size);
  bml->guards_ = std::make_unique<std::atomic<Guard*>[]>(runtime.job().size);
  runtime.handler_table().entries[kTagGuard] = {
      [](void* self, const btl::Message& message) noexcept { static_cast<Bml*>(self)->arrived(message); },
      [](void* self, const btl::Message& head, btl::Placement& out) noexcept {
        return static_cast<Bml*>(self)->place(head, out);
      },
      [](void* self, const btl::Message& head) noexcept { static_cast<Bml*>(self)->abandoned(head); },
      bml.get()};
  runtime.add_flush({[](void* self) noexcept { return static_cast<Bml*>(self)->flushed(); }, bml.get()});
  {
    HotLock lock(bml->stalled_mutex_);
    bml->stalled_peers_.reserve(runtime.job().size);
  }
  bml->owing_.reserve(runtime.job().size);
  return bml;
}

void Bml::start() {
  runtime_.engine().add_poller({[](void* self) noexcept { return static_cast<Bml*>(self)->poll(); }, this});
}

Bml::~Bml() {
  runtime_.engine().remove_poller(this);
  runtime_.on_rail_failure({});
  runtime_.on_rails_change({});
  if (!guards_) return;  // a parameter was wrong
  for (std::uint32_t rank = 0; rank < runtime_.job().size; ++rank) {
    delete guards_[rank].load(std::memory_order_relaxed);
  }
}

Result<Peer*> Bml::peer(std::uint32_t rank) noexcept {
  if (Peer* peer = find(rank)) return peer;
  // The creator is bound by the modex and by its components; this only bounds those who wait for it.
  const auto patience =
      std::chrono::nanoseconds(runtime_.params().modex_timeout_ns) + std::chrono::seconds(60);
  bool made = false;
  std::uint32_t changes = 0;
  auto got = peers_->get_or_make(rank, Clock::now() + patience, [&] {
    made = true;
    changes = changes_[rank].load(std::memory_order_acquire);
    return wire_up(rank);
  });
  if (!got || !made) return got;
  std::atomic_thread_fence(std::memory_order_seq_cst);  // pairs with rails_changed
  if (changes_[rank].load(std::memory_order_relaxed) == changes) return got;
  try {
    run_soon({rank, {}, Errc::kOk, {}});
  } catch (const std::bad_alloc&) {
    out_of_memory(rank);
  }
  return got;
}

/// Asks every component for its endpoints to `rank`, ranks them, and opens the way.
Result<std::unique_ptr<Peer>> Bml::wire_up(std::uint32_t rank) {
  Ways ways = ask_components(rank);
  auto rails = rank_rails(std::move(ways.rails));
  if (rails->send.empty()) return unreachable(rank, ways.reasons, ways.worst);
  auto peer = std::make_unique<Peer>();
  peer->rank = rank;
  auto proc = runtime_.find_proc(rank);
  if (!proc) return proc.error();
  peer->incarnation = (*proc)->incarnation;
  peer->live = &runtime_.live().peer(rank);
  guard(*peer, *rails, nullptr);
  show(nullptr, *rails);
  peer->publish(std::move(rails));
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
