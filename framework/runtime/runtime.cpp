// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "framework/runtime/runtime.hpp"

#include <sys/epoll.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <thread>

#include "framework/base/log.hpp"
#include "framework/runtime/proc_blob.hpp"

namespace hawser {

namespace {

log::Level level_of(std::int64_t verbose) noexcept {
  if (verbose >= 60) return log::Level::kTrace;
  if (verbose >= 40) return log::Level::kDebug;
  if (verbose >= 20) return log::Level::kInfo;
  if (verbose >= 10) return log::Level::kWarn;
  return log::Level::kError;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += (text.empty() ? "" : "; ") + line;
  return text;
}

}  // namespace

Result<std::unique_ptr<Runtime>> Runtime::make() {
  auto modex = modex::connect();
  if (!modex) return modex.error();
  std::unique_ptr<Runtime> runtime(new Runtime);
  runtime->modex_ = std::move(*modex);
  const btl::Job& job = runtime->job();
  log::set_prefix(fmt::format("rank {}", job.rank));
  runtime->self_ = runtime::this_proc(job.rank);
  runtime->procs_ = std::make_unique<peers::PeerTable<btl::Proc>>(job.size);
  if (auto read = runtime->read_params(); !read) runtime->bad_params_ = read.error();
  runtime->live_ = std::make_unique<live::Page>(job, g_many_threads || runtime->params_.progress_thread);
  runtime->engine_.show_sleep(runtime->live_->header().asleep);
  return runtime;
}

Runtime::~Runtime() {
  end_progress_thread();
  engine_.clear_components();
  if (!stopped_) loader_.close();
  hear_speakers();
}

Result<void> Runtime::read_params() {
  rows_ = runtime_param_rows(params_);
  auto read = registry_.read_sources();
  // Declared in any case: the storage must hold the defaults when somebody else's text is composed.
  auto declared = registry_.declare("", "", rows_.data(), rows_.size());
  if (!read) return read;
  return declared;
}

Result<void> Runtime::start() {
  if (bad_params_) return *bad_params_;
  log::set_level(level_of(params_.base_verbose));
  choose_wait();
  if (params_.progress_thread) g_many_threads = true;  // before any component counts or locks
  if (auto found = find_components(); !found) return found;
  if (auto judged = judge_unknown(); !judged) return judged;
  if (auto opened = loader_.open(*this); !opened) return opened;
  started_ = true;
  if (auto published = publish(); !published) return published;
  for (btl::Component* component : loader_.components()) engine_.add_component(*component);
  if (auto watched = watch_launcher(); !watched) return watched;
  if (!params_.progress_thread) return {};
  return progress_thread_.start();
}

bool Runtime::can_change(std::string_view name) noexcept {
  return name == "btl_base_verbose" || name == "hawser_stats";
}

Result<void> Runtime::change(const mca::Setting& setting) {
  if (!can_change(setting.name))
    return make_error(Errc::kUnsupported, "{} cannot change while the job runs", setting.name);
  auto set = registry_.set(setting);
  log::set_level(level_of(params_.base_verbose));
  return set;
}

// Before anything is taken down: from then on only the caller's thread is inside. A callback that asks for
// another rank's addresses is the longest that the thread can be busy with.
void Runtime::end_progress_thread() {
  const auto patience = std::chrono::nanoseconds(params_.modex_timeout_ns) + std::chrono::seconds(60);
  if (progress_thread_.stop(Clock::now() + patience)) return;
  abort(1, fmt::format("rank {}: the progress thread does not end: it is stuck in a callback. Run without it "
                       "(hawser_progress_thread false), or look at it with a debugger",
                       job().rank));
}

// A rank that waits in a receive must notice that its launcher is gone.
Result<void> Runtime::watch_launcher() {
  if (modex_->control_fd() < 0) return {};
  const Errc status = engine_.loop().watch(
      modex_->control_fd(), EPOLLIN,
      [](void* modex, std::uint32_t) noexcept { static_cast<modex::Modex*>(modex)->on_readable(); },
      modex_.get());
  if (status == Errc::kOk) return {};
  return make_error(status, "cannot watch the connection to the launcher: {}", to_text(status));
}

Result<void> Runtime::find_components() {
  if (auto found = loader_.discover(registry_, params_.component_path); !found) return found;
  auto notes = loader_.select(params_.btl);
  if (!notes) return notes.error();
  for (const std::string& note : *notes) {
    if (modex_->first_to_report(note)) log::write(log::Level::kWarn, "", note);
  }
  return {};
}

Result<void> Runtime::judge_unknown() {
  const std::string_view what = params_.unknown_params;
  if (what == "ignore") return {};
  std::vector<std::string> not_loaded;
  for (const loader::PluginView& plugin : loader_.plugins()) {
    if (plugin.stage == loader::Stage::kRefused) not_loaded.push_back("btl_" + plugin.name + "_");
  }
  const std::vector<std::string> unknown = registry_.unknown_settings(not_loaded);
  if (unknown.empty()) return {};
  if (what == "error") return make_error(Errc::kInvalid, "{}", joined(unknown));
  if (modex_->first_to_report("unknown parameters")) log::write(log::Level::kWarn, "", joined(unknown));
  return {};
}

Result<void> Runtime::publish() {
  if (auto put = modex_->put(runtime::kProcKey, runtime::write_proc(self_)); !put) return put;
  if (auto committed = modex_->commit(); !committed) return committed;
  return modex_->fence(true, modex_deadline());
}

void Runtime::choose_wait() noexcept {
  progress::WaitParams wait = progress::default_wait(job().local_size, job().cores);
  if (params_.spin_ns != mca::kAuto) wait.spin_ns = params_.spin_ns;
  if (params_.yield_ns != mca::kAuto) wait.yield_ns = params_.yield_ns;
  engine_.set_wait(wait);
}

Deadline Runtime::modex_deadline() const {
  return Clock::now() + std::chrono::nanoseconds(params_.modex_timeout_ns);
}

void Runtime::stop() {
  if (stopped_) return;
  stopped_ = true;
  end_progress_thread();
  if (started_) {
    flush();
    if (params_.stats) hand_on_stats();
    meet_to_leave();
    if (params_.stats) print_stats();
  }
  engine_.clear_components();
  loader_.close();
  hear_speakers();
  if (modex_->control_fd() >= 0) engine_.loop().unwatch(modex_->control_fd());
  modex_->finalize();
}

// Until all bytes handed over are with the kernel or in the peers' rings, and the layers above are content.
// Peers read them from there while they flush, and at the meeting below.
void Runtime::flush() {
  const Deadline deadline = modex_deadline();
  const auto& components = loader_.components();
  bool all = false;
  engine_.wait_until([&] {
    all = std::all_of(components.begin(), components.end(), [](btl::Component* c) { return c->flushed(); }) &&
          std::all_of(flushes_.begin(), flushes_.end(), [](FlushSource& f) { return f.flushed(f.context); });
    return all || Clock::now() >= deadline;
  });
  if (!all) log::write(log::Level::kWarn, "", "leaving although a peer did not take all that was sent to it");
}

// A rank that closed while others still flush towards it would cut them off, so nobody closes before all have
// flushed; and while this rank waits for that, it still reads. The modex's fence blocks: it gets a thread of
// its own, and this one drives the engine.
void Runtime::meet_to_leave() {
  if (job().size == 1) return;
  std::atomic<bool> met{false};
  std::thread meeting([&] {
    const Result<void> result = modex_->fence(false, modex_deadline());
    if (!result) log::print(log::Level::kWarn, "", "leaving without the others: {}", result.error().text);
    met.store(true, std::memory_order_release);
    engine_.loop().wake();  // stays pending if this comes before the block: no wake-up is lost
  });
  engine_.wait_until([&] { return met.load(std::memory_order_acquire); });
  meeting.join();
}

Result<const btl::Proc*> Runtime::find_proc(std::uint32_t rank) {
  using Made = Result<std::unique_ptr<btl::Proc>>;
  const Deadline deadline = modex_deadline();
  auto found = procs_->get_or_make(rank, deadline, [&]() -> Made {
    if (rank == self_.rank) return std::make_unique<btl::Proc>(self_);
    auto blob = modex_->get(rank, runtime::kProcKey, deadline);
    if (!blob) return blob.error();
    auto proc = runtime::read_proc(rank, *blob);
    if (!proc) return proc.error();
    return std::make_unique<btl::Proc>(*proc);
  });
  if (!found) return found.error();
  return static_cast<const btl::Proc*>(*found);
}

void Runtime::abort(int code, const std::string& text) {
  modex_->abort(code, text);
  __builtin_unreachable();  // g++ does not see [[noreturn]] through a virtual call
}

}  // namespace hawser
