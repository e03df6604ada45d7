// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include "mpi/binding.hpp"
#include "mpi/handles.hpp"
#include "mpi/tool/tool.hpp"
#include "pml/channel.hpp"

// Performance variables: MPI_T_pvar_*. A handle of a counter counts from 0, and only while it is started.

namespace hawser::mpi::tool {
namespace {

void start(PvarHandle& handle) {
  if (handle.started) return;
  handle.base = handle.pvar->look();
  handle.started = true;
}

/// What has been counted goes to `held`.
void collect(PvarHandle& handle) {
  if (!handle.started) return;
  const auto& now = handle.pvar->look();
  for (std::size_t i = 0; i < now.size(); ++i) {
    // Several threads' counters, summed up twice at once, may for a moment seem to go back.
    if (now[i] <= handle.base[i]) continue;
    handle.held[i] += now[i] - handle.base[i];
    handle.base[i] = now[i];
  }
}

void read(PvarHandle& handle, void* out) {
  if (handle.pvar->is_text()) {
    std::memcpy(out, handle.pvar->text.c_str(), handle.pvar->text.size() + 1);
    return;
  }
  if (const Gauge gauge = handle.pvar->gauge) {
    const std::uint32_t level = handle.bound.look(gauge);
    std::memcpy(out, &level, sizeof level);
    return;
  }
  collect(handle);
  std::memcpy(out, handle.held.data(), handle.held.size() * sizeof handle.held[0]);
}

void reset(PvarHandle& handle) {
  collect(handle);
  std::ranges::fill(handle.held, 0);
}

/// What a handle of a gauge shows. MPI_T_ERR_INVALID_HANDLE: `object` is no communicator, as none is while
/// MPI does not run.
int bind(const State& state, const void* object, Bound& bound) noexcept {
  const bool runs = state.phase == Phase::kRunning;
  const Comm* comm = object && runs ? object_of(*static_cast<const MPI_Comm*>(object)) : nullptr;
  if (!comm) return MPI_T_ERR_INVALID_HANDLE;
  bound.channel = &comm->p2p->live();
  bound.serial = bound.channel->serial.load(std::memory_order_relaxed);
  return MPI_SUCCESS;
}

/// `act(handle)` on one handle of the session; what does not count gives `refusal`.
template <class Act>
int with_handle(MPI_T_pvar_session session, MPI_T_pvar_handle handle, int refusal, Act&& act) noexcept {
  return with_state([&](State& state) {
    const PvarSession* in = state.sessions.find(session);
    if (!in) return MPI_T_ERR_INVALID_SESSION;
    PvarHandle* of = state.pvar_handles.find(handle);
    if (!of || of->session != in) return MPI_T_ERR_INVALID_HANDLE;
    if (refusal != MPI_SUCCESS && !of->pvar->counts()) return refusal;
    act(*of);
    return MPI_SUCCESS;
  });
}

/// The same, where MPI_T_PVAR_ALL_HANDLES stands for every handle that can.
template <class Act>
int with_handles(MPI_T_pvar_session session, MPI_T_pvar_handle handle, int refusal, Act&& act) noexcept {
  if (handle != MPI_T_PVAR_ALL_HANDLES) return with_handle(session, handle, refusal, act);
  return with_state([&](State& state) {
    const PvarSession* in = state.sessions.find(session);
    if (!in) return MPI_T_ERR_INVALID_SESSION;
    for (PvarHandle* of : in->handles) {
      if (of->pvar->counts()) act(*of);
    }
    return MPI_SUCCESS;
  });
}

}  // namespace
}  // namespace hawser::mpi::tool

using namespace hawser::mpi::tool;

int PMPI_T_pvar_get_num(int* count) {
  return with_state([&](State& state) {
    if (!count) return MPI_T_ERR_INVALID;
    *count = state.catalogue.pvars.size();
    return MPI_SUCCESS;
  });
}
HAWSER_MPI_ALIAS(T_pvar_get_num)

int PMPI_T_pvar_get_info(int index, char* name, int* name_len, int* verbosity, int* var_class,
                         MPI_Datatype* datatype, MPI_T_enum* enumtype, char* desc, int* desc_len, int* bind,
                         int* readonly, int* continuous, int* atomic) {
  return with_state([&](State& state) {
    const Pvar* pvar = state.catalogue.pvars.at(index);
    if (!pvar) return MPI_T_ERR_INVALID_INDEX;
    const bool counts = pvar->counts();
    const MPI_Datatype number = pvar->gauge ? MPI_UNSIGNED : MPI_UNSIGNED_LONG_LONG;
    give_text(pvar->name, name, name_len);
    give_text(pvar->help, desc, desc_len);
    give(verbosity, pvar->verbosity);
    give(var_class, pvar->var_class);
    if (datatype) *datatype = pvar->is_text() ? MPI_CHAR : number;
    if (enumtype) *enumtype = MPI_T_ENUM_NULL;
    give(bind, pvar->gauge ? MPI_T_BIND_MPI_COMM : MPI_T_BIND_NO_OBJECT);
    give(readonly, !counts);
    give(continuous, !counts);
    give(atomic, counts);
    return MPI_SUCCESS;
  });
}
HAWSER_MPI_ALIAS(T_pvar_get_info)

