// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "framework/base/result.hpp"
#include "framework/btl/host.hpp"
#include "framework/live/page.hpp"
#include "framework/loader/loader.hpp"
#include "framework/mca/registry.hpp"
#include "framework/modex/modex.hpp"
#include "framework/peers/peer_table.hpp"
#include "framework/progress/engine.hpp"
#include "framework/progress/progress_thread.hpp"
#include "framework/runtime/params.hpp"
#include "framework/runtime/stats.hpp"

namespace hawser {

/// Called when a rail fails; set by the BML before components open.
struct RailFailure {
  void (*function)(void* context, std::uint32_t rank, btl::Module& module, btl::Endpoint& endpoint,
                   Errc status, const char* text) noexcept = nullptr;
  void* context = nullptr;
};

/// Called when a component has new rails to a peer; set by the BML before components open.
struct RailsChange {
  void (*function)(void* context, std::uint32_t rank) noexcept = nullptr;
  void* context = nullptr;
};

/// Asked before a process leaves, with progress in between: true once what was handed over is with the peers,
/// as far as this layer knows. Bounded by hawser_modex_timeout.
struct FlushSource {
  bool (*flushed)(void* context) noexcept = nullptr;
  void* context = nullptr;
};

/// Adds lines of its own to what `hawser_stats` prints.
struct StatsSource {
  void (*append)(void* context, std::string& text) = nullptr;
  void* context = nullptr;
};

/// Owns parameters, plug-ins, modex and progress, and is the only place that knows the order of their making:
/// sources, modex, discovery, selection, open, commit, fence. One per process.
///
/// Use: make it, fill `handlers()`, set `on_rail_failure`, declare further parameters, `start`; at the end
/// `stop`.
class Runtime final : public btl::Host {
 public:
  /// Connects to the launcher and reads the parameter sources. An error is one of the connection: print it
  /// and exit. What is wrong with parameters is told by `start`, whose errors go to `abort`, so that people
  /// see them once and not once per rank.
  static Result<std::unique_ptr<Runtime>> make();
  ~Runtime();

  // --- before start
  mca::Registry& registry() noexcept { return registry_; }
  btl::HandlerTable& handler_table() noexcept { return handlers_; }
  void on_rail_failure(RailFailure what) noexcept { rail_failure_ = what; }
  void on_rails_change(RailsChange what) noexcept { rails_change_ = what; }
  void add_stats(StatsSource source) { stats_.push_back(source); }
  /// Counters of a layer ("bml guard"), which hawser_stats prints; they outlive the runtime's `stop`.
  void add_counters(const char* owner, btl::CounterView counters) {
    layer_counters_.push_back({owner, counters});
  }
  void add_flush(FlushSource source) { flushes_.push_back(source); }

  /// Finds, selects and opens the components; publishes; meets the other ranks; starts the progress thread,
  /// if there is to be one: then other threads than the caller's poll from here on, and g_many_threads is
  /// true.
  Result<void> start();
  /// Flushes, meets the other ranks again while it serves them, closes components, leaves the job. A rank
  /// that is missing at the meeting does not keep this one. The second call does nothing.
  void stop();

  /// Whether that parameter may change while the job runs.
  static bool can_change(std::string_view name) noexcept;
  /// Sets such a parameter, and does what follows from it. Errors as of Registry::set. One thread at a time,
  /// and not during `stop`.
  Result<void> change(const mca::Setting& setting);

  const RuntimeParams& params() const noexcept { return params_; }
  loader::Loader& loader() noexcept { return loader_; }
  modex::Modex& modex() noexcept { return *modex_; }
  progress::Engine& engine() noexcept { return engine_; }
  /// What others see of this process while it runs.
  live::Page& live() noexcept { return *live_; }
  /// kNotFound, kTimedOut, ... with a text naming the rank.
  Result<const btl::Proc*> find_proc(std::uint32_t rank);
  /// Ends the job, with one text for people.
  [[noreturn]] void abort(int code, const std::string& text);
  /// What `hawser_stats` prints as lines: one per module with all its counters, one per rail, then what
  /// others added.
  std::string stats_text() const;

  // --- btl::Host
  const btl::Job& job() const noexcept override { return modex_->job(); }
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
  void modex_forget(std::uint32_t rank) noexcept override;
  void rails_changed(std::uint32_t rank) noexcept override;
  bool logs(btl::LogLevel level) const noexcept override;
  void log(btl::LogLevel level, const char* component, const char* text) noexcept override;
  void say_once(const char* component, const char* topic, const char* text) noexcept override;
  const hawser_btl_descriptor* component(const char* name, char* why, std::size_t why_size) noexcept override;

 private:
  Runtime() = default;
  Result<void> read_params();
  Result<void> find_components();
  Result<void> judge_unknown();
  Result<void> publish();
  Result<void> watch_launcher();
  void choose_wait() noexcept;
  void end_progress_thread();
  void say_if_first(const std::string& component, const std::string& topic, const std::string& text) noexcept;
  void hear_speakers();
  void flush();
  void meet_to_leave();
  runtime::RankStats own_stats() const;
  void hand_on_stats();
  void print_stats();
  Deadline modex_deadline() const;

  RuntimeParams params_;
  std::vector<mca::ParamRow> rows_;
  mca::Registry registry_;
  std::optional<Error> bad_params_;  // found by make, told by start
  std::unique_ptr<modex::Modex> modex_;
  std::unique_ptr<live::Page> live_;
  progress::Engine engine_;
  progress::ProgressThread progress_thread_{engine_};
  loader::Loader loader_;
  btl::HandlerTable handlers_{};
  RailFailure rail_failure_;
  RailsChange rails_change_;
  struct LayerCounters {
    const char* owner;
    btl::CounterView counters;
  };
  std::vector<StatsSource> stats_;
  std::vector<LayerCounters> layer_counters_;
  std::vector<FlushSource> flushes_;
  btl::Proc self_{};
  std::unique_ptr<peers::PeerTable<btl::Proc>> procs_;
  Mutex<LockRank::kLeaf> forgotten_mutex_;
  std::vector<std::unique_ptr<btl::Proc>> forgotten_
      HAWSER_GUARDED_BY(forgotten_mutex_);  // some still point there
  Mutex<LockRank::kLeaf> speakers_mutex_;
  std::vector<std::thread> speakers_ HAWSER_GUARDED_BY(speakers_mutex_);  // each says one thing, once
  std::set<std::string> asked_ HAWSER_GUARDED_BY(speakers_mutex_);        // what about
  bool started_ = false;
  bool stopped_ = false;
};

}  // namespace hawser
