// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "components/tcp/flusher.hpp"

#include <pthread.h>
#include <unistd.h>

#include <exception>

#include "components/tcp/endpoint.hpp"
#include "framework/base/hooks.hpp"
#include "framework/base/signals_off.hpp"
#include "framework/base/unsent.hpp"

namespace hawser::tcp {
namespace {

// A look costs the rank, whose core it shares, some 20 us, and to be woken costs it as much. After so many
// looks in vain the thread looks less often, and sleeps until it is called once nothing waited meanwhile.
constexpr unsigned kQuickLooks = 32;
constexpr unsigned kSlower = 16;
constexpr std::chrono::seconds kLongest{60};

}  // namespace

void Flusher::add(Endpoint& endpoint) noexcept {
  Endpoint* head = waiting_.load(std::memory_order_relaxed);
  do {
    endpoint.next_waiting = head;
  } while (
      !waiting_.compare_exchange_weak(head, &endpoint, std::memory_order_seq_cst, std::memory_order_relaxed));
  used_.store(true, std::memory_order_relaxed);
}

void Flusher::wake() noexcept {
  const Lock lock(mutex_);
  changed_.notify_one();
}

int Flusher::flush_all() noexcept {
  g_unsent.exchange(false,
                    std::memory_order_acq_rel);  // before the list is taken: who lists after says so again
  int moved = 0;
  Endpoint* at = waiting_.exchange(nullptr, std::memory_order_acq_rel);
  while (at) {
    Endpoint* next = at->next_waiting;  // it may be listed again from inside
    if (at->flush()) ++moved;
    at = next;
  }
  return moved;
}

bool Flusher::flush_from_thread() noexcept {
  Endpoint* at = waiting_.exchange(nullptr, std::memory_order_acquire);
  bool any = false;
  while (at) {
    Endpoint* next = at->next_waiting;
    const SendHalf::Help help = at->help();
    any = any || help.wrote;
    if (help.more) {
      add(*at);
      at->call_pass();  // the one to come may have found nothing listed, and be on its way to sleep
    }
    at = next;
  }
  return any;
}

void Flusher::start() noexcept {
  asked_.store(0, std::memory_order_relaxed);
  if (interval_ns_ == 0 || thread_.joinable()) return;
  const SignalsOff signals_off;
  try {
    thread_ = std::thread([this, interval = std::chrono::nanoseconds(interval_ns_)] { run(interval); });
  } catch (const std::exception&) {  // no thread is to be had, or no memory: each message goes by itself
    interval_ns_ = 0;
    return;
  }
  process_ = ::getpid();
  ready_.store(true, std::memory_order_release);
}

void Flusher::run(std::chrono::nanoseconds interval) noexcept {
  pthread_setname_np(pthread_self(), "hawser-tcp");
  unsigned vain = 0;
  Lock lock(mutex_);
  while (!stopped_) {
    auto pause = interval;
    if (vain >= kQuickLooks && used_.exchange(false, std::memory_order_relaxed)) {
      pause *= kSlower;
    } else if (vain >= kQuickLooks) {
      asleep_.store(true, std::memory_order_seq_cst);
      HAWSER_HOOK("tcp.before_flusher_sleeps");
      if (!waiting_.load(std::memory_order_seq_cst)) changed_.wait_until(lock, Clock::now() + kLongest);
      asleep_.store(false, std::memory_order_relaxed);
    }
    if (stopped_) return;
    changed_.wait_until(lock, Clock::now() + pause);
    lock.unlock();
    vain = flush_from_thread() ? 0 : vain + 1;
    lock.lock();
  }
}

void Flusher::stop() noexcept {
  ready_.store(false, std::memory_order_relaxed);
  interval_ns_ = 0;
  if (!thread_.joinable()) return;
  if (process_ != ::getpid()) return thread_.detach();  // a child after fork has no such thread
  {
    const Lock lock(mutex_);
    stopped_ = true;
    changed_.notify_one();
  }
  thread_.join();
}

}  // namespace hawser::tcp
