// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

#include "bml/transfer.hpp"
#include "framework/base/hot_count.hpp"
#include "pml/buffer.hpp"
#include "pml/dlist.hpp"
#include "pml/headers.hpp"
#include "pml/request.hpp"

namespace hawser::pml {

class Channel;
struct PmlImpl;

/// What sends and receives share. The user owns the object: once it is done nothing else touches it, so that
/// its end takes no locked instruction. One that is released before is kept until it is done.
class Operation : public Request {
 public:
  PmlImpl& pml;
  Buffer buffer;
  std::uint32_t peer_rank = 0;  // in the job; of a receive, once it is matched

  Operation* next_given_up = nullptr;

  Status& result() noexcept { return status_; }
  /// Makes the end visible. The object may be gone after.
  void finish() noexcept;

 protected:
  Operation(Kind kind, Release release, PmlImpl& owner, const Buffer& what) noexcept
      : Request(kind, release), pml(owner), buffer(what) {
    if (buffer.layout) buffer.layout->retain();
  }
  ~Operation() = default;
  void give_back(bml::Transfer* transfer) noexcept {
    if (HAWSER_UNLIKELY(transfer != nullptr)) destroy(*transfer);
  }

 private:
  void destroy(bml::Transfer& transfer) noexcept;
};

class SendRequest final : public Operation {
 public:
  SendRequest(PmlImpl& owner, const Buffer& what) noexcept;
  ~SendRequest() { give_back(transfer); }

  /// One of the parts that the end waits for has ended: the protocol itself, a descriptor on its way.
  void part_ended(Errc status) noexcept;
  /// The descriptor carries all of the data. False: no memory to pack them.
  bool take_data() noexcept;
  /// The descriptor is such a part. If it did not go, there is no answer to wait for either.
  void descriptor_ended(Errc status) noexcept;

  std::atomic<int> parts{1};
  std::atomic<bool> failed{false};
  std::uint64_t id = 0;  // of a rendezvous
  bml::Peer* peer = nullptr;
  char* packed = nullptr;  // eager bytes that are not contiguous at the user's; malloc'ed
  iovec data{};
  btl::Descriptor descriptor;
  bml::Transfer* transfer = nullptr;         // once the receiver asks for slices
  const bml::Rail* registered_on = nullptr;  // the peer may read the buffer by `key` until the end
  btl::RemoteKey key{};

 private:
  bool told_why() noexcept;
  void end_of_lost_peer(const char* why) noexcept;
  static void release_send(Request& self) noexcept;
};

class ReceiveRequest final : public Operation {
 public:
  /// `kind`, `release`: of one that does not lie in the pool.
  ReceiveRequest(PmlImpl& owner, Channel& on, const Buffer& what, int from, int with_tag,
                 Kind kind = Kind::kReceive, Release release = &release_receive) noexcept
      : Operation(kind, release, owner, what), channel(on), want_source(from), want_tag(with_tag) {}
  ~ReceiveRequest() { give_back(transfer); }

  /// `finish` of one whose bytes are contiguous.
  HAWSER_INLINE void finish_plain() noexcept;
  /// The same, where no other thread may wait for it.
  void finish_alone() noexcept { set_done(); }

  // Up to here and with the next two, what nearly every receive needs: the first two lines.
  Link posted;                        // in the channel's table while nothing has matched it
  bml::Transfer* transfer = nullptr;  // reading the sender's memory
  Channel& channel;
  const int want_source;
  const int want_tag;
  std::uint64_t post_order = 0;  // of posts on the channel
  std::uint64_t id = 0;          // of a rendezvous whose slices are on their way
  std::uint64_t sender_id = 0;
  std::uint64_t wanted = 0;    // bytes of the message that fit
  std::uint64_t received = 0;  // the progress role's, like the next two
  std::uint32_t placed = 0;    // slices that are just being read from the wire into the user's memory
  bool over = false;           // failed; ends once nothing is written to the user's memory any more

 private:
  static void release_receive(Request& self) noexcept;
};

/// A message as it comes from the wire, or from where it was kept.
struct MessageView {
  std::uint32_t rank;  // of the sender, in the job
  MatchHeader match;
  const RendezvousHeader* rendezvous;  // null: eager
  const void* data;
  std::size_t size;  // of `data`
  std::uint64_t full_size() const noexcept { return rendezvous ? rendezvous->size : size; }
};

/// A message that nobody has received yet. In memory follow the header of its rendezvous, if it is one, and
/// its data.
class ArrivedMessage {
 public:
  /// A copy of `view`. Null: out of memory.
  static ArrivedMessage* copy_of(const MessageView& view, Channel* channel) noexcept;
  void free() noexcept;
  MessageView view() const noexcept;

  Link by_key;  // (source, tag)
  Link in_order;
  MatchHeader match{};
  std::size_t size = 0;
  Channel* channel = nullptr;
  Link by_source;  // seldom needed, like the next
  Link by_tag;
  std::uint32_t rank = 0;
  bool is_rendezvous = false;

 private:
  friend class Channel;
  ArrivedMessage() = default;
};

}  // namespace hawser::pml
