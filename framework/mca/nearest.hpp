// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace hawser::mca {

/// Edits that turn one word into the other: insert, delete, replace, swap two neighbours (each part of a word
/// is edited once).
std::size_t edit_distance(std::string_view a, std::string_view b);

/// The candidate with the fewest edits from `word`, the first of equals; "" if none is near enough to be
/// meant (one edit for each three letters, at least one).
std::string nearest(std::string_view word, const std::vector<std::string>& candidates);

/// "; did you mean \"tcp\"?", or "" if nothing is near.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace hawser::mca
