// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>
#include <map>
#include <string>

#include "tests/fakes/quiet_host.hpp"

namespace hawser::btl {

/// A host of rank 0 of a job of four, that notes what it is asked for. Events and calls come when a test
/// says.
class TestHost final : public fakes::QuietHost {
 public:
  struct Watched {
    std::uint32_t events;
    WatchFunction function;
    void* context;
  };
  struct Call {
    void (*function)(void*) noexcept;
    void* context;
  };

  TestHost() {
    own.size = own.local_size = 4;
    for (std::uint32_t rank = 0; rank < own.size; ++rank) procs[rank].rank = rank;
  }

  Job own{};
  std::map<std::uint32_t, Proc> procs;  // who is not in it is not known
  std::map<std::string, std::string> published;
  std::map<int, Watched> watched;
  std::map<std::uint64_t, Call> calls;
  bool no_calls = false;
  bool no_watches = false;

  void event(int fd) { watched.at(fd).function(watched.at(fd).context, watched.at(fd).events); }
  void run_calls() {
    for (const auto& [id, call] : std::map(std::move(calls))) call.function(call.context);
  }

  const Job& job() const noexcept override { return own; }
  const Proc* proc(std::uint32_t rank, char* why, std::size_t why_size) noexcept override {
    const auto at = procs.find(rank);
    if (at != procs.end()) return &at->second;
    std::strncpy(why, "it has not started", why_size);
    return nullptr;
  }
  Errc modex_put(const char* key, const void* data, std::size_t size) noexcept override {
    published[key].assign(static_cast<const char*>(data), size);
    return Errc::kOk;
  }
  Errc modex_get(std::uint32_t, const char* key, void* out, std::size_t capacity,
                 std::size_t* size) noexcept override {
    const auto at = published.find(key);
    if (at == published.end()) return Errc::kNotFound;
    *size = at->second.size();
    if (*size > capacity) return Errc::kTruncated;
    std::memcpy(out, at->second.data(), *size);
    return Errc::kOk;
  }
  Errc watch(int fd, std::uint32_t events, WatchFunction function, void* context) noexcept override {
    if (no_watches) return Errc::kOutOfMemory;
    watched[fd] = {events, function, context};
    return Errc::kOk;
  }
  Errc rewatch(int fd, std::uint32_t events) noexcept override {
    watched.at(fd).events = events;
    return Errc::kOk;
  }
  void unwatch(int fd) noexcept override { watched.erase(fd); }
  std::uint64_t call_at(std::uint64_t, void (*function)(void*) noexcept, void* context) noexcept override {
    if (no_calls) return 0;
    calls[++last_call_] = {function, context};
    return last_call_;
  }
  bool cancel_call(std::uint64_t id) noexcept override { return calls.erase(id) != 0; }

 private:
  std::uint64_t last_call_ = 0;
};

}  // namespace hawser::btl
