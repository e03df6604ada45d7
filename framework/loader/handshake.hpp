// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "framework/base/result.hpp"
#include "framework/btl/abi.hpp"

namespace hawser::loader {

/// Loads a file that passed the pre-check, and gives its descriptor. It stays loaded whatever comes: static
/// objects and thread-locals make unloading unsafe. The error carries the system's reason.
Result<const hawser_btl_descriptor*> load(const std::string& path);

/// Whether this host can work with a plug-in that says this of itself; `name` is that of its file. Reads no
/// member before it knows that it is there. The error names both versions and what to do.
Result<void> check_handshake(const hawser_btl_descriptor& descriptor, const std::string& name);

}  // namespace hawser::loader
