// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "components/shm/single_copy.hpp"

#include <sys/uio.h>

#include <algorithm>
#include <cerrno>

namespace hawser::shm {

namespace {

constexpr std::size_t kPerCall = std::size_t{1} << 30;

using Call = ssize_t (*)(pid_t, const iovec*, unsigned long, const iovec*, unsigned long, unsigned long);

Errc failure(int why) noexcept {
  switch (why) {
    case ESRCH:
      return Errc::kPeerGone;
    case EFAULT:
      return Errc::kInvalid;
    case ENOMEM:
      return Errc::kOutOfMemory;
    default:
      return Errc::kPermission;  // EPERM, ENOSYS, and what filters answer
  }
}

Errc move(Call call, std::uint32_t pid, void* local, std::uint64_t remote, std::size_t size) noexcept {
  auto* at = static_cast<unsigned char*>(local);
  while (size != 0) {
    const std::size_t part = std::min(size, kPerCall);
    const iovec here{at, part};
    const iovec there{reinterpret_cast<void*>(remote), part};
    const ssize_t moved = call(static_cast<pid_t>(pid), &here, 1, &there, 1, 0);
    if (moved < 0 && errno == EINTR) continue;
    if (moved < 0) return failure(errno);
    if (moved == 0) return Errc::kInvalid;
    at += moved;
    remote += static_cast<std::size_t>(moved);
    size -= static_cast<std::size_t>(moved);
  }
  return Errc::kOk;
}

}  // namespace

Errc read_memory(std::uint32_t pid, void* local, std::uint64_t remote, std::size_t size) noexcept {
  return move(&::process_vm_readv, pid, local, remote, size);
}

Errc write_memory(std::uint32_t pid, const void* local, std::uint64_t remote, std::size_t size) noexcept {
  return move(&::process_vm_writev, pid, const_cast<void*>(local), remote, size);
}

bool probe_memory(std::uint32_t pid, std::uint64_t address, std::uint64_t incarnation) noexcept {
  std::uint64_t word = ~incarnation;
  return read_memory(pid, &word, address, sizeof word) == Errc::kOk && word == incarnation;
}

}  // namespace hawser::shm
