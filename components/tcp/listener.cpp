// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "components/tcp/listener.hpp"

#include <netinet/in.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstring>
#include <new>

#include "framework/base/clock.hpp"

namespace hawser::tcp {
namespace {

constexpr int kAcceptsPerTurn = 32;
constexpr std::uint64_t kUntold = 2'000'000'000;  // ns without one, until people are told

Result<Fd> bound_socket(const interfaces::Interface& interface, std::uint16_t port, const Params& params) {
  const auto address = interfaces::socket_address(interface.address, port, interface.index);
  Fd fd(::socket(address.storage.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!fd) return system_error("opening a socket to listen on", errno);
  const int on = 1;
  ::setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (address.storage.ss_family == AF_INET6)
    ::setsockopt(fd.get(), IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on);
  tune_socket(fd.get(), params);  // the size of the window is agreed on in the handshake, before accept
  if (::bind(fd.get(), address.get(), address.size) != 0 || ::listen(fd.get(), SOMAXCONN) != 0) {
    return system_error(fmt::format("listening on {}", address.text()), errno);
  }
  return fd;
}

Result<Fd> bound_in_range(const interfaces::Interface& interface, const Params& params) {
  const bool v4 = interface.address.family == interfaces::Family::kV4;
  const std::int64_t first = v4 ? params.port_min_v4 : params.port_min_v6;
  const std::int64_t range = v4 ? params.port_range_v4 : params.port_range_v6;
  if (first == 0) return bound_socket(interface, 0, params);
  const std::int64_t last = std::min<std::int64_t>(first + range - 1, 65535);
  for (std::int64_t port = first; port <= last; ++port) {
    auto fd = bound_socket(interface, static_cast<std::uint16_t>(port), params);
    if (fd) return fd;
    if (fd.error().sys_errno != EADDRINUSE) {
      return make_error(fd.error().code, "{} (btl_tcp_port_min_v{} is {})", fd.error().text, v4 ? 4 : 6,
                        first);
    }
  }
  Error error = make_error(Errc::kOutOfMemory,
                           "all ports from {0} to {1} of {2} are in use: widen btl_tcp_port_range_v{3} or "
                           "move btl_tcp_port_min_v{3}",
                           first, last, interface.address.text(), v4 ? 4 : 6);
  error.sys_errno = EADDRINUSE;
  return error;
}

}  // namespace

Result<Fd> Acceptor::bind(const interfaces::Interface& interface) {
  return bound_in_range(interface, context_.params);
}

Errc Acceptor::listen(Fd fd, std::uint16_t key, ModuleCounters& counters) {
  auto& listener = *listeners_.emplace_back(std::make_unique<Listener>(*this, std::move(fd), key, counters));
  return started_ ? listener.start() : Errc::kOk;
}

void Acceptor::stop(std::uint16_t key) noexcept {
  const auto at = std::find_if(listeners_.begin(), listeners_.end(),
                               [&](const auto& listener) { return listener->key == key; });
  if (at != listeners_.end()) listeners_.erase(at);
}

Errc Acceptor::start() noexcept {
  started_ = true;
  for (auto& listener : listeners_) {
    if (const Errc code = listener->start(); code != Errc::kOk) return code;
  }
  return Errc::kOk;
}

void Acceptor::accept_some(Listener& listener) noexcept {
  for (int turn = 0; turn < kAcceptsPerTurn; ++turn) {
    Fd fd = listener.door.accept(nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (!fd) {
      if (listener.door.pauses()) callers_wait(listener, errno);
      return;
    }
    short_since_ns_ = 0;
    hear(std::move(fd), listener);
  }
}

void Acceptor::callers_wait(Listener& listener, int error) noexcept {
  listener.counters.add(Counter::kAcceptsDelayed);
  if (error == EMFILE || error == ENFILE) {
    if (!strangers_.empty()) turn_away(strangers_.front(), "its descriptor is needed");
    context_.news.on_descriptors_short(true);
  }
  if (short_since_ns_ == 0) short_since_ns_ = now_ns();
  if (!told_ && now_ns() - short_since_ns_ > kUntold) {
    told_ = true;
    const std::string text = words(
        "connections of peers have to wait for {:.0f} s by now: {} ({}); raise the limit with ulimit -n",
        static_cast<double>(now_ns() - short_since_ns_) / 1e9, std::strerror(error), file_limit_text());
    context_.host.say_once("tcp", "connections have to wait", text.c_str());
  }
}

void Acceptor::resume() noexcept {
  for (auto& listener : listeners_) listener->door.resume();
}

void Acceptor::hear(Fd fd, Listener& listener) noexcept {
  if (strangers_.size() >= static_cast<std::size_t>(context_.params.half_open_max)) {
    turn_away(strangers_.front(), "others need its place");
  }
  tune_socket(fd.get(), context_.params);
  try {
    auto link = std::make_unique<Link>(context_.host, std::move(fd));
    strangers_.emplace_back(
        Stranger{*this, std::move(link), listener.counters, now_ns() + context_.params.hello_timeout_ns});
  } catch (const std::bad_alloc&) {
    listener.counters.add(Counter::kRefusedStrangers);  // who is of this job calls again
    return;
  }
  Stranger& stranger = strangers_.back();
  const bool watched = stranger.link->watch<&Stranger::on_event>(EPOLLIN, stranger);
  if (!watched) {
    turn_away(stranger, "the event loop takes no more descriptors");
    return;
  }
  arm_timer();
  on_bytes(stranger);  // the hello is often there already
}

void Acceptor::on_bytes(Stranger& stranger) noexcept {
  const Link::Progress progress = stranger.link->read(stranger.link->hello);
  if (progress == Link::Progress::kPending) return;
  const char* why = "it closed before saying who it is";
  if (progress == Link::Progress::kDone) {
    const auto hello = context_.notary.read_hello(stranger.link->hello, why);
    if (hello) {
      ModuleCounters& counters = stranger.counters;
      sink_.on_hello(*hello, take_out(stranger), counters);
      return;
    }
  }
  turn_away(stranger, why);
}

void Acceptor::turn_away(Stranger& stranger, const char* why) noexcept {
  stranger.counters.add(Counter::kRefusedStrangers);
  context_.log(btl::LogLevel::kDebug, "closing a connection from outside the job: {}", why);
  take_out(stranger);
}

std::unique_ptr<Link> Acceptor::take_out(Stranger& stranger) noexcept {
  std::unique_ptr<Link> link = std::move(stranger.link);
  link->unwatch();
  strangers_.remove_if([&](const Stranger& at) { return &at == &stranger; });
  return link;
}

void Acceptor::arm_timer() noexcept {
  if (timer_ != 0 || strangers_.empty()) return;
  timer_ = btl::call_at<&Acceptor::on_timer>(context_.host, strangers_.front().until_ns, *this);
}

void Acceptor::check_timers() noexcept {
  if (timer_ == 0) on_timer();
}

void Acceptor::on_timer() noexcept {
  timer_ = 0;
  while (!strangers_.empty() && strangers_.front().until_ns <= now_ns()) {
    turn_away(strangers_.front(), "it did not say in time who it is");
  }
  arm_timer();
}

void Acceptor::close() noexcept {
  if (timer_ != 0) context_.host.cancel_call(timer_);
  timer_ = 0;
  strangers_.clear();
  listeners_.clear();
}

}  // namespace hawser::tcp
