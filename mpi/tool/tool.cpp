// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "mpi/tool/tool.hpp"

#include <algorithm>
#include <cstring>

#include "bml/bml.hpp"
#include "framework/base/no_destructor.hpp"
#include "framework/runtime/runtime.hpp"
#include "mpi/params.hpp"

namespace hawser::mpi::tool {

namespace {

constexpr const char* kWhere = "MPI_T_cvar_write";

/// Its value has been used by the time a tool can see it.
bool is_used_up(const Cvar& cvar) noexcept {
  return cvar.name == "mca_component_path";
}

}  // namespace

/// Every parameter with the value that MPI_Init would find. What is wrong in a source, MPI_Init tells.
struct Preview {
  Preview() {
    static_cast<void>(registry.read_sources());
    declare("", runtime_rows);
    declare("bml", bml_rows);
    declare("mpi", mpi_rows);
    static_cast<void>(loader.discover(registry, runtime.component_path));
  }
  void declare(std::string_view framework, const std::vector<mca::ParamRow>& rows) {
    static_cast<void>(registry.declare(framework, "", rows.data(), rows.size()));
  }
  RuntimeParams runtime;
  bml::BmlParams bml;
  MpiParams mpi;
  std::vector<mca::ParamRow> runtime_rows = runtime_param_rows(runtime);
  std::vector<mca::ParamRow> bml_rows = bml::bml_param_rows(bml);
  std::vector<mca::ParamRow> mpi_rows = mpi_param_rows(mpi);
  mca::Registry registry;
  loader::Loader loader;
};

State::State() = default;
State::~State() = default;

Tool& tool() noexcept {
  static NoDestructor<Tool> instance;
  return *instance;
}

void State::begin() {
  if (users == 0) show();
  ++users;  // last: where memory ran out, no tool has begun
}

void State::show() {
  if (phase == Phase::kRunning) return show_running();
  // While MPI_Init or MPI_Finalize runs, the plug-ins' parameters are not to be touched.
  if (phase == Phase::kChanging) return;
  if (phase == Phase::kEnded && catalogue.cvars.size() != 0) return;  // as MPI left them
  if (!preview_) preview_ = std::make_unique<Preview>();
  catalogue.take(preview_->registry);
}

void State::end() noexcept {
  if (--users != 0) return;
  cvar_handles.clear();
  pvar_handles.clear();
  sessions.clear();
}

int State::scope_of(const Cvar& cvar) const noexcept {
  if (is_used_up(cvar) || cvar.source > mca::Source::kTool) return MPI_T_SCOPE_READONLY;
  return cvar.row.scope == mca::ParamScope::kProcess ? MPI_T_SCOPE_LOCAL : MPI_T_SCOPE_ALL_EQ;
}

int State::write(Cvar& cvar, const std::string& value) {
  if (scope_of(cvar) == MPI_T_SCOPE_READONLY) return MPI_T_ERR_CVAR_SET_NEVER;
  const mca::Setting setting{cvar.name, value, mca::Source::kTool, kWhere};
  if (phase == Phase::kRunning && runtime_ && Runtime::can_change(cvar.name)) {
    if (!runtime_->change(setting)) return MPI_T_ERR_INVALID;
    catalogue.take(runtime_->registry());
    return MPI_SUCCESS;
  }
  if (phase != Phase::kBefore || !preview_) return MPI_T_ERR_CVAR_SET_NOT_NOW;
  if (!preview_->registry.set(setting)) return MPI_T_ERR_INVALID;
  std::erase_if(settings_, [&](const mca::Setting& old) { return old.name == cvar.name; });
  settings_.push_back(setting);
  catalogue.take(preview_->registry);
  return MPI_SUCCESS;
}

void State::free_session(MPI_T_pvar_session session) noexcept {
  for (PvarHandle* handle : sessions.find(session)->handles) {
    pvar_handles.free(reinterpret_cast<MPI_T_pvar_handle>(handle));
  }
  sessions.free(session);
}

Result<void> State::start(mca::Registry& registry) {
  phase = Phase::kChanging;
  preview_.reset();
  return registry.apply(settings_);
}

void State::attach(Runtime& runtime, const bml::Bml& bml) {
  phase = Phase::kRunning;
  runtime_ = &runtime;
  bml_ = &bml;
  if (users != 0) show_running();
}

namespace {

void add_modules(Catalogue& catalogue, btl::Component& component, const char* name) {
  std::string names;
  for (std::size_t m = 0; m < component.module_count(); ++m) {
    btl::Module& module = component.module(m);
    names += (m == 0 ? "" : ",") + std::string(module.name());
    const btl::CounterView view = module.counters();
    for (std::size_t c = 0; c < view.count; ++c) {
      Pvar& pvar = catalogue.counter("btl", name, view.info[c]);
      pvar.add_source([&module, c] { return module.counters().values[c].load(std::memory_order_relaxed); });
    }
  }
  catalogue.text("btl", name, "modules", "the component's modules, in the order of its counters' elements")
      .text = names;
}

}  // namespace

/// What runs: its parameters, and its counters.
void State::show_running() {
  catalogue.take(runtime_->registry());
  if (shown_) return;
  // Memory may have run out halfway before.
  for (int i = 0; i < catalogue.pvars.size(); ++i) catalogue.pvars.at(i)->sources.clear();
  add_counters();
  shown_ = true;
}

void State::add_counters() {
  for (btl::Component* component : runtime_->loader().components()) {
    add_modules(catalogue, *component, runtime_->loader().name_of(*component));
  }
  const bml::Bml& bml = *bml_;
  catalogue.counter("bml", "", {"wireups", "peers", "peers that were wired up"}).add_source([&bml] {
    return bml.wireups();
  });
  for (std::size_t i = 0; i < static_cast<std::size_t>(bml::GuardCounter::kCount); ++i) {
    catalogue.counter("bml", "", bml::kGuardCounterInfo[i]).add_source([&bml, i] {
      return bml.count(static_cast<bml::GuardCounter>(i));
    });
  }
  catalogue.gauge({"posted_receives", "receives", "receives that wait for a message"},
                  &live::Channel::posted);
  catalogue.gauge({"unexpected_messages", "messages", "messages that wait for a receive"},
                  &live::Channel::unexpected);
}

/// A tool that was there before MPI_Init and comes again after MPI_Finalize is to see what ran in between.
void State::detach() {
  phase = Phase::kChanging;
  try {
    if (!shown_ && catalogue.cvars.size() != 0) show_running();
  } catch (const std::bad_alloc&) {
    // It sees what there was memory for.
  }
  for (int i = 0; i < catalogue.pvars.size(); ++i) catalogue.pvars.at(i)->freeze();
  pvar_handles.for_each([](PvarHandle& handle) {
    if (!handle.pvar->gauge) return;
    handle.bound.look(handle.pvar->gauge);
    handle.bound.channel = nullptr;
  });
  runtime_ = nullptr;
  bml_ = nullptr;
}

Result<void> mpi_starts(mca::Registry& registry) {
  Tool& it = tool();
  Lock lock(it.mutex);
  return it.state.start(registry);
}

void mpi_runs(Runtime& runtime, const bml::Bml& bml) {
  Tool& it = tool();
  Lock lock(it.mutex);
  it.state.attach(runtime, bml);
}

void mpi_stops() {
  Tool& it = tool();
  Lock lock(it.mutex);
  it.state.detach();
}

void mpi_is_gone() {
  Tool& it = tool();
  Lock lock(it.mutex);
  it.state.phase = Phase::kEnded;
}

void give_text(std::string_view text, char* out, int* length) noexcept {
  if (!length) return;
  if (out && *length > 0) {
    const std::size_t shown = std::min(text.size(), static_cast<std::size_t>(*length) - 1);
    std::memcpy(out, text.data(), shown);
    out[shown] = '\0';
  }
  *length = static_cast<int>(text.size()) + 1;
}

}  // namespace hawser::mpi::tool
