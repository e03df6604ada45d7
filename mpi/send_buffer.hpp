// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <string>

#include "framework/base/mutex.hpp"
#include "mpi/handles.hpp"

namespace hawser::mpi {

/// Room for the messages of buffered sends: memory that a program attached, or, where it attached
/// MPI_BUFFER_AUTOMATIC, memory asked for with each message. A message takes its bytes, from when it is sent
/// until they are needed no more. Any thread.
class SendBuffer {
 public:
  SendBuffer(void* memory, std::uint64_t size) noexcept : memory_(memory), size_(size) {}

  void* memory() const noexcept { return memory_; }
  std::uint64_t size() const noexcept { return size_; }

  /// Copies the message and sends the copy. MPI_SUCCESS, or what the binding returns; no value: it is closed.
  std::optional<int> send(Comm& comm, const pml::Buffer& message, int dest, int tag,
                          const char* function) noexcept;

  /// A number for all messages that were sent until now; the caller is about to wait for them.
  std::uint64_t last() noexcept;
  /// The same, and no message comes any more: its memory is about to be its user's again.
  std::uint64_t close() noexcept;
  /// Whether the messages up to that number need no room any more.
  bool sent_up_to(std::uint64_t number) const noexcept;
  /// Waits for that. The error of the first of them that did not go, as its communicator handles it.
  int wait(std::uint64_t number, const char* function) noexcept;

 private:
  struct Message {
    std::uint64_t number;
    std::uint64_t offset;
    std::uint64_t size;
    char* bytes;
    std::unique_ptr<char[]> own;      // of automatic buffers
    pml::Request* request = nullptr;  // while it is under way; has a reference of the communicator
  };
  using Messages = std::list<Message>;  // by offset

  bool automatic() const noexcept { return memory_ == MPI_BUFFER_AUTOMATIC; }
  Message* take(std::uint64_t size);
  Message* take_room(std::uint64_t size);
  pml::Request* send_copy(Comm& comm, const pml::Buffer& message, Message& copy, int dest, int tag);
  void settle(Message& message, pml::Request* under_way) noexcept;
  template <class Is>
  static void move_if(Messages& from, Messages& to, Is&& is) noexcept;
  void free_sent() noexcept;
  bool closed() const noexcept;
  std::string why_no_room(std::uint64_t size) const;

  void* const memory_;
  const std::uint64_t size_;
  mutable Mutex<LockRank::kMpi> mutex_;
  Messages messages_ HAWSER_GUARDED_BY(mutex_);
  Messages failed_ HAWSER_GUARDED_BY(mutex_);            // they take no room; `wait` is to tell of them
  std::uint64_t awaited_ HAWSER_GUARDED_BY(mutex_) = 0;  // somebody waits for the messages up to that number
  std::uint64_t last_ HAWSER_GUARDED_BY(mutex_) = 0;
  bool closed_ HAWSER_GUARDED_BY(mutex_) = false;
};

/// The buffer that sends on `comm` use: its own, else that of the process. Null: none is attached.
std::shared_ptr<SendBuffer> send_buffer_of(Comm& comm) noexcept;

/// A buffered send, all arguments checked. MPI_SUCCESS, or what the binding returns.
int send_buffered(Comm& comm, const pml::Buffer& message, int dest, int tag, const char* function) noexcept;

/// Before a communicator goes, or (null) the library: detaches its buffer, once what is in it is sent.
void flush_send_buffer(Comm* comm, const char* function) noexcept;

}  // namespace hawser::mpi
