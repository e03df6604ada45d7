// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/common/output.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <fstream>

#include "framework/base/result.hpp"

namespace hawser::tools {

int write_out(std::string_view command, const std::string& file, const std::string& text) {
  std::string where = "standard output";
  if (file == "-") {
    if (std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0) return 0;
  } else {
    std::ofstream out(file, std::ios::binary);
    out << text;
    out.close();
    if (out) return 0;
    where = file;
  }
  fmt::print(stderr, "{}: error: {}\n", command, system_error("writing " + where, errno).text);
  return 1;
}

}  // namespace hawser::tools
