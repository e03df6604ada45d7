// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include <iterator>
#include <new>

#include "components/fault/component.hpp"
#include "components/fault/counters.hpp"
#include "components/fault/params.hpp"
#include "framework/btl/abi.hpp"

namespace hawser::fault {

namespace {

btl::Component* create() {
  return new (std::nothrow) Component;
}
void destroy(btl::Component* component) {
  delete static_cast<Component*>(component);
}

}  // namespace

}  // namespace hawser::fault

HAWSER_BTL_COMPONENT_TOLD("fault", "0.1.0", hawser::fault::kParamRows, &hawser::fault::create,
                          &hawser::fault::destroy, ::hawser::btl::kOnlyByName, hawser::fault::kCounterInfo,
                          std::size(hawser::fault::kCounterInfo), nullptr, 0);
