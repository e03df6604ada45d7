// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "framework/base/result.hpp"

namespace hawser::loader {

/// mca_component_path (colons between), ~/.hawser/components, hawser/ beside libhawser: absolute, each once.
std::vector<std::string> search_folders(const std::string& component_path);

/// Whether only root, this user and the owner of libhawser can write there: whoever can write a plug-in runs
/// code in this process. The error says who else can, and what to do.
Result<void> check_trust(const std::string& path);

/// The files hawser_btl_NAME.so of a folder, by name. Empty if it does not exist.
struct PluginFile {
  std::string name;
  std::string path;
};
std::vector<PluginFile> plugin_files(const std::string& folder);

}  // namespace hawser::loader
