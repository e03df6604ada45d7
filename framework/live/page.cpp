// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "framework/live/page.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <new>
#include <utility>

#include "framework/base/mutex.hpp"
#include "framework/base/no_destructor.hpp"
#include "framework/base/sealed_memory.hpp"
#include "framework/btl/module.hpp"

namespace hawser::live {

namespace {

constexpr std::uint32_t kRailsForEach = 8;  // peer

/// Every rail of the process, for those who know a module and no page.
struct Known {
  Mutex<LockRank::kLeaf> mutex;
  std::map<std::pair<const btl::Module*, std::uint32_t>, Rail*> rails HAWSER_GUARDED_BY(mutex);
};
Known& known() {
  static NoDestructor<Known> known;  // a page may be one of the last things to go
  return *known;
}

Table table_after(std::uint64_t& end, std::uint32_t size, std::uint32_t count) noexcept {
  const Table table{end, size, count};
  end += std::uint64_t{size} * count;
  return table;
}

template <std::size_t N>
void copy_text(char (&to)[N], const char* from) noexcept {
  const std::size_t size = std::min(std::strlen(from), N - 1);
  std::memcpy(to, from, size);
  to[size] = '\0';
}

}  // namespace

Page::Page(const btl::Job& job, bool many_threads) {
  if (!open(job, many_threads)) fd_.reset();
}

Page::~Page() {
  {
    Lock lock(known().mutex);
    std::erase_if(known().rails, [&](const auto& entry) {
      return std::find(rails_.begin(), rails_.end(), entry.second) != rails_.end();
    });
  }
  if (base_) ::munmap(base_, header_->file_size);
}

/// Records of peers and rails are allocated as they are needed: what nobody uses costs nothing.
bool Page::open(const btl::Job& job, bool many_threads) {
  Header header{};
  std::uint64_t end = sizeof(Header);
  header.channels = table_after(end, sizeof(Channel), kMostChannels);
  header.peers = table_after(end, sizeof(Peer), std::min(job.size, kMostPeers));
  header.rails = table_after(end, many_threads ? sizeof(RailOfThreads) : sizeof(Rail),
                             std::min(std::max(job.size, 1u) * kRailsForEach, kMostRails));
  auto file = make_sealed_memory(kFileName, end, header.peers.at);
  if (!file) return false;
  fd_ = std::move(*file);
  void* base = ::mmap(nullptr, end, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd_.get(), 0);
  if (base == MAP_FAILED) return false;
  base_ = base;
  header_ = new (base) Header{};
  header_->rank = job.rank;
  header_->ranks = job.size;
  header_->job = job.id;
  header_->file_size = end;
  header_->peers = header.peers;
  header_->channels = header.channels;
  header_->rails = header.rails;
  header_->version = kVersion;
  // Who finds the magic number finds the rest.
  std::atomic_ref<std::uint64_t>(header_->magic).store(kMagic, std::memory_order_release);
  return true;
}

/// Record `index`, with memory behind it; null: there is none.
template <class T>
T* Page::allocated(const Table& table, std::uint32_t index) noexcept {
  T* record = at<T>(table, index);
  return record && allocate_memory(fd_.get(), table.at + std::uint64_t{table.size} * index, table.size)
             ? record
             : nullptr;
}

template <class T>
T* Page::at(const Table& table, std::uint32_t index) noexcept {
  if (!base_ || index >= table.count) return nullptr;
  return reinterpret_cast<T*>(static_cast<char*>(base_) + table.at + std::uint64_t{table.size} * index);
}

Rail& Page::rail(std::uint32_t rank, const btl::Module& module, const char* component) {
  Lock lock(known().mutex);
  auto& all = known().rails;
  const std::pair key{&module, rank};
  if (const auto found = all.find(key); found != all.end()) return *found->second;
  // Where memory runs out, nothing may point to a record that is not there.
  if (rails_.size() == rails_.capacity()) rails_.reserve(rails_.size() * 2 + 8);
  const std::uint32_t next = header_->rails_used.load(std::memory_order_relaxed);
  Rail* place = allocated<Rail>(header_->rails, next);
  Rail* rail = !place                                ? &private_rails_.emplace_back()
               : header_->rails.size == sizeof(Rail) ? new (place) Rail
                                                     : new (place) RailOfThreads;
  rail->peer = rank;
  copy_text(rail->component, component);
  copy_text(rail->module, module.name());
  all.emplace(key, rail);
  rails_.push_back(rail);
  if (place) {
    header_->rails_used.store(next + 1, std::memory_order_release);
  } else {
    header_->no_room.fetch_add(1, std::memory_order_relaxed);
  }
  return *rail;
}

std::vector<const Rail*> Page::rails() const {
  Lock lock(known().mutex);
  return rails_;
}

void note_rail(std::uint32_t rank, const btl::Module& module, RailState state) noexcept {
  Lock lock(known().mutex);
  const auto found = known().rails.find({&module, rank});
  if (found != known().rails.end()) found->second->state.store(state, std::memory_order_relaxed);
}

Peer& Page::peer(std::uint32_t rank) {
  if (Peer* peer = allocated<Peer>(header_->peers, rank)) return *peer;
  Lock lock(known().mutex);
  return private_peers_[rank];
}

Channel& Page::open_channel(std::uint32_t context) {
  Lock lock(known().mutex);
  for (std::uint32_t i = 0; i < header_->channels.count; ++i) {
    Channel* channel = at<Channel>(header_->channels, i);
    if (!channel) break;
    if (channel->open.load(std::memory_order_relaxed) != 0) continue;
    return opened(*channel, context);
  }
  header_->no_room.fetch_add(1, std::memory_order_relaxed);
  if (closed_channels_.empty()) {
    if (closed_channels_.capacity() == private_channels_.size())
      closed_channels_.reserve(2 * private_channels_.size() + 16);
    closed_channels_.push_back(&private_channels_.emplace_back());
  }
  Channel& channel = *closed_channels_.back();
  closed_channels_.pop_back();
  return opened(channel, context);
}

/// Somebody may be looking at what it was before, which left nothing in it.
Channel& Page::opened(Channel& channel, std::uint32_t context) noexcept {
  channel.serial.store(++last_serial_, std::memory_order_relaxed);
  channel.context.store(context, std::memory_order_relaxed);
  channel.open.store(1, std::memory_order_release);
  return channel;
}

void Page::close_channel(Channel& channel) {
  Lock lock(known().mutex);
  channel.posted.store(0, std::memory_order_relaxed);
  channel.unexpected.store(0, std::memory_order_relaxed);
  channel.ahead.store(0, std::memory_order_relaxed);
  channel.open.store(0, std::memory_order_release);
  const auto* page = static_cast<const unsigned char*>(base_);
  const auto* at = reinterpret_cast<const unsigned char*>(&channel);
  const bool in_page = page && at >= page && at < page + header_->file_size;
  if (!in_page) closed_channels_.push_back(&channel);
}

const char* to_text(RailState state) noexcept {
  static constexpr const char* kNames[] = {"none", "up", "connecting", "aside", "probing", "failed"};
  static_assert(std::size(kNames) == static_cast<std::size_t>(RailState::kCount));
  return state < RailState::kCount ? kNames[static_cast<std::size_t>(state)] : "unknown";
}

Rail& nobodys_rail() noexcept {
  static RailOfThreads rail;
  return rail;
}
Peer& nobodys_peer() noexcept {
  static Peer peer;
  return peer;
}

}  // namespace hawser::live
