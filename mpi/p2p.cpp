// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <new>

#include "mpi/binding.hpp"
#include "mpi/errors.hpp"
#include "mpi/p2p_args.hpp"
#include "mpi/requests.hpp"
#include "pml/impl.hpp"

namespace hawser::mpi {

namespace {

using pml::SendMode;

/// The end of a receive that was waited for.
int ended(const Comm& comm, const pml::Status& got, std::uint64_t room, MPI_Status* status,
          const char* function) noexcept {
  fill(status, got);
  if (got.error == Errc::kOk) return MPI_SUCCESS;
  if (got.error != Errc::kTruncated) return fail(&comm, got.error, function);
  return fail(&comm, MPI_ERR_TRUNCATE, function,
              fmt::format("the message from rank {} with tag {} is longer than the buffer of {} bytes",
                          got.source, got.tag, room));
}

/// What nearly all calls look like; the others are looked at one by one.
HAWSER_INLINE bool is_plain(const Comm* comm, const Datatype* type, const void* base, MPI_Count count,
                            int peer, int tag) noexcept {
  return comm && type && base && type->committed && type->dense && (count | tag) >= 0 &&
         static_cast<unsigned>(peer) < static_cast<unsigned>(comm->size) && is_running();
}

/// Started at once if it is small and contiguous, like nearly all. Null: it is not.
HAWSER_INLINE pml::Request* start_small(const void* base, MPI_Count count, MPI_Datatype type, int dest,
                                        int tag, MPI_Comm comm, SendMode mode) noexcept {
  const Comm* to = object_of(comm);
  const Datatype* item = object_of(type);
  if (HAWSER_UNLIKELY(mode == SendMode::kSynchronous || !is_plain(to, item, base, count, dest, tag)))
    return nullptr;
  return library().pml->impl().send_small(*to->p2p, base, item->size * static_cast<std::uint64_t>(count),
                                          dest, tag, mode == SendMode::kDeferred);
}

int send_any(const void* base, MPI_Count count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
             SendMode mode, const char* function) noexcept {
  const P2pCall call = check_p2p(base, count, type, dest, tag, comm, false, function);
  if (call.error || dest == MPI_PROC_NULL) return call.error;
  const pml::Buffer buffer = call.type->buffer(base, static_cast<std::uint64_t>(count));
  return fail(call.comm, library().pml->send(*call.comm->p2p, buffer, dest, tag, mode), function);
}

HAWSER_INLINE int send(const void* base, MPI_Count count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
                       SendMode mode, const char* function) noexcept {
  pml::Request* started = start_small(base, count, type, dest, tag, comm, mode);
  if (HAWSER_LIKELY(started == &pml::g_done_send)) return MPI_SUCCESS;
  if (!started) return send_any(base, count, type, dest, tag, comm, mode, function);
  return fail(object_of(comm), library().pml->end_send(*started), function);
}

int isend_any(const void* base, MPI_Count count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
              SendMode mode, MPI_Request* request, const char* function) noexcept {
  const P2pCall call = check_p2p(base, count, type, dest, tag, comm, false, function);
  if (call.error) return call.error;
  if (dest == MPI_PROC_NULL) {
    *request = handle_of(null_send());
    return MPI_SUCCESS;
  }
  const pml::Buffer buffer = call.type->buffer(base, static_cast<std::uint64_t>(count));
  pml::Request* started = library().pml->isend(*call.comm->p2p, buffer, dest, tag, mode);
  return give_send(*started, *call.comm, request, function);
}

HAWSER_INLINE int isend(const void* base, MPI_Count count, MPI_Datatype type, int dest, int tag,
                        MPI_Comm comm, SendMode mode, MPI_Request* request, const char* function) noexcept {
  pml::Request* started = start_small(base, count, type, dest, tag, comm, mode);
  if (HAWSER_LIKELY(started == &pml::g_done_send)) {
    *request = handle_of(started);
    return MPI_SUCCESS;
  }
  if (!started) return isend_any(base, count, type, dest, tag, comm, mode, request, function);
  return give_send(*started, *object_of(comm), request, function);
}

int receive_any(void* base, MPI_Count count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
                MPI_Status* status, const char* function) noexcept {
  const P2pCall call = check_p2p(base, count, type, source, tag, comm, true, function);
  if (call.error) return call.error;
  if (source == MPI_PROC_NULL) {
    fill(status, kNullReceived);
    return MPI_SUCCESS;
  }
  const pml::Buffer buffer = call.type->buffer(base, static_cast<std::uint64_t>(count));
  const pml::Status got = library().pml->recv(*call.comm->p2p, buffer, source, tag);
  return ended(*call.comm, got, buffer.size, status, function);
}

HAWSER_INLINE int receive(void* base, MPI_Count count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
                          MPI_Status* status, const char* function) noexcept {
  const Comm* from = object_of(comm);
  const Datatype* item = object_of(type);
  if (HAWSER_UNLIKELY(!is_plain(from, item, base, count, source, tag)))
    return receive_any(base, count, type, source, tag, comm, status, function);
  const pml::Buffer buffer{base, item->size * static_cast<std::uint64_t>(count), nullptr};
  pml::PmlImpl& pml = library().pml->impl();
  pml::ReceiveRequest receive(pml, *from->p2p, buffer, source, tag);
  pml.receive_now(*from->p2p, receive);
  const pml::Status& got = receive.status();
  if (HAWSER_LIKELY(got.error == Errc::kOk)) {
    fill(status, got);
    return MPI_SUCCESS;
  }
  if (got.why) pml::PmlImpl::note_error(got.why);
  return ended(*from, got, buffer.size, status, function);
}

int ireceive_any(void* base, MPI_Count count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
                 MPI_Request* request, const char* function) noexcept {
  const P2pCall call = check_p2p(base, count, type, source, tag, comm, true, function);
  if (call.error) return call.error;
  if (source == MPI_PROC_NULL) {
    *request = handle_of(null_receive());
    return MPI_SUCCESS;
  }
  const pml::Buffer buffer = call.type->buffer(base, static_cast<std::uint64_t>(count));
  return start_receive(*call.comm, buffer, source, tag, request, function);
}

HAWSER_INLINE int ireceive(void* base, MPI_Count count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
                           MPI_Request* request, const char* function) noexcept {
  Comm* from = object_of(comm);
  const Datatype* item = object_of(type);
  if (HAWSER_UNLIKELY(!is_plain(from, item, base, count, source, tag)))
    return ireceive_any(base, count, type, source, tag, comm, request, function);
  const pml::Buffer buffer{base, item->size * static_cast<std::uint64_t>(count), nullptr};
  return start_receive(*from, buffer, source, tag, request, function);
}

/// Receives are started before sends, so that a message to oneself finds its place.
int exchange(const void* out, MPI_Count out_count, MPI_Datatype out_type, int dest, int out_tag, void* in,
             MPI_Count in_count, MPI_Datatype in_type, int source, int in_tag, MPI_Comm comm,
             MPI_Status* status, const char* function) noexcept {
  if (int bad = check_p2p(out, out_count, out_type, dest, out_tag, comm, false, function).error) return bad;
  MPI_Request request = MPI_REQUEST_NULL;
  if (int bad = ireceive(in, in_count, in_type, source, in_tag, comm, &request, function)) return bad;
  const int sent = send(out, out_count, out_type, dest, out_tag, comm, SendMode::kStandard, function);
  if (sent != MPI_SUCCESS && request != MPI_REQUEST_NULL) PMPI_Cancel(&request);  // nobody may ever answer
  const int received = PMPI_Wait(&request, status);
  return sent ? sent : received;
}

int exchange_in_place(void* base, MPI_Count count, MPI_Datatype type, int dest, int out_tag, int source,
                      int in_tag, MPI_Comm comm, MPI_Status* status, const char* function) noexcept {
  const P2pCall call = check_p2p(base, count, type, dest, out_tag, comm, false, function);
  if (call.error) return call.error;
  const pml::Buffer buffer = call.type->buffer(base, static_cast<std::uint64_t>(count));
  const std::unique_ptr<char[]> copy(new (std::nothrow) char[buffer.size]);
  if (!copy) return fail(call.comm, MPI_ERR_NO_MEM, function, kNoMemoryForCopy);
  if (buffer.size != 0) call.type->pack(copy.get(), base, 0, buffer.size);
  return exchange(copy.get(), static_cast<MPI_Count>(buffer.size), MPI_BYTE, dest, out_tag, base, count, type,
                  source, in_tag, comm, status, function);
}

}  // namespace

}  // namespace hawser::mpi

