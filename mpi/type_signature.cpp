// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "mpi/type_signature.hpp"

#include <algorithm>

namespace hawser::mpi {
namespace {

bool alike(const Stretch& a, const Stretch& b) noexcept {
  return a.bytes == b.bytes && a.elements == b.elements && a.inner == b.inner;
}

}  // namespace

void append(std::vector<Stretch>& stretches, const Stretch& next) {
  if (next.bytes == 0 || next.count == 0) return;
  if (!stretches.empty() && alike(stretches.back(), next)) {
    stretches.back().count += next.count;
  } else {
    stretches.push_back(next);
  }
}

Signature::Signature(const std::vector<Stretch>& stretches) {
  for (const Stretch& next : stretches) {
    append(stretches_, next);
    total_.elements += next.elements * next.count;
    total_.bytes += next.bytes * next.count;
  }
  stretches_.shrink_to_fit();
}

Signature::Prefix Signature::of_bytes(std::uint64_t bytes) const noexcept {
  Prefix sum;
  for (const Stretch& stretch : stretches_) {
    const std::uint64_t left = bytes - sum.bytes;
    const std::uint64_t whole = std::min(left / stretch.bytes, stretch.count);
    sum.elements += whole * stretch.elements;
    sum.bytes += whole * stretch.bytes;
    if (whole == stretch.count) continue;
    if (stretch.inner) {
      const Prefix part = stretch.inner->of_bytes(bytes - sum.bytes);
      sum.elements += part.elements;
      sum.bytes += part.bytes;
    }
    break;
  }
  return sum;
}

Signature::Prefix Signature::of_elements(std::uint64_t elements) const noexcept {
  Prefix sum;
  for (const Stretch& stretch : stretches_) {
    const std::uint64_t left = elements - sum.elements;
    const std::uint64_t whole = std::min(left / stretch.elements, stretch.count);
    sum.elements += whole * stretch.elements;
    sum.bytes += whole * stretch.bytes;
    if (whole == stretch.count) continue;
    if (stretch.inner) {
      const Prefix part = stretch.inner->of_elements(elements - sum.elements);
      sum.elements += part.elements;
      sum.bytes += part.bytes;
    }
    break;
  }
  return sum;
}

std::vector<Stretch> repeat(const std::shared_ptr<const Signature>& signature, std::uint64_t count) {
  if (count == 0 || signature->bytes() == 0) return {};
  if (count == 1) return signature->stretches();
  if (signature->stretches().size() == 1) {
    Stretch only = signature->stretches()[0];
    only.count *= count;
    return {only};
  }
  return {Stretch{signature->bytes(), signature->elements(), count, signature}};
}

}  // namespace hawser::mpi
