// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/btl/endpoint.hpp"

namespace hawser::self {

/// Ourselves. The component has one, as long as it lives.
class Endpoint final : public btl::Endpoint {};

}  // namespace hawser::self
