// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include <sys/epoll.h>
#include <sys/socket.h>

#include "components/tcp/endpoint.hpp"
#include "components/tcp/module.hpp"

// The peer's connection to us, from its hello on; and which of two simultaneous connections is used.

namespace hawser::tcp {

namespace {

/// The connection stands, whether its event was seen yet or not.
bool stands(int fd) noexcept {
  sockaddr_storage peer;
  socklen_t size = sizeof peer;
  return ::getpeername(fd, reinterpret_cast<sockaddr*>(&peer), &size) == 0;
}

}  // namespace

void Endpoint::on_inbound(std::unique_ptr<Link> link, std::uint64_t number) noexcept {
  unheard_since_ns_ = short_since_ns_ = 0;
  if (number <= heard_) {  // hellos of two sockets are read in any order: this one was given up by now
    refuse(std::move(link), Reply::kDuplicate);
    return;
  }
  heard_ = number;
  // The peer may have accepted ours already: closed without a word, it would look like a stranger's.
  if (state() == State::kConnecting && stands(dial_->fd())) on_dial(EPOLLOUT);
  switch (state()) {
    case State::kConnecting:  // ours has said nothing, and nobody misses it
      dial_.reset();
      [[fallthrough]];
    case State::kIdle:
    case State::kBackoff:
    case State::kHelloWait:
      cancel_timer();
      step(Event::kInbound);
      welcome(std::move(link));
      return;
    case State::kHelloSent:
    case State::kTieWon:
    case State::kTieLost:
      if (we_are_lower()) {
        step(Event::kInboundLoses);
        park(std::move(link));
      } else {
        step(Event::kInboundWins);
        welcome(std::move(link));
      }
      return;
    case State::kReady:
      refuse(std::move(link), Reply::kDuplicate);
      return;
    case State::kFailed:
      refuse(std::move(link), Reply::kRailFailed);
      return;
    default:
      refuse(std::move(link), Reply::kShuttingDown);
      return;
  }
}

void Endpoint::welcome(std::unique_ptr<Link> link) noexcept {
  inbound_ = std::move(link);  // an older one is a leftover: the peer has only one at a time
  inbound_->answer = context_.notary.write_answer(
      inbound_->hello, {Reply::kWelcome, make_nonce(), context_.dialled.load(std::memory_order_relaxed)});
  inbound_->reading_proof = false;
  const bool watched = inbound_->watch<&Endpoint::on_inbound_event>(EPOLLIN, *this);
  if (!watched) {
    inbound_lost();
    return;
  }
  on_inbound_event();
}

void Endpoint::refuse(std::unique_ptr<Link> link, Reply reply) noexcept {
  context_.log(btl::LogLevel::kDebug, "{}: refusing a connection: {}", describe(), to_text(reply));
  link->unwatch();
  const AnswerBytes answer = context_.notary.write_answer(link->hello, {reply, make_nonce()});
  // The socket has sent nothing yet, so there is room; if not, the peer sees a close and tries again.
  link->write(answer);
}

void Endpoint::park(std::unique_ptr<Link> link) noexcept {
  parked_ = std::move(link);
  const bool watched = parked_->watch<&Endpoint::on_parked_event>(EPOLLIN | EPOLLRDHUP, *this);
  if (!watched) on_parked_event();
}

// A parked peer says nothing until it is answered: bytes or an end mean that it is gone.
void Endpoint::on_parked_event() noexcept {
  parked_.reset();
  step(Event::kInboundLost);
}

void Endpoint::promote_parked() noexcept {
  module_.own_counters().add_shared(Counter::kParkedPromoted);
  parked_->unwatch();
  welcome(std::move(parked_));
}

void Endpoint::on_inbound_event() noexcept {
  if (!inbound_) return;
  Link::Progress progress = Link::Progress::kDone;
  if (!inbound_->reading_proof) {
    progress = inbound_->write(inbound_->answer);
    inbound_->reading_proof = progress == Link::Progress::kDone;
  }
  if (progress == Link::Progress::kDone) progress = inbound_->read(inbound_->proof);
  if (progress == Link::Progress::kPending) return;
  const bool proven = progress == Link::Progress::kDone &&
                      context_.notary.check_proof(inbound_->hello, inbound_->answer, inbound_->proof);
  if (!proven) {
    inbound_lost();
    return;
  }
  step(Event::kProof);
  module_.own_counters().add_shared(Counter::kAccepted);
  if (dial_) module_.own_counters().add_shared(Counter::kTiesLost);
  become_ready(std::move(inbound_));
}

void Endpoint::inbound_lost() noexcept {
  inbound_.reset();
  step(Event::kInboundLost);
  const bool again = wanted_.load(std::memory_order_acquire) || send_.wanted();
  if (state() == State::kIdle && again && !context_.closing) dial(Event::kDial);
}

}  // namespace hawser::tcp
