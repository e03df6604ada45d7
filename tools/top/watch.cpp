// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/top/watch.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "framework/base/clock.hpp"
#include "tools/topo/host.hpp"

namespace hawser::tools {

namespace {

using live::Header;
using live::Table;

template <std::size_t N>
std::string text_of(const char (&text)[N]) {
  return clean(std::string_view(text, ::strnlen(text, N)));
}

bool fits(const Table& table, std::size_t record, std::uint32_t most, std::size_t size) {
  return table.size == record && table.count <= most && table.at % alignof(Header) == 0 && table.at <= size &&
         table.count <= (size - table.at) / record;
}

bool fit(const Table& peers, const Table& channels, const Table& rails, std::size_t size) {
  return fits(peers, sizeof(live::Peer), live::kMostPeers, size) &&
         fits(channels, sizeof(live::Channel), live::kMostChannels, size) &&
         (fits(rails, sizeof(live::Rail), live::kMostRails, size) ||
          fits(rails, sizeof(live::RailOfThreads), live::kMostRails, size));
}

std::uint64_t not_below_zero(std::int64_t value) {
  return static_cast<std::uint64_t>(std::max<std::int64_t>(value, 0));
}

Result<void> check(const Process& process, const Header& header, std::size_t size) {
  if (header.magic != live::kMagic) {
    return make_error(Errc::kNotFound, "process {} ({}) has not yet begun, or is no rank", process.pid,
                      process.program);
  }
  if (header.version != live::kVersion) {
    return make_error(Errc::kVersion,
                      "process {} ({}) runs another version of Hawser: it shows itself in version {}, this "
                      "program knows {}; use the `hawser` of that installation",
                      process.pid, process.program, header.version, live::kVersion);
  }
  if (header.file_size != size || !fit(header.peers, header.channels, header.rails, size)) {
    return make_error(Errc::kProtocol, "what process {} ({}) shows of itself makes no sense", process.pid,
                      process.program);
  }
  return {};
}

}  // namespace

std::uint64_t RankLook::pending() const {
  std::uint64_t sum = 0;
  for (const PeerLook& peer : peers) sum += peer.pending;
  return sum;
}
std::uint64_t RankLook::unacknowledged() const {
  std::uint64_t sum = 0;
  for (const PeerLook& peer : peers) sum += peer.unacknowledged;
  return sum;
}

Result<Watch> Watch::open(const Process& process) {
  auto file = open_live(process);
  if (!file) return file.error();
  const auto senseless = [&] {
    return make_error(Errc::kProtocol,
                      "what process {} ({}) shows of itself is too short or too long, or not sealed",
                      process.pid, process.program);
  };
  struct stat info {};
  const int seals = ::fcntl(file->get(), F_GET_SEALS);
  // A file that shrinks under a mapping would be a signal for us.
  if (::fstat(file->get(), &info) != 0 || !S_ISREG(info.st_mode)) return senseless();
  if (seals < 0 || (seals & F_SEAL_SHRINK) == 0) return senseless();
  Watch watch;
  watch.pid_ = process.pid;
  watch.size_ = static_cast<std::size_t>(info.st_size);
  if (watch.size_ < sizeof(Header) || watch.size_ > live::kMostBytes) return senseless();
  void* base = ::mmap(nullptr, watch.size_, PROT_READ, MAP_SHARED, file->get(), 0);
  if (base == MAP_FAILED) return system_error("mapping what a process shows of itself", errno);
  watch.base_ = base;
  if (auto good = check(process, watch.header(), watch.size_); !good) return good.error();
  watch.process_.reset(static_cast<int>(::syscall(SYS_pidfd_open, process.pid, 0)));
  if (!watch.process_ || watch.ended()) {
    return make_error(Errc::kNotFound, "process {} ({}) has just gone", process.pid, process.program);
  }
  return watch;
}

Watch::Watch(Watch&& other) noexcept
    : pid_(other.pid_),
      process_(std::move(other.process_)),
      base_(std::exchange(other.base_, nullptr)),
      size_(other.size_) {}

Watch& Watch::operator=(Watch&& other) noexcept {
  std::swap(pid_, other.pid_);
  std::swap(process_, other.process_);
  std::swap(base_, other.base_);
  std::swap(size_, other.size_);
  return *this;
}

Watch::~Watch() {
  if (base_) ::munmap(base_, size_);
}

bool Watch::ended() const {
  pollfd one{process_.get(), POLLIN, 0};
  return ::poll(&one, 1, 0) != 0;
}

template <class T>
const T& Watch::at(const Table& table, std::uint32_t index) const noexcept {
  return *reinterpret_cast<const T*>(static_cast<const char*>(base_) + table.at +
                                     std::uint64_t{table.size} * index);
}

RankLook Watch::look() const {
  const Header& header = this->header();
  // Checked when it was opened; a broken rank may have written over it since.
  const Table peers = header.peers;
  const Table channels = header.channels;
  const Table rails = header.rails;
  RankLook look;
  look.at_ns = now_ns();
  look.job = header.job;
  look.rank = header.rank;
  look.ranks = header.ranks;
  look.waits = header.asleep.load(std::memory_order_relaxed) != 0;
  look.transfers = not_below_zero(header.transfers.load(std::memory_order_relaxed));
  look.unseen = header.no_room.load(std::memory_order_relaxed);
  look.process.pid = pid_;
  if (auto process = read_process(pid_)) look.process = *process;
  if (!fit(peers, channels, rails, size_)) return look;
  for (std::uint32_t i = 0; i < channels.count; ++i) {
    const auto& channel = at<live::Channel>(channels, i);
    if (channel.open.load(std::memory_order_acquire) == 0) continue;
    look.posted += channel.posted.load(std::memory_order_relaxed);
    look.unexpected += channel.unexpected.load(std::memory_order_relaxed);
    look.ahead += channel.ahead.load(std::memory_order_relaxed);
  }
  for (std::uint32_t i = 0; i < peers.count; ++i) {
    const auto& peer = at<live::Peer>(peers, i);
    const PeerLook one{i, not_below_zero(peer.pending.load(std::memory_order_relaxed)),
                       peer.unacknowledged.load(std::memory_order_relaxed),
                       peer.failed.load(std::memory_order_relaxed) != 0};
    if (one.pending != 0 || one.unacknowledged != 0 || one.failed) look.peers.push_back(one);
  }
  const std::uint32_t used = std::min(header.rails_used.load(std::memory_order_acquire), rails.count);
  const std::uint32_t threads = rails.size == sizeof(live::RailOfThreads) ? kThreadSlots : 0;
  for (std::uint32_t i = 0; i < used; ++i) {
    const auto& rail = at<live::Rail>(rails, i);
    RailLook one{rail.peer,
                 text_of(rail.component),
                 text_of(rail.module),
                 rail.state.load(std::memory_order_relaxed),
                 {}};
    for (std::size_t c = 0; c < std::size(one.counts); ++c) {
      one.counts[c] = rail.sum(static_cast<live::RailCounter>(c), threads);
    }
    look.rails.push_back(std::move(one));
  }
  return look;
}

}  // namespace hawser::tools
