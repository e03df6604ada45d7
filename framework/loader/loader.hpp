// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "framework/base/result.hpp"
#include "framework/btl/abi.hpp"
#include "framework/btl/component.hpp"
#include "framework/loader/stages.hpp"
#include "framework/mca/registry.hpp"

namespace hawser::loader {

/// One file that was looked at, and why it is or is not used.
struct PluginView {
  std::string name;  // from the descriptor; from the file name if it was refused
  std::string path;
  std::string version;
  std::string toolchain;
  Stage stage = Stage::kFound;
  std::string reason;  // one line; never empty unless kOpen or kSelected
};

/// What a plug-in says of its counters and state machines; empty if it is older, or says nothing.
struct Told {
  std::span<const CounterInfo> counters;
  std::span<const MachineInfo> machines;
};
/// Only of a descriptor that was taken. Judged: every table is there, no text is null or empty, and edges
/// lead within their machine. kInvalid: something is not so; the text says what.
Result<Told> told_by(const hawser_btl_descriptor& descriptor);

/// Finds, checks, loads and selects BTL components. Plug-ins are never unloaded. Not thread-safe.
class Loader {
 public:
  Loader();
  ~Loader();

  /// Looks through the folders of mca_component_path (colon list), ~/.hawser/components, and lib/hawser
  /// beside libhawser; for each hawser_btl_NAME.so: pre-check without running its code, load, handshake, and
  /// declare its parameters with the registry. A file that is refused keeps its reason and is no error. The
  /// error (kInvalid) is a bad value for a component's parameter; the search is complete all the same.
  /// `registry` must outlive the loader's use.
  Result<void> discover(mca::Registry& registry, const std::string& component_path);

  /// Applies the `btl` list; answers notes for people, one line each, mostly none. Errors: a named component
  /// that does not exist or was refused (with the reason, the search path, the names that exist and the
  /// nearest one). Excluding an unknown name is a note.
  Result<std::vector<std::string>> select(const std::string& btl_list);

  /// Creates and opens what was selected. A component that cannot open is dropped with its reason; an error
  /// if it was named explicitly, or if none is left.
  Result<void> open(btl::Host& host);

  /// The open components, in the order of their names in the list, else alphabetical.
  const std::vector<btl::Component*>& components() const noexcept;
  const char* name_of(const btl::Component& component) const noexcept;
  /// The minor version of the interface that its plug-in was built for.
  std::uint32_t minor_of(const btl::Component& component) const noexcept;
  std::vector<PluginView> plugins() const;
  /// What the plug-in of that name says of itself. kNotFound: there is none that can be used.
  Result<const hawser_btl_descriptor*> descriptor(const std::string& name) const;
  /// Names of parameters that begin so belong to a plug-in that is there but was refused: not to be judged.
  std::vector<std::string> unjudged_prefixes() const;
  /// Folders in the order they are searched.
  std::vector<std::string> search_path() const;
  void close();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace hawser::loader
