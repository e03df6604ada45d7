// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "components/shm/blob.hpp"

#include "components/shm/segment.hpp"
#include "framework/base/wire.hpp"

namespace hawser::shm {

namespace {

constexpr std::uint32_t kBlobMagic = 0x6d687368;  // "hshm"

}  // namespace

std::string write_blob(const Blob& blob) {
  WireWriter out;
  out.put(kBlobMagic);
  out.put(kLayoutVersion);
  out.put(blob.pid);
  out.put(blob.memory);
  out.put(blob.doorbell);
  out.put(blob.incarnation);
  out.put(blob.segment_size);
  out.put(blob.rings);
  out.put(blob.shape.slots);
  out.put(blob.shape.buffer);
  out.put(blob.probe_address);
  return out.take();
}

Result<Blob> read_blob(const void* data, std::size_t size) {
  WireReader in(data, size);
  if (in.get<std::uint32_t>() != kBlobMagic) return make_error(Errc::kProtocol, "its shm address is not one");
  const auto version = in.get<std::uint32_t>();
  if (in.ok() && version != kLayoutVersion) {
    return make_error(Errc::kVersion,
                      "its shm component has layout version {}, this one {}; use one build in all ranks",
                      version, kLayoutVersion);
  }
  Blob blob;
  blob.pid = in.get<std::uint32_t>();
  blob.memory = in.get<std::int32_t>();
  blob.doorbell = in.get<std::int32_t>();
  blob.incarnation = in.get<std::uint64_t>();
  blob.segment_size = in.get<std::uint64_t>();
  blob.rings = in.get<std::uint32_t>();
  blob.shape.slots = in.get<std::uint32_t>();
  blob.shape.buffer = in.get<std::uint32_t>();
  blob.probe_address = in.get<std::uint64_t>();
  if (!in.done())
    return make_error(Errc::kProtocol, "its shm address has {} bytes, which is not right", size);
  const bool sane = blob.pid != 0 && blob.pid <= INT32_MAX && blob.memory >= 0 && blob.doorbell >= 0 &&
                    blob.rings != 0 && blob.rings <= kMaxRings && blob.shape.valid() &&
                    blob.segment_size == segment_size(blob.rings, blob.shape);
  if (!sane) return make_error(Errc::kProtocol, "its shm address has numbers that cannot be");
  return blob;
}

}  // namespace hawser::shm
