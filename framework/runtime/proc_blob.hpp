// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "framework/base/result.hpp"
#include "framework/btl/host.hpp"

namespace hawser::runtime {

/// The modex key under which every rank says who and where it is.
inline constexpr const char* kProcKey = "proc";

/// This process, as it will be published. What the kernel does not tell is filled with random bytes, so that
/// it is equal to nobody's: such a process shares no memory with others, and goes over the network.
btl::Proc this_proc(std::uint32_t rank);

std::string write_proc(const btl::Proc& proc);
/// Errors: kVersion, kProtocol; the text names the rank.
Result<btl::Proc> read_proc(std::uint32_t rank, std::string_view blob);

}  // namespace hawser::runtime
