// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/conformance/fake_host.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <thread>

#include "framework/base/clock.hpp"

namespace hawser::conformance {

namespace {

constexpr std::chrono::seconds kModexDeadline{20};

std::uint64_t inode(const char* path) {
  struct stat info {};
  return ::stat(path, &info) == 0 ? info.st_ino : 0;
}

}  // namespace

FakeHost::FakeHost(Board& board, std::uint32_t rank, std::uint32_t size) : board_(board) {
  job_.id = 4711;
  job_.size = size;
  job_.rank = rank;
  job_.local_size = size;
  job_.cores = 2;
  std::memset(job_.secret, 0x5a, sizeof job_.secret);
  board_.shelves[rank].pid = static_cast<std::uint32_t>(::getpid());
  for (std::uint32_t i = 0; i < kMaxRanks; ++i) {
    btl::Proc& proc = procs_[i];
    proc.rank = i;
    proc.incarnation = 1000 + i;
    std::memset(proc.boot_id, 0x42, sizeof proc.boot_id);
    proc.net_namespace = inode("/proc/self/ns/net");
    proc.pid_namespace = inode("/proc/self/ns/pid");
    proc.user_namespace = inode("/proc/self/ns/user");
    std::snprintf(proc.host, sizeof proc.host, "here");
  }
}

void FakeHost::commit() noexcept {
  board_.shelves[job_.rank].committed.store(1, std::memory_order_release);
}

bool FakeHost::wait_committed(std::uint32_t rank) noexcept {
  assert_no_locks_held();
  const Deadline deadline = Clock::now() + kModexDeadline;
  while (board_.shelves[rank].committed.load(std::memory_order_acquire) == 0) {
    if (Clock::now() > deadline) return false;
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
  return true;
}

const btl::Proc* FakeHost::proc(std::uint32_t rank, char* why, std::size_t why_size) noexcept {
  if (rank >= job_.size || !wait_committed(rank)) {
    std::snprintf(why, why_size, "rank %u is not there", rank);
    return nullptr;
  }
  procs_[rank].pid = board_.shelves[rank].pid;
  return &procs_[rank];
}

Errc FakeHost::modex_put(const char* key, const void* data, std::size_t size) noexcept {
  Board::Shelf& shelf = board_.shelves[job_.rank];
  if (shelf.committed.load() != 0 || shelf.count == std::size(shelf.entries)) return Errc::kInvalid;
  Board::Entry& entry = shelf.entries[shelf.count];
  if (size > sizeof entry.data) return Errc::kTruncated;
  std::snprintf(entry.key, sizeof entry.key, "%s", key);
  entry.size = static_cast<std::uint32_t>(size);
  std::memcpy(entry.data, data, size);
  ++shelf.count;
  return Errc::kOk;
}

Errc FakeHost::modex_get(std::uint32_t rank, const char* key, void* out, std::size_t capacity,
                         std::size_t* size) noexcept {
  *size = 0;
  if (rank >= job_.size) return Errc::kInvalid;
  if (!wait_committed(rank)) return Errc::kTimedOut;
  const Board::Shelf& shelf = board_.shelves[rank];
  for (std::uint32_t i = 0; i < shelf.count; ++i) {
    const Board::Entry& entry = shelf.entries[i];
    if (std::strcmp(entry.key, key) != 0) continue;
    *size = entry.size;
    if (entry.size > capacity) return Errc::kTruncated;
    std::memcpy(out, entry.data, entry.size);
    return Errc::kOk;
  }
  return Errc::kNotFound;
}

Errc FakeHost::watch(int fd, std::uint32_t events, btl::WatchFunction function, void* context) noexcept {
  return loop_.watch(fd, events, function, context);
}

Errc FakeHost::rewatch(int fd, std::uint32_t events) noexcept {
  return loop_.rewatch(fd, events);
}
void FakeHost::unwatch(int fd) noexcept {
  loop_.unwatch(fd);
}

std::uint64_t FakeHost::call_at(std::uint64_t at_ns, void (*function)(void*) noexcept,
                                void* context) noexcept {
  return loop_.call_at(at_ns, function, context);
}

bool FakeHost::cancel_call(std::uint64_t id) noexcept {
  return loop_.cancel_call(id);
}

void FakeHost::wake() noexcept {
  wakes_.fetch_add(1);
  loop_.wake();
}

void FakeHost::rail_failed(std::uint32_t rank, btl::Module& module, btl::Endpoint&, Errc status,
                           const char* text) noexcept {
  assert_no_locks_held();
  failures_.push_back({rank, &module, status, text});
}

void FakeHost::log(btl::LogLevel level, const char* component, const char* text) noexcept {
  if (!logs(level)) return;
  complaints_.fetch_add(1);
  std::fprintf(stderr, "rank %u: %s: %s\n", job_.rank, component, text);
}

}  // namespace hawser::conformance
