// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "framework/base/errc.hpp"

namespace hawser::shm {

// Reading and writing another process's memory in one copy (process_vm_readv, "cross-memory attach").

/// Moves all of `size` bytes; loops over short results, at most 1 GiB a call. kOk, kPermission (the system
/// does not permit it, or has no such call), kPeerGone, kInvalid (no such memory there).
Errc read_memory(std::uint32_t pid, void* local, std::uint64_t remote, std::size_t size) noexcept;
Errc write_memory(std::uint32_t pid, const void* local, std::uint64_t remote, std::size_t size) noexcept;

/// Tries it for real: whether `incarnation` can be read at `address` of that process.
bool probe_memory(std::uint32_t pid, std::uint64_t address, std::uint64_t incarnation) noexcept;

}  // namespace hawser::shm
