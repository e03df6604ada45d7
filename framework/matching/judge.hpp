// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "framework/matching/matching.hpp"

namespace hawser::matching {

/// Judges each of our addresses with each of theirs, row by row: what speaks against the pair and what it
/// costs. Pairs that could be used come out as kOutmatched; which of them are used is decided afterwards.
/// Exchanging the sides gives the same judgements.
std::vector<Judged> judge_all(const Question& question);

/// Both addresses lie in the network of the other.
bool same_network(const Candidate& a, const Candidate& b) noexcept;

/// The pair's speed in Mbit/s: that of the slower end, with a guess for what is unknown.
std::uint32_t speed_of(const Candidate& a, const Candidate& b) noexcept;

}  // namespace hawser::matching
