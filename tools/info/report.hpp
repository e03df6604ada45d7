// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "tools/common/gather.hpp"

namespace hawser::tools {

/// What is to be shown.
struct View {
  int level = 3;
  bool everything = false;  // toolchain and help too
  bool changed = false;     // only parameters that are not as by default
  std::string framework;    // with `component`: only parameters, of these; "all": any
  std::string component;
};

/// The parameters that a view shows.
std::vector<mca::ParamView> shown_params(const Findings& findings, const View& view);

/// For a terminal `width` columns wide.
std::string text_report(const Findings& findings, const View& view, std::size_t width, bool colour);

/// The parameters that somebody set, with their values, defaults and sources.
std::string diff_text(const Findings& findings, const View& view, std::size_t width, bool colour);

/// One part of what there is to be told, beside notes and errors.
std::string part_json(const Findings& findings, const char* name, nlohmann::ordered_json part);
nlohmann::ordered_json params_json(const Findings& findings, const View& view);

/// The same for programs: version, library, search_path, components, parameters, notes, errors.
std::string json_report(const Findings& findings, const View& view);

}  // namespace hawser::tools
