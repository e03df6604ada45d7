// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0

// MPI_Buffer_attach and its kin, and the sends that use what is attached.

#include <cstring>
#include <memory>

#include "framework/base/no_destructor.hpp"
#include "mpi/activity.hpp"
#include "mpi/binding.hpp"
#include "mpi/coll/active.hpp"
#include "mpi/errors.hpp"
#include "mpi/p2p_args.hpp"
#include "mpi/persistent.hpp"
#include "mpi/send_buffer.hpp"
#include "pml/impl.hpp"

namespace hawser::mpi {

namespace {

/// The buffer of the process; those of communicators lie there, under the same lock.
struct Attached {
  Mutex<LockRank::kMpi> mutex;
  std::shared_ptr<SendBuffer> of_process HAWSER_GUARDED_BY(mutex);

  std::shared_ptr<SendBuffer>& of(Comm* comm) HAWSER_REQUIRES(mutex) {
    return comm ? comm->send_buffer : of_process;
  }
};

Attached& attached() noexcept {
  static NoDestructor<Attached> instance;
  return *instance;
}

std::shared_ptr<SendBuffer> find(Comm* comm) noexcept {
  Lock lock(attached().mutex);
  return attached().of(comm);
}

std::shared_ptr<SendBuffer> take(Comm* comm) noexcept {
  Lock lock(attached().mutex);
  return std::move(attached().of(comm));
}

/// Which buffer a call means. `process`: that of the process, else that of `handle`.
struct Place {
  const char* function;
  bool process = true;
  MPI_Comm handle = MPI_COMM_NULL;

  Comm* comm() const noexcept { return process ? nullptr : object_of(handle); }
  int check() const noexcept {
    check_running(function);
    return process ? MPI_SUCCESS : check_comm(comm(), function);
  }
  const char* name() const noexcept { return process ? "the process" : "the communicator"; }
};

int attach(const Place& place, void* memory, MPI_Count size) noexcept {
  if (int bad = place.check()) return bad;
  const bool automatic = memory == MPI_BUFFER_AUTOMATIC;
  if (size < 0) return fail(place.comm(), MPI_ERR_ARG, place.function, fmt::format("size is {}", size));
  if (!memory && size != 0)
    return fail(place.comm(), MPI_ERR_BUFFER, place.function,
                fmt::format("the buffer is null, but size is {}", size));
  return guarded(place.function, [&] {
    auto buffer = std::make_shared<SendBuffer>(memory, automatic ? 0 : static_cast<std::uint64_t>(size));
    {
      Lock lock(attached().mutex);
      std::shared_ptr<SendBuffer>& at = attached().of(place.comm());
      if (!at) at.swap(buffer);
    }
    if (!buffer) return MPI_SUCCESS;
    return fail(place.comm(), MPI_ERR_BUFFER, place.function,
                fmt::format("{} has a buffer already: detach that first", place.name()));
  });
}

template <class Integer>
int detach(const Place& place, void* memory, Integer* size) noexcept {
  if (int bad = place.check()) return bad;
  if (int bad = check_out(place.function, memory, "buffer_addr")) return bad;
  if (int bad = check_out(place.function, size, "size")) return bad;
  const std::shared_ptr<SendBuffer> buffer = take(place.comm());
  if (!buffer)
    return fail(place.comm(), MPI_ERR_BUFFER, place.function, fmt::format("{} has no buffer", place.name()));
  const int error = buffer->wait(buffer->close(), place.function);
  void* const address = buffer->memory();
  std::memcpy(memory, &address, sizeof address);
  *size = narrowed<Integer>(buffer->size());
  return error;
}

int flush(const Place& place) noexcept {
  if (int bad = place.check()) return bad;
  const std::shared_ptr<SendBuffer> buffer = find(place.comm());
  return buffer ? buffer->wait(buffer->last(), place.function) : MPI_SUCCESS;
}

/// Ends when the messages that were in the buffer at its start need no room any more.
class Flush final : public Activity {
 public:
  explicit Flush(std::shared_ptr<SendBuffer> buffer) noexcept
      : Activity(Kind::kOther, &release_flush), buffer_(std::move(buffer)), number_(buffer_->last()) {
    set_claims(2);
  }

  Progress poll() noexcept override {
    if (!buffer_->sent_up_to(number_)) return Progress::kNone;
    const pml::Request* self = this;
    set_done();
    release();
    library().runtime->engine().completed(self);
    return Progress::kEnded;
  }

 private:
  static void release_flush(pml::Request& self) noexcept {
    auto& flush = static_cast<Flush&>(self);
    if (flush.unclaim()) delete &flush;
  }

