// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace hawser::tools {

/// UTF-8 text as it may stand in SVG, also within quotes. Control characters, which XML has no way to write,
/// become question marks.
std::string svg_escaped(std::string_view text);

/// Text at a place of the picture, with the classes of a style sheet; escapes it.
std::string svg_text_at(double x, double y, std::string_view classes, std::string_view text);

/// A whole picture of `width` x `height` pixels, on a background of its own, so that the page behind it may
/// be light or dark. `style`: further rules beside those for text, .legend and .end, which every picture has.
std::string svg_document(double width, double height, std::string_view title, std::string_view style,
                         std::string_view body);

}  // namespace hawser::tools
