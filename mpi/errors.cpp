// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "mpi/errors.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "mpi/binding.hpp"
#include "mpi/error_codes.hpp"

namespace hawser::mpi {

namespace {

Errhandler g_fatal, g_abort, g_return;

PredefinedTable<Errhandler, 320, 4> make_table() noexcept {
  PredefinedTable<Errhandler, 320, 4> table;
  g_fatal.kind = Errhandler::Kind::kFatal;
  g_abort.kind = Errhandler::Kind::kAbort;
  g_return.kind = Errhandler::Kind::kReturn;
  table.set(reinterpret_cast<std::uintptr_t>(MPI_ERRORS_ARE_FATAL), g_fatal);
  table.set(reinterpret_cast<std::uintptr_t>(MPI_ERRORS_ABORT), g_abort);
  table.set(reinterpret_cast<std::uintptr_t>(MPI_ERRORS_RETURN), g_return);
  return table;
}

struct ClassText {
  int error_class;
  const char* name;
  const char* text;
};

constexpr ClassText kClasses[] = {
    {MPI_SUCCESS, "MPI_SUCCESS", "no error"},
    {MPI_ERR_BUFFER, "MPI_ERR_BUFFER", "invalid buffer pointer"},
    {MPI_ERR_COUNT, "MPI_ERR_COUNT", "invalid count"},
    {MPI_ERR_TYPE, "MPI_ERR_TYPE", "invalid datatype"},
    {MPI_ERR_TAG, "MPI_ERR_TAG", "invalid tag"},
    {MPI_ERR_COMM, "MPI_ERR_COMM", "invalid communicator"},
    {MPI_ERR_RANK, "MPI_ERR_RANK", "invalid rank"},
    {MPI_ERR_REQUEST, "MPI_ERR_REQUEST", "invalid request"},
    {MPI_ERR_ROOT, "MPI_ERR_ROOT", "invalid root"},
    {MPI_ERR_GROUP, "MPI_ERR_GROUP", "invalid group"},
    {MPI_ERR_OP, "MPI_ERR_OP", "invalid reduction operation"},
    {MPI_ERR_TOPOLOGY, "MPI_ERR_TOPOLOGY", "invalid topology"},
    {MPI_ERR_DIMS, "MPI_ERR_DIMS", "invalid dimensions"},
    {MPI_ERR_ARG, "MPI_ERR_ARG", "invalid argument"},
    {MPI_ERR_UNKNOWN, "MPI_ERR_UNKNOWN", "unknown error"},
    {MPI_ERR_TRUNCATE, "MPI_ERR_TRUNCATE", "message longer than the receive buffer"},
    {MPI_ERR_OTHER, "MPI_ERR_OTHER", "known error not in this list"},
    {MPI_ERR_INTERN, "MPI_ERR_INTERN", "internal error"},
    {MPI_ERR_PENDING, "MPI_ERR_PENDING", "pending request"},
    {MPI_ERR_IN_STATUS, "MPI_ERR_IN_STATUS", "error code is in the status"},
    {MPI_ERR_INFO_KEY, "MPI_ERR_INFO_KEY", "info key too long or empty"},
    {MPI_ERR_INFO_NOKEY, "MPI_ERR_INFO_NOKEY", "no such info key"},
    {MPI_ERR_INFO_VALUE, "MPI_ERR_INFO_VALUE", "info value too long"},
    {MPI_ERR_INFO, "MPI_ERR_INFO", "invalid info object"},
    {MPI_ERR_KEYVAL, "MPI_ERR_KEYVAL", "invalid key value"},
    {MPI_ERR_NO_MEM, "MPI_ERR_NO_MEM", "out of memory"},
    {MPI_ERR_UNSUPPORTED_OPERATION, "MPI_ERR_UNSUPPORTED_OPERATION", "operation not supported"},
    {MPI_ERR_PROC_ABORTED, "MPI_ERR_PROC_ABORTED", "a peer process has ended"},
    {MPI_T_ERR_MEMORY, "MPI_T_ERR_MEMORY", "out of memory"},
    {MPI_T_ERR_NOT_INITIALIZED, "MPI_T_ERR_NOT_INITIALIZED", "no tool has called MPI_T_init_thread"},
    {MPI_T_ERR_INVALID, "MPI_T_ERR_INVALID", "null argument, or a value that is not allowed"},
    {MPI_T_ERR_INVALID_INDEX, "MPI_T_ERR_INVALID_INDEX", "no variable, category or item has this number"},
    {MPI_T_ERR_INVALID_HANDLE, "MPI_T_ERR_INVALID_HANDLE", "invalid handle, or one of another session"},
    {MPI_T_ERR_INVALID_SESSION, "MPI_T_ERR_INVALID_SESSION", "invalid session"},
    {MPI_T_ERR_INVALID_NAME, "MPI_T_ERR_INVALID_NAME", "no variable or category has this name"},
    {MPI_T_ERR_CVAR_SET_NOT_NOW, "MPI_T_ERR_CVAR_SET_NOT_NOW", "can be set before MPI_Init only"},
    {MPI_T_ERR_CVAR_SET_NEVER, "MPI_T_ERR_CVAR_SET_NEVER", "has been used, or is fixed by an override file"},
    {MPI_T_ERR_PVAR_NO_WRITE, "MPI_T_ERR_PVAR_NO_WRITE", "is read only"},
    {MPI_T_ERR_PVAR_NO_STARTSTOP, "MPI_T_ERR_PVAR_NO_STARTSTOP", "cannot be started or stopped"},
    {MPI_T_ERR_PVAR_NO_ATOMIC, "MPI_T_ERR_PVAR_NO_ATOMIC", "cannot be read and reset in one step"},
};

const ClassText& entry_of(int error_class) noexcept {
  for (const ClassText& entry : kClasses) {
    if (entry.error_class == error_class) return entry;
  }
  static constexpr ClassText kOther{MPI_ERR_UNKNOWN, "MPI_ERR_UNKNOWN", "unknown error"};
  return kOther;
}

const Comm* comm_for(const Comm* comm) noexcept {
  return comm ? comm : library().self;
}

[[noreturn]] void die(int error_class, const std::string& text) noexcept {
  if (library().runtime && is_running()) library().runtime->abort(error_class, text);
  std::fprintf(stderr, "hawser: %s\n", text.c_str());
  std::_Exit(error_class);
}

}  // namespace

PredefinedTable<Errhandler, 320, 4> g_errhandlers = make_table();

int class_of(Errc code) noexcept {
  switch (code) {
    case Errc::kOk:
      return MPI_SUCCESS;
    case Errc::kTruncated:
      return MPI_ERR_TRUNCATE;
    case Errc::kPeerGone:
      return MPI_ERR_PROC_ABORTED;
    case Errc::kOutOfMemory:
      return MPI_ERR_NO_MEM;
    case Errc::kInvalid:
      return MPI_ERR_ARG;
    case Errc::kUnsupported:
      return MPI_ERR_UNSUPPORTED_OPERATION;
    case Errc::kUnreachable:
    case Errc::kNotFound:
    case Errc::kTimedOut:
    case Errc::kProtocol:
    case Errc::kPermission:
    case Errc::kSystem:
    case Errc::kShutdown:
    case Errc::kVersion:
      return MPI_ERR_OTHER;
  }
  return MPI_ERR_INTERN;
}

const char* class_text(int error_class) noexcept {
  return entry_of(error_class).text;
}

int fail(const Comm* comm, int error_class, const char* function, std::string_view text) noexcept {
  if (error_class == MPI_SUCCESS) return MPI_SUCCESS;
  const Comm* on = comm_for(comm);
  const Errhandler& handler = on && on->errhandler ? *on->errhandler : g_fatal;
  switch (handler.kind) {
    case Errhandler::Kind::kReturn:
      return error_class;
    case Errhandler::Kind::kUser: {
      MPI_Comm handle = handle_of<MPI_Comm>(*on);
      reinterpret_cast<MPI_Comm_errhandler_function*>(handler.function)(&handle, &error_class);
      return error_class;
    }
    case Errhandler::Kind::kFatal:
    case Errhandler::Kind::kAbort:
      break;
  }
  const ClassText& entry = entry_of(error_class);
  try {
    die(error_class,
        fmt::format("{} on {}, rank {}: {} ({}): {}", function, on ? on->name : "no communicator",
                    on ? on->rank : 0, entry.name, entry.text, text));
  } catch (const std::bad_alloc&) {
    std::fprintf(stderr, "hawser: %s: %s: %.*s\n", function, entry.name, static_cast<int>(text.size()),
                 text.data());
    std::_Exit(error_class);
  }
}

int fail(const Comm* comm, Errc code, const char* function) noexcept {
  if (HAWSER_LIKELY(code == Errc::kOk)) return MPI_SUCCESS;
  const std::string& text = pml::Pml::last_error();
  const bool own = text.empty() || code == Errc::kTruncated;
  return fail(comm, class_of(code), function, own ? std::string_view(to_text(code)) : text);
}

int check_comm(const Comm* comm, const char* function) noexcept {
  check_running(function);
  return HAWSER_LIKELY(comm != nullptr)
             ? MPI_SUCCESS
             : fail(nullptr, MPI_ERR_COMM, function, "the communicator is not valid");
}

int check_count(const Comm& comm, MPI_Count count, const char* function) noexcept {
  return HAWSER_LIKELY(count >= 0) ? MPI_SUCCESS
                                   : fail(&comm, MPI_ERR_COUNT, function, fmt::format("count is {}", count));
}

int check_type(const Comm& comm, const Datatype* type, const char* function) noexcept {
  if (HAWSER_UNLIKELY(!type)) return fail(&comm, MPI_ERR_TYPE, function, "the datatype is not valid");
  if (HAWSER_UNLIKELY(!type->committed)) {
    return fail(&comm, MPI_ERR_TYPE, function, "the datatype was not committed: call MPI_Type_commit first");
  }
  return MPI_SUCCESS;
}

int check_buffer(const Comm& comm, const void* base, MPI_Count count, const Datatype& type,
                 const char* function) noexcept {
  // A null address is right for types made of absolute addresses.
  if (HAWSER_LIKELY(base || count == 0 || type.size == 0 || !type.predefined)) return MPI_SUCCESS;
  return fail(&comm, MPI_ERR_BUFFER, function, fmt::format("the buffer is null, but count is {}", count));
}

int check_root(const Comm& comm, int root, const char* function) noexcept {
  if (HAWSER_LIKELY(root >= 0 && root < comm.size)) return MPI_SUCCESS;
  return fail(&comm, MPI_ERR_ROOT, function, fmt::format("root is {}, the size is {}", root, comm.size));
}

int check_op(const Comm& comm, const Op* op, const Datatype& type, const char* function) noexcept {
  if (!op) return fail(&comm, MPI_ERR_OP, function, "the operation is not valid");
  if (op->defined_on(type)) return MPI_SUCCESS;
  return fail(&comm, MPI_ERR_OP, function, fmt::format("the operation is not defined on {}", type.name));
}

int null_pointer(const char* function, const char* name) noexcept {
  return fail(nullptr, MPI_ERR_ARG, function, std::string(name) + " is a null pointer");
}

void not_running(const char* function) noexcept {
  const char* when = library().phase == Library::Phase::kFinalized ? "after MPI_Finalize" : "before MPI_Init";
  die(MPI_ERR_OTHER, fmt::format("{} was called {}", function, when));
}

}  // namespace hawser::mpi

using namespace hawser::mpi;

int PMPI_Error_class(int code, int* error_class) {
  *error_class = class_of_added(code);
  return MPI_SUCCESS;
}
HAWSER_MPI_ALIAS(Error_class)

int PMPI_Error_string(int code, char* string, int* length) {
  std::string added;
  if (text_of_added(code, added)) {
    *length = std::snprintf(string, MPI_MAX_ERROR_STRING, "%s", added.c_str());
    return MPI_SUCCESS;
  }
  const ClassText& entry = entry_of(code);
  *length = std::snprintf(string, MPI_MAX_ERROR_STRING, "%s: %s", entry.name, entry.text);
  return MPI_SUCCESS;
}
HAWSER_MPI_ALIAS(Error_string)
