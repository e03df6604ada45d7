// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "framework/progress/event_loop.hpp"

#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <new>

#include "framework/base/clock.hpp"
#include "framework/base/log.hpp"

namespace hawser::progress {

namespace {

constexpr std::uint64_t kWakeKey = UINT64_MAX;  // no watch has it: a descriptor is never negative
constexpr int kBatch = 64;                      // timers, taken in one run

std::uint64_t key_of(int fd, std::uint32_t generation) noexcept {
  return std::uint64_t{generation} << 32 | static_cast<std::uint32_t>(fd);
}

// A process without epoll cannot move a byte; there is nobody yet to hand an error to.
[[noreturn]] void die(const char* what, int sys_errno) {
  log::write(log::Level::kError, "progress", system_error(what, sys_errno).text);
  std::abort();
}

}  // namespace

EventLoop::EventLoop()
    : epoll_(::epoll_create1(EPOLL_CLOEXEC)), wake_(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {
  if (!epoll_)
    die("cannot make the event loop (raise the limit of open files, ulimit -n): epoll_create1", errno);
  if (!wake_) die("cannot make the event loop (raise the limit of open files, ulimit -n): eventfd", errno);
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.u64 = kWakeKey;
  if (::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, wake_.get(), &event) != 0)
    die("cannot watch the wake-up", errno);
}

EventLoop::~EventLoop() = default;

Errc EventLoop::watch(int fd, std::uint32_t events, btl::WatchFunction function, void* context) noexcept {
  if (fd < 0 || function == nullptr) return Errc::kInvalid;
  Lock lock(mutex_);
  Watch watch{++next_generation_, function, context};
  epoll_event event{};
  event.events = events;
  event.data.u64 = key_of(fd, watch.generation);
  if (::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event) != 0) {
    return errno == EEXIST ? Errc::kInvalid : class_of_errno(errno);
  }
  try {
    watches_.insert_or_assign(fd, watch);  // an entry of a descriptor closed behind our back gives way
  } catch (const std::bad_alloc&) {
    ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, fd, nullptr);
    return Errc::kOutOfMemory;
  }
  watched_.store(watches_.size(), std::memory_order_relaxed);
  return Errc::kOk;
}

Errc EventLoop::rewatch(int fd, std::uint32_t events) noexcept {
  Lock lock(mutex_);
  auto it = watches_.find(fd);
  if (it == watches_.end()) return Errc::kNotFound;
  epoll_event event{};
  event.events = events;
  event.data.u64 = key_of(fd, it->second.generation);
  return ::epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, fd, &event) == 0 ? Errc::kOk : class_of_errno(errno);
}

void EventLoop::unwatch(int fd) noexcept {
  Lock lock(mutex_);
  if (watches_.erase(fd) == 0) return;
  ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, fd, nullptr);
  watched_.store(watches_.size(), std::memory_order_relaxed);
}

std::uint64_t EventLoop::call_at(std::uint64_t at_ns, void (*function)(void*) noexcept,
                                 void* context) noexcept {
  std::uint64_t id;
  {
    Lock lock(mutex_);
    id = timers_.add(at_ns, {function, context});
    note_next_timer();
  }
  wake_for(at_ns);
  return id;
}

// Pairs with `wait`: either we see that it sleeps, or it sees our timer when it works out how long it may.
void EventLoop::wake_for(std::uint64_t at_ns) noexcept {
  if (next_timer_ns_.load(std::memory_order_seq_cst) >= at_ns &&
      sleeping_.load(std::memory_order_seq_cst) != 0)
    wake();
}

EventLoop::Timer::Timer(EventLoop& loop, void (*function)(void*) noexcept, void* context) : loop_(loop) {
  Lock lock(loop_.mutex_);
  id_ = loop_.timers_.make({function, context});
}

EventLoop::Timer::~Timer() {
  Lock lock(loop_.mutex_);
  loop_.timers_.drop(id_);
  loop_.note_next_timer();
}

