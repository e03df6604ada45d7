// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <utility>

#include "mpi/binding.hpp"
#include "mpi/comm.hpp"
#include "mpi/errors.hpp"
#include "mpi/persistent.hpp"
#include "mpi/requests.hpp"

namespace hawser::mpi {

namespace {

class NullRequest final : public pml::Request {
 public:
  NullRequest(Kind kind, const pml::Status& status) noexcept : Request(kind, [](Request&) noexcept {}) {
    status_ = status;
    set_done();
  }
};

std::string text_of_truncated(const pml::Status& status) {
  return fmt::format("the message from rank {} with tag {} is longer than the buffer of {} bytes",
                     status.source, status.tag, status.size);
}

/// What requests hold of communicators, given back together where it is of the same one.
class Returns {
 public:
  ~Returns() { flush(); }
  HAWSER_INLINE void add(Comm& comm, bool receive) noexcept {
    if (HAWSER_UNLIKELY(&comm != comm_)) {
      flush();
      comm_ = &comm;
    }
    ++(receive ? receives_ : sends_);
  }

 private:
  HAWSER_INLINE void flush() noexcept {
    if (receives_ != 0) end_receives(*comm_, std::exchange(receives_, 0));
    if (sends_ != 0) drop(*comm_, std::exchange(sends_, 0));
  }
  Comm* comm_ = nullptr;
  std::uint32_t receives_ = 0;
  std::uint32_t sends_ = 0;
};

/// A persistent request stays with the user, inactive.
void let_go_other(MPI_Request& handle, pml::Request& request) noexcept {
  Persistent* const persistent = Persistent::of(request);
  if (!persistent) return request.release();
  persistent->end();
  handle = handle_of(&request);
}

/// Gives the request back, and its reference.
HAWSER_INLINE void let_go(MPI_Request& handle, pml::Request& request, Returns& returns) noexcept {
  handle = MPI_REQUEST_NULL;
  const pml::Request::Kind kind = request.kind();
  if (kind == pml::Request::Kind::kNothing) return;
  if (HAWSER_UNLIKELY(kind >= pml::Request::Kind::kOther)) return let_go_other(handle, request);
  Comm* comm = static_cast<Comm*>(request.user);
  request.release();
  if (comm) returns.add(*comm, kind == pml::Request::Kind::kReceive);
}

/// Ends the user's part of a request that is done. The class of its error, which nobody has handled yet.
HAWSER_INLINE int take(MPI_Request& handle, MPI_Status* status, Returns& returns) noexcept {
  pml::Request& request = *object_of(handle);
  fill(status, request.status());
  const Errc status_error = request.status().error;
  const int error = HAWSER_LIKELY(status_error == Errc::kOk) ? MPI_SUCCESS : class_of(status_error);
  let_go(handle, request, returns);
  return error;
}

/// The same, with the error handled.
int complete(MPI_Request& handle, MPI_Status* status, const char* function) noexcept {
  settle();
  const int error = error_of(*object_of(handle), function);
  Returns returns;
  take(handle, status, returns);
  return error;
}

MPI_Status* nth(MPI_Status* statuses, int i) noexcept {
  return statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : &statuses[i];
}

void set_error(MPI_Status* status, int error) noexcept {
  if (status != MPI_STATUS_IGNORE) status->MPI_ERROR = error;
}

bool is_done(MPI_Request handle) noexcept {
  const pml::Request* request = object_of(handle);
  return !request || request->done();
}

/// Completes every request; all are done. MPI_ERR_IN_STATUS if one has an error, which is handled first.
int complete_all(int count, MPI_Request* requests, MPI_Status* statuses, const char* function) noexcept {
  settle();
  bool failed = false;
  for (int i = 0; i < count; ++i) {
    const pml::Request* request = object_of(requests[i]);
    if (HAWSER_LIKELY(!request || request->status().error == Errc::kOk)) continue;
    failed = failed || error_of(*request, function) != MPI_SUCCESS;
  }
  Returns returns;
  for (int i = 0; i < count; ++i) {
    int error = MPI_SUCCESS;
    if (object_of(requests[i])) {
      error = take(requests[i], nth(statuses, i), returns);
    } else {
      fill_empty(nth(statuses, i));
    }
    if (failed) set_error(nth(statuses, i), error);
  }
  return failed ? MPI_ERR_IN_STATUS : MPI_SUCCESS;
}

/// Completes those that are done. `*out_count`: how many; MPI_UNDEFINED: no request is active.
int complete_some(int count, MPI_Request* requests, int* out_count, int* indices, MPI_Status* statuses,
                  const char* function) noexcept {
  settle();
  int done = 0;
  bool any = false;
  bool failed = false;
  for (int i = 0; i < count; ++i) {
    const pml::Request* request = object_of(requests[i]);
    if (!request || !is_active(*request)) continue;
    any = true;
    if (!request->done()) continue;
    failed = failed || error_of(*request, function) != MPI_SUCCESS;
    indices[done++] = i;
  }
  *out_count = any ? done : MPI_UNDEFINED;
  Returns returns;
  for (int i = 0; i < done; ++i) {
    const int error = take(requests[indices[i]], nth(statuses, i), returns);
    if (failed) set_error(nth(statuses, i), error);
  }
  return failed ? MPI_ERR_IN_STATUS : MPI_SUCCESS;
}

/// Index of an active request that is done; -1: none is; MPI_UNDEFINED: none is active.
int find_done(int count, const MPI_Request* requests) noexcept {
  bool any = false;
  for (int i = 0; i < count; ++i) {
    const pml::Request* request = object_of(requests[i]);
    if (!request) continue;
    if (!request->done()) {
      any = true;
    } else if (is_active(*request)) {
      return i;
    }
  }
  return any ? -1 : MPI_UNDEFINED;
}

int complete_one(int index, MPI_Request* requests, MPI_Status* status, const char* function) noexcept {
  if (index != MPI_UNDEFINED) return complete(requests[index], status, function);
  fill_empty(status);
  return MPI_SUCCESS;
}

}  // namespace

pml::Request* null_receive() noexcept {
  static NullRequest instance(pml::Request::Kind::kReceive, kNullReceived);
  return &instance;
}

pml::Request* null_send() noexcept {
  static NullRequest instance(pml::Request::Kind::kSend, kNullReceived);
  return &instance;
}

int error_of(const pml::Request& request, const char* function) noexcept {
  const pml::Status& status = request.status();
  if (HAWSER_LIKELY(status.error == Errc::kOk)) return MPI_SUCCESS;
  const Persistent* persistent = Persistent::of(request);
  const Comm* comm = persistent ? &persistent->comm() : static_cast<const Comm*>(request.user);
  const int error_class = class_of(status.error);
  if (status.why) return fail(comm, error_class, function, status.why);
  if (status.error != Errc::kTruncated) return fail(comm, error_class, function, to_text(status.error));
  return fail(comm, error_class, function, text_of_truncated(status));
}

}  // namespace hawser::mpi

