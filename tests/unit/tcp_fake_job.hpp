// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "components/tcp/component.hpp"
#include "components/tcp/counters.hpp"
#include "framework/progress/event_loop.hpp"

namespace hawser::tcp::testing {

/// What the ranks of a test's job share: identities and published blobs. A rank is restarted by making
/// another Rank of that number.
struct FakeJob {
  explicit FakeJob(std::uint32_t size);
  btl::Job of(std::uint32_t rank) const;
  /// What that rank has published last.
  Blob published(std::uint32_t rank);

  std::uint32_t size;
  btl::Job job{};
  std::vector<btl::Proc> procs;
  std::mutex mutex;
  std::map<std::pair<std::uint32_t, std::string>, std::string> blobs;
  std::uint32_t dead = ~0u;  // a rank that ended before it published anything
};

struct Received {
  std::uint32_t rank;
  std::string header;
  std::string data;
  bool placed;
};

struct Failure {
  std::uint32_t rank;
  Errc status;
  std::string text;
};

/// A rank of the job with the tcp component in it, driven by hand. Messages with tag 1 are kept; with tag 2
/// they are placed.
class Rank final : public btl::Host {
 public:
  Rank(FakeJob& job, std::uint32_t rank);
  ~Rank();

  /// Opens the component with the parameters as they are now. The reason if it does not open.
  std::string open();
  void close();
  /// One pass of progress.
  void turn(int timeout_ms = 0);
  /// The same without a sleep in between, and of the component alone.
  void pass();
  void poll();

  btl::Reach reach(std::uint32_t rank);
  std::uint64_t count(Counter counter) const;

  Component& component() { return component_; }
  std::vector<Received> received;
  std::vector<Failure> failures;
  std::size_t unsaid = 0;              // of those, for which there was no memory
  std::vector<std::uint32_t> changes;  // ranks whose rails changed
  std::vector<std::string> log_lines;
  std::function<void()> on_deliver;  // called at each delivery
  int forgotten = 0;                 // times that something was asked anew
  int abandoned = 0;
  bool refuse_place = false;
  bool refuse_watch = false;  // there is no memory for one
  btl::LogLevel log_level = btl::LogLevel::kWarn;

  // --- btl::Host
  const btl::Job& job() const noexcept override { return own_job_; }
  const btl::Proc* proc(std::uint32_t rank, char* why, std::size_t why_size) noexcept override;
  const btl::HandlerTable& handlers() const noexcept override { return handlers_; }
  Errc modex_put(const char* key, const void* data, std::size_t size) noexcept override;
  Errc modex_get(std::uint32_t rank, const char* key, void* out, std::size_t capacity,
                 std::size_t* size) noexcept override;
  Errc watch(int fd, std::uint32_t events, btl::WatchFunction function, void* context) noexcept override;
  Errc rewatch(int fd, std::uint32_t events) noexcept override { return loop_.rewatch(fd, events); }
  void unwatch(int fd) noexcept override { loop_.unwatch(fd); }
  std::uint64_t call_at(std::uint64_t at_ns, void (*function)(void*) noexcept,
                        void* context) noexcept override;
  bool cancel_call(std::uint64_t id) noexcept override { return loop_.cancel_call(id); }
  void wake() noexcept override { loop_.wake(); }
  void rail_failed(std::uint32_t rank, btl::Module&, btl::Endpoint&, Errc status,
                   const char* text) noexcept override;
  void modex_forget(std::uint32_t rank) noexcept override;
  void rails_changed(std::uint32_t rank) noexcept override { changes.push_back(rank); }
  bool logs(btl::LogLevel level) const noexcept override { return level >= log_level; }
  void log(btl::LogLevel level, const char* component, const char* text) noexcept override;
  void say_once(const char* component, const char*, const char* text) noexcept override {
    log(btl::LogLevel::kWarn, component, text);
  }
  const hawser_btl_descriptor* component(const char*, char*, std::size_t) noexcept override {
    return nullptr;
  }

 private:
  static void deliver(void* context, const btl::Message& message) noexcept;
  static bool place(void* context, const btl::Message& head, btl::Placement& out) noexcept;
  static void abandon(void* context, const btl::Message& head) noexcept;

  FakeJob& shared_;
  const std::uint32_t rank_;
  const btl::Job own_job_;
  btl::HandlerTable handlers_{};
  std::map<std::pair<std::uint32_t, std::string>, std::string> cache_;  // as a modex keeps what it was told
  std::map<void*, std::unique_ptr<std::string>> placements_;  // by cookie; several at once, one a rail
  Component component_;  // before the loop: its last sockets leave the loop in close()
  progress::EventLoop loop_;
  bool open_ = false;
};

/// A message of tag `tag` that outlives its post; counts its completions.
struct Letter {
  Letter(btl::Tag tag, std::string header, std::string body);

  btl::Descriptor descriptor;
  std::string data;
  iovec piece{};
  int completions = 0;
  Errc status = Errc::kOk;
};

/// Parameters at their defaults, with loopback alone and short pauses.
void reset_params();
/// Turns all ranks until `done` or ten seconds have passed; what `done` says at the end.
bool drive(const std::vector<Rank*>& ranks, const std::function<bool()>& done);

}  // namespace hawser::tcp::testing
