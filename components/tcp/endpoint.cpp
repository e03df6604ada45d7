// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "components/tcp/endpoint.hpp"

#include <sys/epoll.h>

#include <cstring>

#include "components/tcp/blob.hpp"
#include "components/tcp/io.hpp"
#include "components/tcp/module.hpp"
#include "components/tcp/silence.hpp"
#include "framework/base/clock.hpp"
#include "framework/live/page.hpp"

namespace hawser::tcp {

using btl::Posted;

namespace {

constexpr std::uint64_t kLeaveTime = 5'000'000'000;  // ns; for the peer's last words to arrive

}  // namespace

Endpoint::Endpoint(Context& context, Module& module, RailFacts facts)
    : context_(context),
      module_(module),
      facts_(std::move(facts)),
      send_(context, *this, module.own_counters(), module.largest_frame()),
      receive_(context.host.handlers(), module.own_counters(), context.spare_buffer, facts_.rank,
               facts_.largest) {
  receive_.set_rail(module, *this);
}

Endpoint::~Endpoint() = default;

Posted Endpoint::send(btl::Descriptor& descriptor) noexcept {
  const Posted posted = send_.post(descriptor);
  if (HAWSER_LIKELY(posted == Posted::kDone)) return posted;
  if (posted == Posted::kUnreachable || state() != State::kReady) ask_attention();
  return posted;
}

Posted Endpoint::sendi(btl::Head head, const void* data, std::size_t size) noexcept {
  const Posted posted = send_.post_now(head, data, size);
  if (HAWSER_LIKELY(posted == Posted::kDone)) return posted;
  const State now = state();
  if (posted == Posted::kNoResource &&
      (now == State::kFailed || now == State::kLeaving || now == State::kClosing || now == State::kClosed)) {
    return Posted::kUnreachable;
  }
  if (posted == Posted::kNoResource) module_.own_counters().add_shared(Counter::kNoResource);
  if (posted == Posted::kUnreachable || now != State::kReady) ask_attention();
  return posted;
}

// Connections are made, and broken ones buried, by the progress role alone: others only ask for it.
void Endpoint::ask_attention() noexcept {
  wanted_.store(true, std::memory_order_release);
  if (asked_.exchange(true, std::memory_order_acq_rel)) return;
  Endpoint* head = context_.attention.load(std::memory_order_relaxed);
  do {
    next_attention = head;
  } while (!context_.attention.compare_exchange_weak(head, this, std::memory_order_release,
                                                     std::memory_order_relaxed));
  context_.host.wake();
}

void Endpoint::on_attention() noexcept {
  asked_.store(false, std::memory_order_release);
  if (retired_.load(std::memory_order_acquire)) {
    close();
    return;
  }
  send_.complete_gone();
  if (state() == State::kReady) check_write_error();
  if (hurry_.exchange(false, std::memory_order_acq_rel)) start_over();
  if (standing() == Standing::kAside) hand_back();
  if (state() == State::kIdle && !probing() && wanted_.load(std::memory_order_acquire)) dial(Event::kDial);
}

/// Lets others see how a rail is doing. That one failed tells whoever gives it up.
void Endpoint::show(State now) const noexcept {
  if (now == State::kReady) {
    live::note_rail(facts_.rank, module_, live::RailState::kUp);
  } else if (now != State::kIdle && now < State::kReady) {
    live::note_rail(facts_.rank, module_, live::RailState::kConnecting);
  }
}

bool Endpoint::step(Event event) noexcept {
  const State from = state();
  const auto to = next_state(from, event);
  if (!to) {
    context_.log(btl::LogLevel::kDebug, "{}: {} means nothing while {}", describe(), to_text(event),
                 to_text(from));
    return false;
  }
  context_.log(btl::LogLevel::kTrace, "{}: {} -> {} on {}", describe(), to_text(from), to_text(*to),
               to_text(event));
  state_.store(*to, std::memory_order_release);
  if (standing() == Standing::kRail) show(*to);
  return true;
}

// The hello is through: from here on `link`'s socket carries messages.
void Endpoint::become_ready(std::unique_ptr<Link> link) noexcept {
  cancel_timer();
  dial_.reset();
  inbound_.reset();
  if (parked_) refuse(std::move(parked_), Reply::kDuplicate);
  const std::uint32_t told = link->told_generation;
  stream_ = link->release();
  if (facts_.same_machine) tune_within_machine(stream_.get(), context_.params);
  link.reset();
  if (!receive_.start() || !watch_stream(stream_.get(), EPOLLIN)) {
    lose(Errc::kOutOfMemory, "no memory for a connection");
    return;
  }
  context_.log(btl::LogLevel::kDebug, "{}: ready", describe());
  ready_ns_ = now_ns();
  if (standing() != Standing::kRail || context_.unsteady) context_.news.on_unsteady();
  send_.open(stream_.get());
  if (told != context_.generation.load(std::memory_order_acquire)) push_update();
  check_write_error();
}

void Endpoint::push_update() noexcept {
  if (state() == State::kReady) send_.post_update(context_.published);
}

void Endpoint::call() noexcept {
  wanted_.store(true, std::memory_order_release);
  if (state() == State::kIdle && !probing()) dial(Event::kDial);
}

void Endpoint::on_stream(std::uint32_t events) noexcept {
  if (events & EPOLLOUT) send_.flush();
  if (serve(1) != 0 && state() == State::kReady && (events & EPOLLIN) != 0) context_.hot.heard(*this);
}

bool Endpoint::flush() noexcept {
  const bool moved = send_.flush_listed();
  check_write_error();
  return moved;
}

SendHalf::Help Endpoint::help() noexcept {
  const SendHalf::Help help = send_.help();
  if (help.look || send_.write_error() != 0) ask_attention();
  return help;
}

int Endpoint::serve(int tries) noexcept {
  const int moved = read(tries);
  if (HAWSER_UNLIKELY(retire_asked_) && state() == State::kReady) on_retire();
  check_write_error();
  return moved;
}

int Endpoint::read(int tries) noexcept {
  int moved = 0;
  if (!stream_) return 0;
  const ReceiveHalf::Result result = receive_.pump(stream_.get(), moved, tries);
  read_update();
  if (stream_) after_read(result);
  return moved != 0 || !receive_.drained() ? moved + 1 : 0;
}

bool Endpoint::watch_stream(int fd, std::uint32_t events) noexcept {
  return btl::watch<&Endpoint::on_stream>(context_.host, fd, events, *this) == Errc::kOk;
}

bool Endpoint::watch_bytes(bool wanted) noexcept {
  return send_.watch_bytes(wanted);
}

void Endpoint::read_update() noexcept {
  try {
    std::string bytes;
    if (receive_.take_update(bytes)) hear_update(bytes);
  } catch (const std::bad_alloc&) {
    // The next one, or the hello of the peer's next call, brings it again.
  }
}

void Endpoint::hear_update(const std::string& bytes) {
  auto blob = decode(bytes);
  if (!blob) {
    lose(Errc::kProtocol, words("the peer sent addresses that cannot be used: {}", blob.error().text));
  } else if (blob->incarnation != facts_.incarnation) {
    lose(Errc::kProtocol, "the peer sent addresses of another process");
  } else if (blob->generation <= context_.news.known_generation(facts_.rank)) {
    module_.own_counters().add(Counter::kUpdatesIgnored);
  } else {
    peer_left_ = !blob->offers(facts_.their_module);
    context_.news.on_update(facts_.rank, std::move(*blob));
  }
}

void Endpoint::after_read(ReceiveHalf::Result result) noexcept {
  using Result = ReceiveHalf::Result;
  if (state() == State::kLeaving) {
    if (result == Result::kEof || result == Result::kGoodbye) open_ends_ = false;  // the peer has all
    if (result != Result::kOk && result != Result::kRetire) finish_leaving();
    return;
  }
  switch (result) {
    case Result::kOk:
      return;
    case Result::kGoodbye:
      leave_quietly();
      return;
    case Result::kRetire:
      on_retire();
      return;
    case Result::kEof:
      on_end(Errc::kPeerGone, "the peer closed it without saying goodbye");
      return;
    case Result::kError:
      on_end(receive_.error() == ETIMEDOUT ? Errc::kTimedOut : Errc::kPeerGone,
             std::strerror(receive_.error()));
      return;
    case Result::kBad:
      lose(Errc::kProtocol, words("the peer sent {}", receive_.what_was_bad()));
      return;
  }
}

// If the peer said that this rail is none any more, we let it go when our new rails are ready, and the end is
// none of a failure; unless there are no new ones.
void Endpoint::on_end(Errc code, const char* what) noexcept {
  if (!peer_left_) return lose(code, what);
  context_.hot.forget(*this);
  context_.host.unwatch(stream_.get());
  held_end_ = code;
  held_words_ = what;
}

void Endpoint::stays() noexcept {
  if (!std::exchange(peer_left_, false) || state() != State::kReady) return;
  if (held_end_ != Errc::kOk) return lose(held_end_, held_words_);
  check_write_error();
}

void Endpoint::check_write_error() noexcept {
  const int error = send_.write_error();
  if (error == 0 || !stream_ || state() != State::kReady || peer_left_) return;
  do {
    read(1);  // what the peer still said may explain it, a goodbye above all
  } while (stream_ && !receive_.drained());
  if (stream_) lose(Errc::kPeerGone, std::strerror(error));
}

void Endpoint::check_silence() noexcept {
  if (untimed_) on_timer();
  LineState line;
  const std::uint64_t limit_ms = context_.params.silence_timeout_ns / 1'000'000;
  if (!stream_ || !read_line_state(stream_.get(), line) || !is_silent(line, limit_ms)) return;
  lose(Errc::kTimedOut,
       words("nothing was heard of the peer's system for {:.1f} s (btl_tcp_silence_timeout is {} s)",
             static_cast<double>(line.heard_ms_ago) / 1e3, limit_ms / 1000));
}

void Endpoint::drop_stream(Errc status) noexcept {
  context_.hot.forget(*this);
  if (stream_) context_.host.unwatch(stream_.get());
  send_.break_off(status);
  receive_.abandon();
  stream_.reset();
}

void Endpoint::lose(Errc code, std::string_view what) noexcept {
  if (!step(Event::kLost)) return;
  drop_stream(code);
  report(code, words("the connection {} broke: {}", describe(), what));
}

void Endpoint::abandon() noexcept {
  reported_ = true;  // whoever gives the rail up knows
  comes_back_never_ = true;
  break_off(Errc::kUnreachable);
}

void Endpoint::lose_unconfirmed() noexcept {
  if (state() != State::kReady || !send_.unconfirmed()) return;
  module_.own_counters().add_shared(Counter::kRailsRetired);
  lose(Errc::kPeerGone, "the address of one side went away before the peer had confirmed all that was sent");
}

// What the peer has sent already is still read: its system has confirmed it. The peer does likewise, so
// nothing that was confirmed is lost.
void Endpoint::let_go() noexcept {
  if (!next_state(state(), Event::kClose) || state() == State::kLeaving) return;  // over, or about to be
  module_.own_counters().add_shared(Counter::kRailsRetired);
  context_.log(btl::LogLevel::kDebug, "{}: let go, the address of one side went away", describe());
  if (state() != State::kReady) {
    abandon();
    return;
  }
  open_ends_ = send_.end_with_update(context_.published);  // the reason for the end that follows
  leave();
}

void Endpoint::leave() noexcept {
  step(Event::kRetire);
  context_.hot.forget(*this);
  send_.break_off(Errc::kUnreachable);
  ::shutdown(stream_.get(), SHUT_WR);
  arm_timer(kLeaveTime);
  read(1);
}

bool Endpoint::give_back() noexcept {
  if (state() != State::kReady || receive_.in_message() || !send_.idle() || send_.unconfirmed()) return false;
  if (!send_.say_goodbye(FrameKind::kRetire)) return false;
  comes_back_never_ = true;  // it would take the descriptor again
  leave();
  report(Errc::kUnreachable, words("the idle connection {} was given up: {}", describe(), file_limit_text()));
  return true;
}

// The same on the other side. What waits is handed back; only the end of an immediate send must still go out.
void Endpoint::on_retire() noexcept {
  retire_asked_ = true;
  send_.flush();
  if (send_.has_rest()) return;
  comes_back_never_ = true;
  leave();
  report(Errc::kUnreachable,
         words("the peer gave up the connection {}: its file descriptors have run out", describe()));
}

void Endpoint::finish_leaving() noexcept {
  step(Event::kLost);
  cancel_timer();
  drop_stream(Errc::kUnreachable);
  if (!open_ends_) return;
  report(Errc::kPeerGone,
         words("the connection {} ended before the peer had confirmed all that was sent", describe()));
}

void Endpoint::fail_restarted(const std::string& text) noexcept {
  comes_back_never_ = true;
  break_off(Errc::kPeerGone);
  report(Errc::kPeerGone, text);
}

// From any state to the end: no bytes in either direction from here on.
void Endpoint::break_off(Errc status) noexcept {
  const bool connected = state() == State::kReady || state() == State::kLeaving;
  if (!step(connected ? Event::kLost : Event::kGiveUp)) return;
  cancel_timer();
  dial_.reset();
  inbound_.reset();
  parked_.reset();
  drop_stream(status);
}

// The peer said goodbye: whatever comes now, it is no failure.
void Endpoint::leave_quietly() noexcept {
  step(Event::kGoodbye);
  drop_stream(Errc::kPeerGone);
  step(Event::kLost);
}

void Endpoint::report(Errc code, const std::string& text) noexcept {
  if (reported_) return;
  reported_ = true;
  module_.own_counters().add_shared(Counter::kRailsFailed);
  assert_no_locks_held();
  if (!comes_back_never_) context_.news.on_unsteady();
  context_.host.rail_failed(facts_.rank, module_, *this, code, text.c_str());
}

std::string Endpoint::describe() const noexcept {
  try {
    return fmt::format("{} to rank {} on {} ({} -> {})", module_.name(), facts_.rank, facts_.host,
                       facts_.local.text(), facts_.remote.text());
  } catch (const std::bad_alloc&) {
    return words("to rank {}", facts_.rank);
  }
}

void Endpoint::retire() noexcept {
  retired_.store(true, std::memory_order_release);
  ask_attention();
}

bool Endpoint::say_goodbye() noexcept {
  return !stream_ || send_.say_goodbye();
}

void Endpoint::close() noexcept {
  if (state() == State::kFailed || state() == State::kClosed) return;
  cancel_timer();
  if (stream_ && say_goodbye()) hang_up();
  step(Event::kClose);
  dial_.reset();
  inbound_.reset();
  if (parked_) refuse(std::move(parked_), Reply::kShuttingDown);
  drop_stream(Errc::kShutdown);
}

// A close with unread bytes would reset the connection, and what we sent last would be lost with it.
void Endpoint::hang_up() noexcept {
  ::shutdown(stream_.get(), SHUT_WR);
  unsigned char sink[16 * 1024];
  iovec part{sink, sizeof sink};
  while (receive_some(stream_.get(), &part, 1).what == Io::kMoved) part.iov_len = sizeof sink;
}

bool Endpoint::in_use() const noexcept {
  switch (state()) {
    case State::kHelloSent:
    case State::kTieWon:
    case State::kTieLost:
    case State::kHelloWait:
    case State::kReady:
      return true;
    default:
      return false;
  }
}

bool Endpoint::is_over() const noexcept {
  const State now = state();
  return now == State::kLeaving || now == State::kClosing || now == State::kFailed || now == State::kClosed;
}

bool Endpoint::flushed() noexcept {
  const State now = state();
  if (now == State::kFailed || now == State::kClosed) return true;
  return now == State::kReady ? send_.idle() : !send_.wanted();
}

}  // namespace hawser::tcp