using namespace hawser::mpi;

int PMPI_Wait(MPI_Request* request, MPI_Status* status) {
  check_running("MPI_Wait");
  hawser::pml::Request* waited = object_of(*request);
  if (!waited) {
    fill_empty(status);
    return MPI_SUCCESS;
  }
  library().pml->wait(*waited);
  return complete(*request, status, "MPI_Wait");
}
HAWSER_MPI_ALIAS(Wait)

int PMPI_Test(MPI_Request* request, int* flag, MPI_Status* status) {
  check_running("MPI_Test");
  hawser::pml::Request* tested = object_of(*request);
  *flag = !tested || library().pml->test(*tested);
  if (!*flag) return MPI_SUCCESS;
  if (tested) return complete(*request, status, "MPI_Test");
  fill_empty(status);
  return MPI_SUCCESS;
}
HAWSER_MPI_ALIAS(Test)

int PMPI_Waitall(int count, MPI_Request* requests, MPI_Status* statuses) {
  if (int bad = check_array(count, "MPI_Waitall")) return bad;
  int next = 0;
  const void* awaited = nullptr;
  library().pml->wait_until(
      [&] {
        while (next < count && is_done(requests[next])) ++next;
        if (next < count) awaited = object_of(requests[next]);
        return next == count;
      },
      &awaited);
  return complete_all(count, requests, statuses, "MPI_Waitall");
}
HAWSER_MPI_ALIAS(Waitall)

