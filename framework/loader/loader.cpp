// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "framework/loader/loader.hpp"

#include <cstddef>

#include "framework/loader/handshake.hpp"
#include "framework/loader/impl.hpp"
#include "framework/loader/precheck.hpp"
#include "framework/loader/search.hpp"
#include "framework/mca/nearest.hpp"

namespace hawser::loader {

Loader::Loader() : impl_(std::make_unique<Impl>()) {}
Loader::~Loader() {
  close();
}

Result<void> Loader::discover(mca::Registry& registry, const std::string& component_path) {
  impl_->registry = &registry;
  impl_->folders = search_folders(component_path);
  Result<void> first;
  for (const auto& folder : impl_->folders) {
    auto ok = impl_->look_into(folder);
    if (!ok && first) first = std::move(ok);
  }
  return first;
}

Result<void> Loader::Impl::look_into(const std::string& folder) {
  auto files = plugin_files(folder);
  if (files.empty()) return {};
  auto trust = check_trust(folder);
  Result<void> first;
  for (const auto& file : files) {
    if (!trust) {
      Plugin& plugin = plugins.emplace_back();
      plugin.view = {file.name, file.path, "", "", Stage::kFound, ""};
      plugin.step(StageEvent::kRefuse, "its folder " + trust.error().text);
      continue;
    }
    auto ok = look_at(file.name, file.path);
    if (!ok && first) first = std::move(ok);
  }
  return first;
}

Result<void> Loader::Impl::look_at(const std::string& name, const std::string& path) {
  const Plugin* winner = loaded(name);
  Plugin& plugin = plugins.emplace_back();
  plugin.view = {name, path, "", "", Stage::kFound, ""};
  if (winner) {
    plugin.step(StageEvent::kShadow, "shadowed by " + winner->view.path);
    return {};
  }
  auto ok = accept(plugin);
  if (ok) return {};
  // A bad value is the user's, and he must hear of it; the plug-in itself is good.
  if (plugin.descriptor) return ok;
  plugin.step(StageEvent::kRefuse, ok.error().text);
  return {};
}

Result<void> Loader::Impl::accept(Plugin& plugin) {
  constexpr std::size_t kLeast = offsetof(hawser_btl_descriptor, framework);
  if (auto ok = precheck(plugin.view.path, HAWSER_BTL_SYMBOL_NAME, kLeast); !ok) return ok;
  if (auto ok = check_trust(plugin.view.path); !ok) return ok;
  auto descriptor = load(plugin.view.path);
  if (!descriptor) return descriptor.error();
  if (auto ok = check_handshake(**descriptor, plugin.view.name); !ok) return ok;
  plugin.view.version = (*descriptor)->version;
  plugin.view.toolchain = (*descriptor)->toolchain;
  auto declared =
      registry->declare("btl", plugin.view.name, (*descriptor)->params, (*descriptor)->param_count);
  if (!declared && declared.error().code == Errc::kUnsupported) return declared;
  plugin.descriptor = *descriptor;
  plugin.step(StageEvent::kAccept, "loaded, not selected yet");
  return declared;
}

Plugin* Loader::Impl::loaded(const std::string& name) {
  for (Plugin& plugin : plugins) {
    if (plugin.descriptor && plugin.view.name == name) return &plugin;
  }
  return nullptr;
}

const Plugin* Loader::Impl::refused(const std::string& name) const {
  for (const Plugin& plugin : plugins) {
    if (plugin.view.stage == Stage::kRefused && plugin.view.name == name) return &plugin;
  }
  return nullptr;
}

std::vector<std::string> Loader::Impl::names() const {
  std::vector<std::string> all;
  for (const Plugin& plugin : plugins) {
    if (plugin.descriptor) all.push_back(plugin.view.name);
  }
  return all;
}

Result<const hawser_btl_descriptor*> Loader::descriptor(const std::string& name) const {
  if (const Plugin* plugin = impl_->loaded(name)) return plugin->descriptor;
  if (const Plugin* plugin = impl_->refused(name))
    return make_error(Errc::kNotFound, "{} {}", plugin->view.path, plugin->view.reason);
  return make_error(Errc::kNotFound, "component \"{}\" does not exist{}", name,
                    mca::did_you_mean(name, impl_->names()));
}

std::vector<PluginView> Loader::plugins() const {
  std::vector<PluginView> views;
  for (const Plugin& plugin : impl_->plugins) views.push_back(plugin.view);
  return views;
}

std::vector<std::string> Loader::unjudged_prefixes() const {
  std::vector<std::string> prefixes;
  for (const Plugin& plugin : impl_->plugins) {
    if (plugin.view.stage == Stage::kRefused) prefixes.push_back("btl_" + plugin.view.name + "_");
  }
  return prefixes;
}

std::vector<std::string> Loader::search_path() const {
  return impl_->folders;
}

}  // namespace hawser::loader
