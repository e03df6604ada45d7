// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "components/shm/segment.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <new>

#include "components/shm/blob.hpp"

namespace hawser::shm {

namespace {

constexpr int kSeals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;

int allocate(int fd, std::size_t offset, std::size_t size) noexcept {
  return retry_eintr(
      [&] { return ::fallocate(fd, 0, static_cast<off_t>(offset), static_cast<off_t>(size)); });
}

Result<void> check_peer(int fd, const Blob& blob) {
  struct stat info {};
  if (::fstat(fd, &info) != 0) return system_error("looking at its shared memory", errno);
  if (static_cast<std::uint64_t>(info.st_size) != blob.segment_size) {
    return make_error(Errc::kPeerGone, "its shared memory has {} bytes, not {}: the process was replaced",
                      info.st_size, blob.segment_size);
  }
  const int seals = ::fcntl(fd, F_GET_SEALS);
  if (seals < 0 || (seals & kSeals) != kSeals) {
    return make_error(Errc::kProtocol, "the size of its shared memory is not sealed");
  }
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
  own.fd_.reset(::memfd_create("hawser_shm", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!own.fd_) return system_error("memfd_create", errno);
  if (::ftruncate(own.fd(), static_cast<off_t>(size)) != 0)
    return system_error("sizing shared memory", errno);
  if (allocate(own.fd(), 0, front_size(rings)) != 0) return system_error("allocating shared memory", errno);
  if (::fcntl(own.fd(), F_ADD_SEALS, kSeals) != 0) return system_error("sealing shared memory", errno);
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
  if (allocate(fd->get(), peer.offset_, blob.shape.front_bytes()) != 0) {
    return system_error("allocating shared memory for messages", errno);
  }
  auto memory = Mapping::map(fd->get(), peer.offset_, blob.shape.bytes(), false);
  if (!memory) return memory.error();
  peer.ring_ = std::move(*memory);
  peer.fd_ = std::move(*fd);
  return peer;
}

bool PeerSegment::allocate_buffer() noexcept {
  return allocate(fd_.get(), offset_ + shape_.front_bytes(), RingShape::up(shape_.buffer)) == 0;
}

// The bit's release makes the sender line visible; the count is what the owner looks at on its hot path.
bool PeerSegment::announce(std::uint32_t ring) noexcept {
  const std::uint64_t bit = std::uint64_t{1} << (ring % 64);
  if (header().attached[ring / 64].fetch_or(bit, std::memory_order_acq_rel) & bit) return false;
  header().announced.fetch_add(1, std::memory_order_release);
  return true;
}

}  // namespace hawser::shm
