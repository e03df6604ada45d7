// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The objects behind the handles, as all parts of the MPI layer see them.

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "bml/bml.hpp"
#include "framework/base/hot_count.hpp"
#include "mpi/attribute.hpp"
#include "mpi/params.hpp"
#include "pml/pml.hpp"

namespace hawser::mpi {

/// Counted by handles and by operations under way.
class RefCounted {
 public:
  /// Of predefined objects: the value of the standard's ABI. Zero: the handle is the object's address.
  std::uintptr_t predefined_handle = 0;

  void retain() const noexcept { hot_add(count_, 1u, std::memory_order_relaxed); }
  /// True: these were the last ones, delete it.
  bool drop(std::uint32_t n = 1) const noexcept {
    return hot_add(count_, 0u - n, std::memory_order_acq_rel) == n;
  }

 private:
  mutable std::atomic<std::uint32_t> count_{1};
};

struct Group : RefCounted {
  std::vector<std::uint32_t> world_ranks;
  int my_rank = -1;  // MPI_UNDEFINED is mapped at the C boundary
};

/// What becomes of an error on a communicator.
struct Errhandler : RefCounted {
  enum class Kind : std::uint8_t { kFatal, kAbort, kReturn, kUser };
  Kind kind = Kind::kFatal;
  void* function = nullptr;  // MPI_Comm_errhandler_function*
};

class SendBuffer;
struct Topology;

namespace coll {
class Team;
}

struct Comm : RefCounted {
  pml::Channel* p2p = nullptr;   // context 2k
  pml::Channel* coll = nullptr;  // context 2k + 1
  std::uint32_t context = 0;     // k
  Group* group = nullptr;        // holds a reference
  int rank = 0;
  int size = 0;
  std::string name;
  Errhandler* errhandler = nullptr;
  std::atomic<std::uint32_t> coll_sequence{
      0};                 // tag of the next collective: equal in all members by order of calls
  Attributes attributes;  // guarded by their lock
  std::shared_ptr<const Topology> topology;  // null: none
  std::shared_ptr<SendBuffer> send_buffer;   // of its own; guarded by the lock of attached buffers
  // Of blocking collectives, one at a time (mpi/coll/shm_setup.hpp):
  coll::Team* team = nullptr;    // the members over shared memory, if they have some
  std::int64_t team_calls = 0;   // collectives before they try; -1: they have tried
  std::int64_t team_after = -1;  // so many collectives; -1: not known yet
};

/// The process's MPI library between init and finalize.
struct Library {
  MpiParams params;
  std::vector<mca::ParamRow> rows;
  std::unique_ptr<Runtime> runtime;
  std::unique_ptr<bml::Bml> bml;
  std::unique_ptr<pml::Pml> pml;
  Comm* world = nullptr;
  Comm* self = nullptr;
  int thread_level = 0;
  std::thread::id main_thread;
  enum class Phase : std::uint8_t { kBeforeInit, kRunning, kFinalized };
  std::atomic<Phase> phase{Phase::kBeforeInit};
};
extern Library* const g_library;  // never destroyed: other threads may still look
inline Library& library() noexcept {
  return *g_library;
}

}  // namespace hawser::mpi
