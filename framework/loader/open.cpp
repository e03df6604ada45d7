// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include <exception>

#include "framework/loader/impl.hpp"

namespace hawser::loader {

/// The kept reason of a component that could not open.
Result<void> Loader::Impl::open_one(Plugin& plugin, btl::Host& host) {
  try {
    plugin.component = plugin.descriptor->create();
  } catch (const std::exception& failure) {
    return make_error(Errc::kSystem, "could not be created: {}", failure.what());
  } catch (...) {
    return make_error(Errc::kSystem, "could not be created: it threw something that is no std::exception");
  }
  if (!plugin.component) return make_error(Errc::kOutOfMemory, "could not be created: no memory");
  char why[btl::kReasonSize] = {};
  Errc status = plugin.component->open(host, why, sizeof why);
  if (status == Errc::kOk) return {};
  why[sizeof why - 1] = '\0';
  plugin.descriptor->destroy(plugin.component);
  plugin.component = nullptr;
  return make_error(status, "could not open: {}", why[0] ? why : to_text(status));
}

Result<void> Loader::open(btl::Host& host) {
  bool named = !impl_->selection.open_choice() && !impl_->selection.exclude;
  for (Plugin* plugin : impl_->selected) {
    auto ok = impl_->open_one(*plugin, host);
    plugin->step(ok ? StageEvent::kOpen : StageEvent::kFail, ok ? "" : ok.error().text);
    if (ok) {
      impl_->components.push_back(plugin->component);
    } else if (named) {
      return make_error(ok.error().code, "{}: component \"{}\" {}", impl_->list_text(), plugin->view.name,
                        ok.error().text);
    } else if (ok.error().code == Errc::kInvalid || ok.error().code == Errc::kNotFound) {
      // What the user set keeps it out, although others may serve: that must not go unnoticed.
      host.say_once(plugin->view.name.c_str(), ("unused " + plugin->view.name).c_str(),
                    ("not used: it " + ok.error().text).c_str());
    }
  }
  if (!impl_->components.empty()) return {};
  std::string reasons;
  for (const Plugin* plugin : impl_->selected) {
    reasons += fmt::format("; \"{}\" {}", plugin->view.name, plugin->view.reason);
  }
  return make_error(Errc::kUnreachable, "no component is left to carry messages{}", reasons);
}

void Loader::close() {
  impl_->components.clear();
  for (auto plugin = impl_->selected.rbegin(); plugin != impl_->selected.rend(); ++plugin) {
    Plugin& closing = **plugin;
    if (!closing.component) continue;
    closing.component->close();
    closing.descriptor->destroy(closing.component);
    closing.component = nullptr;
    closing.step(StageEvent::kClose, "closed");
  }
}

const std::vector<btl::Component*>& Loader::components() const noexcept {
  return impl_->components;
}

const Plugin* Loader::Impl::plugin_of(const btl::Component& component) const noexcept {
  for (const Plugin& plugin : plugins) {
    if (plugin.component == &component) return &plugin;
  }
  return nullptr;
}

const char* Loader::name_of(const btl::Component& component) const noexcept {
  const Plugin* plugin = impl_->plugin_of(component);
  return plugin ? plugin->descriptor->name : "";
}

std::uint32_t Loader::minor_of(const btl::Component& component) const noexcept {
  const Plugin* plugin = impl_->plugin_of(component);
  return plugin ? plugin->descriptor->abi_minor : 0;
}

}  // namespace hawser::loader
