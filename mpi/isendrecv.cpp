// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0

// MPI_Isendrecv and MPI_Isendrecv_replace: one request for a send and a receive.

#include <memory>
#include <new>

#include "mpi/activity.hpp"
#include "mpi/binding.hpp"
#include "mpi/coll/active.hpp"
#include "mpi/comm.hpp"
#include "mpi/errors.hpp"
#include "mpi/p2p_args.hpp"
#include "mpi/requests.hpp"

namespace hawser::mpi {

namespace {

struct Side {
  pml::Buffer buffer;
  int peer;
  int tag;
};

/// Its status is that of the receive, and the first error of the two.
class Exchange final : public Activity {
 public:
  /// `copy`: what is sent, if it is the exchange's own.
  Exchange(Comm& comm, std::unique_ptr<char[]> copy) noexcept
      : Activity(Kind::kOther, &release_exchange), comm_(comm), copy_(std::move(copy)) {
    set_claims(2);
    comm.retain();
    user = &comm;
  }

  /// The receive before the send, so that a message to oneself finds its place.
  void start(const Side& out, const Side& in) noexcept {
    pml::Pml& pml = *library().pml;
    received_ = in.peer == MPI_PROC_NULL ? null_receive() : pml.irecv(*comm_.p2p, in.buffer, in.peer, in.tag);
    sent_ = out.peer == MPI_PROC_NULL ? null_send() : pml.isend(*comm_.p2p, out.buffer, out.peer, out.tag);
    if (parts_done()) {
      finish();
    } else {
      coll::active().add(*this);
    }
  }

  Progress poll() noexcept override {
    if (!parts_done()) return Progress::kNone;
    const pml::Request* self = this;
    finish();
    library().runtime->engine().completed(self);
    return Progress::kEnded;
  }

 private:
  bool parts_done() noexcept {
    if (!sent_->done()) return false;
    if (sent_->status().error != Errc::kOk) library().pml->cancel(*received_);  // nobody may ever answer
    return received_->done();
  }

  void finish() noexcept {
    status_ = received_->status();
    if (sent_->status().error != Errc::kOk) {
      status_.error = sent_->status().error;
      status_.why = sent_->status().why;
    }
    received_->release();
    sent_->release();
    set_done();
    release();
  }

  static void release_exchange(pml::Request& self) noexcept {
    auto& it = static_cast<Exchange&>(self);
    if (!it.unclaim()) return;
    Comm& comm = it.comm_;
    delete &it;
    drop(comm);
  }

  Comm& comm_;
  const std::unique_ptr<char[]> copy_;
  pml::Request* received_ = nullptr;
  pml::Request* sent_ = nullptr;
};

int start(Comm& comm, std::unique_ptr<char[]> copy, const Side& out, const Side& in, MPI_Request* request,
          const char* function) noexcept {
  if (!request) return fail(&comm, MPI_ERR_ARG, function, "the address for the request is null");
  auto* exchange = new (std::nothrow) Exchange(comm, std::move(copy));
  if (!exchange) return fail(&comm, MPI_ERR_NO_MEM, function, "no memory for the request");
  *request = handle_of(exchange);
  exchange->start(out, in);
  return MPI_SUCCESS;
}

int isendrecv(const void* out, MPI_Count out_count, MPI_Datatype out_type, int dest, int out_tag, void* in,
              MPI_Count in_count, MPI_Datatype in_type, int source, int in_tag, MPI_Comm comm,
              MPI_Request* request, const char* function) noexcept {
  const P2pCall give = check_p2p(out, out_count, out_type, dest, out_tag, comm, false, function);
  if (give.error) return give.error;
  const P2pCall get = check_p2p(in, in_count, in_type, source, in_tag, comm, true, function);
  if (get.error) return get.error;
  return start(
      *give.comm, nullptr, {give.type->buffer(out, static_cast<std::uint64_t>(out_count)), dest, out_tag},
      {get.type->buffer(in, static_cast<std::uint64_t>(in_count)), source, in_tag}, request, function);
}

int isendrecv_replace(void* base, MPI_Count count, MPI_Datatype type, int dest, int out_tag, int source,
                      int in_tag, MPI_Comm comm, MPI_Request* request, const char* function) noexcept {
  const P2pCall give = check_p2p(base, count, type, dest, out_tag, comm, false, function);
  if (give.error) return give.error;
  const P2pCall get = check_p2p(base, count, type, source, in_tag, comm, true, function);
  if (get.error) return get.error;
  const pml::Buffer buffer = give.type->buffer(base, static_cast<std::uint64_t>(count));
  std::unique_ptr<char[]> copy(new (std::nothrow) char[buffer.size]);
  if (!copy) return fail(give.comm, MPI_ERR_NO_MEM, function, kNoMemoryForCopy);
  if (buffer.size != 0) give.type->pack(copy.get(), base, 0, buffer.size);
  const pml::Buffer out{copy.get(), buffer.size, nullptr};
  return start(*give.comm, std::move(copy), {out, dest, out_tag}, {buffer, source, in_tag}, request,
               function);
}

}  // namespace

}  // namespace hawser::mpi

using namespace hawser::mpi;

#define HAWSER_ISENDRECV(Name, Count)                                                                      \
  int PMPI_Isendrecv##Name(const void* out, Count out_count, MPI_Datatype out_type, int dest, int out_tag, \
                           void* in, Count in_count, MPI_Datatype in_type, int source, int in_tag,         \
                           MPI_Comm comm, MPI_Request* request) {                                          \
    return isendrecv(out, out_count, out_type, dest, out_tag, in, in_count, in_type, source, in_tag, comm, \
                     request, "MPI_Isendrecv" #Name);                                                      \
  }                                                                                                        \
  HAWSER_MPI_ALIAS(Isendrecv##Name)                                                                        \
  int PMPI_Isendrecv_replace##Name(void* base, Count count, MPI_Datatype type, int dest, int out_tag,      \
                                   int source, int in_tag, MPI_Comm comm, MPI_Request* request) {          \
    return isendrecv_replace(base, count, type, dest, out_tag, source, in_tag, comm, request,              \
                             "MPI_Isendrecv_replace" #Name);                                               \
  }                                                                                                        \
  HAWSER_MPI_ALIAS(Isendrecv_replace##Name)

HAWSER_ISENDRECV(, int)
HAWSER_ISENDRECV(_c, MPI_Count)
