// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "mpi/persistent.hpp"

#include <new>

#include "mpi/coll/active.hpp"
#include "mpi/coll/launch.hpp"

namespace hawser::mpi::coll {

namespace {

/// One operation with one schedule and one tag, run again with each start.
class PersistentCollective final : public Persistent, public Activity {
 public:
  PersistentCollective(Comm& comm, Operation& operation) noexcept
      : Persistent(comm), Activity(Kind::kPersistent, [](pml::Request&) noexcept {}), operation_(operation) {
    user = static_cast<Persistent*>(this);
    operation_.retain_all();
    set_done();
  }
  ~PersistentCollective() override {
    operation_.release_all();
    operation_.give_back();
  }

  /// Of one claim.
  void free() noexcept override {
    if (unclaim()) delete this;
  }

  Progress poll() noexcept override {
    const Progress progress = operation_.step();
    if (progress != Progress::kEnded) return progress;
    status_ = operation_.status();
    const pml::Request* self = this;
    set_done();
    free();
    library().runtime->engine().completed(self);
    return Progress::kEnded;
  }

 private:
  int begin(const char*) noexcept override {
    operation_.restart();
    if (operation_.advance()) {
      status_ = operation_.status();
      return MPI_SUCCESS;
    }
    claim();
    set_undone();
    coll::active().add(*this);
    return MPI_SUCCESS;
  }
  void forget_status() noexcept override { status_ = {}; }

  Operation& operation_;
};

}  // namespace

Outcome make_persistent(Comm& comm, Operation& operation, MPI_Request* request) noexcept {
  auto* made = new (std::nothrow) PersistentCollective(comm, operation);
  if (!made) {
    operation.give_back();
    return {Errc::kOutOfMemory, "there is no memory for the request"};
  }
  *request = handle_of(static_cast<pml::Request*>(made));
  return {};
}

}  // namespace hawser::mpi::coll
