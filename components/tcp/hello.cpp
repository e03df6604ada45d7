// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "components/tcp/hello.hpp"

#include <sodium.h>

#include <cstring>

#include "framework/base/wire.hpp"

namespace hawser::tcp {
namespace {

constexpr std::uint64_t kMagic = 0x3150435452535748;  // "HWSRTCP1"
constexpr std::uint16_t kVersion = 4;

// The three messages must not pass for one another.
constexpr unsigned char kStepHello = 1;
constexpr unsigned char kStepAnswer = 2;
constexpr unsigned char kStepProof = 3;

class FixedWriter {
 public:
  explicit FixedWriter(unsigned char* at) noexcept : at_(at) {}
  template <class T>
  void put(T value) noexcept {
    std::memcpy(at_, &value, sizeof value);
    at_ += sizeof value;
  }
  void put(const unsigned char* bytes, std::size_t size) noexcept {
    std::memcpy(at_, bytes, size);
    at_ += size;
  }

 private:
  unsigned char* at_;
};

}  // namespace

const char* to_text(Reply reply) noexcept {
  switch (reply) {
    case Reply::kWelcome:
      return "welcome";
    case Reply::kDuplicate:
      return "the other connection of this rail is in use";
    case Reply::kWrongPeer:
      return "another process than the one asked for listens there";
    case Reply::kShuttingDown:
      return "the peer is shutting down";
    case Reply::kRetry:
      return "the peer does not know our interfaces yet, or has no room at the moment";
    case Reply::kNoSuchRail:
      return "the peer does not know this pair of interfaces";
    case Reply::kRailFailed:
      return "the peer lost this rail before";
  }
  return "unknown reply";
}

Nonce make_nonce() noexcept {
  Nonce nonce;
  ::randombytes_buf(nonce.data(), nonce.size());
  return nonce;
}

Seal Notary::seal(unsigned char step, const Part* parts, std::size_t count) const noexcept {
  Seal result;
  crypto_generichash_state state;
  ::crypto_generichash_init(&state, job_.secret, btl::kSecretSize, result.size());
  ::crypto_generichash_update(&state, &step, 1);
  for (std::size_t i = 0; i < count; ++i) ::crypto_generichash_update(&state, parts[i].bytes, parts[i].size);
  ::crypto_generichash_final(&state, result.data(), result.size());
  return result;
}

HelloBytes Notary::write_hello(const Hello& hello) const noexcept {
  HelloBytes bytes{};
  FixedWriter out(bytes.data());
  out.put(kMagic);
  out.put(kVersion);
  out.put(std::uint16_t{0});
  out.put(hello.job);
  out.put(hello.from_rank);
  out.put(hello.to_rank);
  out.put(hello.from_incarnation);
  out.put(hello.to_incarnation);
  out.put(hello.from_generation);
  out.put(hello.to_generation);
  out.put(hello.from_module);
  out.put(hello.to_module);
  out.put(hello.number);
  out.put(hello.nonce.data(), hello.nonce.size());
  const Part body{bytes.data(), kHelloSize - kSealSize};
  const Seal mark = seal(kStepHello, &body, 1);
  out.put(mark.data(), mark.size());
  return bytes;
}

std::optional<Hello> Notary::read_hello(const HelloBytes& bytes, const char*& why) const noexcept {
  WireReader in(bytes.data(), bytes.size());
  why = "it does not speak our protocol";
  if (in.get<std::uint64_t>() != kMagic) return std::nullopt;
  why = "it speaks another version of our protocol";
  if (in.get<std::uint16_t>() != kVersion) return std::nullopt;
  in.get<std::uint16_t>();
  Hello hello;
  hello.job = in.get<std::uint64_t>();
  hello.from_rank = in.get<std::uint32_t>();
  hello.to_rank = in.get<std::uint32_t>();
  hello.from_incarnation = in.get<std::uint64_t>();
  hello.to_incarnation = in.get<std::uint64_t>();
  hello.from_generation = in.get<std::uint32_t>();
  hello.to_generation = in.get<std::uint32_t>();
  hello.from_module = in.get<std::uint16_t>();
  hello.to_module = in.get<std::uint16_t>();
  hello.number = in.get<std::uint64_t>();
  in.take(hello.nonce.data(), hello.nonce.size());
  why = "it belongs to another job";
  if (hello.job != job_.id) return std::nullopt;
  why = "its seal is wrong";
  const Part body{bytes.data(), kHelloSize - kSealSize};
  const Seal expected = seal(kStepHello, &body, 1);
  if (::sodium_memcmp(expected.data(), bytes.data() + body.size, kSealSize) != 0) return std::nullopt;
  return hello;
}

AnswerBytes Notary::write_answer(const HelloBytes& hello, const Answer& answer) const noexcept {
  AnswerBytes bytes{};
  FixedWriter out(bytes.data());
  out.put(static_cast<std::uint64_t>(answer.reply));
  out.put(answer.dialled);
  out.put(answer.nonce.data(), answer.nonce.size());
  const Part parts[] = {{hello.data(), hello.size()}, {bytes.data(), kAnswerSize - kSealSize}};
  const Seal mark = seal(kStepAnswer, parts, 2);
  out.put(mark.data(), mark.size());
  return bytes;
}

std::optional<Answer> Notary::read_answer(const HelloBytes& hello, const AnswerBytes& bytes) const noexcept {
  const Part parts[] = {{hello.data(), hello.size()}, {bytes.data(), kAnswerSize - kSealSize}};
  const Seal expected = seal(kStepAnswer, parts, 2);
  if (::sodium_memcmp(expected.data(), bytes.data() + kAnswerSize - kSealSize, kSealSize) != 0)
    return std::nullopt;
  WireReader in(bytes.data(), bytes.size());
  Answer answer;
  const auto reply = in.get<std::uint64_t>();
  if (reply < 1 || reply > static_cast<std::uint64_t>(Reply::kRailFailed)) return std::nullopt;
  answer.reply = static_cast<Reply>(reply);
  answer.dialled = in.get<std::uint64_t>();
  in.take(answer.nonce.data(), answer.nonce.size());
  return answer;
}

ProofBytes Notary::write_proof(const HelloBytes& hello, const AnswerBytes& answer) const noexcept {
  const Part parts[] = {{hello.data(), hello.size()}, {answer.data(), answer.size()}};
  return seal(kStepProof, parts, 2);
}

bool Notary::check_proof(const HelloBytes& hello, const AnswerBytes& answer,
                         const ProofBytes& proof) const noexcept {
  const ProofBytes expected = write_proof(hello, answer);
  return ::sodium_memcmp(expected.data(), proof.data(), proof.size()) == 0;
}

}  // namespace hawser::tcp
