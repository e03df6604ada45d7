// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "mpi/type_shape.hpp"

#include <algorithm>
#include <utility>

namespace hawser::mpi {
namespace {

constexpr std::size_t kUnrolledParts = 16;  // up to here copies are written out, so that neighbours can join

std::int64_t as_signed(std::uint64_t value) noexcept {
  return static_cast<std::int64_t>(value);
}

/// A loop that goes once, or over blocks that touch, is a block.
void collapse(Part& part) {
  if (part.inner || part.count == 1 || part.stride != as_signed(part.size)) return;
  part.size *= part.count;
  part.count = 1;
}

/// One block that ends where the other begins: the last one grows.
bool join(Part& last, const Part& next) {
  if (!last.plain() || !next.plain() || last.offset + as_signed(last.size) != next.offset) return false;
  last.size += next.size;
  return true;
}

/// A single part that goes on the loop before it, or begins a loop with the single part before it.
bool extend(Part& last, const Part& next) {
  if (next.count != 1 || last.size != next.size || last.inner != next.inner) return false;
  const std::int64_t distance = next.offset - last.offset;
  if (last.count == 1) {
    last.stride = distance;
  } else if (distance != last.stride * as_signed(last.count)) {
    return false;
  }
  ++last.count;
  return true;
}

std::vector<Part> joined(std::vector<Part> parts) {
  std::vector<Part> out;
  for (Part& part : parts) {
    if (part.size == 0 || part.count == 0) continue;
    collapse(part);
    if (out.empty() || !join(out.back(), part)) out.push_back(std::move(part));
  }
  return out;
}

}  // namespace

Shape::Shape(std::vector<Part> parts) {
  for (Part& part : joined(std::move(parts))) {
    if (parts_.empty() || !extend(parts_.back(), part)) parts_.push_back(std::move(part));
  }
  parts_.shrink_to_fit();
  for (Part& part : parts_) {
    part.start = size_;
    size_ += part.total();
  }
}

std::size_t Shape::find(std::uint64_t offset) const noexcept {
  const auto after =
      std::upper_bound(parts_.begin(), parts_.end(), offset,
                       [](std::uint64_t value, const Part& part) { return value < part.start; });
  return static_cast<std::size_t>(after - parts_.begin()) - 1;
}

namespace {

Part repeat_one(const Part& part, std::uint64_t count, std::int64_t stride) {
  Part loop = part;
  if (part.count == 1) {
    loop.count = count;
    loop.stride = stride;
  } else if (stride == part.stride * as_signed(part.count)) {
    loop.count *= count;
  } else {
    Part body = part;
    body.offset = 0;
    loop =
        Part{part.offset, part.total(), count, stride, 0, std::make_shared<const Shape>(std::vector{body})};
  }
  collapse(loop);
  return loop;
}

}  // namespace

std::vector<Part> repeat(const std::shared_ptr<const Shape>& shape, std::uint64_t count,
                         std::int64_t stride) {
  const std::vector<Part>& parts = shape->parts();
  if (parts.empty() || count == 0) return {};
  if (parts.size() == 1) return {count == 1 ? parts[0] : repeat_one(parts[0], count, stride)};
  if (count > kUnrolledParts || count * parts.size() > kUnrolledParts) {
    return {Part{0, shape->size(), count, stride, 0, shape}};
  }
  std::vector<Part> out;
  for (std::uint64_t copy = 0; copy < count; ++copy) {
    for (Part part : parts) {
      part.offset += stride * as_signed(copy);
      out.push_back(std::move(part));
    }
  }
  return out;
}

}  // namespace hawser::mpi
