// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "framework/mca/registry.hpp"

namespace hawser::mca {

/// Parameters of one framework and component, in the order of their declaration.
struct ParamGroup {
  std::string title;              // "btl tcp"; "general" for hawser's own
  std::vector<ParamView> params;  // at least one
};

/// All parameters: hawser's own first, then frameworks and their components by name.
std::vector<ParamGroup> grouped(const Registry& registry);

/// The type and the range, for people: "size, 64 to 16m bytes".
std::string type_text(const ParamRow& row);

/// A parameter file that changes nothing: each parameter with help, range and level, and its default as a
/// comment. Blocks are separated by blank lines; the last line of a block is "#name = default".
std::string conf_text(const Registry& registry);

/// The same as tables in Markdown, one for each group.
std::string markdown_text(const Registry& registry);

/// Words broken into lines of at most `width` characters, each after `indent`.
std::string wrapped(std::string_view words, const std::string& indent, std::size_t width);

}  // namespace hawser::mca
