// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0

// Packing and unpacking of a range of a part: one walk, in two directions.

#include <algorithm>
#include <cstring>

#include "mpi/type_shape.hpp"

namespace hawser::mpi {
namespace {

// Addresses are numbers here: types may hold absolute addresses, relative to MPI_BOTTOM.
struct Pack {
  using Stream = std::byte*;
  static void copy(std::uintptr_t memory, Stream stream, std::size_t size) noexcept {
    std::memcpy(stream, reinterpret_cast<const void*>(memory), size);
  }
};
struct Unpack {
  using Stream = const std::byte*;
  static void copy(std::uintptr_t memory, Stream stream, std::size_t size) noexcept {
    std::memcpy(reinterpret_cast<void*>(memory), stream, size);
  }
};

std::uintptr_t moved(std::uintptr_t address, std::int64_t by) noexcept {
  return address + static_cast<std::uintptr_t>(by);
}

std::uintptr_t moved(std::uintptr_t address, std::int64_t stride, std::uint64_t times) noexcept {
  return address + static_cast<std::uintptr_t>(stride) * times;
}

/// Blocks of a size known when compiled, so that a copy is a load and a store.
template <class Way, std::size_t Size>
void copy_fixed(std::uintptr_t memory, std::int64_t stride, std::uint64_t count,
                typename Way::Stream stream) noexcept {
  for (; count != 0; --count, stream += Size, memory = moved(memory, stride)) Way::copy(memory, stream, Size);
}

template <class Way>
void copy_blocks(std::uintptr_t memory, std::int64_t stride, std::uint64_t size, std::uint64_t count,
                 typename Way::Stream stream) noexcept {
  switch (size) {
    case 1:
      return copy_fixed<Way, 1>(memory, stride, count, stream);
    case 2:
      return copy_fixed<Way, 2>(memory, stride, count, stream);
    case 4:
      return copy_fixed<Way, 4>(memory, stride, count, stream);
    case 8:
      return copy_fixed<Way, 8>(memory, stride, count, stream);
    case 12:
      return copy_fixed<Way, 12>(memory, stride, count, stream);
    case 16:
      return copy_fixed<Way, 16>(memory, stride, count, stream);
    case 24:
      return copy_fixed<Way, 24>(memory, stride, count, stream);
    case 32:
      return copy_fixed<Way, 32>(memory, stride, count, stream);
    default:
      break;
  }
  for (; count != 0; --count, stream += size, memory = moved(memory, stride)) Way::copy(memory, stream, size);
}

/// One block: sizes of single elements as a load and a store, without a call.
template <class Way>
void copy_block(std::uintptr_t memory, typename Way::Stream stream, std::uint64_t size) noexcept {
  switch (size) {
    case 4:
      return Way::copy(memory, stream, 4);
    case 8:
      return Way::copy(memory, stream, 8);
    case 16:
      return Way::copy(memory, stream, 16);
    default:
      return Way::copy(memory, stream, size);
  }
}

/// Equal blocks: the rest of a broken one, whole ones, the beginning of another broken one.
template <class Way>
void copy_strip(const Part& part, std::uintptr_t memory, std::uint64_t from, std::uint64_t bytes,
                typename Way::Stream stream) noexcept {
  if (part.stride == static_cast<std::int64_t>(part.size)) return Way::copy(memory + from, stream, bytes);
  memory = moved(memory, part.stride, from / part.size);
  const std::uint64_t inside = from % part.size;
  if (inside != 0) {
    const std::uint64_t head = std::min(part.size - inside, bytes);
    Way::copy(memory + inside, stream, head);
    memory = moved(memory, part.stride);
    stream += head;
    bytes -= head;
  }
  const std::uint64_t whole = bytes / part.size;
  copy_blocks<Way>(memory, part.stride, part.size, whole, stream);
  const std::uint64_t tail = bytes - whole * part.size;
  if (tail != 0) Way::copy(moved(memory, part.stride, whole), stream + whole * part.size, tail);
}

template <class Way>
void copy_part(const Part& part, std::uintptr_t memory, std::uint64_t from, std::uint64_t bytes,
               typename Way::Stream stream) noexcept;

template <class Way>
void copy_shape(const Shape& shape, std::uintptr_t memory, std::uint64_t from, std::uint64_t bytes,
                typename Way::Stream stream) noexcept {
  const Part* part = shape.parts().data() + (from == 0 ? 0 : shape.find(from));
  std::uint64_t inside = from - part->start;
  while (bytes != 0) {
    const std::uint64_t piece = std::min(part->total() - inside, bytes);
    if (part->plain()) {
      copy_block<Way>(moved(memory, part->offset) + inside, stream, piece);
    } else {
      copy_part<Way>(*part, memory, inside, piece, stream);
    }
    stream += piece;
    bytes -= piece;
    inside = 0;
    ++part;
  }
}

template <class Way>
void copy_part(const Part& part, std::uintptr_t memory, std::uint64_t from, std::uint64_t bytes,
               typename Way::Stream stream) noexcept {
  memory = moved(memory, part.offset);
  if (!part.inner) return copy_strip<Way>(part, memory, from, bytes, stream);
  memory = moved(memory, part.stride, from / part.size);
  std::uint64_t inside = from % part.size;
  while (bytes != 0) {
    const std::uint64_t piece = std::min(part.size - inside, bytes);
    copy_shape<Way>(*part.inner, memory, inside, piece, stream);
    memory = moved(memory, part.stride);
    stream += piece;
    bytes -= piece;
    inside = 0;
  }
}

}  // namespace

void pack_part(const Part& part, std::uintptr_t base, std::uint64_t from, std::uint64_t bytes,
               std::byte* stream) noexcept {
  copy_part<Pack>(part, base, from, bytes, stream);
}

void unpack_part(const Part& part, std::uintptr_t base, std::uint64_t from, std::uint64_t bytes,
                 const std::byte* stream) noexcept {
  copy_part<Unpack>(part, base, from, bytes, stream);
}

}  // namespace hawser::mpi
