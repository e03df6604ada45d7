// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include <iterator>

#include "components/fault/component.hpp"
#include "components/fault/counters.hpp"
#include "components/fault/params.hpp"
#include "framework/btl/abi.hpp"
#include "framework/btl/parts.hpp"

HAWSER_BTL_COMPONENT_TOLD("fault", "0.1.0", hawser::fault::kParamRows,
                          &hawser::btl::create<hawser::fault::Component>,
                          &hawser::btl::destroy<hawser::fault::Component>, ::hawser::btl::kOnlyByName,
                          hawser::fault::kCounterInfo, std::size(hawser::fault::kCounterInfo), nullptr, 0);