void EventLoop::Timer::set(std::uint64_t at_ns) noexcept {
  {
    Lock lock(loop_.mutex_);
    loop_.timers_.set(id_, at_ns);
    loop_.note_next_timer();
  }
  loop_.wake_for(at_ns);
}

bool EventLoop::cancel_call(std::uint64_t id) noexcept {
  Lock lock(mutex_);
  if (!timers_.cancel(id)) return false;
  note_next_timer();
  return true;
}

void EventLoop::note_next_timer() noexcept {
  next_timer_ns_.store(timers_.next(), std::memory_order_seq_cst);
}

void EventLoop::wake() noexcept {
  const std::uint64_t one = 1;
  retry_eintr([&] { return ::write(wake_.get(), &one, sizeof one); });  // EAGAIN: it is awake as can be
}

int EventLoop::run(int timeout_ms) noexcept {
  Ready ready;
  if (timeout_ms != 0 || watched() != 0) wait(timeout_ms, ready);
  return run(ready);
}

int EventLoop::run(const Ready& ready) noexcept {
  int ran = 0;
  for (int i = 0; i < ready.count; ++i) ran += dispatch(ready.events[i].data.u64, ready.events[i].events);
  return ran + run_timers();
}

void EventLoop::wait(int timeout_ms, Ready& ready) noexcept {
  if (timeout_ms != 0) {
    assert_no_locks_held();
    sleeping_.fetch_add(1, std::memory_order_seq_cst);
  }
  // EINTR counts as "nothing came": the caller looks at what it waits for, as a signal handler may want.
  ready.count = ::epoll_wait(epoll_.get(), ready.events, Ready::kMost, timeout_for(timeout_ms));
  if (timeout_ms != 0) sleeping_.fetch_sub(1, std::memory_order_relaxed);
}

bool EventLoop::await(int other_fd, int timeout_ms) noexcept {
  assert_no_locks_held();
  sleeping_.fetch_add(1, std::memory_order_seq_cst);
  // An epoll descriptor is readable while one of its own is ready: nothing is taken from it here.
  pollfd entries[] = {{epoll_.get(), POLLIN, 0}, {other_fd, POLLIN, 0}};
  const int ready = ::poll(entries, 2, timeout_for(timeout_ms));
  sleeping_.fetch_sub(1, std::memory_order_relaxed);
  return ready > 0 && entries[1].revents != 0;
}

bool EventLoop::dispatch(std::uint64_t key, std::uint32_t events) noexcept {
  if (key == kWakeKey) {
    std::uint64_t count;
    retry_eintr([&] { return ::read(wake_.get(), &count, sizeof count); });
    return false;
  }
  Watch watch;
  {
    Lock lock(mutex_);
    auto it = watches_.find(static_cast<int>(key & UINT32_MAX));
    // Gone, or another one by now: an earlier callback of this batch closed and reused the descriptor.
    if (it == watches_.end() || it->second.generation != key >> 32) return false;
    watch = it->second;
  }
  watch.function(watch.context, events);
  return true;
}

int EventLoop::run_timers() noexcept {
  if (!has_timers()) return 0;
  const std::uint64_t now = now_ns();
  int ran = 0;
  while (ran < kBatch && next_timer_ns_.load(std::memory_order_relaxed) <= now) {
    Timers::Call call;
    {
      Lock lock(mutex_);
      if (!timers_.take_due(now, call)) break;  // cancelled just now
      note_next_timer();
    }
    call.function(call.context);
    ++ran;
  }
  return ran;
}

int EventLoop::timeout_for(int timeout_ms) const noexcept {
  if (timeout_ms == 0) return 0;
  const std::uint64_t next = next_timer_ns_.load(std::memory_order_seq_cst);
  if (next == Timers::kNever) return timeout_ms;
  const std::uint64_t now = now_ns();
  if (next <= now) return 0;
  const std::uint64_t until_ms =
      std::min<std::uint64_t>((next - now) / 1'000'000 + 1, INT32_MAX);  // never too early
  return timeout_ms < 0 ? static_cast<int>(until_ms) : std::min(timeout_ms, static_cast<int>(until_ms));
}

}  // namespace hawser::progress