  const std::shared_ptr<SendBuffer> buffer_;
  const std::uint64_t number_;
};

int iflush(const Place& place, MPI_Request* request) noexcept {
  if (int bad = place.check()) return bad;
  if (int bad = check_out(place.function, request, "request")) return bad;
  *request = handle_of(&pml::g_done_send);
  return guarded(place.function, [&] {
    if (std::shared_ptr<SendBuffer> buffer = find(place.comm())) {
      auto started = std::make_unique<Flush>(std::move(buffer));
      *request = handle_of(started.get());
      coll::active().add(*started.release());
    }
    return MPI_SUCCESS;
  });
}

/// `request`: null: a call that gives none; else it is done at once, for the message is copied.
int bsend(const void* base, MPI_Count count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
          MPI_Request* request, const char* function) noexcept {
  const P2pCall call = check_p2p(base, count, type, dest, tag, comm, false, function);
  if (call.error) return call.error;
  const pml::Buffer message = call.type->buffer(base, static_cast<std::uint64_t>(count));
  if (int bad = send_buffered(*call.comm, message, dest, tag, function)) return bad;
  if (request) *request = handle_of(&pml::g_done_send);
  return MPI_SUCCESS;
}

}  // namespace

std::shared_ptr<SendBuffer> send_buffer_of(Comm& comm) noexcept {
  Lock lock(attached().mutex);
  return comm.send_buffer ? comm.send_buffer : attached().of_process;
}

void flush_send_buffer(Comm* comm, const char* function) noexcept {
  if (const std::shared_ptr<SendBuffer> buffer = take(comm)) buffer->wait(buffer->close(), function);
}

}  // namespace hawser::mpi

using namespace hawser::mpi;

int PMPI_Buffer_attach(void* buffer, int size) {
  return attach({"MPI_Buffer_attach"}, buffer, size);
}
HAWSER_MPI_ALIAS(Buffer_attach)

int PMPI_Buffer_attach_c(void* buffer, MPI_Count size) {
  return attach({"MPI_Buffer_attach_c"}, buffer, size);
}
HAWSER_MPI_ALIAS(Buffer_attach_c)

int PMPI_Buffer_detach(void* buffer_addr, int* size) {
  return detach({"MPI_Buffer_detach"}, buffer_addr, size);
}
HAWSER_MPI_ALIAS(Buffer_detach)

int PMPI_Buffer_detach_c(void* buffer_addr, MPI_Count* size) {
  return detach({"MPI_Buffer_detach_c"}, buffer_addr, size);
}
HAWSER_MPI_ALIAS(Buffer_detach_c)

int PMPI_Buffer_flush() {
  return flush({"MPI_Buffer_flush"});
}
HAWSER_MPI_ALIAS(Buffer_flush)

int PMPI_Buffer_iflush(MPI_Request* request) {
  return iflush({"MPI_Buffer_iflush"}, request);
}
HAWSER_MPI_ALIAS(Buffer_iflush)

int PMPI_Comm_attach_buffer(MPI_Comm comm, void* buffer, int size) {
  return attach({"MPI_Comm_attach_buffer", false, comm}, buffer, size);
}
HAWSER_MPI_ALIAS(Comm_attach_buffer)

int PMPI_Comm_attach_buffer_c(MPI_Comm comm, void* buffer, MPI_Count size) {
  return attach({"MPI_Comm_attach_buffer_c", false, comm}, buffer, size);
}
HAWSER_MPI_ALIAS(Comm_attach_buffer_c)

int PMPI_Comm_detach_buffer(MPI_Comm comm, void* buffer_addr, int* size) {
  return detach({"MPI_Comm_detach_buffer", false, comm}, buffer_addr, size);
}
HAWSER_MPI_ALIAS(Comm_detach_buffer)

int PMPI_Comm_detach_buffer_c(MPI_Comm comm, void* buffer_addr, MPI_Count* size) {
  return detach({"MPI_Comm_detach_buffer_c", false, comm}, buffer_addr, size);
}
HAWSER_MPI_ALIAS(Comm_detach_buffer_c)

int PMPI_Comm_flush_buffer(MPI_Comm comm) {
  return flush({"MPI_Comm_flush_buffer", false, comm});
}
HAWSER_MPI_ALIAS(Comm_flush_buffer)

int PMPI_Comm_iflush_buffer(MPI_Comm comm, MPI_Request* request) {
  return iflush({"MPI_Comm_iflush_buffer", false, comm}, request);
}
HAWSER_MPI_ALIAS(Comm_iflush_buffer)

int PMPI_Bsend(const void* base, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm) {
  return bsend(base, count, type, dest, tag, comm, nullptr, "MPI_Bsend");
}
HAWSER_MPI_ALIAS(Bsend)

int PMPI_Bsend_c(const void* base, MPI_Count count, MPI_Datatype type, int dest, int tag, MPI_Comm comm) {
  return bsend(base, count, type, dest, tag, comm, nullptr, "MPI_Bsend_c");
}
HAWSER_MPI_ALIAS(Bsend_c)

int PMPI_Ibsend(const void* base, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
                MPI_Request* request) {
  return bsend(base, count, type, dest, tag, comm, request, "MPI_Ibsend");
}
HAWSER_MPI_ALIAS(Ibsend)

int PMPI_Ibsend_c(const void* base, MPI_Count count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
                  MPI_Request* request) {
  return bsend(base, count, type, dest, tag, comm, request, "MPI_Ibsend_c");
}
HAWSER_MPI_ALIAS(Ibsend_c)
