// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "framework/base/result.hpp"
#include "framework/interfaces/interface.hpp"

namespace hawser::interfaces {

inline constexpr std::size_t kMaxRoutes =
    256;  // published by one process; default routes and the widest first

/// The unicast routes, both families, that leave through an interface, of the main table and of those that
/// rules choose by the source address (we bind to our addresses, so these are used too): one entry per next
/// hop, sorted by network, longest prefix first, without duplicates, at most kMaxRoutes. Link-local networks
/// are left out: they are on every link. kSystem and others: the kernel does not tell; go on without.
Result<std::vector<Route>> routes();

}  // namespace hawser::interfaces
