// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/base/unsent.hpp"
#include "mpi/errors.hpp"
#include "mpi/handles.hpp"
#include "mpi/status.hpp"
#include "pml/impl.hpp"

namespace hawser::mpi {

/// What a user sees of an ended operation. MPI_ERROR is left alone: only calls that complete several set it.
inline void fill(MPI_Status* out, const pml::Status& status) noexcept {
  if (out == MPI_STATUS_IGNORE) return;
  out->MPI_SOURCE = status.source;
  out->MPI_TAG = status.tag;
  set_status_bytes(*out, status.size);
  set_status_cancelled(*out, status.cancelled);
}

/// The status of nothing: what inactive requests and sends give.
inline void fill_empty(MPI_Status* out) noexcept {
  fill(out, pml::Status{});
}

/// A receive from MPI_PROC_NULL: done at once, with nothing.
pml::Request* null_receive() noexcept;
pml::Request* null_send() noexcept;
inline constexpr pml::Status kNullReceived{MPI_PROC_NULL, MPI_ANY_TAG, Errc::kOk, false, 0, nullptr};

// The request's communicator lives until the request is given back, and says what becomes of its error.

inline void remember_send(pml::Request& request, Comm& comm) noexcept {
  if (request.kind() == pml::Request::Kind::kNothing) return;  // shared by all
  comm.retain();
  request.user = &comm;
}

/// What the user gets of a send that was started: MPI_SUCCESS, or what the binding returns.
inline int give_send(pml::Request& started, Comm& comm, MPI_Request* request, const char* function) noexcept {
  *request = MPI_REQUEST_NULL;
  if (&started == &pml::g_no_memory)
    return fail(&comm, MPI_ERR_NO_MEM, function, pml::g_no_memory.status().why);
  remember_send(started, comm);
  *request = handle_of(&started);
  return MPI_SUCCESS;
}

/// The same of a receive, started. The channel counts one use of it: it is locked for the post anyway.
inline int start_receive(Comm& comm, const pml::Buffer& buffer, int source, int tag, MPI_Request* out,
                         const char* function) noexcept {
  pml::Request* request = library().pml->impl().irecv(*comm.p2p, buffer, source, tag, 1);
  if (HAWSER_UNLIKELY(!request)) {
    *out = MPI_REQUEST_NULL;
    return fail(&comm, MPI_ERR_NO_MEM, function, pml::g_no_memory.status().why);
  }
  *out = handle_of(request);
  request->user = &comm;
  return MPI_SUCCESS;
}

/// A list of so many requests: MPI_SUCCESS, or what the binding returns.
inline int check_array(int count, const char* function) noexcept {
  check_running(function);
  return count >= 0 ? MPI_SUCCESS : fail(nullptr, MPI_ERR_COUNT, function, fmt::format("count is {}", count));
}

/// The program goes on without a wait: what it sent does not stay behind.
inline void settle() noexcept {
  if (HAWSER_UNLIKELY(g_unsent.load(std::memory_order_relaxed))) library().pml->progress();
}

/// The error of a request that ended, handled as its communicator says; MPI_SUCCESS if it has none.
int error_of(const pml::Request& request, const char* function) noexcept;

}  // namespace hawser::mpi
