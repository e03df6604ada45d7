// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "pml/request.hpp"

namespace hawser::mpi {

/// A request that progress sees through, for what it waits for are other requests. `coll::Active` polls it
/// from when it is added to when it ends.
class Activity : public pml::Request {
 public:
  enum class Progress : std::uint8_t { kNone, kSome, kEnded };
  /// The progress role: goes on. kEnded: the activity may be gone.
  virtual Progress poll() noexcept = 0;

  Activity* next = nullptr;  // on the way to the progress role

 protected:
  using Request::Request;
  ~Activity() = default;
};

}  // namespace hawser::mpi
