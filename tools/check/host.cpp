// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/check/host.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <thread>

#include "framework/base/clock.hpp"
#include "tools/check/expect.hpp"
#include "tools/check/rank.hpp"

namespace hawser::check {

namespace {

std::uint64_t inode(const char* path) {
  struct stat info {};
  return ::stat(path, &info) == 0 ? info.st_ino : 0;
}

}  // namespace

Host::Host(const Part& part, const loader::Loader& loader)
    : board_(part.board),
      loader_(loader),
      patience_(part.subject.patience),
      own_shelf_(part.stranger ? kStrangersShelf : part.rank) {
  job_.id = 4711;
  job_.size = part.size;
  job_.rank = part.rank;
  job_.local_size = part.size;
  job_.cores = 2;
  std::memset(job_.secret, part.stranger ? 0xa5 : 0x5a, sizeof job_.secret);
  board_.shelves[own_shelf_].pid = static_cast<std::uint32_t>(::getpid());
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

void Host::commit() noexcept {
  shelf_of(job_.rank).committed.store(1, std::memory_order_release);
}

void Host::uncommit() noexcept {
  shelf_of(job_.rank).committed.store(0, std::memory_order_release);
  shelf_of(job_.rank).count = 0;
}

bool Host::wait_committed(std::uint32_t rank) noexcept {
  assert_no_locks_held();
  const Deadline deadline = Clock::now() + patience_;
  while (shelf_of(rank).committed.load(std::memory_order_acquire) == 0) {
    if (Clock::now() > deadline || board_.over.load()) return false;
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
  return true;
}

const btl::Proc* Host::proc(std::uint32_t rank, char* why, std::size_t why_size) noexcept {
  if (rank >= job_.size || !wait_committed(rank)) {
    std::snprintf(why, why_size, "rank %u is not there", rank);
    return nullptr;
  }
  Lock lock(mutex_);
  if (procs_[rank].pid == 0) procs_[rank].pid = shelf_of(rank).pid;  // constant once known
  return &procs_[rank];
}

Errc Host::modex_put(const char* key, const void* data, std::size_t size) noexcept {
  if (answer_to_put != Errc::kOk) return answer_to_put;
  Board::Shelf& shelf = shelf_of(job_.rank);
  auto* entry = std::find_if(shelf.entries, shelf.entries + shelf.count,
                             [key](const Board::Entry& one) { return std::strcmp(one.key, key) == 0; });
  if (shelf.committed.load() != 0 || entry == std::end(shelf.entries)) return Errc::kInvalid;
  if (size > sizeof entry->data) return Errc::kTruncated;
  std::snprintf(entry->key, sizeof entry->key, "%s", key);
  entry->size = static_cast<std::uint32_t>(size);
  std::memcpy(entry->data, data, size);
  if (entry == shelf.entries + shelf.count) ++shelf.count;
  return Errc::kOk;
}

Errc Host::modex_get(std::uint32_t rank, const char* key, void* out, std::size_t capacity,
                     std::size_t* size) noexcept {
  *size = 0;
  if (rank >= job_.size) return Errc::kInvalid;
  if (!wait_committed(rank)) return Errc::kTimedOut;
  const Board::Shelf& shelf = shelf_of(rank);
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

Errc Host::watch(int fd, std::uint32_t events, btl::WatchFunction function, void* context) noexcept {
  if (answer_to_watch != Errc::kOk) return answer_to_watch;
  return loop_.watch(fd, events, function, context);
}

Errc Host::rewatch(int fd, std::uint32_t events) noexcept {
  return loop_.rewatch(fd, events);
}

void Host::unwatch(int fd) noexcept {
  loop_.unwatch(fd);
}

std::uint64_t Host::call_at(std::uint64_t at_ns, void (*function)(void*) noexcept, void* context) noexcept {
  return loop_.call_at(at_ns, function, context);
}

bool Host::cancel_call(std::uint64_t id) noexcept {
  return loop_.cancel_call(id);
}

void Host::wake() noexcept {
  loop_.wake();
}

void Host::rail_failed(std::uint32_t rank, btl::Module& module, btl::Endpoint& endpoint, Errc status,
                       const char* text) noexcept {
  assert_no_locks_held();
  failures_.push_back({rank, &module, &endpoint, status, text});
  char* lost = board_.lost[job_.rank];
  // After the first failure of the check others end, and that is no cause of anything.
  const bool wanted =
      own_shelf_ != job_.rank || static_cast<int>(rank) == board_.dies || failed() || board_.over.load();
  if (wanted || *lost != '\0') return;
  std::snprintf(lost, Board::kTextSize, "%s", text);
  board_.lost_to[job_.rank] = rank;
}

void Host::log(btl::LogLevel level, const char* component, const char* text) noexcept {
  if (!logs(level)) return;
  complaints_.fetch_add(1);
  Lock lock(mutex_);
  last_complaint_ = fmt::format("{}: {}", component, text);
}

std::string Host::last_complaint() noexcept {
  Lock lock(mutex_);
  return last_complaint_;
}

const hawser_btl_descriptor* Host::component(const char* name, char* why, std::size_t why_size) noexcept {
  const auto found = loader_.descriptor(name);
  if (found) return *found;
  std::snprintf(why, why_size, "%s; looked in %s", found.error().text.c_str(),
                fmt::format("{}", fmt::join(loader_.search_path(), ", ")).c_str());
  return nullptr;
}

}  // namespace hawser::check
