// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "framework/base/result.hpp"
#include "framework/interfaces/routes.hpp"
#include "framework/matching/matching.hpp"

namespace hawser::tcp {

inline constexpr std::uint16_t kBlobVersion = 3;
inline constexpr std::size_t kMaxAddresses = 256;
inline constexpr std::uint16_t kMaxLinks = 64;
inline constexpr std::size_t kMaxBlob = 64UL * 1024;       // bytes
inline constexpr std::uint64_t kMaxMessage = 1024u << 20;  // bytes of data, whatever the parameters say
inline constexpr const char* kBlobKey = "btl.tcp";

/// An address that a process listens on, as its peers see it.
struct Published {
  matching::Candidate candidate;
  std::uint16_t port = 0;
  std::uint16_t first_module = 0;  // index of the module of its first link; the others follow. Never reused
  std::string name;                // of the interface, for messages
};

/// What a process puts into the modex.
struct Blob {
  std::uint64_t incarnation = 0;
  std::uint32_t generation = 1;         // rises whenever the rest changes
  std::uint16_t links = 1;              // connections for each pair of interfaces; never changes
  std::uint64_t largest = kMaxMessage;  // most bytes of data in a message that it sends; never changes
  std::vector<Published> addresses;
  std::vector<interfaces::Route> routes;  // empty: unknown

  /// Whether that module is one of `addresses`.
  bool offers(std::uint16_t module) const noexcept;
};

std::string encode(const Blob& blob);
/// kVersion, kProtocol: with the reason. Every length and value is checked.
Result<Blob> decode(std::string_view bytes);

}  // namespace hawser::tcp
