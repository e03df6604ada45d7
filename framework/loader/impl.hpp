// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "framework/btl/abi.hpp"
#include "framework/loader/loader.hpp"
#include "framework/mca/selection.hpp"

namespace hawser::loader {

/// A file and how far it got.
struct Plugin {
  PluginView view;
  const hawser_btl_descriptor* descriptor = nullptr;  // not null: loaded, and its parameters are declared
  btl::Component* component = nullptr;                // not null: created

  /// The only writer of its stage. What has no meaning in it changes nothing: what could not be opened stays
  /// so, with its reason, whatever is selected later.
  void step(StageEvent event, std::string reason) {
    const std::optional<Stage> next = machine_next(kStageEdges, view.stage, event);
    if (!next) return;
    view.stage = *next;
    view.reason = std::move(reason);
  }
};

struct Loader::Impl {
  mca::Registry* registry = nullptr;
  std::vector<std::string> folders;
  std::deque<Plugin> plugins;
  mca::Selection selection;
  std::vector<Plugin*> selected;            // in the order of opening
  std::vector<btl::Component*> components;  // the open ones

  Result<void> look_into(const std::string& folder);
  Result<void> look_at(const std::string& name, const std::string& path);
  Result<void> accept(Plugin& plugin);
  Plugin* loaded(const std::string& name);
  const Plugin* plugin_of(const btl::Component& component) const noexcept;
  const Plugin* refused(const std::string& name) const;
  std::vector<std::string> names() const;

  Result<void> select_named();
  std::vector<std::string> select_others();
  Error absent(const std::string& name) const;
  std::string list_text() const;
  std::string why_not(const Plugin& plugin) const;

  Result<void> open_one(Plugin& plugin, btl::Host& host);
};

}  // namespace hawser::loader
