// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "framework/base/fd.hpp"
#include "framework/base/result.hpp"

namespace hawser {

// Memory that processes of one user share: a memfd, which has no name that could be left behind and goes with
// the last process that maps it. Its size is sealed, so nobody can cut it under those who map it. It is
// sparse: a part is allocated before it is used, so that a lack of memory is an answer then and not a SIGBUS
// later.

/// `size` bytes, of which the first `allocated` can be used at once. `name`: for those who look into /proc.
Result<Fd> make_sealed_memory(const char* name, std::size_t size, std::size_t allocated);
/// Whether the size of what `fd` is can never change again.
bool is_sealed(int fd) noexcept;
/// Makes `size` bytes from `offset` on usable. False: errno tells why.
bool allocate_memory(int fd, std::size_t offset, std::size_t size) noexcept;

/// Opens descriptor `number` of process `pid` with the `flags` of open(2); `what` it is: for the error text.
/// kPeerGone: there is no such process, or it has no such descriptor; kPermission.
Result<Fd> open_of_process(std::uint32_t pid, std::int32_t number, int flags, const char* what);

}  // namespace hawser
