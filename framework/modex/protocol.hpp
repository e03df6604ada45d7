// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "framework/base/errc.hpp"
#include "framework/base/result.hpp"
#include "framework/base/wire.hpp"
#include "framework/btl/host.hpp"

/// What the launcher and a rank say to each other over the inherited socket: frames of
/// { u32 payload bytes, u16 version, u16 type, payload }, host byte order (both ends are on one machine).
namespace hawser::modex::protocol {

inline constexpr std::uint16_t kVersion = 2;
inline constexpr std::size_t kHeaderSize = 8;
inline constexpr std::size_t kMaxFromRank = std::size_t{32} << 20;  // bytes of payload
inline constexpr std::size_t kMaxFromLauncher = std::size_t{1}
                                                << 30;  // a collecting fence carries every blob
inline constexpr std::uint32_t kMaxRanks = 128;
/// What a collecting fence carries at most, bytes; above it, blobs come with the first get for each rank.
inline constexpr std::size_t kMaxCollected = std::size_t{64} << 20;
inline constexpr std::uint16_t kBlobVersion = 1;
inline constexpr std::size_t kMaxKeys = 0xffff;

/// A whole frame, as it is sent; one for all who get the same.
using SharedFrame = std::shared_ptr<const std::string>;

enum class Type : std::uint16_t {
  kHello = 1,  // rank: I am here. Answered by welcome or refused
  kWelcome,
  kRefused,
  kCommit,  // rank: all that I published, as one blob; answered by committed
  kFence,   // rank enters a fence; answered by fence-done, once
  kFenceDone,
  kGet,  // rank wants the blob of another; answered by got
  kGot,
  kReport,  // rank: am I the first with this topic? Answered by reported
  kReported,
  kAbort,  // rank ends the job
  kLeave,  // rank leaves in good order; after `left` the launcher says nothing until the next hello
  kLeft,
  kCommitted,
};

/// The keys and values that a rank published.
using Blob = std::map<std::string, std::string, std::less<>>;

struct Hello {
  std::uint32_t pid = 0;
};
struct Welcome {
  btl::Job job{};
  std::uint32_t epoch = 0;  // how many processes of this rank joined before
};
struct Refused {
  std::string text;
};
struct Commit {
  std::uint64_t id = 0;
  std::string blob;  // encoded: see encode_blob
};
struct Committed {  // whoever asks from now on gets it
  std::uint64_t id = 0;
};
struct Fence {
  std::uint64_t number = 0;  // 1, 2, 3 ... per rank and epoch
  bool collect = false;
  std::uint64_t timeout_ms = 0;
};
struct FenceDone {
  std::uint64_t number = 0;
  Errc code = Errc::kOk;
  std::string text;
  // By rank, encoded; empty unless collected. Views of the sender's blobs, or into the payload decoded.
  std::vector<std::string_view> blobs;
};
struct Get {
  std::uint64_t id = 0;
  std::uint32_t rank = 0;
};
struct Got {
  std::uint64_t id = 0;
  std::uint32_t rank = 0;
  Errc code = Errc::kOk;  // kNotFound: that rank is gone and had committed nothing
  std::string text;
  std::string blob;
};
struct Report {
  std::uint64_t id = 0;
  std::string topic;
};
struct Reported {
  std::uint64_t id = 0;
  bool first = false;
};
struct Abort {
  std::int32_t code = 0;
  std::string text;
};
struct Leave {};
struct Left {};

/// A whole frame, ready to send.
std::string encode(const Hello& message);
std::string encode(const Welcome& message);
std::string encode(const Refused& message);
std::string encode(const Commit& message);
std::string encode(const Committed& message);
std::string encode(const Fence& message);
std::string encode(const FenceDone& message);
std::string encode(const Get& message);
std::string encode(const Got& message);
std::string encode(const Report& message);
std::string encode(const Reported& message);
std::string encode(const Abort& message);
std::string encode(const Leave& message);
std::string encode(const Left& message);

/// False: the payload is not exactly one such message.
bool decode(std::string_view payload, Hello& out);
bool decode(std::string_view payload, Welcome& out);
bool decode(std::string_view payload, Refused& out);
bool decode(std::string_view payload, Commit& out);
bool decode(std::string_view payload, Committed& out);
bool decode(std::string_view payload, Fence& out);
bool decode(std::string_view payload, FenceDone& out);
bool decode(std::string_view payload, Get& out);
bool decode(std::string_view payload, Got& out);
bool decode(std::string_view payload, Report& out);
bool decode(std::string_view payload, Reported& out);
bool decode(std::string_view payload, Abort& out);

/// { u16 version, u16 count, count times { u16 bytes, key, u32 bytes, value } }; at most kMaxKeys keys.
std::string encode_blob(const Blob& blob);
/// kVersion, kProtocol: with the reason.
Result<Blob> decode_blob(std::string_view bytes);
/// One value, in `bytes` that `decode_blob` took; nothing: it is not in them.
std::optional<std::string_view> find_in_blob(std::string_view bytes, std::string_view key);

struct Frame {
  Type type;
  std::string payload;
};

/// Cuts a byte stream into frames. Memory grows with what has arrived, never with what a header claims.
class FrameCutter {
 public:
  explicit FrameCutter(std::size_t max_payload) : max_payload_(max_payload) {}
  void append(const char* data, std::size_t size) { bytes_.append(data, size); }
  /// The next whole frame; nothing yet; or kVersion, kProtocol: the stream is of no use any more.
  Result<std::optional<Frame>> next();

 private:
  static constexpr std::size_t kKeptRoom = 4096;
  void drop_handed_out();

  std::size_t max_payload_;
  std::string bytes_;
  std::size_t at_ = 0;  // start of what was not handed out yet
};

}  // namespace hawser::modex::protocol
