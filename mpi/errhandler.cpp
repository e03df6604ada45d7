// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "mpi/binding.hpp"
#include "mpi/comm.hpp"
#include "mpi/errors.hpp"

using namespace hawser::mpi;

int PMPI_Comm_create_errhandler(MPI_Comm_errhandler_function* function, MPI_Errhandler* errhandler) {
  auto* made = new Errhandler;
  made->kind = Errhandler::Kind::kUser;
  made->function = reinterpret_cast<void*>(function);
  *errhandler = handle_of<MPI_Errhandler>(*made);
  return MPI_SUCCESS;
}
HAWSER_MPI_ALIAS(Comm_create_errhandler)

int PMPI_Comm_set_errhandler(MPI_Comm comm, MPI_Errhandler errhandler) {
  Comm* on = object_of(comm);
  if (int bad = check_comm(on, "MPI_Comm_set_errhandler")) return bad;
  Errhandler* handler = object_of(errhandler);
  if (!handler) return fail(on, MPI_ERR_ARG, "MPI_Comm_set_errhandler", "the error handler is not valid");
  handler->retain();
  drop(*on->errhandler);
  on->errhandler = handler;
  return MPI_SUCCESS;
}
HAWSER_MPI_ALIAS(Comm_set_errhandler)

int PMPI_Comm_get_errhandler(MPI_Comm comm, MPI_Errhandler* errhandler) {
  Comm* on = object_of(comm);
  if (int bad = check_comm(on, "MPI_Comm_get_errhandler")) return bad;
  on->errhandler->retain();
  *errhandler = handle_of<MPI_Errhandler>(*on->errhandler);
  return MPI_SUCCESS;
}
HAWSER_MPI_ALIAS(Comm_get_errhandler)

int PMPI_Comm_call_errhandler(MPI_Comm comm, int error_code) {
  Comm* on = object_of(comm);
  if (int bad = check_comm(on, "MPI_Comm_call_errhandler")) return bad;
  static_cast<void>(fail(on, error_code, "MPI_Comm_call_errhandler", "called by the program"));
  return MPI_SUCCESS;
}
HAWSER_MPI_ALIAS(Comm_call_errhandler)

int PMPI_Errhandler_free(MPI_Errhandler* errhandler) {
  Errhandler* handler = object_of(*errhandler);
  if (!handler) return fail(nullptr, MPI_ERR_ARG, "MPI_Errhandler_free", "the error handler is not valid");
  drop(*handler);
  *errhandler = MPI_ERRHANDLER_NULL;
  return MPI_SUCCESS;
}
HAWSER_MPI_ALIAS(Errhandler_free)
