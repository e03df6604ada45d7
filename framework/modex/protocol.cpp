// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "framework/modex/protocol.hpp"

#include <cstring>

namespace hawser::modex::protocol {
namespace {

// The payload is written behind room for its header: a collecting fence's is large, and is not copied.
WireWriter begin() {
  WireWriter out;
  const char room[kHeaderSize] = {};
  out.put_bytes(room, sizeof room);
  return out;
}

std::string frame(Type type, WireWriter&& payload) {
  std::string bytes = payload.take();
  WireWriter head;
  head.put(static_cast<std::uint32_t>(bytes.size() - kHeaderSize));
  head.put(kVersion);
  head.put(type);
  std::memcpy(bytes.data(), head.bytes().data(), kHeaderSize);
  return bytes;
}

void put_long(WireWriter& out, std::string_view bytes) {
  out.put(static_cast<std::uint32_t>(bytes.size()));
  out.put_bytes(bytes.data(), bytes.size());
}

std::string_view view_long(WireReader& in) {
  const std::size_t size = in.get<std::uint32_t>();
  const unsigned char* data = in.skip(size);
  return in.ok() ? std::string_view(reinterpret_cast<const char*>(data), size) : std::string_view();
}

std::string get_long(WireReader& in) {
  return std::string(view_long(in));
}

std::string get_text(WireReader& in) {
  return std::string(in.get_text());
}

WireReader reader(std::string_view payload) {
  return {payload.data(), payload.size()};
}

}  // namespace

std::string encode(const Hello& message) {
  WireWriter out = begin();
  out.put(message.pid);
  return frame(Type::kHello, std::move(out));
}

bool decode(std::string_view payload, Hello& message) {
  auto in = reader(payload);
  message.pid = in.get<std::uint32_t>();
  return in.done();
}

std::string encode(const Welcome& message) {
  WireWriter out = begin();
  const btl::Job& job = message.job;
  out.put(job.id);
  out.put(job.size);
  out.put(job.rank);
  out.put(job.local_size);
  out.put(job.cores);
  out.put_bytes(job.secret, sizeof job.secret);
  out.put(message.epoch);
  return frame(Type::kWelcome, std::move(out));
}

bool decode(std::string_view payload, Welcome& message) {
  auto in = reader(payload);
  btl::Job& job = message.job;
  job.id = in.get<std::uint64_t>();
  job.size = in.get<std::uint32_t>();
  job.rank = in.get<std::uint32_t>();
  job.local_size = in.get<std::uint32_t>();
  job.cores = in.get<std::uint32_t>();
  in.take(job.secret, sizeof job.secret);
  message.epoch = in.get<std::uint32_t>();
  return in.done() && job.size <= kMaxRanks && job.rank < job.size;
}

std::string encode(const Refused& message) {
  WireWriter out = begin();
  out.put_text(message.text);
  return frame(Type::kRefused, std::move(out));
}

bool decode(std::string_view payload, Refused& message) {
  auto in = reader(payload);
  message.text = get_text(in);
  return in.done();
}

std::string encode(const Commit& message) {
  WireWriter out = begin();
  out.put(message.id);
  put_long(out, message.blob);
  return frame(Type::kCommit, std::move(out));
}

bool decode(std::string_view payload, Commit& message) {
  auto in = reader(payload);
  message.id = in.get<std::uint64_t>();
  message.blob = get_long(in);
  return in.done();
}

std::string encode(const Committed& message) {
  WireWriter out = begin();
  out.put(message.id);
  return frame(Type::kCommitted, std::move(out));
}

bool decode(std::string_view payload, Committed& message) {
  auto in = reader(payload);
  message.id = in.get<std::uint64_t>();
  return in.done();
}

std::string encode(const Fence& message) {
  WireWriter out = begin();
  out.put(message.number);
  out.put(static_cast<std::uint8_t>(message.collect));
  out.put(message.timeout_ms);
  return frame(Type::kFence, std::move(out));
}

bool decode(std::string_view payload, Fence& message) {
  auto in = reader(payload);
  message.number = in.get<std::uint64_t>();
  message.collect = in.get<std::uint8_t>() != 0;
  message.timeout_ms = in.get<std::uint64_t>();
  return in.done();
}

std::string encode(const FenceDone& message) {
  WireWriter out = begin();
  out.put(message.number);
  out.put(message.code);
  out.put_text(message.text);
  out.put(static_cast<std::uint32_t>(message.blobs.size()));
  for (const auto& blob : message.blobs) put_long(out, blob);
  return frame(Type::kFenceDone, std::move(out));
}

bool decode(std::string_view payload, FenceDone& message) {
  auto in = reader(payload);
  message.number = in.get<std::uint64_t>();
  message.code = in.get<Errc>();
  message.text = get_text(in);
  const std::uint32_t count = in.get<std::uint32_t>();
  if (count > kMaxRanks) return false;
  message.blobs.clear();
  for (std::uint32_t i = 0; i < count && in.ok(); ++i) message.blobs.push_back(view_long(in));
  return in.done();
}

std::string encode(const Get& message) {
  WireWriter out = begin();
  out.put(message.id);
  out.put(message.rank);
  return frame(Type::kGet, std::move(out));
}

bool decode(std::string_view payload, Get& message) {
  auto in = reader(payload);
  message.id = in.get<std::uint64_t>();
  message.rank = in.get<std::uint32_t>();
  return in.done();
}

std::string encode(const Got& message) {
  WireWriter out = begin();
  out.put(message.id);
  out.put(message.rank);
  out.put(message.code);
  out.put_text(message.text);
  put_long(out, message.blob);
  return frame(Type::kGot, std::move(out));
}

bool decode(std::string_view payload, Got& message) {
  auto in = reader(payload);
  message.id = in.get<std::uint64_t>();
  message.rank = in.get<std::uint32_t>();
  message.code = in.get<Errc>();
  message.text = get_text(in);
  message.blob = get_long(in);
  return in.done();
}

std::string encode(const Report& message) {
  WireWriter out = begin();
  out.put(message.id);
  out.put_text(message.topic);
  return frame(Type::kReport, std::move(out));
}

bool decode(std::string_view payload, Report& message) {
  auto in = reader(payload);
  message.id = in.get<std::uint64_t>();
  message.topic = get_text(in);
  return in.done();
}

std::string encode(const Reported& message) {
  WireWriter out = begin();
  out.put(message.id);
  out.put(static_cast<std::uint8_t>(message.first));
  return frame(Type::kReported, std::move(out));
}

bool decode(std::string_view payload, Reported& message) {
  auto in = reader(payload);
  message.id = in.get<std::uint64_t>();
  message.first = in.get<std::uint8_t>() != 0;
  return in.done();
}

std::string encode(const Abort& message) {
  WireWriter out = begin();
  out.put(message.code);
  out.put_text(message.text);
  return frame(Type::kAbort, std::move(out));
}

bool decode(std::string_view payload, Abort& message) {
  auto in = reader(payload);
  message.code = in.get<std::int32_t>();
  message.text = get_text(in);
  return in.done();
}

std::string encode(const Leave&) {
  return frame(Type::kLeave, begin());
}
std::string encode(const Left&) {
  return frame(Type::kLeft, begin());
}

std::string encode_blob(const Blob& blob) {
  WireWriter out;
  out.put(kBlobVersion);
  out.put(static_cast<std::uint16_t>(blob.size()));
  for (const auto& [key, value] : blob) {
    out.put_text(key);
    put_long(out, value);
  }
  return out.take();
}

Result<Blob> decode_blob(std::string_view bytes) {
  auto in = reader(bytes);
  const auto version = in.get<std::uint16_t>();
  if (in.ok() && version != kBlobVersion) {
    return make_error(Errc::kVersion,
                      "published data of version {}, this side knows version {}: use one installation for "
                      "all ranks and their launcher",
                      version, kBlobVersion);
  }
  const auto count = in.get<std::uint16_t>();
  Blob blob;
  for (std::uint32_t i = 0; i < count && in.ok(); ++i) {
    std::string key = get_text(in);
    blob[std::move(key)] = get_long(in);
  }
  if (in.done() && blob.size() == count) return blob;
  return make_error(Errc::kProtocol, "published data that cannot be read ({} bytes)", bytes.size());
}

std::optional<std::string_view> find_in_blob(std::string_view bytes, std::string_view key) {
  auto in = reader(bytes);
  in.get<std::uint16_t>();  // the version
  for (std::uint32_t left = in.get<std::uint16_t>(); left != 0 && in.ok(); --left) {
    const bool found = in.get_text() == key;
    const std::string_view value = view_long(in);
    if (found && in.ok()) return value;
  }
  return std::nullopt;
}

Result<std::optional<Frame>> FrameCutter::next() {
  if (bytes_.size() - at_ < kHeaderSize) {
    drop_handed_out();
    return std::nullopt;
  }
  WireReader head(bytes_.data() + at_, kHeaderSize);
  const std::size_t size = head.get<std::uint32_t>();
  const auto version = head.get<std::uint16_t>();
  const auto type = head.get<Type>();
  if (version != kVersion) {
    return make_error(Errc::kVersion,
                      "the other side speaks version {} of the launcher's protocol, this side version {}: "
                      "use one installation for both",
                      version, kVersion);
  }
  if (size > max_payload_)
    return make_error(Errc::kProtocol, "a message claims {} bytes, {} are allowed", size, max_payload_);
  if (bytes_.size() - at_ - kHeaderSize < size) {
    drop_handed_out();
    return std::nullopt;
  }
  Frame frame{type, bytes_.substr(at_ + kHeaderSize, size)};
  at_ += kHeaderSize + size;
  return frame;
}

// A collecting fence once made the room large: it is given back.
void FrameCutter::drop_handed_out() {
  bytes_.erase(0, std::exchange(at_, 0));
  if (bytes_.empty() && bytes_.capacity() > kKeptRoom) bytes_ = std::string();
}

}  // namespace hawser::modex::protocol
