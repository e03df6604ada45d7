// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>

namespace hawser {

/// Reads what a peer sent, with bounds. After the first read that does not fit, `ok()` is false and every
/// read gives zero; callers check once, at the end. Little-endian, no padding.
class WireReader {
 public:
  /// Reads `size` bytes from `data` on, which stay while it does.
  WireReader(const void* data, std::size_t size) noexcept
      : at_(static_cast<const unsigned char*>(data)), left_(size) {}

  /// The next number.
  template <class T>
  T get() noexcept {
    static_assert(std::is_integral_v<T> || std::is_enum_v<T>);
    T value{};
    take(&value, sizeof value);
    return value;
  }
  /// The next `size` bytes. False: there are not so many.
  bool take(void* out, std::size_t size) noexcept {
    if (size > left_) {
      ok_ = false;
      left_ = 0;
      return false;
    }
    if (size != 0) std::memcpy(out, at_, size);
    at_ += size;
    left_ -= size;
    return true;
  }
  /// A counted string (16-bit length); a view into the data.
  std::string_view get_text() noexcept {
    const std::size_t size = get<std::uint16_t>();
    return {reinterpret_cast<const char*>(skip(size)), ok_ ? size : 0};
  }
  /// Where the next `size` bytes lie, which then count as read.
  const unsigned char* skip(std::size_t size) noexcept {
    if (size > left_) {
      ok_ = false;
      left_ = 0;
      return at_;
    }
    const unsigned char* here = at_;
    at_ += size;
    left_ -= size;
    return here;
  }
  /// Bytes not read yet.
  std::size_t left() const noexcept { return left_; }
  /// Nothing was missing so far.
  bool ok() const noexcept { return ok_; }
  /// All was read, and nothing was missing.
  bool done() const noexcept { return ok_ && left_ == 0; }

 private:
  const unsigned char* at_;
  std::size_t left_;
  bool ok_ = true;
};

/// Appends to a byte string what WireReader reads.
class WireWriter {
 public:
  /// Appends a number.
  template <class T>
  void put(T value) {
    static_assert(std::is_integral_v<T> || std::is_enum_v<T>);
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  /// Appends bytes as they are.
  void put_bytes(const void* data, std::size_t size) { bytes_.append(static_cast<const char*>(data), size); }
  /// Appends a counted string; what is beyond 65535 bytes is cut off.
  void put_text(std::string_view text) {
    const std::size_t size = text.size() < 0xffff ? text.size() : 0xffff;
    put(static_cast<std::uint16_t>(size));
    bytes_.append(text.data(), size);
  }
  /// All so far.
  const std::string& bytes() const noexcept { return bytes_; }
  /// All of it; nothing is left here.
  std::string take() noexcept { return std::move(bytes_); }

 private:
  std::string bytes_;
};

}  // namespace hawser
