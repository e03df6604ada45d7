// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "framework/modex/modex.hpp"

namespace hawser::modex {

/// A world of one, without a launcher.
std::unique_ptr<Modex> make_singleton();

}  // namespace hawser::modex
