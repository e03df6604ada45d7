// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

namespace hawser::tools {

/// A file of tools/new/template, as the build found it.
struct TemplateFile {
  std::string_view name;
  std::string_view text;
};

/// Where a file has this word, a component made of it has its own name.
inline constexpr std::string_view kTemplateName = "ferry";

std::span<const TemplateFile> template_files();

}  // namespace hawser::tools
