// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "framework/base/sealed_memory.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <string>

namespace hawser {

namespace {

constexpr int kSeals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;

}  // namespace

Result<Fd> make_sealed_memory(const char* name, std::size_t size, std::size_t allocated) {
  Fd fd(::memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!fd) return system_error("memfd_create", errno);
  if (::ftruncate(fd.get(), static_cast<off_t>(size)) != 0)
    return system_error("sizing shared memory", errno);
  if (!allocate_memory(fd.get(), 0, allocated)) return system_error("allocating shared memory", errno);
  if (::fcntl(fd.get(), F_ADD_SEALS, kSeals) != 0) return system_error("sealing shared memory", errno);
  return fd;
}

bool is_sealed(int fd) noexcept {
  const int seals = ::fcntl(fd, F_GET_SEALS);
  return seals >= 0 && (seals & kSeals) == kSeals;
}

bool allocate_memory(int fd, std::size_t offset, std::size_t size) noexcept {
  return retry_eintr(
             [&] { return ::fallocate(fd, 0, static_cast<off_t>(offset), static_cast<off_t>(size)); }) == 0;
}

Result<Fd> open_of_process(std::uint32_t pid, std::int32_t number, int flags, const char* what) {
  const std::string path = fmt::format("/proc/{}/fd/{}", pid, number);
  Fd fd(retry_eintr([&] { return ::open(path.c_str(), flags | O_CLOEXEC | O_NOCTTY); }));
  if (fd) return fd;
  const int why = errno;
  if (why == ENOENT || why == ESRCH)
    return make_error(Errc::kPeerGone, "process {} is gone, or lost its {}", pid, what);
  if (why == EACCES || why == EPERM) {
    return make_error(Errc::kPermission,
                      "not permitted to open the {} of process {} ({}); processes share memory if they "
                      "run as one user, in one container, and have not made themselves undumpable",
                      what, pid, path);
  }
  return system_error(fmt::format("opening the {} of process {} ({})", what, pid, path), why);
}

}  // namespace hawser
