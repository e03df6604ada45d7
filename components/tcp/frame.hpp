// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/uio.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "framework/btl/descriptor.hpp"

namespace hawser::tcp {

enum class FrameKind : std::uint8_t {
  kMessage = 1,
  kGoodbye = 2,
  kUpdate = 3,  // the data are what the sender publishes from now on: blob.hpp
  kRetire = 4,  // the sender gives this connection up; it reads on until the other side has done so, too
};

/// Stands before each message on a connection: then `header_size` bytes of header, `pad` zeros, `size` bytes
/// of data.
struct Frame {
  std::uint64_t size;      // of the data, bytes
  std::uint32_t sequence;  // counts the frames of this direction: a slip in the stream is noticed
  FrameKind kind;
  btl::Tag tag;
  std::uint8_t header_size;
  std::uint8_t pad;
};
inline constexpr std::size_t kFrameSize = 16;
static_assert(sizeof(Frame) == kFrameSize);

/// What stands before the data, bytes.
inline std::size_t head_size(const Frame& frame) noexcept {
  return kFrameSize + frame.header_size + frame.pad;
}

// The kernel copies long data faster into and out of whole lines of the cache, and what it keeps of a stream
// lies in memory as in the stream.
inline constexpr std::size_t kAlignment = 64;
inline constexpr std::size_t kAlignFrom = 16UL * 1024;  // bytes of data

/// Where the next frame of a direction stands.
struct Place {
  std::uint32_t sequence = 0;
  std::uint32_t offset = 0;  // in the stream, modulo 2^32

  Frame frame(std::uint64_t size, FrameKind kind, btl::Tag tag, std::uint8_t header_size) const noexcept {
    const bool aligned = kind == FrameKind::kMessage && size >= kAlignFrom;
    const std::size_t pad = aligned ? -(offset + kFrameSize + header_size) % kAlignment : 0;
    const bool fits = header_size + pad <= btl::kMaxHeader;  // it goes where a header would
    return {size, sequence, kind, tag, header_size, static_cast<std::uint8_t>(fits ? pad : 0)};
  }
  Place after(const Frame& frame) const noexcept {
    return {sequence + 1, static_cast<std::uint32_t>(offset + head_size(frame) + frame.size)};
  }
};

/// How far a descriptor has been sent; kept in its scratch. The frame lies in the last two words, directly
/// before the header, so that both go out as one piece, with the pad.
class Outgoing {
 public:
  explicit Outgoing(btl::Descriptor& descriptor) noexcept : descriptor_(descriptor) {}

  /// The place of the next one.
  Place begin(const Place& place, FrameKind kind = FrameKind::kMessage) noexcept {
    const Frame frame = place.frame(descriptor_.data_size, kind, descriptor_.tag, descriptor_.header_size);
    std::memcpy(&descriptor_.scratch[2], &frame, sizeof frame);
    std::memset(descriptor_.header + frame.header_size, 0, frame.pad);
    descriptor_.scratch[0] = head_size(frame) + frame.size;
    descriptor_.scratch[1] = 0;
    return place.after(frame);
  }
  std::uint64_t left() const noexcept { return descriptor_.scratch[0]; }

  /// Fills `parts` with what is still to be sent; how many were used.
  std::size_t gather(iovec* parts, std::size_t room) const noexcept {
    std::size_t used = 0;
    std::uint64_t offset = piece_offset();
    for (std::size_t piece = piece_index(); piece <= descriptor_.data_count && used < room; ++piece) {
      const iovec whole = piece_at(piece);
      if (whole.iov_len > offset) {
        parts[used++] = {static_cast<unsigned char*>(whole.iov_base) + offset, whole.iov_len - offset};
      }
      offset = 0;
    }
    return used;
  }
  /// Notes that `bytes` were sent, as far as they belong to this descriptor; gives what is left of them.
  std::size_t advance(std::size_t bytes) noexcept {
    while (bytes != 0 && left() != 0) {
      const std::size_t rest = piece_at(piece_index()).iov_len - piece_offset();
      const std::size_t step = bytes < rest ? bytes : rest;
      descriptor_.scratch[0] -= step;
      bytes -= step;
      descriptor_.scratch[1] =
          step == rest ? piece_index() + 1 : descriptor_.scratch[1] + (std::uint64_t{step} << 32);
    }
    return bytes;
  }

 private:
  // scratch[1]: the piece in the low half, the offset in it in the high half; piece 0 is frame and header.
  std::size_t piece_index() const noexcept { return descriptor_.scratch[1] & 0xffffffffu; }
  std::uint64_t piece_offset() const noexcept { return descriptor_.scratch[1] >> 32; }
  iovec piece_at(std::size_t piece) const noexcept {
    if (piece == 0) {
      Frame frame;
      std::memcpy(&frame, &descriptor_.scratch[2], sizeof frame);
      return {&descriptor_.scratch[2], head_size(frame)};
    }
    return descriptor_.data[piece - 1];
  }

  btl::Descriptor& descriptor_;
};
static_assert(offsetof(btl::Descriptor, header) ==
              offsetof(btl::Descriptor, scratch) + 4 * sizeof(std::uint64_t));

}  // namespace hawser::tcp
