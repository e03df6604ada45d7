// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "mpi/persistent.hpp"

#include "mpi/binding.hpp"
#include "mpi/coll/active.hpp"
#include "mpi/comm.hpp"
#include "mpi/errors.hpp"
#include "mpi/p2p_args.hpp"
#include "mpi/requests.hpp"
#include "mpi/send_buffer.hpp"
#include "pml/impl.hpp"

namespace hawser::mpi {

using pml::SendMode;

Persistent::Persistent(Comm& comm) noexcept : comm_(comm) {
  comm.retain();
}

Persistent::~Persistent() {
  drop(comm_);
}

PersistentTransfer::PersistentTransfer(const PersistentArgs& args) noexcept
    : Persistent(*args.comm), args_(args) {
  args_.type->retain();
}

PersistentTransfer::~PersistentTransfer() {
  args_.type->release();
}

int Persistent::start(const char* function) noexcept {
  if (active_) return fail(&comm_, MPI_ERR_REQUEST, function, "the request is active already");
  const int error = begin(function);
  active_ = error == MPI_SUCCESS;
  return error;
}

void Persistent::end() noexcept {
  active_ = false;
  forget_status();
}

PersistentReceive::PersistentReceive(const PersistentArgs& args) noexcept : PersistentTransfer(args) {
  renew();
  receive_->finish();
}

void PersistentReceive::renew() noexcept {
  receive_.emplace(library().pml->impl(), *args_.comm->p2p, args_.buffer, args_.peer, args_.tag,
                   pml::Request::Kind::kPersistent, [](pml::Request&) noexcept {});
  receive_->user = static_cast<Persistent*>(this);
}

int PersistentReceive::begin(const char*) noexcept {
  renew();
  if (args_.peer != MPI_PROC_NULL) {
    library().pml->impl().start_receive(*args_.comm->p2p, *receive_, 0);
  } else {
    receive_->result() = kNullReceived;
    receive_->finish();
  }
  return MPI_SUCCESS;
}

void PersistentReceive::free() noexcept {
  if (receive_->done()) {
    delete this;
  } else {
    library().pml->give_up(*receive_);  // deleted once it is done: see make_world
  }
}

void PersistentReceive::cancel() noexcept {
  pml::PmlImpl::cancel(*receive_);
}

PersistentSend::PersistentSend(const PersistentArgs& args, SendMode mode) noexcept
    : PersistentTransfer(args), Activity(Kind::kPersistent, [](pml::Request&) noexcept {}), mode_(mode) {
  user = static_cast<Persistent*>(this);
  set_done();
}

pml::Request& PersistentSend::start_send() noexcept {
  if (args_.peer == MPI_PROC_NULL) return *null_send();
  const pml::Buffer& buffer = args_.buffer;
  pml::Request* small = nullptr;
  if (!buffer.layout && mode_ != SendMode::kSynchronous) {
    small = library().pml->impl().send_small(*args_.comm->p2p, buffer.base, buffer.size, args_.peer,
                                             args_.tag, mode_ == SendMode::kDeferred);
  }
  return small ? *small : *library().pml->isend(*args_.comm->p2p, buffer, args_.peer, args_.tag, mode_);
}

int PersistentSend::begin(const char*) noexcept {
  pml::Request& sent = start_send();
  if (HAWSER_LIKELY(sent.done())) {
    take_end_of(sent);
    return MPI_SUCCESS;
  }
  sent_ = &sent;
  claim();
  set_undone();
  coll::active().add(*this);
  return MPI_SUCCESS;
}

void PersistentSend::take_end_of(pml::Request& sent) noexcept {
  status_ = sent.status();
  sent.release();
}

Activity::Progress PersistentSend::poll() noexcept {
  if (!sent_->done()) return Progress::kNone;
  take_end_of(*sent_);
  const pml::Request* self = this;
  set_done();
  free();
  library().runtime->engine().completed(self);
  return Progress::kEnded;
}

/// Of one claim.
void PersistentSend::free() noexcept {
  if (unclaim()) delete this;
}

PersistentBufferedSend::PersistentBufferedSend(const PersistentArgs& args) noexcept
    : PersistentTransfer(args), Request(Kind::kPersistent, [](pml::Request&) noexcept {}) {
  user = static_cast<Persistent*>(this);
  set_done();
}

int PersistentBufferedSend::begin(const char* function) noexcept {
  return send_buffered(*args_.comm, args_.buffer, args_.peer, args_.tag, function);
}

namespace {

int start(const MPI_Request* handle, const char* function) noexcept {
  check_running(function);
  pml::Request* request = handle ? object_of(*handle) : nullptr;
  if (!request) return fail(nullptr, MPI_ERR_REQUEST, function, "the request is null");
  Persistent* persistent = Persistent::of(*request);
  if (!persistent) return fail(nullptr, MPI_ERR_REQUEST, function, "the request is not persistent");
  return persistent->start(function);
}

template <class Made, class... More>
int make(const void* base, MPI_Count count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
         MPI_Request* request, const char* function, More... more) noexcept {
  constexpr bool kReceives = std::is_same_v<Made, PersistentReceive>;
  const P2pCall call = check_p2p(base, count, type, peer, tag, comm, kReceives, function);
  if (call.error) return call.error;
  if (!request) return fail(call.comm, MPI_ERR_ARG, function, "the address for the request is null");
  const pml::Buffer buffer = call.type->buffer(base, static_cast<std::uint64_t>(count));
  auto* made = new (std::nothrow) Made({call.comm, call.type, buffer, peer, tag}, more...);
  if (!made) return fail(call.comm, MPI_ERR_NO_MEM, function, "no memory for the request");
  *request = handle_of(&made->request());
  return MPI_SUCCESS;
}

}  // namespace

}  // namespace hawser::mpi

using namespace hawser::mpi;

// Every function twice: with counts of int, and of MPI_Count.
#define HAWSER_INIT(Name, Made, Base, ...)                                                                   \
  int PMPI_##Name(Base base, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,                 \
                  MPI_Request* request) {                                                                    \
    return make<Made>(base, count, type, peer, tag, comm, request, "MPI_" #Name __VA_OPT__(, ) __VA_ARGS__); \
  }                                                                                                          \
  HAWSER_MPI_ALIAS(Name)                                                                                     \
  int PMPI_##Name##_c(Base base, MPI_Count count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,       \
                      MPI_Request* request) {                                                                \
    return make<Made>(base, count, type, peer, tag, comm, request,                                           \
                      "MPI_" #Name "_c" __VA_OPT__(, ) __VA_ARGS__);                                         \
  }                                                                                                          \
  HAWSER_MPI_ALIAS(Name##_c)

HAWSER_INIT(Send_init, PersistentSend, const void*, SendMode::kDeferred)
HAWSER_INIT(Ssend_init, PersistentSend, const void*, SendMode::kSynchronous)
HAWSER_INIT(Rsend_init, PersistentSend, const void*, SendMode::kDeferred)
HAWSER_INIT(Bsend_init, PersistentBufferedSend, const void*)
HAWSER_INIT(Recv_init, PersistentReceive, void*)

int PMPI_Start(MPI_Request* request) {
  return start(request, "MPI_Start");
}
HAWSER_MPI_ALIAS(Start)

int PMPI_Startall(int count, MPI_Request* requests) {
  if (count < 0) return fail(nullptr, MPI_ERR_COUNT, "MPI_Startall", fmt::format("count is {}", count));
  for (int i = 0; i < count; ++i) {
    if (int bad = start(&requests[i], "MPI_Startall")) return bad;
  }
  return MPI_SUCCESS;
}
HAWSER_MPI_ALIAS(Startall)
