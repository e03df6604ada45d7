// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "components/shm/segment.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <new>
#include <utility>

#include "components/shm/blob.hpp"
#include "framework/base/sealed_memory.hpp"

namespace hawser::shm {

namespace {

Result<void> check_peer(int fd, const Blob& blob) {
  struct stat info {};
  if (::fstat(fd, &info) != 0) return system_error("looking at its shared memory", errno);
  if (static_cast<std::uint64_t>(info.st_size) != blob.segment_size) {
    return make_error(Errc::kPeerGone, "its shared memory has {} bytes, not {}: the process was replaced",
                      info.st_size, blob.segment_size);
  }
  if (!is_sealed(fd)) return make_error(Errc::kProtocol, "the size of its shared memory is not sealed");
  return {};
}

Result<void> check_header(const SegmentHeader& header, const Blob& blob) {
  if (header.magic != kSegmentMagic || header.incarnation != blob.incarnation) {
    return make_error(Errc::kPeerGone, "its shared memory belongs to another process: it was replaced");
  }
  if (header.layout_version != kLayoutVersion || header.rings != blob.rings ||
      header.shape.slots != blob.shape.slots || header.shape.buffer != blob.shape.buffer) {
    return make_error(Errc::kProtocol, "its shared memory differs from what it published");
  }
  return {};
}

}  // namespace

Mapping::~Mapping() {
  if (base_) ::munmap(base_, size_);
}

Result<Mapping> Mapping::map(int fd, std::size_t offset, std::size_t size, bool populate) {
  const int flags = MAP_SHARED | MAP_NORESERVE | (populate ? MAP_POPULATE : 0);
  void* base = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, flags, fd, static_cast<off_t>(offset));
  if (base == MAP_FAILED)
    return system_error("mapping " + std::to_string(size) + " bytes of shared memory", errno);
  Mapping mapping;
  mapping.base_ = base;
  mapping.size_ = size;
  return mapping;
}

Result<OwnSegment> OwnSegment::make(std::uint32_t rings, RingShape shape, std::uint64_t incarnation,
                                    bool heavy_barriers) {
  OwnSegment own;
  const std::size_t size = segment_size(rings, shape);
  own.rings_ = rings;
  own.shape_ = shape;
  auto fd = make_sealed_memory("hawser_shm", size, front_size(rings));
  if (!fd) return fd.error();
  own.fd_ = std::move(*fd);
  auto memory = Mapping::map(own.fd(), 0, size, false);
  if (!memory) return memory.error();
  own.memory_ = std::move(*memory);
  auto* header = ::new (own.memory_.base()) SegmentHeader{};
  header->magic = kSegmentMagic;
  header->layout_version = kLayoutVersion;
  header->rings = rings;
  header->incarnation = incarnation;
  header->pid = static_cast<std::uint32_t>(::getpid());
  header->heavy_barriers = heavy_barriers;
  header->shape = shape;
  return own;
}

RingView OwnSegment::ring(std::uint32_t index) const noexcept {
  return RingView::at(memory_.base() + ring_offset(rings_, shape_, index), shape_);
}

Result<PeerSegment> PeerSegment::open(const Blob& blob, std::uint32_t ring) {
  auto fd = open_of_process(blob.pid, blob.memory, O_RDWR, "shared memory");
  if (!fd) return fd.error();
  if (auto checked = check_peer(fd->get(), blob); !checked) return checked.error();
  PeerSegment peer;
  peer.shape_ = blob.shape;
  peer.offset_ = ring_offset(blob.rings, blob.shape, ring);
  auto front = Mapping::map(fd->get(), 0, front_size(blob.rings), true);
  if (!front) return front.error();
  peer.front_ = std::move(*front);
  if (auto checked = check_header(peer.header(), blob); !checked) return checked.error();
  if (!allocate_memory(fd->get(), peer.offset_, blob.shape.front_bytes())) {
    return system_error("allocating shared memory for messages", errno);
  }
  auto memory = Mapping::map(fd->get(), peer.offset_, blob.shape.bytes(), false);
  if (!memory) return memory.error();
  peer.ring_ = std::move(*memory);
  peer.fd_ = std::move(*fd);
  return peer;
}

bool PeerSegment::allocate_buffer() noexcept {
  return allocate_memory(fd_.get(), offset_ + shape_.front_bytes(), RingShape::up(shape_.buffer));
}

// The bit's release makes the sender line visible; the count is what the owner looks at on its hot path.
bool PeerSegment::announce(std::uint32_t ring) noexcept {
  const std::uint64_t bit = std::uint64_t{1} << (ring % 64);
  if (header().attached[ring / 64].fetch_or(bit, std::memory_order_acq_rel) & bit) return false;
  header().announced.fetch_add(1, std::memory_order_release);
  return true;
}

void PeerSegment::tell_given_up() noexcept {
  ring().control->given_up.store(1, std::memory_order_release);
  header().announced.fetch_add(1, std::memory_order_release);
}

}  // namespace hawser::shm
