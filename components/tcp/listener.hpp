// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <vector>

#include "components/tcp/context.hpp"
#include "components/tcp/link.hpp"
#include "components/tcp/send_half.hpp"
#include "framework/base/result.hpp"
#include "framework/btl/listener.hpp"
#include "framework/interfaces/interface.hpp"

namespace hawser::tcp {

/// Who takes a connection over once its hello proved valid. Progress role.
class InboundSink {
 public:
  virtual void on_hello(const Hello& hello, std::unique_ptr<Link> link,
                        ModuleCounters& counters) noexcept = 0;

 protected:
  ~InboundSink() = default;
};

/// Listens on the selected addresses, and hears out whoever connects until it has said a valid hello.
/// Strangers cost a bounded number of slots for a bounded time, and get no byte. Progress role.
class Acceptor {
 public:
  Acceptor(Context& context, InboundSink& sink) noexcept : context_(context), sink_(sink) {}
  ~Acceptor() { close(); }

  /// A socket that listens on a port of that address, as the parameters allow.
  Result<Fd> bind(const interfaces::Interface& interface);
  /// Answers calls that come there, once started. `counters` take what happens; `key` is for `stop`.
  Errc listen(Fd fd, std::uint16_t key, ModuleCounters& counters);
  /// Nobody may call there any more. A key that is not known does nothing.
  void stop(std::uint16_t key) noexcept;
  Errc start() noexcept;
  /// Descriptors are there again, perhaps: answers those who had to wait.
  void resume() noexcept;
  /// Called now and then: what a timer was to do if there was no memory for it.
  void check_timers() noexcept;
  void close() noexcept;

 private:
  struct Listener {
    Listener(Acceptor& its_owner, Fd socket, std::uint16_t its_key, ModuleCounters& its_counters) noexcept
        : owner(its_owner), unstarted(std::move(socket)), key(its_key), counters(its_counters) {}
    Errc start() noexcept {
      return door.start<&Listener::on_call>(owner.context_.host, std::move(unstarted), *this);
    }
    void on_call() noexcept { owner.accept_some(*this); }

    Acceptor& owner;
    Fd unstarted;  // the socket, until then
    btl::Listener door;
    const std::uint16_t key;
    ModuleCounters& counters;
  };
  struct Stranger {
    Acceptor& owner;
    std::unique_ptr<Link> link;
    ModuleCounters& counters;
    std::uint64_t until_ns;
    void on_event() noexcept { owner.on_bytes(*this); }
  };
  using Strangers = std::list<Stranger>;

  void accept_some(Listener& listener) noexcept;
  void callers_wait(Listener& listener, int error) noexcept;
  void hear(Fd fd, Listener& listener) noexcept;
  void on_bytes(Stranger& stranger) noexcept;
  void turn_away(Stranger& stranger, const char* why) noexcept;
  std::unique_ptr<Link> take_out(Stranger& stranger) noexcept;
  void arm_timer() noexcept;
  void on_timer() noexcept;

  Context& context_;
  InboundSink& sink_;
  std::vector<std::unique_ptr<Listener>> listeners_;
  Strangers strangers_;  // oldest first
  std::uint64_t timer_ = 0;
  bool started_ = false;
  std::uint64_t short_since_ns_ = 0;  // no descriptor was to be had; 0: there are some
  bool told_ = false;                 // about the lack of descriptors, once
};

}  // namespace hawser::tcp
