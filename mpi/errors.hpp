// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <new>
#include <string>
#include <string_view>

#include "framework/base/errc.hpp"
#include "mpi/handles.hpp"

namespace hawser::mpi {

/// For people, of calls that copy what they send.
inline constexpr const char* kNoMemoryForCopy = "no memory for a copy of the message";

/// The MPI error class of a failure below.
int class_of(Errc code) noexcept;
/// A few words for an error class.
const char* class_text(int error_class) noexcept;

/// An error of the MPI function `function` on `comm` (null: none that is valid). Does what the communicator's
/// error handler says: prints one text and ends the job, or calls the user's function, or just gives the
/// class back, which the caller returns. `text`: what is wrong, for people.
int fail(const Comm* comm, int error_class, const char* function, std::string_view text) noexcept;
/// The same for a failure below; the text is that of Pml::last_error, if it has one.
int fail(const Comm* comm, Errc code, const char* function) noexcept;

// Checks of arguments: MPI_SUCCESS, or what `fail` gives. Null data with a count of 0 is allowed.
int check_comm(const Comm* comm, const char* function) noexcept;
int check_count(const Comm& comm, MPI_Count count, const char* function) noexcept;
int check_type(const Comm& comm, const Datatype* type, const char* function) noexcept;
int check_buffer(const Comm& comm, const void* base, MPI_Count count, const Datatype& type,
                 const char* function) noexcept;
int check_root(const Comm& comm, int root, const char* function) noexcept;
int check_op(const Comm& comm, const Op* op, const Datatype& type, const char* function) noexcept;

/// Between init and finalize.
inline bool is_running() noexcept {
  return library().phase.load(std::memory_order_relaxed) == Library::Phase::kRunning;
}
[[noreturn]] void not_running(const char* function) noexcept;
/// Fails the job with a text if the library is not between init and finalize.
inline void check_running(const char* function) noexcept {
  if (HAWSER_UNLIKELY(!is_running())) not_running(function);
}

int null_pointer(const char* function, const char* name) noexcept;
inline int check_out(const char* function, const void* pointer, const char* name) noexcept {
  return HAWSER_LIKELY(pointer != nullptr) ? MPI_SUCCESS : null_pointer(function, name);
}

/// Runs a binding's body; running out of memory is an error like another.
template <class Body>
int guarded(const char* function, Body&& body) noexcept {
  try {
    return body();
  } catch (const std::bad_alloc&) {
    return fail(nullptr, MPI_ERR_NO_MEM, function, "no memory");
  }
}

}  // namespace hawser::mpi
