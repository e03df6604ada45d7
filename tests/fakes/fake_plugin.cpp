// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
// A plug-in that hands out a component which lives in the test.
#include <cstdlib>

#include "framework/btl/abi.hpp"
#include "framework/btl/component.hpp"

namespace {

const char* g_object = "";

const hawser::mca::ParamRow kRows[] = {
    hawser::mca::param_string("object", &g_object, "", 9, "address of the component in this process"),
};

hawser::btl::Component* create() {
  return reinterpret_cast<hawser::btl::Component*>(std::strtoull(g_object, nullptr, 16));
}
void destroy(hawser::btl::Component*) {}

}  // namespace

HAWSER_BTL_COMPONENT("fake", "1.0", kRows, &create, &destroy);
