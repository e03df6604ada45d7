// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "framework/base/machine.hpp"
#include "framework/btl/component.hpp"
#include "framework/mca/param_row.hpp"

namespace hawser::btl {

/// The size of a type that crosses the boundary, as one side was compiled.
struct LayoutRow {
  const char* type;    // its name
  std::uint32_t size;  // bytes
};

/// Every plug-in carries it, and the loader compares: a plug-in that was built against headers of the same
/// version number but another shape is refused with the name of the type.
inline constexpr LayoutRow kLayout[] = {
    {"Attributes", sizeof(Attributes)},
    {"CounterInfo", sizeof(CounterInfo)},
    {"CounterView", sizeof(CounterView)},
    {"Descriptor", sizeof(Descriptor)},
    {"Handler", sizeof(Handler)},
    {"HandlerTable", sizeof(HandlerTable)},
    {"Head", sizeof(Head)},
    {"Job", sizeof(Job)},
    {"MachineEdge", sizeof(MachineEdge)},
    {"MachineInfo", sizeof(MachineInfo)},
    {"MachineWord", sizeof(MachineWord)},
    {"Message", sizeof(Message)},
    {"ParamRow", sizeof(mca::ParamRow)},
    {"Placement", sizeof(Placement)},
    {"Proc", sizeof(Proc)},
    {"Reach", sizeof(Reach)},
    {"RemoteKey", sizeof(RemoteKey)},
};
inline constexpr std::uint32_t kLayoutCount = sizeof kLayout / sizeof kLayout[0];

}  // namespace hawser::btl