int PMPI_Testall(int count, MPI_Request* requests, int* flag, MPI_Status* statuses) {
  if (int bad = check_array(count, "MPI_Testall")) return bad;
  const auto all_done = [&] { return std::all_of(requests, requests + count, is_done); };
  if (!all_done()) library().pml->progress();
  *flag = all_done();
  return *flag ? complete_all(count, requests, statuses, "MPI_Testall") : MPI_SUCCESS;
}
HAWSER_MPI_ALIAS(Testall)

int PMPI_Waitany(int count, MPI_Request* requests, int* index, MPI_Status* status) {
  if (int bad = check_array(count, "MPI_Waitany")) return bad;
  library().pml->wait_until([&] { return (*index = find_done(count, requests)) != -1; });
  return complete_one(*index, requests, status, "MPI_Waitany");
}
HAWSER_MPI_ALIAS(Waitany)

int PMPI_Testany(int count, MPI_Request* requests, int* index, int* flag, MPI_Status* status) {
  if (int bad = check_array(count, "MPI_Testany")) return bad;
  *index = find_done(count, requests);
  if (*index == -1) {
    library().pml->progress();
    *index = find_done(count, requests);
  }
  *flag = *index != -1;
  if (*flag) return complete_one(*index, requests, status, "MPI_Testany");
  *index = MPI_UNDEFINED;
  return MPI_SUCCESS;
}
HAWSER_MPI_ALIAS(Testany)

int PMPI_Waitsome(int count, MPI_Request* requests, int* out_count, int* indices, MPI_Status* statuses) {
  if (int bad = check_array(count, "MPI_Waitsome")) return bad;
  library().pml->wait_until([&] { return find_done(count, requests) != -1; });
  return complete_some(count, requests, out_count, indices, statuses, "MPI_Waitsome");
}
HAWSER_MPI_ALIAS(Waitsome)

int PMPI_Testsome(int count, MPI_Request* requests, int* out_count, int* indices, MPI_Status* statuses) {
  if (int bad = check_array(count, "MPI_Testsome")) return bad;
  if (find_done(count, requests) == -1) library().pml->progress();
  return complete_some(count, requests, out_count, indices, statuses, "MPI_Testsome");
}
HAWSER_MPI_ALIAS(Testsome)

int PMPI_Request_free(MPI_Request* request) {
  check_running("MPI_Request_free");
  hawser::pml::Request* freed = object_of(*request);
  if (!freed) return fail(nullptr, MPI_ERR_REQUEST, "MPI_Request_free", "the request is null");
  settle();
  if (Persistent* persistent = Persistent::of(*freed)) {
    persistent->free();
  } else if (freed->kind() == hawser::pml::Request::Kind::kOther) {
    freed->release();
  } else if (freed->done()) {
    Returns returns;
    let_go(*request, *freed, returns);
  } else {
    library().pml->give_up(*freed);  // its communicator is given back once it is done: see make_world
  }
  *request = MPI_REQUEST_NULL;
  return MPI_SUCCESS;
}
HAWSER_MPI_ALIAS(Request_free)

int PMPI_Request_get_status(MPI_Request request, int* flag, MPI_Status* status) {
  check_running("MPI_Request_get_status");
  hawser::pml::Request* asked = object_of(request);
  *flag = !asked || library().pml->test(*asked);
  if (*flag) {
    settle();
    fill(status, asked ? asked->status() : hawser::pml::Status{});
  }
  return MPI_SUCCESS;
}
HAWSER_MPI_ALIAS(Request_get_status)

int PMPI_Cancel(MPI_Request* request) {
  check_running("MPI_Cancel");
  hawser::pml::Request* cancelled = object_of(*request);
  if (!cancelled) return fail(nullptr, MPI_ERR_REQUEST, "MPI_Cancel", "the request is null");
  if (Persistent* persistent = Persistent::of(*cancelled)) {
    persistent->cancel();
  } else {
    library().pml->cancel(*cancelled);
  }
  return MPI_SUCCESS;
}
HAWSER_MPI_ALIAS(Cancel)

int PMPI_Test_cancelled(const MPI_Status* status, int* flag) {
  *flag = status_cancelled(*status);
  return MPI_SUCCESS;
}
HAWSER_MPI_ALIAS(Test_cancelled)
