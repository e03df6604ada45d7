// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "framework/base/errc.hpp"
#include "framework/btl/message.hpp"

struct hawser_btl_descriptor;

namespace hawser::btl {

class Component;
class Endpoint;
class Module;

/// A process of the job, as its launcher and its modex blob describe it. Constant once known.
struct Proc {
  std::uint32_t rank;            // in the job
  std::uint32_t pid;             // in its process namespace
  std::uint64_t incarnation;     // random; differs after a restart
  unsigned char boot_id[16];     // of the kernel it runs on
  std::uint64_t net_namespace;   // inode of /proc/self/ns/net
  std::uint64_t pid_namespace;   // inode of /proc/self/ns/pid
  std::uint64_t user_namespace;  // inode of /proc/self/ns/user
  char host[64];                 // zero-terminated
};

/// Same kernel, same network and process namespaces: what may share memory and loopback.
inline bool same_node(const Proc& a, const Proc& b) noexcept {
  for (std::size_t i = 0; i < sizeof a.boot_id; ++i) {
    if (a.boot_id[i] != b.boot_id[i]) return false;
  }
  return a.net_namespace == b.net_namespace && a.pid_namespace == b.pid_namespace;
}

inline constexpr std::size_t kSecretSize = 32;

/// The job as every rank sees it.
struct Job {
  std::uint64_t id;                   // of the job, random
  std::uint32_t size;                 // ranks
  std::uint32_t rank;                 // of this process
  std::uint32_t local_size;           // ranks that the launcher started on this machine
  std::uint32_t cores;                // cores that those share: affinity and cgroup quota, not the machine
  unsigned char secret[kSecretSize];  // known to its ranks alone
};

enum class LogLevel : std::int32_t { kTrace = 0, kDebug = 1, kInfo = 2, kWarn = 3, kError = 4 };

/// Called by the event loop in the progress role; `events` as in epoll.
using WatchFunction = void (*)(void* context, std::uint32_t events) noexcept;

/// What the host lends a component. Any thread, unless it says otherwise; never call with a lock held, except
/// log, watch, rewatch, unwatch and wake.
class Host {
 public:
  /// Constant.
  virtual const Job& job() const noexcept = 0;
  /// The process of that rank; may ask the modex and so block up to its deadline. Null, with a text for
  /// people in `why` (at most `why_size` bytes), if it is not to be had.
  virtual const Proc* proc(std::uint32_t rank, char* why, std::size_t why_size) noexcept = 0;
  /// Constant from open() on.
  virtual const HandlerTable& handlers() const noexcept = 0;

  /// Publishes this process's blob under `key`; the same key again replaces it. From open() it is committed
  /// right after; later it is committed at once, and peers that have not asked yet get the new one.
  virtual Errc modex_put(const char* key, const void* data, std::size_t size) noexcept = 0;
  /// Drops what is known of `rank`, so that the next modex_get and proc ask anew: it was restarted, or has
  /// published again.
  virtual void modex_forget(std::uint32_t rank) noexcept = 0;
  /// The blob of `rank`: kOk and `*size` bytes in `out`; kNotFound: it published none; kTimedOut; kPeerGone;
  /// kTruncated: more than `capacity`, `*size` says how many. Joins a request under way. May block up to its
  /// deadline.
  virtual Errc modex_get(std::uint32_t rank, const char* key, void* out, std::size_t capacity,
                         std::size_t* size) noexcept = 0;

  /// Watches a descriptor with the process's event loop (level-triggered). After unwatch returns from the
  /// progress role no call comes; from elsewhere one may still be running.
  virtual Errc watch(int fd, std::uint32_t events, WatchFunction function, void* context) noexcept = 0;
  /// Changes the events that are waited for.
  virtual Errc rewatch(int fd, std::uint32_t events) noexcept = 0;
  /// See `watch`.
  virtual void unwatch(int fd) noexcept = 0;
  /// Runs `function` in the progress role at or after `at_ns` of the monotonic clock; once. Gives an id;
  /// 0: no memory for it, no call comes. When memory has run out, at least 64 more calls can still be set.
  virtual std::uint64_t call_at(std::uint64_t at_ns, void (*function)(void* context) noexcept,
                                void* context) noexcept = 0;
  /// False: it ran already, or runs now.
  virtual bool cancel_call(std::uint64_t id) noexcept = 0;
  /// Ends a wait of the progress role.
  virtual void wake() noexcept = 0;

  /// The rail `endpoint` of `module` to `rank` is gone; all pending descriptors on it were completed before.
  /// At most once per endpoint. kUnreachable: nothing was lost on it.
  virtual void rail_failed(std::uint32_t rank, Module& module, Endpoint& endpoint, Errc status,
                           const char* text) noexcept = 0;

  /// The rails to `rank` are others now: add_procs answers the new set from here on. An endpoint that is no
  /// longer in it answers posts with kUnreachable, what it holds unsent completes with kUnreachable, both
  /// once this call has returned, so that there is always a way; and it stays valid until close(), since a
  /// thread may be inside. One on which bytes may have been lost is reported with rail_failed before.
  /// Progress role, no lock held.
  virtual void rails_changed(std::uint32_t rank) noexcept = 0;

  /// Whether a line of that level would be written: ask before you make its text.
  virtual bool logs(LogLevel level) const noexcept = 0;
  /// One line.
  virtual void log(LogLevel level, const char* component, const char* text) noexcept = 0;
  /// Tells people, whatever the verbosity: the first rank of the job that has something to say on `topic`.
  /// Asks the launcher: open() waits for its answer, 30 s at most; later it is said when that comes, and
  /// nobody waits. For what is rare.
  virtual void say_once(const char* component, const char* topic, const char* text) noexcept = 0;

  /// Another component that was found, with its parameters resolved, whether it is used or not: for one that
  /// wraps others. Null, with a text for people in `why`, if there is none of that name.
  virtual const hawser_btl_descriptor* component(const char* name, char* why,
                                                 std::size_t why_size) noexcept = 0;

 protected:
  ~Host() = default;
};

}  // namespace hawser::btl
