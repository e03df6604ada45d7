// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "components/tcp/blob.hpp"
#include "components/tcp/params.hpp"
#include "framework/matching/matching.hpp"

namespace hawser::tcp {

/// Of two sides that no pair of addresses joins: why none will, so that to wait for a late interface is in
/// vain. So it is if each side has addresses to meet at and none of the other's family, or if ours lead
/// nowhere but to ourselves and if_include names nothing else. Empty: one may come.
std::string why_hopeless(const matching::Question& question, const Blob& ours, const Params& params);

}  // namespace hawser::tcp
