// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include <iterator>

#include "components/tcp/component.hpp"
#include "components/tcp/counters.hpp"
#include "components/tcp/params.hpp"
#include "components/tcp/states.hpp"
#include "framework/btl/abi.hpp"
#include "framework/btl/parts.hpp"

HAWSER_BTL_COMPONENT_TOLD("tcp", "1.0", hawser::tcp::g_param_rows,
                          &hawser::btl::create<hawser::tcp::Component>,
                          &hawser::btl::destroy<hawser::tcp::Component>, 0, hawser::tcp::kCounterInfo,
                          std::size(hawser::tcp::kCounterInfo), &hawser::tcp::kMachine, 1);
