// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "components/shm/doorbell.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "framework/base/cpu.hpp"
#include "framework/base/sealed_memory.hpp"

namespace hawser::shm {

Result<void> Doorbell::make() {
  int ends[2];
  if (::pipe2(ends, O_NONBLOCK | O_CLOEXEC) != 0) return system_error("making a pipe", errno);
  reading_.reset(ends[0]);
  writing_.reset(ends[1]);
  return {};
}

void Doorbell::drain() noexcept {
  char bytes[256];
  while (retry_eintr([&] { return ::read(reading_.get(), bytes, sizeof bytes); }) == sizeof bytes) {
  }
}

Result<Fd> open_doorbell(std::uint32_t pid, std::int32_t number) {
  // For reading too, although we never read: a pipe that has a reader raises no SIGPIPE when its owner is
  // gone.
  auto fd = open_of_process(pid, number, O_RDWR | O_NONBLOCK, "doorbell");
  if (!fd) return fd;
  struct stat info {};
  if (::fstat(fd->get(), &info) != 0 || !S_ISFIFO(info.st_mode)) {
    return make_error(Errc::kProtocol, "what process {} calls its doorbell is no pipe", pid);
  }
  return fd;
}

bool ring(std::atomic<std::uint32_t>& flag, int doorbell) noexcept {
  if (flag.exchange(0, std::memory_order_acq_rel) == 0) return false;
  const char byte = 1;
  return retry_eintr([&] { return ::write(doorbell, &byte, 1); }) == 1;
}

}  // namespace hawser::shm
