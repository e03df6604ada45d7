// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "mpi/activity.hpp"
#include "mpi/handles.hpp"
#include "pml/requests.hpp"

namespace hawser::mpi {

/// A request that a program starts again and again. Its pml::Request, whose `user` is this, is the one behind
/// the handle. While it is inactive it is done, with the empty status.
class Persistent {
 public:
  virtual ~Persistent();
  Persistent(const Persistent&) = delete;
  Persistent& operator=(const Persistent&) = delete;

  /// Null: not a persistent one.
  static Persistent* of(const pml::Request& request) noexcept {
    return request.kind() == pml::Request::Kind::kPersistent ? static_cast<Persistent*>(request.user)
                                                             : nullptr;
  }

  const Comm& comm() const noexcept { return comm_; }
  bool active() const noexcept { return active_; }

  /// MPI_SUCCESS, or what the binding returns. Later errors are in the request's status.
  int start(const char* function) noexcept;
  /// The user has seen how it ended.
  void end() noexcept;
  /// The handle goes. What is under way goes on.
  virtual void free() noexcept = 0;
  /// If nothing has matched it yet.
  virtual void cancel() noexcept {}

 protected:
  explicit Persistent(Comm& comm) noexcept;
  virtual int begin(const char* function) noexcept = 0;
  virtual void forget_status() noexcept = 0;

 private:
  Comm& comm_;           // has a reference
  bool active_ = false;  // its user's threads only, one at a time
};

/// What a persistent send or receive moves. The type and the communicator may be freed while the request
/// lives.
struct PersistentArgs {
  Comm* comm;
  const Datatype* type;
  pml::Buffer buffer;
  int peer;  // or MPI_PROC_NULL
  int tag;
};

class PersistentTransfer : public Persistent {
 public:
  ~PersistentTransfer() override;

 protected:
  explicit PersistentTransfer(const PersistentArgs& args) noexcept;
  const PersistentArgs args_;
};

/// Whether completion calls count it: an inactive persistent request is none to them.
inline bool is_active(const pml::Request& request) noexcept {
  const Persistent* persistent = Persistent::of(request);
  return !persistent || persistent->active();
}

class PersistentReceive final : public PersistentTransfer {
 public:
  explicit PersistentReceive(const PersistentArgs& args) noexcept;
  pml::Request& request() noexcept { return *receive_; }

  void free() noexcept override;
  void cancel() noexcept override;

 private:
  int begin(const char* function) noexcept override;
  void forget_status() noexcept override { receive_->result() = {}; }
  void renew() noexcept;

  std::optional<pml::ReceiveRequest> receive_;  // a new one for each start, at the same address
};

/// Most sends are done at once. For others progress sees through the send that is under way.
class PersistentSend final : public PersistentTransfer, public Activity {
 public:
  PersistentSend(const PersistentArgs& args, pml::SendMode mode) noexcept;
  pml::Request& request() noexcept { return *this; }

  void free() noexcept override;
  Progress poll() noexcept override;

 private:
  int begin(const char* function) noexcept override;
  void forget_status() noexcept override { status_ = {}; }
  pml::Request& start_send() noexcept;
  void take_end_of(pml::Request& sent) noexcept;

  const pml::SendMode mode_;
  pml::Request* sent_ = nullptr;  // while progress sees through it
};

/// Done as soon as it is started: what it sends is copied.
class PersistentBufferedSend final : public PersistentTransfer, public pml::Request {
 public:
  explicit PersistentBufferedSend(const PersistentArgs& args) noexcept;
  pml::Request& request() noexcept { return *this; }

  void free() noexcept override { delete this; }

 private:
  int begin(const char* function) noexcept override;
  void forget_status() noexcept override {}
};

}  // namespace hawser::mpi
