// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <new>
#include <set>
#include <utility>

#include "framework/base/mutex.hpp"
#include "framework/base/result.hpp"
#include "mpi/tool/catalogue.hpp"

namespace hawser {
class Runtime;
}
namespace hawser::bml {
class Bml;
}

namespace hawser::mpi::tool {

struct CvarHandle {
  int index;
  int count;
};

struct PvarSession;

/// A communicator's channel, while MPI runs; its record may have passed to another one since, or do so while
/// we look.
struct Bound {
  const live::Channel* channel = nullptr;
  std::uint64_t serial = 0;
  std::uint32_t last = 0;
  std::uint32_t look(Gauge gauge) noexcept {
    if (!channel) return last;
    const std::uint32_t level = (channel->*gauge).load(std::memory_order_acquire);
    const bool same = channel->serial.load(std::memory_order_acquire) == serial &&
                      channel->open.load(std::memory_order_acquire) != 0;
    return last = same ? level : 0;
  }
};

/// A variable as one session sees it. Of a counter: what was counted while the handle was started.
struct PvarHandle {
  PvarSession* session;
  Pvar* pvar;
  bool started = false;
  std::vector<std::uint64_t> base{};  // where the counters stood at the last start or reset
  std::vector<std::uint64_t> held{};  // what was counted before that
  Bound bound{};                      // of a gauge
};

struct PvarSession {
  std::set<PvarHandle*> handles;
};

/// Objects that a program has handles of: a handle that is none of them is told by that.
template <class Object, class Handle>
class Handles {
 public:
  template <class... Parts>
  Handle make(Parts&&... parts) {
    auto object = std::make_unique<Object>(Object{std::forward<Parts>(parts)...});
    const auto handle = reinterpret_cast<Handle>(object.get());
    objects_.emplace(handle, std::move(object));
    return handle;
  }
  /// Null: not one of ours.
  Object* find(Handle handle) const noexcept {
    const auto found = objects_.find(handle);
    return found == objects_.end() ? nullptr : found->second.get();
  }
  void free(Handle handle) noexcept { objects_.erase(handle); }
  template <class Visit>
  void for_each(Visit&& visit) {
    for (auto& [handle, object] : objects_) visit(*object);
  }
  void clear() noexcept { objects_.clear(); }

 private:
  std::map<Handle, std::unique_ptr<Object>> objects_;
};

/// Where MPI itself stands; kChanging: MPI_Init or MPI_Finalize is under way.
enum class Phase : std::uint8_t { kBefore, kChanging, kRunning, kEnded };

struct Preview;

/// The tool interface of this process.
struct State {
  State();
  ~State();

  int users = 0;  // calls of MPI_T_init_thread that no MPI_T_finalize followed
  Phase phase = Phase::kBefore;
  Catalogue catalogue;
  Handles<CvarHandle, MPI_T_cvar_handle> cvar_handles;
  Handles<PvarSession, MPI_T_pvar_session> sessions;
  Handles<PvarHandle, MPI_T_pvar_handle> pvar_handles;

  void begin();
  void end() noexcept;
  /// What scope the variable has: settable at all, and who must agree.
  int scope_of(const Cvar& cvar) const noexcept;
  /// Sets a parameter, before MPI_Init or, where that is possible, while MPI runs. MPI_SUCCESS or the error.
  int write(Cvar& cvar, const std::string& value);
  void free_session(MPI_T_pvar_session session) noexcept;

  // --- told by MPI_Init and MPI_Finalize
  Result<void> start(mca::Registry& registry);
  void attach(Runtime& runtime, const bml::Bml& bml);
  void detach();

 private:
  void show();
  void show_running();
  void add_counters();

  std::unique_ptr<Preview> preview_;    // the parameters as MPI_Init would find them
  std::vector<mca::Setting> settings_;  // written before MPI_Init
  bool shown_ = false;                  // all counters have been added
  Runtime* runtime_ = nullptr;
  const bml::Bml* bml_ = nullptr;
};

/// The state, and the lock that guards it: the first of all locks, under which files are read and plug-ins
/// are loaded, once and before MPI starts. Never destroyed.
struct Tool {
  Mutex<LockRank::kRuntime> mutex;
  State state HAWSER_GUARDED_BY(mutex);
};
Tool& tool() noexcept;

/// A function of the tool interface: holds the lock, and gives MPI_T_ERR_NOT_INITIALIZED unless a tool has
/// begun. No error handler is called, as the standard says.
template <class Body>
int with_state(Body&& body) noexcept try {
  Tool& it = tool();
  Lock lock(it.mutex);
  return it.state.users == 0 ? MPI_T_ERR_NOT_INITIALIZED : body(it.state);
} catch (const std::bad_alloc&) {
  return MPI_T_ERR_MEMORY;
}

// Called by MPI_Init and MPI_Finalize.

/// The registry has read its sources, and nothing was declared but what the framework itself has: what a tool
/// has written is added. The error is one of those settings.
Result<void> mpi_starts(mca::Registry& registry);
void mpi_runs(Runtime& runtime, const bml::Bml& bml);
/// Before the runtime stops, and when it is gone.
void mpi_stops();
void mpi_is_gone();

inline MPI_T_enum handle_of(const Enum* words) noexcept {
  return reinterpret_cast<MPI_T_enum>(const_cast<Enum*>(words));
}

/// A value for an out argument that may be null.
template <class T, class U>
void give(T* out, U value) noexcept {
  if (out) *out = static_cast<T>(value);
}
/// A string as the standard wants it: at most *length - 1 characters and a zero; *length becomes what the
/// whole would need. Null for either: nothing is written there.
void give_text(std::string_view text, char* out, int* length) noexcept;

}  // namespace hawser::mpi::tool
