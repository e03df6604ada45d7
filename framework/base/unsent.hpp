// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>

#include "framework/base/cpu.hpp"

namespace hawser {

/// Set by a component that holds messages back which may wait for others (btl::Head::may_wait): its next pass
/// of progress sends them. Whoever ends a wait that needed no pass makes one if it is set, so that no program
/// computes while they wait. A hint: true may be out of date.
extern HAWSER_EXPORT std::atomic<bool> g_unsent;

}  // namespace hawser
