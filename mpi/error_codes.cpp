// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "mpi/error_codes.hpp"

#include <cstring>
#include <map>

#include "framework/base/mutex.hpp"
#include "framework/base/no_destructor.hpp"
#include "mpi/binding.hpp"
#include "mpi/errors.hpp"

// Error classes and codes that programs add. A class is a code too, whose class it is itself.

namespace hawser::mpi {

namespace {

struct Added {
  int error_class;
  std::string text;
};

struct Codes {
  Mutex<LockRank::kMpi> mutex;
  std::map<int, Added> entries HAWSER_GUARDED_BY(mutex);
  int last = MPI_ERR_LASTCODE;  // does not fall again: what is asked for under MPI_LASTUSEDCODE

  /// Null: not one that the program added.
  const Added* find(int code) HAWSER_REQUIRES(mutex) {
    const auto found = entries.find(code);
    return found == entries.end() ? nullptr : &found->second;
  }
};

Codes& codes() noexcept {
  static NoDestructor<Codes> instance;
  return *instance;
}

/// A new code, of a class of its own where that is `MPI_SUCCESS`.
int add(int error_class) {
  Lock lock(codes().mutex);
  const int code = codes().last + 1;
  codes().entries[code] = {error_class == MPI_SUCCESS ? code : error_class, {}};
  codes().last = code;
  return code;
}

bool is_class(int error_class) noexcept {
  if (error_class >= 0 && error_class <= MPI_ERR_LASTCODE) return true;
  Lock lock(codes().mutex);
  const Added* added = codes().find(error_class);
  return added && added->error_class == error_class;
}

int not_added(const char* function, int code, const char* kind) noexcept {
  return fail(nullptr, MPI_ERR_ARG, function, fmt::format("{} is no {} that the program added", code, kind));
}

/// A class goes once no code is of it any more.
int remove(const char* function, int code, bool want_class) noexcept {
  const char* kind = want_class ? "error class" : "error code";
  {
    Lock lock(codes().mutex);
    const Added* added = codes().find(code);
    bool used = false;
    for (const auto& [other, entry] : codes().entries)
      used = used || (other != code && entry.error_class == code);
    if (added && (added->error_class == code) == want_class && !used) {
      codes().entries.erase(code);
      return MPI_SUCCESS;
    }
    if (used) kind = "error class without codes";
  }
  return not_added(function, code, kind);
}

int set_text(const char* function, int code, const char* text) noexcept {
  return guarded(function, [&] {
    {
      Lock lock(codes().mutex);
      const auto found = codes().entries.find(code);
      if (found != codes().entries.end()) {
        found->second.text.assign(text, strnlen(text, MPI_MAX_ERROR_STRING - 1));
        return MPI_SUCCESS;
      }
    }
    return not_added(function, code, "error code");
  });
}

}  // namespace

int class_of_added(int code) noexcept {
  if (code <= MPI_ERR_LASTCODE) return code;
  Lock lock(codes().mutex);
  const Added* added = codes().find(code);
  return added ? added->error_class : MPI_ERR_UNKNOWN;
}

bool text_of_added(int code, std::string& text) {
  if (code <= MPI_ERR_LASTCODE) return false;
  Lock lock(codes().mutex);
  const Added* added = codes().find(code);
  if (added) text = added->text;
  return added;
}

int* last_used_code() noexcept {
  return &codes().last;
}

}  // namespace hawser::mpi

using namespace hawser::mpi;

int PMPI_Add_error_class(int* error_class) {
  const char* function = "MPI_Add_error_class";
  if (int bad = check_out(function, error_class, "errorclass")) return bad;
  return guarded(function, [&] {
    *error_class = add(MPI_SUCCESS);
    return MPI_SUCCESS;
  });
}
HAWSER_MPI_ALIAS(Add_error_class)

int PMPI_Add_error_code(int error_class, int* error_code) {
  const char* function = "MPI_Add_error_code";
  if (int bad = check_out(function, error_code, "errorcode")) return bad;
  if (error_class == MPI_SUCCESS || !is_class(error_class))
    return fail(nullptr, MPI_ERR_ARG, function, fmt::format("{} is no error class", error_class));
  return guarded(function, [&] {
    *error_code = add(error_class);
    return MPI_SUCCESS;
  });
}
HAWSER_MPI_ALIAS(Add_error_code)

int PMPI_Add_error_string(int error_code, const char* string) {
  const char* function = "MPI_Add_error_string";
  if (int bad = check_out(function, string, "string")) return bad;
  return set_text(function, error_code, string);
}
HAWSER_MPI_ALIAS(Add_error_string)

int PMPI_Remove_error_class(int error_class) {
  return remove("MPI_Remove_error_class", error_class, true);
}
HAWSER_MPI_ALIAS(Remove_error_class)

int PMPI_Remove_error_code(int error_code) {
  return remove("MPI_Remove_error_code", error_code, false);
}
HAWSER_MPI_ALIAS(Remove_error_code)

int PMPI_Remove_error_string(int error_code) {
  return set_text("MPI_Remove_error_string", error_code, "");
}
HAWSER_MPI_ALIAS(Remove_error_string)
