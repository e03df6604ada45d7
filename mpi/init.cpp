// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <cstdlib>

#include "mpi/binding.hpp"
#include "mpi/coll/coll.hpp"
#include "mpi/comm.hpp"
#include "mpi/errors.hpp"
#include "mpi/params.hpp"
#include "mpi/send_buffer.hpp"
#include "mpi/tool/tool.hpp"

namespace hawser::mpi {

Library* const g_library = new Library;

namespace {

/// Brings up every layer, lowest first. Errors before the launcher is found are told here; later ones end the
/// job with one text.
void start_layers(Library& lib) {
  auto runtime = Runtime::make();
  if (!runtime) {
    std::fprintf(stderr, "hawser: %s\n", runtime.error().text.c_str());
    std::exit(1);
  }
  lib.runtime = std::move(*runtime);
  lib.rows = mpi_param_rows(lib.params);
  const auto must = [&](auto&& result) {
    if (!result) lib.runtime->abort(1, result.error().text);
  };
  auto chosen = tool::mpi_starts(lib.runtime->registry());
  auto declared = lib.runtime->registry().declare("mpi", "", lib.rows.data(), lib.rows.size());
  auto bml = bml::Bml::make(*lib.runtime);
  must(bml);
  lib.bml = std::move(*bml);
  auto pml = pml::Pml::make(*lib.runtime, *lib.bml);
  must(pml);
  lib.pml = std::move(*pml);
  coll::add_handlers(lib.runtime->handler_table());
  if (const Errc put = coll::publish_setup(*lib.runtime); put != Errc::kOk)
    lib.runtime->abort(1, fmt::format("cannot publish the setup of collectives: {}", to_text(put)));
  must(lib.runtime->start());
  must(chosen);
  must(declared);
  lib.bml->start();
  coll::start(*lib.runtime);
}

int init(int required, int* provided, const char* function) {
  Library& lib = library();
  auto before = Library::Phase::kBeforeInit;
  if (!lib.phase.compare_exchange_strong(before, Library::Phase::kRunning)) {
    std::fprintf(stderr, "hawser: %s: MPI was initialized before\n", function);
    return MPI_ERR_OTHER;
  }
  const int level = required < MPI_THREAD_SINGLE     ? MPI_THREAD_SINGLE
                    : required > MPI_THREAD_MULTIPLE ? MPI_THREAD_MULTIPLE
                                                     : required;
  g_many_threads = level == MPI_THREAD_MULTIPLE;
  lib.thread_level = level;
  lib.main_thread = std::this_thread::get_id();
  start_layers(lib);
  make_world(lib);
  tool::mpi_runs(*lib.runtime, *lib.bml);
  if (provided) *provided = level;
  return MPI_SUCCESS;
}

}  // namespace

}  // namespace hawser::mpi

using namespace hawser::mpi;

int PMPI_Init(int*, char***) {
  return init(MPI_THREAD_SINGLE, nullptr, "MPI_Init");
}
HAWSER_MPI_ALIAS(Init)

int PMPI_Init_thread(int*, char***, int required, int* provided) {
  return init(required, provided, "MPI_Init_thread");
}
HAWSER_MPI_ALIAS(Init_thread)

int PMPI_Finalize() {
  check_running("MPI_Finalize");
  Library& lib = library();
  drop_attributes(*lib.self);  // before all else: their delete functions may still communicate
  flush_send_buffer(nullptr, "MPI_Finalize");
  // What this rank has accepted for sending goes out before it leaves.
  lib.pml->wait_until([&] { return refusals_known() && lib.bml->idle(); });
  coll::stop();
  tool::mpi_stops();
  lib.runtime->stop();
  lib.phase = Library::Phase::kFinalized;
  free_world(lib);
  lib.pml.reset();
  lib.bml.reset();
  lib.runtime.reset();
  tool::mpi_is_gone();
  return MPI_SUCCESS;
}
HAWSER_MPI_ALIAS(Finalize)

int PMPI_Initialized(int* flag) {
  *flag = library().phase != Library::Phase::kBeforeInit;
  return MPI_SUCCESS;
}
HAWSER_MPI_ALIAS(Initialized)

int PMPI_Finalized(int* flag) {
  *flag = library().phase == Library::Phase::kFinalized;
  return MPI_SUCCESS;
}
HAWSER_MPI_ALIAS(Finalized)

int PMPI_Query_thread(int* provided) {
  check_running("MPI_Query_thread");
  *provided = library().thread_level;
  return MPI_SUCCESS;
}
HAWSER_MPI_ALIAS(Query_thread)

int PMPI_Is_thread_main(int* flag) {
  check_running("MPI_Is_thread_main");
  *flag = library().main_thread == std::this_thread::get_id();
  return MPI_SUCCESS;
}
HAWSER_MPI_ALIAS(Is_thread_main)

int PMPI_Abort(MPI_Comm comm, int code) {
  check_running("MPI_Abort");
  const Comm* on = object_of(comm);
  const Library& lib = library();
  lib.runtime->abort(code, fmt::format("rank {} called MPI_Abort on {} with code {}", lib.runtime->job().rank,
                                       on ? on->name : "an invalid communicator", code));
}
HAWSER_MPI_ALIAS(Abort)
