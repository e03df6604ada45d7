// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "mpi/send_buffer.hpp"

#include <algorithm>
#include <cstring>
#include <new>

#include "framework/base/hooks.hpp"
#include "mpi/coll/schedule.hpp"
#include "mpi/comm.hpp"
#include "mpi/errors.hpp"
#include "mpi/requests.hpp"

namespace hawser::mpi {

namespace {

constexpr std::uint64_t kAlignment = 16;
static_assert(kAlignment <= MPI_BSEND_OVERHEAD, "what a message may take beyond its bytes");

std::uint64_t rounded_up(std::uint64_t bytes) noexcept {
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

}  // namespace

/// The first gap that is large enough. Null: there is none, or no message may come any more.
SendBuffer::Message* SendBuffer::take_room(std::uint64_t size) {
  Lock lock(mutex_);
  if (closed_) return nullptr;
  if (automatic()) {
    std::unique_ptr<char[]> own(new char[size]);
    char* const bytes = own.get();
    return &messages_.emplace_back(Message{++last_, 0, size, bytes, std::move(own)});
  }
  std::uint64_t offset = 0;
  auto next = messages_.begin();
  for (; next != messages_.end() && next->offset - offset < size; ++next) {
    offset = std::min(rounded_up(next->offset + next->size), size_);
  }
  if (next == messages_.end() && size_ - offset < size) return nullptr;
  char* const bytes = static_cast<char*>(memory_) + offset;
  return &*messages_.insert(next, Message{++last_, offset, size, bytes, nullptr});
}

SendBuffer::Message* SendBuffer::take(std::uint64_t size) {
  free_sent();
  if (Message* message = take_room(size)) return message;
  library().pml->progress();
  free_sent();
  return take_room(size);
}

template <class Is>
void SendBuffer::move_if(Messages& from, Messages& to, Is&& is) noexcept {
  for (auto it = from.begin(); it != from.end();) {
    const auto at = it++;
    if (is(*at)) to.splice(to.end(), from, at);
  }
}

void SendBuffer::free_sent() noexcept {
  Messages sent;
  {
    Lock lock(mutex_);
    Messages over;
    move_if(messages_, over, [](const Message& it) { return it.request && it.request->done(); });
    move_if(over, sent, [](const Message& it) { return it.request->status().error == Errc::kOk; });
    for (Message& message : over) message.own.reset();
    failed_.splice(failed_.end(), over);
  }
  for (const Message& message : sent) {
    auto& comm = *static_cast<Comm*>(message.request->user);
    message.request->release();
    drop(comm);
  }
}

std::string SendBuffer::why_no_room(std::uint64_t size) const {
  Lock lock(mutex_);
  std::uint64_t end = 0;
  std::uint64_t largest = 0;
  for (const Message& message : messages_) {
    largest = std::max(largest, message.offset - end);
    end = std::min(rounded_up(message.offset + message.size), size_);
  }
  largest = std::max(largest, size_ - end);
  return fmt::format(
      "a message of {} bytes does not fit into the attached buffer of {} bytes: {} of its messages are under "
      "way, and {} bytes in a row are free; attach a larger one, with MPI_BSEND_OVERHEAD for each message",
      size, size_, messages_.size(), largest);
}

/// The send of the copy. Null: no memory.
pml::Request* SendBuffer::send_copy(Comm& comm, const pml::Buffer& message, Message& copy, int dest,
                                    int tag) {
  const pml::Buffer bytes{copy.bytes, message.size, nullptr};
  coll::copy(message, bytes);
  pml::Request* const request = library().pml->isend(*comm.p2p, bytes, dest, tag);
  if (request == &pml::g_no_memory) return nullptr;
  remember_send(*request, comm);
  return request;
}

/// The message is under way; else (null) it needs no room any more.
void SendBuffer::settle(Message& message, pml::Request* under_way) noexcept {
  Messages over;
  bool is_awaited = false;
  {
    Lock lock(mutex_);
    message.request = under_way;
    is_awaited = message.number <= awaited_;
    if (!under_way) move_if(messages_, over, [&](const Message& it) { return &it == &message; });
  }
  if (is_awaited) library().runtime->engine().completed();
}

std::optional<int> SendBuffer::send(Comm& comm, const pml::Buffer& message, int dest, int tag,
                                    const char* function) noexcept try {
  Message* const copy = take(message.size);
  if (!copy && closed()) return std::nullopt;
  if (!copy) return fail(&comm, MPI_ERR_BUFFER, function, why_no_room(message.size));
  pml::Request* const request = send_copy(comm, message, *copy, dest, tag);
  const bool under_way = request && !request->done();
  settle(*copy, under_way ? request : nullptr);
  if (!request) throw std::bad_alloc();
  if (under_way || request->kind() == pml::Request::Kind::kNothing) return MPI_SUCCESS;
  const int error = error_of(*request, function);
  request->release();
  drop(comm);
  return error;
} catch (const std::bad_alloc&) {
  return fail(&comm, MPI_ERR_NO_MEM, function, kNoMemoryForCopy);
}

std::uint64_t SendBuffer::last() noexcept {
  Lock lock(mutex_);
  return awaited_ = last_;
}

std::uint64_t SendBuffer::close() noexcept {
  Lock lock(mutex_);
  closed_ = true;
  return awaited_ = last_;
}

bool SendBuffer::closed() const noexcept {
  Lock lock(mutex_);
  return closed_;
}

bool SendBuffer::sent_up_to(std::uint64_t number) const noexcept {
  Lock lock(mutex_);
  return std::all_of(messages_.begin(), messages_.end(), [&](const Message& it) {
    return it.number > number || (it.request && it.request->done());
  });
}

int SendBuffer::wait(std::uint64_t number, const char* function) noexcept {
  library().pml->wait_until([&] { return sent_up_to(number); });
  free_sent();
  Messages failed;
  {
    Lock lock(mutex_);
    move_if(failed_, failed, [&](const Message& it) { return it.number <= number; });
  }
  int error = MPI_SUCCESS;
  for (const Message& message : failed) {
    auto& comm = *static_cast<Comm*>(message.request->user);
    if (error == MPI_SUCCESS) error = error_of(*message.request, function);
    message.request->release();
    drop(comm);
  }
  return error;
}

int send_buffered(Comm& comm, const pml::Buffer& message, int dest, int tag, const char* function) noexcept {
  if (dest == MPI_PROC_NULL) return MPI_SUCCESS;
  while (const std::shared_ptr<SendBuffer> buffer = send_buffer_of(comm)) {
    HAWSER_HOOK("mpi.send_buffer_found");
    // No value: another thread has just detached it.
    if (const std::optional<int> sent = buffer->send(comm, message, dest, tag, function)) return *sent;
  }
  return fail(&comm, MPI_ERR_BUFFER, function,
              fmt::format("no buffer is attached, so there is no room for a message of {} bytes: call "
                          "MPI_Buffer_attach first",
                          message.size));
}

}  // namespace hawser::mpi
