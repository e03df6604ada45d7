// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "framework/base/unsent.hpp"

namespace hawser {

std::atomic<bool> g_unsent{false};

}  // namespace hawser
