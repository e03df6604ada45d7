// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "components/tcp/frame.hpp"
#include "components/tcp/send_half.hpp"
#include "framework/btl/message.hpp"

namespace hawser::tcp {

using ReadBuffer = std::unique_ptr<unsigned char[]>;

/// Cuts the stream of one connection into messages and delivers them; large data is read straight to where
/// the receiver wants it. Progress role only.
class ReceiveHalf {
 public:
  enum class Result : std::uint8_t {
    kOk,       // all that is there was read, or enough for one turn
    kGoodbye,  // the peer leaves; nothing follows
    kRetire,   // the peer gives this connection up; go on reading
    kEof,      // the connection ended
    kError,    // ended by an error: error()
    kBad,      // the peer sent what it must not: what_was_bad()
  };

  /// `spare`: the buffer of all connections that have no part of a message; may be none. `largest`: most
  /// bytes of data that a message may have.
  ReceiveHalf(const btl::HandlerTable& handlers, ModuleCounters& counters, ReadBuffer& spare,
              std::uint32_t rank, std::uint64_t largest) noexcept
      : handlers_(handlers), counters_(counters), spare_(spare), rank_(rank), largest_(largest) {}

  /// What messages say that they came over.
  void set_rail(btl::Module& module, btl::Endpoint& endpoint) noexcept {
    module_ = &module;
    endpoint_ = &endpoint;
  }
  /// False: no memory.
  bool start() noexcept;
  /// Reads and delivers; looks up to `tries` times whether anything is there. `moved` grows by the number of
  /// messages.
  Result pump(int fd, int& moved, int tries = 1) noexcept;
  /// The connection is gone: tells the receiver of a message that was being placed, and delivers nothing
  /// more, even if called from a delivery.
  void abandon() noexcept;
  /// What the peer publishes now, if it said so since the last call; the newest of several.
  bool take_update(std::string& bytes) noexcept;

  /// A part of a message is here.
  bool in_message() const noexcept { return in_body_ || begin_ != end_; }
  /// The last pump read much, or the last message was large.
  bool in_bulk() const noexcept { return pumped_ > 4 * kBulk || frame_.size > 2 * kBulk; }
  /// The last read found nothing more.
  bool drained() const noexcept { return drained_; }
  int error() const noexcept { return error_; }
  const char* what_was_bad() const noexcept { return bad_; }

 private:
  static constexpr std::size_t kBulk = 32UL * 1024;  // bytes in one pump

  enum class Step : std::uint8_t { kMore, kNeedBytes, kGoodbye, kRetire, kBad };

  Result read_some(int fd, int& moved, int tries) noexcept;
  bool take_buffer() noexcept;
  void leave_buffer() noexcept;
  void free_memory() noexcept;
  Step cut_one(int& moved) noexcept;
  bool check(const Frame& frame) noexcept;
  Result cut_all(int& moved) noexcept;
  Step begin_body(const Frame& frame, std::size_t here, bool after_others) noexcept;
  void finish_body(int& moved) noexcept;
  void deliver(const void* data, void* placed) noexcept;
  std::size_t aim(iovec* parts) noexcept;
  void take(std::size_t bytes, int& moved) noexcept;
  void compact() noexcept;
  btl::Message message(const void* data, void* placed) const noexcept;

  const btl::HandlerTable& handlers_;
  ModuleCounters& counters_;
  ReadBuffer& spare_;
  const std::uint32_t rank_;
  const std::uint64_t largest_;
  btl::Module* module_ = nullptr;
  btl::Endpoint* endpoint_ = nullptr;

  ReadBuffer buffer_;      // during a pump, and while a part of a message is in it
  std::size_t begin_ = 0;  // of what was read and not yet cut
  std::size_t end_ = 0;

  // The message whose data is being read past the buffer.
  bool in_body_ = false;
  unsigned char* body_ = nullptr;
  std::uint64_t body_done_ = 0;
  void* placed_ = nullptr;
  std::unique_ptr<unsigned char[]> own_body_;
  std::size_t own_body_size_ = 0;

  Frame frame_{};
  alignas(8) unsigned char header_[btl::kMaxHeader] = {};
  std::uint32_t sequence_ = 0;
  bool pumping_ = false;
  bool stopped_ = false;  // abandoned
  bool drained_ = false;
  bool postponed_ = false;  // what lies in the buffer is the head of a large message that had no place
  std::size_t pumped_ = 0;
  bool updated_ = false;
  std::string update_;
  int error_ = 0;
  const char* bad_ = "";
};

}  // namespace hawser::tcp
