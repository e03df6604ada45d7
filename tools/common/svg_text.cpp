// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/common/svg_text.hpp"

#include <fmt/format.h>

namespace hawser::tools {

std::string svg_escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += static_cast<unsigned char>(c) < 0x20 ? '?' : c;
    }
  }
  return out;
}

std::string svg_text_at(double x, double y, std::string_view classes, std::string_view text) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"{}\">{}</text>\n", x, y, classes,
                     svg_escaped(text));
}

std::string svg_document(double width, double height, std::string_view title, std::string_view style,
                         std::string_view body) {
  return fmt::format(R"(<?xml version="1.0" encoding="UTF-8"?>
<svg xmlns="http://www.w3.org/2000/svg" width="{0:.0f}" height="{1:.0f}" viewBox="0 0 {0:.0f} {1:.0f}" role="img">
<title>{2}</title>
<style>
text {{ font-family: "DejaVu Sans", Verdana, Helvetica, Arial, sans-serif; fill: #1c2733; }}
.legend {{ font-size: 12px; fill: #44526b; }}
.end {{ text-anchor: end; }}
{3}</style>
<rect width="100%" height="100%" fill="#e9eef3"/>
{4}</svg>
)",
                     width, height, svg_escaped(title), style, body);
}

}  // namespace hawser::tools
