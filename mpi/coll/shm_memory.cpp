// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "mpi/coll/shm_memory.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <new>
#include <utility>

#include "framework/base/sealed_memory.hpp"

namespace hawser::mpi::coll {

namespace {

constexpr std::uint64_t kPage = 4096;
constexpr std::uint64_t kChunksTogether = 8u << 20;  // of all members, where they are many

std::atomic<std::uint64_t> g_mapped{0};  // bytes

constexpr std::uint64_t up(std::uint64_t n) noexcept {
  return (n + kPage - 1) & ~(kPage - 1);
}

std::uint64_t chunk_for(int members, std::uint64_t wanted) noexcept {
  const std::uint64_t fair = kChunksTogether / (static_cast<std::uint64_t>(members) * kChunks);
  return up(std::max<std::uint64_t>(std::min(wanted, fair), 2 * kPage));
}

}  // namespace

TeamMemory::TeamMemory(TeamMemory&& other) noexcept {
  *this = std::move(other);
}

TeamMemory& TeamMemory::operator=(TeamMemory&& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(base_, other.base_);
  std::swap(chunks_, other.chunks_);
  std::swap(size_, other.size_);
  std::swap(chunk_, other.chunk_);
  return *this;
}

TeamMemory::~TeamMemory() {
  if (!base_) return;
  ::munmap(base_, size_);
  g_mapped.fetch_sub(size_, std::memory_order_relaxed);
}

std::size_t TeamMemory::front(int members) noexcept {
  return up(kHeaderSize + static_cast<std::size_t>(members) * sizeof(TeamMember));
}

Result<void> TeamMemory::map(int members, std::uint64_t chunk) {
  chunk_ = chunk_for(members, chunk);
  size_ = size_for(members, chunk);
  void* base = ::mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_SHARED, fd(), 0);
  if (base == MAP_FAILED) return system_error("mapping shared memory for collectives", errno);
  base_ = static_cast<unsigned char*>(base);
  chunks_ = base_ + front(members);
  g_mapped.fetch_add(size_, std::memory_order_relaxed);
  return {};
}

std::size_t TeamMemory::size_for(int members, std::uint64_t chunk) noexcept {
  return front(members) + static_cast<std::size_t>(members) * kChunks * chunk_for(members, chunk);
}

std::uint64_t TeamMemory::mapped_with(int members, std::uint64_t chunk) noexcept {
  return g_mapped.load(std::memory_order_relaxed) + size_for(members, chunk);
}

Result<TeamMemory> TeamMemory::make(int members, std::uint64_t chunk) {
  TeamMemory made;
  std::uint64_t cookie = 0;
  if (::getrandom(&cookie, sizeof cookie, 0) != static_cast<ssize_t>(sizeof cookie))
    return system_error("getrandom", errno);
  const std::size_t size = size_for(members, chunk);
  auto memory = make_sealed_memory("hawser_coll", size, size);
  if (!memory) return memory.error();
  made.fd_ = std::move(*memory);
  if (auto mapped = made.map(members, chunk); !mapped) return mapped.error();
  auto* header = ::new (made.base_) TeamHeader{};
  header->cookie = cookie;
  header->members = static_cast<std::uint32_t>(members);
  header->chunk = static_cast<std::uint32_t>(made.chunk_);
  return made;
}

Result<TeamMemory> TeamMemory::open(std::uint32_t pid, std::int32_t number, std::uint64_t cookie, int members,
                                    std::uint64_t chunk) {
  TeamMemory opened;
  auto memory = open_of_process(pid, number, O_RDWR, "shared memory for collectives");
  if (!memory) return memory.error();
  opened.fd_ = std::move(*memory);
  struct stat info {};
  if (::fstat(opened.fd(), &info) != 0)
    return system_error("looking at shared memory for collectives", errno);
  if (!is_sealed(opened.fd()) || static_cast<std::size_t>(info.st_size) != size_for(members, chunk))
    return make_error(Errc::kProtocol, "the shared memory of process {} is not what it should be", pid);
  if (auto mapped = opened.map(members, chunk); !mapped) return mapped.error();
  const TeamHeader& header = opened.header();
  if (header.cookie != cookie || header.members != static_cast<std::uint32_t>(members) ||
      header.chunk != opened.chunk_)
    return make_error(Errc::kProtocol, "the shared memory of process {} belongs to another communicator",
                      pid);
  return opened;
}

}  // namespace hawser::mpi::coll
