// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "framework/base/result.hpp"
#include "framework/matching/matching.hpp"

namespace hawser::tcp {

inline constexpr std::uint16_t kBlobVersion = 1;
inline constexpr std::size_t kMaxAddresses = 256;
inline constexpr std::uint16_t kMaxLinks = 64;
inline constexpr std::size_t kMaxBlob = 64 * 1024;  // bytes
inline constexpr const char* kBlobKey = "btl.tcp";

/// An address that a process listens on, as its peers see it.
struct Published {
  matching::Candidate candidate;
  std::uint16_t port = 0;
  std::string name;  // of the interface, for messages
};

/// What a process puts into the modex.
struct Blob {
  std::uint64_t incarnation = 0;
  std::uint16_t links = 1;  // connections for each pair of interfaces
  std::vector<Published> addresses;
};

std::string encode(const Blob& blob);
/// kVersion, kProtocol: with the reason. Every length and value is checked.
Result<Blob> decode(std::string_view bytes);

}  // namespace hawser::tcp
