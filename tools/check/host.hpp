// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "framework/base/mutex.hpp"
#include "framework/btl/host.hpp"
#include "framework/loader/loader.hpp"
#include "framework/progress/event_loop.hpp"
#include "tools/check/board.hpp"

namespace hawser::check {

struct Part;

/// The host that a component under test sees: a real event loop, a modex on the board, and a note of whatever
/// the component reports. It can refuse what a host may refuse.
class Host final : public btl::Host {
 public:
  struct Failure {
    std::uint32_t rank;
    btl::Module* module;
    btl::Endpoint* endpoint;
    Errc status;
    std::string text;
  };

  Host(const Part& part, const loader::Loader& loader);

  btl::HandlerTable& table() noexcept { return handlers_; }
  progress::EventLoop& loop() noexcept { return loop_; }
  Board& board() noexcept { return board_; }
  /// From now on other ranks find what was put.
  void commit() noexcept;
  /// Nothing was put.
  void uncommit() noexcept;
  /// From now on answered instead of doing it.
  Errc answer_to_put = Errc::kOk;
  Errc answer_to_watch = Errc::kOk;

  const std::vector<Failure>& failures() const noexcept { return failures_; }
  int complaints() const noexcept { return complaints_.load(); }
  std::string last_complaint() noexcept;

  // --- btl::Host
  const btl::Job& job() const noexcept override { return job_; }
  const btl::Proc* proc(std::uint32_t rank, char* why, std::size_t why_size) noexcept override;
  const btl::HandlerTable& handlers() const noexcept override { return handlers_; }
  Errc modex_put(const char* key, const void* data, std::size_t size) noexcept override;
  Errc modex_get(std::uint32_t rank, const char* key, void* out, std::size_t capacity,
                 std::size_t* size) noexcept override;
  Errc watch(int fd, std::uint32_t events, btl::WatchFunction function, void* context) noexcept override;
  Errc rewatch(int fd, std::uint32_t events) noexcept override;
  void unwatch(int fd) noexcept override;
  std::uint64_t call_at(std::uint64_t at_ns, void (*function)(void*) noexcept,
                        void* context) noexcept override;
  bool cancel_call(std::uint64_t id) noexcept override;
  void wake() noexcept override;
  void rail_failed(std::uint32_t rank, btl::Module& module, btl::Endpoint& endpoint, Errc status,
                   const char* text) noexcept override;
  void modex_forget(std::uint32_t) noexcept override {}
  void rails_changed(std::uint32_t) noexcept override {}
  bool logs(btl::LogLevel level) const noexcept override { return level >= btl::LogLevel::kWarn; }
  void log(btl::LogLevel level, const char* component, const char* text) noexcept override;
  void say_once(const char* component, const char*, const char* text) noexcept override {
    log(btl::LogLevel::kWarn, component, text);
  }
  const hawser_btl_descriptor* component(const char* name, char* why, std::size_t why_size) noexcept override;

 private:
  Board::Shelf& shelf_of(std::uint32_t rank) noexcept {
    return board_.shelves[rank == job_.rank ? own_shelf_ : rank];
  }
  bool wait_committed(std::uint32_t rank) noexcept;

  Board& board_;
  const loader::Loader& loader_;
  const std::chrono::seconds patience_;
  const std::uint32_t own_shelf_;
  btl::Job job_{};
  btl::Proc procs_[kMaxRanks]{};
  btl::HandlerTable handlers_{};
  progress::EventLoop loop_;
  std::vector<Failure> failures_;  // the progress role's own
  std::atomic<int> complaints_{0};
  Mutex<LockRank::kLeaf> mutex_;
  std::string last_complaint_ HAWSER_GUARDED_BY(mutex_);
};

}  // namespace hawser::check
