// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/ranges.h>

#include <algorithm>

#include "framework/loader/impl.hpp"
#include "framework/mca/nearest.hpp"

namespace hawser::loader {

namespace {

constexpr const char* kListParam = "btl";

bool only_by_name(const Plugin& plugin) {
  return (plugin.descriptor->flags & btl::kOnlyByName) != 0;
}

std::string in_list(const mca::Selection& selection) {
  return fmt::format("{}{}", selection.exclude ? "^" : "", fmt::join(selection.names, ","));
}

}  // namespace

/// "btl = tcp,selff (command line)": what was asked, and where.
std::string Loader::Impl::list_text() const {
  const mca::ParamView* view = registry ? registry->find(kListParam) : nullptr;
  bool same = view && !view->value.empty();
  return fmt::format("{} = {}{}", kListParam, in_list(selection), same ? " (" + view->where + ")" : "");
}

std::string Loader::Impl::why_not(const Plugin& plugin) const {
  bool named = !selection.open_choice() && !selection.exclude;
  if (named) return "not in " + list_text();
  if (only_by_name(plugin)) return fmt::format("used only if {} names it", kListParam);
  return "excluded by " + list_text();
}

Error Loader::Impl::absent(const std::string& name) const {
  auto known = names();
  std::ranges::sort(known);
  std::string there = known.empty() ? "none" : fmt::format("{}", fmt::join(known, ", "));
  if (const Plugin* plugin = refused(name)) {
    return make_error(Errc::kNotFound, "{}: component \"{}\" cannot be used: {} {}. Components that can: {}",
                      list_text(), name, plugin->view.path, plugin->view.reason, there);
  }
  return make_error(
      Errc::kNotFound,
      "{}: component \"{}\" does not exist: no file hawser_btl_{}.so in {}. Components that exist: {}{}",
      list_text(), name, name, fmt::join(folders, ", "), there, mca::did_you_mean(name, known));
}

Result<void> Loader::Impl::select_named() {
  for (const auto& name : selection.names) {
    Plugin* plugin = loaded(name);
    if (!plugin) return absent(name);
    selected.push_back(plugin);
  }
  return {};
}

/// Everything that the list does not take away, by name; notes about the list.
std::vector<std::string> Loader::Impl::select_others() {
  for (Plugin& plugin : plugins) {
    bool free = plugin.descriptor && !only_by_name(plugin);
    if (free && selection.allows(plugin.view.name)) selected.push_back(&plugin);
  }
  std::ranges::sort(selected, {}, [](const Plugin* plugin) { return plugin->view.name; });
  std::vector<std::string> notes;
  for (const auto& name : selection.names) {
    if (name == "self") {
      notes.push_back(list_text() +
                      " takes \"self\" away too (the caret covers the whole list): a rank cannot send to "
                      "itself");
    } else if (!loaded(name) && !refused(name)) {
      notes.push_back(fmt::format("{} excludes \"{}\", which does not exist{}", list_text(), name,
                                  mca::did_you_mean(name, names())));
    }
  }
  return notes;
}

Result<std::vector<std::string>> Loader::select(const std::string& btl_list) {
  auto parsed = mca::parse_selection(kListParam, btl_list);
  if (!parsed) return parsed.error();
  impl_->selection = *parsed;
  impl_->selected.clear();
  std::vector<std::string> notes;
  bool named = !parsed->open_choice() && !parsed->exclude;
  if (named) {
    if (auto ok = impl_->select_named(); !ok) return ok.error();
  } else {
    notes = impl_->select_others();
  }
  for (Plugin& plugin : impl_->plugins) {
    if (!plugin.descriptor) continue;
    bool chosen = std::ranges::find(impl_->selected, &plugin) != impl_->selected.end();
    plugin.step(chosen ? StageEvent::kSelect : StageEvent::kExclude, chosen ? "" : impl_->why_not(plugin));
  }
  if (!impl_->selected.empty()) return notes;
  if (parsed->open_choice()) {
    return make_error(Errc::kNotFound, "no component that can be used in {}; see `hawser info`",
                      fmt::join(impl_->folders, ", "));
  }
  return make_error(Errc::kNotFound, "{} leaves no component; those that exist: {}", impl_->list_text(),
                    fmt::join(impl_->names(), ", "));
}

}  // namespace hawser::loader
