// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "mpi/tool/catalogue.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "framework/mca/declaration.hpp"
#include "framework/mca/value.hpp"

namespace hawser::mpi::tool {

namespace {

/// "btl" for the parameter btl_base_verbose, which the framework itself has declared by its full name.
std::string framework_of(const mca::ParamView& view) {
  return view.framework.empty() ? view.name.substr(0, view.name.find('_')) : view.framework;
}

}  // namespace

void Pvar::add_source(std::function<std::uint64_t()> source) {
  values.resize(sources.size() + 1);  // first: each look writes as many as there are sources
  sources.push_back(std::move(source));
}

const std::vector<std::uint64_t>& Pvar::look() {
  for (std::size_t i = 0; i < sources.size(); ++i) values[i] = sources[i]();
  return values;
}

void Pvar::freeze() {
  look();
  sources.clear();
}

/// A component's lies in its framework's.
Category& Catalogue::category(std::string_view framework, std::string_view component) {
  bool made = false;
  const int outer = categories.get(framework, made);
  if (made) categories.at(outer)->help = fmt::format("parameters and counters of {}", framework);
  if (made) ++changes;
  if (component.empty()) return *categories.at(outer);
  const int inner = categories.get(mca::full_name(framework, component, ""), made);
  if (made) {
    categories.at(inner)->help =
        fmt::format("parameters and counters of the {} component {}", framework, component);
    categories.at(outer)->categories.push_back(inner);
    ++changes;
  }
  return *categories.at(inner);
}

const Enum* Catalogue::words_of(const std::string& name, const mca::ParamRow& row) {
  if (row.type != mca::ParamType::kBool && row.type != mca::ParamType::kChoice) return nullptr;
  const bool is_bool = row.type == mca::ParamType::kBool;
  const std::string wanted = is_bool ? "bool" : name;
  const auto found = std::ranges::find(enums, wanted, &Enum::name);
  if (found != enums.end()) return &*found;
  enums.push_back({wanted, is_bool ? std::vector<std::string>{"false", "true"} : mca::choice_words(row)});
  return &enums.back();
}

void Catalogue::take(const mca::Registry& registry) {
  for (const mca::ParamView& view : registry.list()) {
    bool made = false;
    const int index = cvars.get(view.name, made);
    Cvar& cvar = *cvars.at(index);
    if (made) {
      cvar.row = *view.row;
      cvar.words = words_of(view.name, cvar.row);
      category(framework_of(view), view.component).cvars.push_back(index);
      ++changes;
    }
    cvar.value = view.value;
    cvar.source = view.source;
  }
}

Pvar& Catalogue::add(std::string_view framework, std::string_view component, std::string_view name,
                     bool& made) {
  const int index = pvars.get(mca::full_name(framework, component, name), made);
  Pvar& pvar = *pvars.at(index);
  if (made) {
    pvar.verbosity = MPI_T_VERBOSITY_TUNER_BASIC;
    category(framework, component).pvars.push_back(index);
    ++changes;
  }
  return pvar;
}

Pvar& Catalogue::counter(std::string_view framework, std::string_view component, const CounterInfo& info) {
  bool made = false;
  Pvar& pvar = add(framework, component, info.name, made);
  if (made) {
    pvar.help = fmt::format("{}, in {}", info.help, info.unit);
    const bool sum = std::string_view(info.unit) == "bytes";
    pvar.var_class = sum ? MPI_T_PVAR_CLASS_AGGREGATE : MPI_T_PVAR_CLASS_COUNTER;
  }
  return pvar;
}

Pvar& Catalogue::text(std::string_view framework, std::string_view component, std::string_view name,
                      std::string_view help) {
  bool made = false;
  Pvar& pvar = add(framework, component, name, made);
  pvar.help = help;
  pvar.var_class = MPI_T_PVAR_CLASS_GENERIC;
  return pvar;
}

void Catalogue::gauge(const CounterInfo& info, Gauge gauge) {
  bool made = false;
  Pvar& pvar = add("pml", "", info.name, made);
  pvar.help = fmt::format("{}, in {}", info.help, info.unit);
  pvar.var_class = MPI_T_PVAR_CLASS_LEVEL;
  pvar.gauge = gauge;
}

const Enum* Catalogue::find(MPI_T_enum handle) const noexcept {
  for (const Enum& one : enums) {
    if (static_cast<const void*>(&one) == handle) return &one;
  }
  return nullptr;
}

}  // namespace hawser::mpi::tool
