// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/check/parcel.hpp"

#include <algorithm>
#include <cstring>

#include "framework/base/mutex.hpp"
#include "tools/check/expect.hpp"

namespace hawser::check {

namespace {

thread_local bool t_posting = false;

constexpr std::size_t kFew = 64;  // pieces; more of them are of like size, so that each has something

}  // namespace

Posting::Posting() noexcept {
  t_posting = true;
}
Posting::~Posting() {
  t_posting = false;
}
bool Posting::going_on() noexcept {
  return t_posting;
}

unsigned char pattern(const Stamp& stamp, std::size_t i) noexcept {
  return static_cast<unsigned char>(stamp.number * 31 + stamp.stream * 17 + i * 7 + (i >> 8) + (i >> 16));
}

std::vector<unsigned char> make_data(const Stamp& stamp) {
  std::vector<unsigned char> bytes(stamp.size);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = pattern(stamp, i);
  return bytes;
}

void Parcel::fill(Stamp stamp, std::uint8_t header_bytes, std::size_t pieces) {
  tag = kTag;
  header_size = header_bytes;
  std::memset(header, 0, sizeof header);
  std::memcpy(header, &stamp, sizeof stamp);
  header_as_filled_.assign(header, header + sizeof header);
  bytes = make_data(stamp);
  parts.clear();
  std::size_t at = 0;
  for (std::size_t i = 0; i < pieces; ++i) {
    // Unequal parts, some of them empty; the last takes the rest.
    const std::size_t left = bytes.size() - at;
    const std::size_t share = pieces > kFew ? left / (pieces - i) : left / 2;
    const std::size_t part = i + 1 == pieces ? left : (i % 3 == 1 ? 0 : share);
    parts.push_back({bytes.data() + at, part});
    at += part;
  }
  data = parts.data();
  data_count = static_cast<std::uint32_t>(parts.size());
  data_size = bytes.size();
  owner = this;
  completions = 0;
}

void Parcel::scribble() noexcept {
  std::fill(bytes.begin(), bytes.end(), static_cast<unsigned char>(0xdd));
  std::memset(header, 0xdd, sizeof header);
}

bool Parcel::untouched() const noexcept {
  std::size_t sum = 0;
  for (const iovec& part : parts) sum += part.iov_len;
  return on_complete == &completed && owner == this && data == parts.data() && data_count == parts.size() &&
         data_size == sum && std::memcmp(header, header_as_filled_.data(), sizeof header) == 0;
}

void Parcel::completed(btl::Descriptor& self, Errc status) noexcept {
  assert_no_locks_held();
  auto& parcel = static_cast<Parcel&>(self);
  expect(!Posting::going_on(),
         "a descriptor was completed inside its post; a callback never comes before "
         "the post has returned");
  note_move();
  parcel.outcome = status;
  if (parcel.completions.fetch_add(1) != 0) fail("a descriptor was completed twice");
  if (parcel.then) parcel.then(parcel);
}

}  // namespace hawser::check
