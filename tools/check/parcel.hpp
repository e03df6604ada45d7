// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/uio.h>

#include <atomic>
#include <cstdint>
#include <vector>

#include "framework/btl/descriptor.hpp"
#include "framework/btl/message.hpp"

namespace hawser::check {

inline constexpr btl::Tag kTag = 7;         // delivered
inline constexpr btl::Tag kPlacedTag = 8;   // offers memory to read into
inline constexpr btl::Tag kUnknownTag = 9;  // nobody handles it

/// In front of each message.
struct Stamp {
  std::uint32_t number;
  std::uint32_t stream;  // messages of one stream arrive in order
  std::uint64_t size;    // of the data, bytes
};

/// Byte `i` of message `stamp`.
unsigned char pattern(const Stamp& stamp, std::size_t i) noexcept;
std::vector<unsigned char> make_data(const Stamp& stamp);

/// A message on its way, with what is known of its completion.
struct Parcel : btl::Descriptor {
  Parcel() { on_complete = &completed; }
  /// Fills header and data. `pieces`: how many parts the data is cut into, some of them empty.
  void fill(Stamp stamp, std::uint8_t header_bytes = sizeof(Stamp), std::size_t pieces = 1);
  /// Its bytes are not what they were: whoever still reads them is found out.
  void scribble() noexcept;
  /// Everything that a component must leave alone, as it was when filled.
  bool untouched() const noexcept;

  std::atomic<int> completions{0};
  std::atomic<Errc> outcome{Errc::kOk};
  std::vector<unsigned char> bytes;
  std::vector<iovec> parts;
  void (*then)(Parcel& self) noexcept = nullptr;  // called inside the completion, at its end
  void* context = nullptr;

 private:
  static void completed(btl::Descriptor& self, Errc status) noexcept;
  std::vector<unsigned char> header_as_filled_;
};

/// While it lives, this thread is inside a post: what is called back now comes too early.
class Posting {
 public:
  Posting() noexcept;
  ~Posting();
  Posting(const Posting&) = delete;
  Posting& operator=(const Posting&) = delete;
  static bool going_on() noexcept;
};

}  // namespace hawser::check
