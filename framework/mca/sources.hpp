// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "framework/base/result.hpp"
#include "framework/mca/registry.hpp"

namespace hawser::mca {

/// The folder that libhawser was loaded from, and its file; so that a moved tree works. "" if it is not to be
/// known.
std::string library_file();
std::string library_folder();

/// The user's folder for Hawser, "~/.hawser"; "" without a home.
std::string user_folder();

/// An environment variable, or "" if it is not set or if this program runs with more rights than its user.
std::string trusted_environment(const char* name);

/// What one source gave; within a batch no name may have two values, and a later batch is stronger.
using Batch = std::vector<Setting>;

/// All sources of this process, weakest first. Files that need not exist are skipped; those that a user named
/// (--tune) must exist.
Result<std::vector<Batch>> read_all_sources();

/// The settings of the environment under one prefix ("HAWSER_MCA_").
Batch read_environment(const char* const* environment, const std::string& prefix, Source source);

/// The command line as the launcher hands it down: name=value, the byte 0x1f between.
Result<Batch> parse_command_line(const std::string& text);

}  // namespace hawser::mca
