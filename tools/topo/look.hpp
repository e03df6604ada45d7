// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tools/common/gather.hpp"
#include "tools/topo/host.hpp"

namespace hawser::tools {

/// The parameters that decide which addresses tcp uses.
inline constexpr const char* kTopoParams[] = {"btl_tcp_if_include", "btl_tcp_if_exclude",
                                              "btl_tcp_disable_family", "btl_tcp_links"};

/// This machine as the tcp component would see it under the parameters in effect. What it would refuse, or
/// say, is added to the errors and notes of `findings`.
TopoHost look_here(Findings& findings);

}  // namespace hawser::tools
