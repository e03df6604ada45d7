// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "framework/runtime/proc_blob.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <random>

#include "framework/base/fd.hpp"
#include "framework/base/wire.hpp"

namespace hawser::runtime {

namespace {

constexpr std::uint16_t kVersion = 1;

std::uint64_t random_u64() {
  std::random_device source;
  return std::uint64_t{source()} << 32 | source();
}

int hex_digit(char c) noexcept {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// "e8b0c7d2-...": 16 bytes in hexadecimal, with dashes.
bool read_boot_id(unsigned char (&out)[16]) {
  Fd file(::open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC));
  char text[64];
  const ssize_t size = file ? ::read(file.get(), text, sizeof text) : -1;
  std::size_t digits = 0;
  for (ssize_t i = 0; i < size && digits < 32; ++i) {
    const int value = hex_digit(text[i]);
    if (value < 0) continue;
    out[digits / 2] = static_cast<unsigned char>(digits % 2 == 0 ? value << 4 : out[digits / 2] | value);
    ++digits;
  }
  return digits == 32;
}

std::uint64_t inode_of(const char* path) {
  struct stat info;
  return ::stat(path, &info) == 0 ? info.st_ino : random_u64();
}

}  // namespace

btl::Proc this_proc(std::uint32_t rank) {
  btl::Proc proc{};
  proc.rank = rank;
  proc.pid = static_cast<std::uint32_t>(::getpid());
  proc.incarnation = random_u64();
  if (!read_boot_id(proc.boot_id)) {
    const std::uint64_t random[2] = {random_u64(), random_u64()};
    std::memcpy(proc.boot_id, random, sizeof proc.boot_id);
  }
  proc.net_namespace = inode_of("/proc/self/ns/net");
  proc.pid_namespace = inode_of("/proc/self/ns/pid");
  proc.user_namespace = inode_of("/proc/self/ns/user");
  if (::gethostname(proc.host, sizeof proc.host - 1) != 0) std::strcpy(proc.host, "unknown");
  return proc;
}

std::string write_proc(const btl::Proc& proc) {
  WireWriter out;
  out.put(kVersion);
  out.put(proc.rank);
  out.put(proc.pid);
  out.put(proc.incarnation);
  out.put_bytes(proc.boot_id, sizeof proc.boot_id);
  out.put(proc.net_namespace);
  out.put(proc.pid_namespace);
  out.put(proc.user_namespace);
  out.put_text(proc.host);
  return out.take();
}

Result<btl::Proc> read_proc(std::uint32_t rank, std::string_view blob) {
  WireReader in(blob.data(), blob.size());
  const auto version = in.get<std::uint16_t>();
  if (in.ok() && version != kVersion) {
    return make_error(
        Errc::kVersion,
        "rank {} describes itself in version {}, this process knows version {}; run the same version "
        "of hawser in all ranks",
        rank, version, kVersion);
  }
  btl::Proc proc{};
  proc.rank = in.get<std::uint32_t>();
  proc.pid = in.get<std::uint32_t>();
  proc.incarnation = in.get<std::uint64_t>();
  in.take(proc.boot_id, sizeof proc.boot_id);
  proc.net_namespace = in.get<std::uint64_t>();
  proc.pid_namespace = in.get<std::uint64_t>();
  proc.user_namespace = in.get<std::uint64_t>();
  const std::string_view host = in.get_text();
  const bool is_name = host.size() < sizeof proc.host && host.find('\0') == std::string_view::npos;
  if (!in.done() || proc.rank != rank || !is_name) {
    return make_error(Errc::kProtocol, "what rank {} published about itself cannot be read ({} bytes)", rank,
                      blob.size());
  }
  std::copy(host.begin(), host.end(), proc.host);
  return proc;
}

}  // namespace hawser::runtime
