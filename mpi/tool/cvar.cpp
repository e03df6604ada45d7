// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "framework/mca/value.hpp"
#include "mpi/binding.hpp"
#include "mpi/tool/tool.hpp"

// Control variables: MPI_T_cvar_*.

namespace hawser::mpi::tool {
namespace {

constexpr int kVerbosity[] = {
    MPI_T_VERBOSITY_USER_BASIC,   MPI_T_VERBOSITY_USER_DETAIL,   MPI_T_VERBOSITY_USER_ALL,
    MPI_T_VERBOSITY_TUNER_BASIC,  MPI_T_VERBOSITY_TUNER_DETAIL,  MPI_T_VERBOSITY_TUNER_ALL,
    MPI_T_VERBOSITY_MPIDEV_BASIC, MPI_T_VERBOSITY_MPIDEV_DETAIL, MPI_T_VERBOSITY_MPIDEV_ALL};
constexpr int kTextRoom = 4096;  // bytes for a string, or as many as it has when the handle is made

MPI_Datatype datatype_of(const Cvar& cvar) noexcept {
  switch (cvar.row.type) {
    case mca::ParamType::kBool:
    case mca::ParamType::kChoice:
      return MPI_INT;
    case mca::ParamType::kInt:
      return MPI_COUNT;
    case mca::ParamType::kSize:
    case mca::ParamType::kTime:
      return MPI_UNSIGNED_LONG_LONG;
    case mca::ParamType::kString:
      break;
  }
  return MPI_CHAR;
}

/// The help, and what a number of that variable means.
std::string description_of(const Cvar& cvar) {
  std::string text = cvar.row.help;
  if (cvar.row.type == mca::ParamType::kTime) text += "; in nanoseconds";
  if (cvar.row.type == mca::ParamType::kSize) text += "; in bytes";
  const bool automatic = cvar.row.type != mca::ParamType::kChoice && cvar.row.choices[0] != '\0';
  return automatic ? fmt::format("{}; {} is \"{}\"", text, mca::kAuto, cvar.row.choices) : text;
}

void read(const Cvar& cvar, int count, void* out) {
  const mca::Value value = *mca::parse_value(cvar.row, cvar.value);  // it is the registry's
  if (const auto* text = std::get_if<std::string>(&value)) {
    if (cvar.words) {
      const auto word = std::ranges::find(cvar.words->words, *text);
      const int number = static_cast<int>(word - cvar.words->words.begin());
      std::memcpy(out, &number, sizeof number);
    } else {
      give_text(*text, static_cast<char*>(out), &count);
    }
  } else if (const auto* flag = std::get_if<bool>(&value)) {
    const int number = *flag ? 1 : 0;
    std::memcpy(out, &number, sizeof number);
  } else if (const auto* signed_bits = std::get_if<std::int64_t>(&value)) {
    std::memcpy(out, signed_bits, sizeof *signed_bits);
  } else if (const auto* bits = std::get_if<std::uint64_t>(&value)) {
    std::memcpy(out, bits, sizeof *bits);
  }
}

template <class T>
T taken(const void* in) noexcept {
  T value;
  std::memcpy(&value, in, sizeof value);
  return value;
}

/// What the program gives, in the syntax of a parameter file; "" where that cannot be said, which no number
/// has as its text.
std::string written(const Cvar& cvar, int count, const void* in) {
  switch (datatype_of(cvar) == MPI_INT ? mca::ParamType::kChoice : cvar.row.type) {
    case mca::ParamType::kBool:
    case mca::ParamType::kChoice: {
      const int number = taken<int>(in);
      const auto& words = cvar.words->words;
      const bool known = number >= 0 && static_cast<std::size_t>(number) < words.size();
      return known ? words[static_cast<std::size_t>(number)] : "";
    }
    case mca::ParamType::kInt:
      return std::to_string(taken<std::int64_t>(in));
    case mca::ParamType::kSize:
    case mca::ParamType::kTime: {
      const auto number = taken<std::uint64_t>(in);
      if (number == mca::kAuto) return cvar.row.choices;
      return std::to_string(number) + (cvar.row.type == mca::ParamType::kTime ? "ns" : "");
    }
    case mca::ParamType::kString:
      break;
  }
  const auto* text = static_cast<const char*>(in);
  return {text, ::strnlen(text, static_cast<std::size_t>(count))};
}

}  // namespace
}  // namespace hawser::mpi::tool

