// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include <iterator>
#include <new>

#include "components/tcp/component.hpp"
#include "components/tcp/counters.hpp"
#include "components/tcp/params.hpp"
#include "components/tcp/states.hpp"
#include "framework/btl/abi.hpp"

namespace {

hawser::btl::Component* create() {
  return new (std::nothrow) hawser::tcp::Component;
}
void destroy(hawser::btl::Component* component) {
  delete static_cast<hawser::tcp::Component*>(component);
}

}  // namespace

HAWSER_BTL_COMPONENT_TOLD("tcp", "1.0", hawser::tcp::g_param_rows, &create, &destroy, 0,
                          hawser::tcp::kCounterInfo, std::size(hawser::tcp::kCounterInfo),
                          &hawser::tcp::kMachine, 1);
