// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "framework/btl/host.hpp"

// How two processes learn that they talk to whom they think. Three messages of fixed size:
//   caller   -> listener  Hello   who I am, whom I want, on which rail, a nonce; sealed with the job's secret
//   listener -> caller    Answer  welcome or the reason why not, a nonce; sealed over the hello as well
//   caller   -> listener  Proof   sealed over both: the hello was not an old one played again
// A stranger gets no byte: without a valid seal on the hello there is no answer.

namespace hawser::tcp {

inline constexpr std::size_t kNonceSize = 16;
inline constexpr std::size_t kSealSize = 32;
using Nonce = std::array<unsigned char, kNonceSize>;
using Seal = std::array<unsigned char, kSealSize>;

struct Hello {
  std::uint64_t job = 0;
  std::uint32_t from_rank = 0;
  std::uint32_t to_rank = 0;
  std::uint64_t from_incarnation = 0;
  std::uint64_t to_incarnation = 0;
  std::uint32_t from_generation = 0;  // of what the caller has published
  std::uint32_t to_generation = 0;    // of what the caller knows of the listener
  std::uint16_t from_module = 0;      // index of the caller's module
  std::uint16_t to_module = 0;        // index of the listener's module
  Nonce nonce{};
  std::uint64_t number = 0;  // counts what the caller dials: of two hellos the higher one is newer
};

/// Why a connection is or is not taken. On the wire: values are never reused.
enum class Reply : std::uint8_t {
  kWelcome = 1,
  kDuplicate = 2,  // the other connection of this rail is in use
  kWrongPeer = 3,  // not the rank or incarnation that was asked for
  kShuttingDown = 4,
  kRetry = 5,       // one side does not yet know what the other has published; or no room
  kNoSuchRail = 6,  // the two sides do not agree on the pairs of interfaces
  kRailFailed = 7,  // this rail was lost before
};
const char* to_text(Reply reply) noexcept;

struct Answer {
  Reply reply = Reply::kWelcome;
  Nonce nonce{};
  std::uint64_t dialled = 0;  // the last number that the listener gave a connection of its own
};

inline constexpr std::size_t kHelloSize =
    8 + 2 + 2 + 8 + 4 + 4 + 8 + 8 + 4 + 4 + 2 + 2 + 8 + kNonceSize + kSealSize;
inline constexpr std::size_t kAnswerSize = 8 + 8 + kNonceSize + kSealSize;
inline constexpr std::size_t kProofSize = kSealSize;

using HelloBytes = std::array<unsigned char, kHelloSize>;
using AnswerBytes = std::array<unsigned char, kAnswerSize>;
using ProofBytes = std::array<unsigned char, kProofSize>;

Nonce make_nonce() noexcept;

/// Seals with the job's secret; each message is bound to those before it.
class Notary {
 public:
  explicit Notary(const btl::Job& job) noexcept : job_(job) {}

  HelloBytes write_hello(const Hello& hello) const noexcept;
  /// Nothing: a stranger, another version or another job; `why` says which, for the log.
  std::optional<Hello> read_hello(const HelloBytes& bytes, const char*& why) const noexcept;

  AnswerBytes write_answer(const HelloBytes& hello, const Answer& answer) const noexcept;
  std::optional<Answer> read_answer(const HelloBytes& hello, const AnswerBytes& bytes) const noexcept;

  ProofBytes write_proof(const HelloBytes& hello, const AnswerBytes& answer) const noexcept;
  bool check_proof(const HelloBytes& hello, const AnswerBytes& answer,
                   const ProofBytes& proof) const noexcept;

 private:
  struct Part {
    const unsigned char* bytes;
    std::size_t size;
  };
  Seal seal(unsigned char step, const Part* parts, std::size_t count) const noexcept;

  const btl::Job& job_;
};

}  // namespace hawser::tcp