using namespace hawser::mpi::tool;

int PMPI_T_cvar_get_num(int* count) {
  return with_state([&](State& state) {
    if (!count) return MPI_T_ERR_INVALID;
    *count = state.catalogue.cvars.size();
    return MPI_SUCCESS;
  });
}
HAWSER_MPI_ALIAS(T_cvar_get_num)

int PMPI_T_cvar_get_info(int index, char* name, int* name_len, int* verbosity, MPI_Datatype* datatype,
                         MPI_T_enum* enumtype, char* desc, int* desc_len, int* bind, int* scope) {
  return with_state([&](State& state) {
    const Cvar* cvar = state.catalogue.cvars.at(index);
    if (!cvar) return MPI_T_ERR_INVALID_INDEX;
    give_text(cvar->name, name, name_len);
    give_text(description_of(*cvar), desc, desc_len);
    give(verbosity, kVerbosity[cvar->row.level - 1]);
    if (datatype) *datatype = datatype_of(*cvar);
    if (enumtype) *enumtype = handle_of(cvar->words);
    give(bind, MPI_T_BIND_NO_OBJECT);
    give(scope, state.scope_of(*cvar));
    return MPI_SUCCESS;
  });
}
HAWSER_MPI_ALIAS(T_cvar_get_info)

int PMPI_T_cvar_get_index(const char* name, int* index) {
  return with_state([&](State& state) {
    if (!name || !index) return MPI_T_ERR_INVALID;
    const int found = state.catalogue.cvars.find(name);
    if (found < 0) return MPI_T_ERR_INVALID_NAME;
    *index = found;
    return MPI_SUCCESS;
  });
}
HAWSER_MPI_ALIAS(T_cvar_get_index)

int PMPI_T_cvar_handle_alloc(int index, void*, MPI_T_cvar_handle* handle, int* count) {
  return with_state([&](State& state) {
    const Cvar* cvar = state.catalogue.cvars.at(index);
    if (!cvar) return MPI_T_ERR_INVALID_INDEX;
    if (!handle || !count) return MPI_T_ERR_INVALID;
    const bool is_text = datatype_of(*cvar) == MPI_CHAR;
    *count = is_text ? std::max(kTextRoom, static_cast<int>(cvar->value.size()) + 1) : 1;
    *handle = state.cvar_handles.make(index, *count);
    return MPI_SUCCESS;
  });
}
HAWSER_MPI_ALIAS(T_cvar_handle_alloc)

int PMPI_T_cvar_handle_free(MPI_T_cvar_handle* handle) {
  return with_state([&](State& state) {
    if (!handle) return MPI_T_ERR_INVALID;
    if (!state.cvar_handles.find(*handle)) return MPI_T_ERR_INVALID_HANDLE;
    state.cvar_handles.free(*handle);
    *handle = MPI_T_CVAR_HANDLE_NULL;
    return MPI_SUCCESS;
  });
}
HAWSER_MPI_ALIAS(T_cvar_handle_free)

int PMPI_T_cvar_read(MPI_T_cvar_handle handle, void* buffer) {
  return with_state([&](State& state) {
    const CvarHandle* of = state.cvar_handles.find(handle);
    if (!of) return MPI_T_ERR_INVALID_HANDLE;
    if (!buffer) return MPI_T_ERR_INVALID;
    read(*state.catalogue.cvars.at(of->index), of->count, buffer);
    return MPI_SUCCESS;
  });
}
HAWSER_MPI_ALIAS(T_cvar_read)

int PMPI_T_cvar_write(MPI_T_cvar_handle handle, const void* buffer) {
  return with_state([&](State& state) {
    const CvarHandle* of = state.cvar_handles.find(handle);
    if (!of) return MPI_T_ERR_INVALID_HANDLE;
    if (!buffer) return MPI_T_ERR_INVALID;
    Cvar& cvar = *state.catalogue.cvars.at(of->index);
    return state.write(cvar, written(cvar, of->count, buffer));
  });
}
HAWSER_MPI_ALIAS(T_cvar_write)
