// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "mpi/binding.hpp"
#include "mpi/errors.hpp"
#include "mpi/requests.hpp"

namespace hawser::mpi {

namespace {

int check(const Comm* comm, int source, int tag, const char* function) noexcept {
  if (int bad = check_comm(comm, function)) return bad;
  if ((source < 0 || source >= comm->size) && source != MPI_ANY_SOURCE && source != MPI_PROC_NULL) {
    return fail(comm, MPI_ERR_RANK, function, fmt::format("rank is {}, the size is {}", source, comm->size));
  }
  if (tag < 0 && tag != MPI_ANY_TAG) return fail(comm, MPI_ERR_TAG, function, fmt::format("tag is {}", tag));
  return MPI_SUCCESS;
}

pml::ArrivedMessage* object_of(MPI_Message message) noexcept {
  return reinterpret_cast<pml::ArrivedMessage*>(message);
}
MPI_Message handle_of(pml::ArrivedMessage* message) noexcept {
  return reinterpret_cast<MPI_Message>(message);
}

int start_matched(void* base, MPI_Count count, MPI_Datatype type, MPI_Message* message, MPI_Request* request,
                  const char* function) noexcept {
  check_running(function);
  const Comm& comm = *library().self;
  const Datatype* of = mpi::object_of(type);
  if (*message == MPI_MESSAGE_NULL)
    return fail(nullptr, MPI_ERR_REQUEST, function, "the message handle is null");
  if (int bad = check_count(comm, count, function)) return bad;
  if (int bad = check_type(comm, of, function)) return bad;
  if (*message == MPI_MESSAGE_NO_PROC) {
    *request = mpi::handle_of(null_receive());
  } else {
    const pml::Buffer buffer = of->buffer(base, static_cast<std::uint64_t>(count));
    pml::Request* started = library().pml->imrecv(object_of(*message), buffer);
    if (!started) return fail(&comm, MPI_ERR_NO_MEM, function, pml::g_no_memory.status().why);
    *request = mpi::handle_of(started);
  }
  *message = MPI_MESSAGE_NULL;
  return MPI_SUCCESS;
}

int receive_matched(void* base, MPI_Count count, MPI_Datatype type, MPI_Message* message, MPI_Status* status,
                    const char* function) noexcept {
  MPI_Request request = MPI_REQUEST_NULL;
  if (int bad = start_matched(base, count, type, message, &request, function)) return bad;
  return PMPI_Wait(&request, status);
}

}  // namespace

}  // namespace hawser::mpi

using namespace hawser::mpi;

int PMPI_Iprobe(int source, int tag, MPI_Comm comm, int* flag, MPI_Status* status) {
  const Comm* on = object_of(comm);
  if (int bad = check(on, source, tag, "MPI_Iprobe")) return bad;
  hawser::pml::Status found = kNullReceived;
  *flag = source == MPI_PROC_NULL || library().pml->iprobe(*on->p2p, source, tag, found);
  if (*flag) fill(status, found);
  return MPI_SUCCESS;
}
HAWSER_MPI_ALIAS(Iprobe)

int PMPI_Probe(int source, int tag, MPI_Comm comm, MPI_Status* status) {
  const Comm* on = object_of(comm);
  if (int bad = check(on, source, tag, "MPI_Probe")) return bad;
  hawser::pml::Status found = kNullReceived;
  if (source != MPI_PROC_NULL) {
    const auto error = library().pml->probe(*on->p2p, source, tag, found);
    if (error != hawser::Errc::kOk) return fail(on, error, "MPI_Probe");
  }
  fill(status, found);
  return MPI_SUCCESS;
}
HAWSER_MPI_ALIAS(Probe)

int PMPI_Improbe(int source, int tag, MPI_Comm comm, int* flag, MPI_Message* message, MPI_Status* status) {
  const Comm* on = object_of(comm);
  if (int bad = check(on, source, tag, "MPI_Improbe")) return bad;
  hawser::pml::Status found = kNullReceived;
  if (source == MPI_PROC_NULL) {
    *message = MPI_MESSAGE_NO_PROC;
  } else {
    hawser::pml::ArrivedMessage* claimed = library().pml->improbe(*on->p2p, source, tag, found);
    *message = claimed ? handle_of(claimed) : MPI_MESSAGE_NULL;
  }
  *flag = *message != MPI_MESSAGE_NULL;
  if (*flag) fill(status, found);
  return MPI_SUCCESS;
}
HAWSER_MPI_ALIAS(Improbe)

int PMPI_Mprobe(int source, int tag, MPI_Comm comm, MPI_Message* message, MPI_Status* status) {
  const Comm* on = object_of(comm);
  if (int bad = check(on, source, tag, "MPI_Mprobe")) return bad;
  hawser::pml::Status found = kNullReceived;
  *message = MPI_MESSAGE_NO_PROC;
  if (source != MPI_PROC_NULL) {
    hawser::pml::ArrivedMessage* claimed = nullptr;
    const auto error = library().pml->mprobe(*on->p2p, source, tag, found, claimed);
    if (error != hawser::Errc::kOk) return fail(on, error, "MPI_Mprobe");
    *message = handle_of(claimed);
  }
  fill(status, found);
  return MPI_SUCCESS;
}
HAWSER_MPI_ALIAS(Mprobe)

int PMPI_Imrecv(void* base, int count, MPI_Datatype type, MPI_Message* message, MPI_Request* request) {
  return start_matched(base, count, type, message, request, "MPI_Imrecv");
}
HAWSER_MPI_ALIAS(Imrecv)

int PMPI_Imrecv_c(void* base, MPI_Count count, MPI_Datatype type, MPI_Message* message,
                  MPI_Request* request) {
  return start_matched(base, count, type, message, request, "MPI_Imrecv_c");
}
HAWSER_MPI_ALIAS(Imrecv_c)

int PMPI_Mrecv(void* base, int count, MPI_Datatype type, MPI_Message* message, MPI_Status* status) {
  return receive_matched(base, count, type, message, status, "MPI_Mrecv");
}
HAWSER_MPI_ALIAS(Mrecv)

int PMPI_Mrecv_c(void* base, MPI_Count count, MPI_Datatype type, MPI_Message* message, MPI_Status* status) {
  return receive_matched(base, count, type, message, status, "MPI_Mrecv_c");
}
HAWSER_MPI_ALIAS(Mrecv_c)