using namespace hawser::mpi;

// Every function twice: with counts of int, and of MPI_Count.
#define HAWSER_SEND(Name, mode)                                                                       \
  int PMPI_##Name(const void* base, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm) { \
    return send(base, count, type, dest, tag, comm, mode, "MPI_" #Name);                              \
  }                                                                                                   \
  HAWSER_MPI_ALIAS(Name)                                                                              \
  int PMPI_##Name##_c(const void* base, MPI_Count count, MPI_Datatype type, int dest, int tag,        \
                      MPI_Comm comm) {                                                                \
    return send(base, count, type, dest, tag, comm, mode, "MPI_" #Name "_c");                         \
  }                                                                                                   \
  HAWSER_MPI_ALIAS(Name##_c)
#define HAWSER_ISEND(Name, mode)                                                                    \
  int PMPI_##Name(const void* base, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm, \
                  MPI_Request* request) {                                                           \
    return isend(base, count, type, dest, tag, comm, mode, request, "MPI_" #Name);                  \
  }                                                                                                 \
  HAWSER_MPI_ALIAS(Name)                                                                            \
  int PMPI_##Name##_c(const void* base, MPI_Count count, MPI_Datatype type, int dest, int tag,      \
                      MPI_Comm comm, MPI_Request* request) {                                        \
    return isend(base, count, type, dest, tag, comm, mode, request, "MPI_" #Name "_c");             \
  }                                                                                                 \
  HAWSER_MPI_ALIAS(Name##_c)

HAWSER_SEND(Send, SendMode::kStandard)
HAWSER_SEND(Ssend, SendMode::kSynchronous)
HAWSER_SEND(Rsend, SendMode::kStandard)
HAWSER_ISEND(Isend, SendMode::kDeferred)
HAWSER_ISEND(Issend, SendMode::kSynchronous)
HAWSER_ISEND(Irsend, SendMode::kDeferred)

int PMPI_Recv(void* base, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
              MPI_Status* status) {
  return receive(base, count, type, source, tag, comm, status, "MPI_Recv");
}
HAWSER_MPI_ALIAS(Recv)

int PMPI_Recv_c(void* base, MPI_Count count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
                MPI_Status* status) {
  return receive(base, count, type, source, tag, comm, status, "MPI_Recv_c");
}
HAWSER_MPI_ALIAS(Recv_c)

int PMPI_Irecv(void* base, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
               MPI_Request* request) {
  return ireceive(base, count, type, source, tag, comm, request, "MPI_Irecv");
}
HAWSER_MPI_ALIAS(Irecv)

int PMPI_Irecv_c(void* base, MPI_Count count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
                 MPI_Request* request) {
  return ireceive(base, count, type, source, tag, comm, request, "MPI_Irecv_c");
}
HAWSER_MPI_ALIAS(Irecv_c)

int PMPI_Sendrecv(const void* out, int out_count, MPI_Datatype out_type, int dest, int out_tag, void* in,
                  int in_count, MPI_Datatype in_type, int source, int in_tag, MPI_Comm comm,
                  MPI_Status* status) {
  return exchange(out, out_count, out_type, dest, out_tag, in, in_count, in_type, source, in_tag, comm,
                  status, "MPI_Sendrecv");
}
HAWSER_MPI_ALIAS(Sendrecv)

int PMPI_Sendrecv_c(const void* out, MPI_Count out_count, MPI_Datatype out_type, int dest, int out_tag,
                    void* in, MPI_Count in_count, MPI_Datatype in_type, int source, int in_tag, MPI_Comm comm,
                    MPI_Status* status) {
  return exchange(out, out_count, out_type, dest, out_tag, in, in_count, in_type, source, in_tag, comm,
                  status, "MPI_Sendrecv_c");
}
HAWSER_MPI_ALIAS(Sendrecv_c)

int PMPI_Sendrecv_replace(void* base, int count, MPI_Datatype type, int dest, int out_tag, int source,
                          int in_tag, MPI_Comm comm, MPI_Status* status) {
  return exchange_in_place(base, count, type, dest, out_tag, source, in_tag, comm, status,
                           "MPI_Sendrecv_replace");
}
HAWSER_MPI_ALIAS(Sendrecv_replace)

int PMPI_Sendrecv_replace_c(void* base, MPI_Count count, MPI_Datatype type, int dest, int out_tag, int source,
                            int in_tag, MPI_Comm comm, MPI_Status* status) {
  return exchange_in_place(base, count, type, dest, out_tag, source, in_tag, comm, status,
                           "MPI_Sendrecv_replace_c");
}
HAWSER_MPI_ALIAS(Sendrecv_replace_c)