int PMPI_T_pvar_get_index(const char* name, int var_class, int* index) {
  return with_state([&](State& state) {
    if (!name || !index) return MPI_T_ERR_INVALID;
    const int found = state.catalogue.pvars.find(name);
    if (found < 0 || state.catalogue.pvars.at(found)->var_class != var_class) return MPI_T_ERR_INVALID_NAME;
    *index = found;
    return MPI_SUCCESS;
  });
}
HAWSER_MPI_ALIAS(T_pvar_get_index)

int PMPI_T_pvar_session_create(MPI_T_pvar_session* session) {
  return with_state([&](State& state) {
    if (!session) return MPI_T_ERR_INVALID;
    *session = state.sessions.make();
    return MPI_SUCCESS;
  });
}
HAWSER_MPI_ALIAS(T_pvar_session_create)

int PMPI_T_pvar_session_free(MPI_T_pvar_session* session) {
  return with_state([&](State& state) {
    if (!session) return MPI_T_ERR_INVALID;
    if (!state.sessions.find(*session)) return MPI_T_ERR_INVALID_SESSION;
    state.free_session(*session);
    *session = MPI_T_PVAR_SESSION_NULL;
    return MPI_SUCCESS;
  });
}
HAWSER_MPI_ALIAS(T_pvar_session_free)

int PMPI_T_pvar_handle_alloc(MPI_T_pvar_session session, int index, void* object, MPI_T_pvar_handle* handle,
                             int* count) {
  return with_state([&](State& state) {
    PvarSession* in = state.sessions.find(session);
    if (!in) return MPI_T_ERR_INVALID_SESSION;
    Pvar* pvar = state.catalogue.pvars.at(index);
    if (!pvar) return MPI_T_ERR_INVALID_INDEX;
    if (!handle || !count) return MPI_T_ERR_INVALID;
    Bound bound;
    const int bad = pvar->gauge ? bind(state, object, bound) : MPI_SUCCESS;
    if (bad != MPI_SUCCESS) return bad;
    const std::size_t elements = pvar->gauge ? 1 : pvar->values.size();
    *count = static_cast<int>(pvar->is_text() ? pvar->text.size() + 1 : elements);
    std::vector<std::uint64_t> held(pvar->values.size());
    const MPI_T_pvar_handle made =
        state.pvar_handles.make(in, pvar, false, std::vector<std::uint64_t>{}, std::move(held), bound);
    in->handles.insert(state.pvar_handles.find(made));
    *handle = made;
    return MPI_SUCCESS;
  });
}
HAWSER_MPI_ALIAS(T_pvar_handle_alloc)

int PMPI_T_pvar_handle_free(MPI_T_pvar_session session, MPI_T_pvar_handle* handle) {
  return with_state([&](State& state) {
    if (!handle) return MPI_T_ERR_INVALID;
    PvarSession* in = state.sessions.find(session);
    if (!in) return MPI_T_ERR_INVALID_SESSION;
    PvarHandle* of = state.pvar_handles.find(*handle);
    if (!of || of->session != in) return MPI_T_ERR_INVALID_HANDLE;
    in->handles.erase(of);
    state.pvar_handles.free(*handle);
    *handle = MPI_T_PVAR_HANDLE_NULL;
    return MPI_SUCCESS;
  });
}
HAWSER_MPI_ALIAS(T_pvar_handle_free)

int PMPI_T_pvar_start(MPI_T_pvar_session session, MPI_T_pvar_handle handle) {
  return with_handles(session, handle, MPI_T_ERR_PVAR_NO_STARTSTOP, start);
}
HAWSER_MPI_ALIAS(T_pvar_start)

int PMPI_T_pvar_stop(MPI_T_pvar_session session, MPI_T_pvar_handle handle) {
  return with_handles(session, handle, MPI_T_ERR_PVAR_NO_STARTSTOP, [](PvarHandle& of) {
    collect(of);
    of.started = false;
  });
}
HAWSER_MPI_ALIAS(T_pvar_stop)

int PMPI_T_pvar_read(MPI_T_pvar_session session, MPI_T_pvar_handle handle, void* buffer) {
  if (!buffer) return MPI_T_ERR_INVALID;
  return with_handle(session, handle, MPI_SUCCESS, [&](PvarHandle& of) { read(of, buffer); });
}
HAWSER_MPI_ALIAS(T_pvar_read)

int PMPI_T_pvar_write(MPI_T_pvar_session session, MPI_T_pvar_handle handle, const void* buffer) {
  if (!buffer) return MPI_T_ERR_INVALID;
  return with_handle(session, handle, MPI_T_ERR_PVAR_NO_WRITE, [&](PvarHandle& of) {
    reset(of);
    std::memcpy(of.held.data(), buffer, of.held.size() * sizeof of.held[0]);
  });
}
HAWSER_MPI_ALIAS(T_pvar_write)

int PMPI_T_pvar_reset(MPI_T_pvar_session session, MPI_T_pvar_handle handle) {
  return with_handles(session, handle, MPI_T_ERR_PVAR_NO_WRITE, reset);
}
HAWSER_MPI_ALIAS(T_pvar_reset)

int PMPI_T_pvar_readreset(MPI_T_pvar_session session, MPI_T_pvar_handle handle, void* buffer) {
  if (!buffer) return MPI_T_ERR_INVALID;
  return with_handle(session, handle, MPI_T_ERR_PVAR_NO_ATOMIC, [&](PvarHandle& of) {
    read(of, buffer);
    std::ranges::fill(of.held, 0);
  });
}
HAWSER_MPI_ALIAS(T_pvar_readreset)
