// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include <netinet/in.h>
#include <poll.h>
#include <sodium.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstring>
#include <new>

#include "components/tcp/endpoint.hpp"
#include "components/tcp/module.hpp"
#include "framework/base/clock.hpp"
#include "framework/base/hooks.hpp"

// Our own connection to the peer: connect, hello, answer, proof; and what is done when that fails.

namespace hawser::tcp {
namespace {

constexpr unsigned kMaxDoublings = 6;
// A peer's system that does not answer is asked several times: one packet, or one way through the network,
// may be lost. An attempt is given up for the next one after this fraction of the time that all may take
// together.
constexpr std::uint64_t kShares = 3;
constexpr std::uint64_t kShortestAttempt = 1'000'000;  // ns

double seconds_since(std::uint64_t then_ns) noexcept {
  return static_cast<double>(now_ns() - then_ns) / 1e9;
}

std::string words_of(int error) noexcept {
  if (error == EMFILE || error == ENFILE) return words("{} ({})", std::strerror(error), file_limit_text());
  return words("{}", std::strerror(error));
}

bool writable_now(int fd) noexcept {
  pollfd look{fd, POLLOUT, 0};
  return ::poll(&look, 1, 0) == 1;
}

}  // namespace

// A route that refuses (its errors come at once) was made by somebody and stays. One that is missing may
// come, an address too, and a neighbour or a router that does not answer may answer later.
Endpoint::Hope Endpoint::hope_of(int error, bool at_once) noexcept {
  switch (error) {
    case ECONNREFUSED:
    case ECONNRESET:
    case ECONNABORTED:
    case EPIPE:
    case EMFILE:
    case ENFILE:
    case ENOBUFS:
    case ENOMEM:
    case EAGAIN:
      return Hope::kAgain;
    case ENETUNREACH:
    case ENETDOWN:
    case EHOSTDOWN:
    case ETIMEDOUT:
    case EADDRNOTAVAIL:
      return Hope::kNetwork;
    case EHOSTUNREACH:
      return at_once ? Hope::kNone : Hope::kNetwork;
    default:
      return Hope::kNone;
  }
}

Fd Endpoint::open_socket(int& error) noexcept {
  const int family = facts_.remote.storage.ss_family;
  Fd fd(::socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!fd) {
    error = errno;
    return {};
  }
  tune_socket(fd.get(), context_.params);
  const int on = 1;  // the port is chosen at connect, so that more connections than ports are possible
  ::setsockopt(fd.get(), IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &on, sizeof on);
  if (::bind(fd.get(), facts_.local.get(), facts_.local.size) != 0 ||
      (::connect(fd.get(), facts_.remote.get(), facts_.remote.size) != 0 && errno != EINPROGRESS &&
       errno != EINTR)) {
    error = errno;
    return {};
  }
  return fd;
}

void Endpoint::dial(Event why) noexcept {
  if (!step(why)) return;
  waits_for_network_ = false;
  if (probing()) count_anew();
  attempt_began_ns_ = now_ns();
  if (first_attempt_ns_ == 0) first_attempt_ns_ = attempt_began_ns_;
  if (unheard_since_ns_ == 0) unheard_since_ns_ = attempt_began_ns_;
  if (facts_.pairless()) return wait_for_pair();
  int error = 0;
  Fd fd = open_socket(error);
  if (!fd && (error == EMFILE || error == ENFILE)) {
    if (!probing()) context_.news.on_descriptors_short(false);
    wait_for_descriptor();
    return;
  }
  if (attempts_++ != 0) module_.own_counters().add_shared(Counter::kDialsRepeated);
  if (!fd) return dial_failed(words_of(error), hope_of(error, true));
  dial_.reset(new (std::nothrow) Link(context_.host, std::move(fd)));
  if (!dial_) return dial_failed("no memory for a connection", Hope::kAgain);
  const bool watched = dial_->watch<&Endpoint::on_dial>(EPOLLIN | EPOLLOUT, *this);
  if (!watched) {
    dial_failed("the event loop takes no more descriptors", Hope::kAgain);
    return;
  }
  attempt_ends_ns_ =
      attempt_began_ns_ +
      std::max(kShortestAttempt, std::min(context_.params.connect_timeout_ns / kShares, time_left()));
  arm_timer(std::min(attempt_left(), kPatience));
  if (writable_now(dial_->fd())) on_dial(EPOLLOUT);  // within a node it often stands at once
}

void Endpoint::on_dial(std::uint32_t) noexcept {
  if (!dial_) return;
  if (state() == State::kConnecting && !on_connected()) return;
  continue_hello();
}

// True: the connection stands and the hello may go out.
bool Endpoint::on_connected() noexcept {
  if (!writable_now(dial_->fd())) return false;
  int error = 0;
  socklen_t size = sizeof error;
  ::getsockopt(dial_->fd(), SOL_SOCKET, SO_ERROR, &error, &size);
  if (error != 0) {
    dial_failed(words_of(error), hope_of(error));
    return false;
  }
  cancel_timer();  // from here on the peer's process may take its time: keep-alive watches its system
  unheard_since_ns_ = 0;
  step(Event::kConnected);
  Hello hello;
  hello.job = context_.host.job().id;
  hello.from_rank = context_.host.job().rank;
  hello.to_rank = facts_.rank;
  hello.from_incarnation = context_.incarnation;
  hello.to_incarnation = facts_.incarnation;
  hello.from_generation = context_.generation.load(std::memory_order_acquire);
  hello.to_generation = context_.news.known_generation(facts_.rank);
  hello.from_module = module_.index();
  hello.to_module = facts_.their_module;
  hello.nonce = make_nonce();
  hello.number = ++context_.dialled;
  dial_->told_generation = hello.from_generation;
  dial_->hello = context_.notary.write_hello(hello);
  return true;
}

void Endpoint::continue_hello() noexcept {
  Link::Progress progress = Link::Progress::kDone;
  if (!dial_->hello_written) {
    progress = dial_->write(dial_->hello);
    dial_->hello_written = progress == Link::Progress::kDone;
    HAWSER_HOOK("tcp.hello_written");
  }
  if (progress == Link::Progress::kDone && !dial_->sending_proof) {
    progress = dial_->read(dial_->answer);
    if (progress == Link::Progress::kDone) {
      on_answer();
      return;
    }
  } else if (progress == Link::Progress::kDone) {
    progress = dial_->write(dial_->proof);
    if (progress == Link::Progress::kDone) {
      step(Event::kAnswer);
      module_.own_counters().add_shared(Counter::kConnectionsMade);
      become_ready(std::move(dial_));
      return;
    }
  }
  if (progress == Link::Progress::kPending) return;
  const int error = dial_->error();
  if (progress == Link::Progress::kEof) {
    dial_failed("it was closed without an answer; another program or job may listen there", Hope::kAgain);
  } else {
    dial_failed(words_of(error), hope_of(error));
  }
}

void Endpoint::on_answer() noexcept {
  const auto answer = context_.notary.read_answer(dial_->hello, dial_->answer);
  if (!answer) {
    dial_failed("the answer does not bear the seal of this job", Hope::kAgain);
    return;
  }
  if (answer->reply != Reply::kWelcome) {
    on_refusal(answer->reply);
    return;
  }
  if (answer->dialled < heard_) {  // it has called since, so to its eyes this one had broken
    dial_failed("the peer gave it up and called itself", Hope::kAgain);
    return;
  }
  dial_->proof = context_.notary.write_proof(dial_->hello, dial_->answer);
  dial_->sending_proof = true;
  continue_hello();
}

void Endpoint::on_refusal(Reply reply) noexcept {
  context_.log(btl::LogLevel::kDebug, "{}: refused: {}", describe(), to_text(reply));
  switch (reply) {
    case Reply::kDuplicate:
      if (state() == State::kTieWon) {  // somebody played our hello again
        dial_failed(to_text(reply), Hope::kAgain);
        return;
      }
      module_.own_counters().add_shared(Counter::kTiesLost);
      dial_.reset();
      step(Event::kDuplicate);
      if (state() == State::kBackoff) back_off(attempts_ > 0 ? attempts_ - 1 : 0);
      return;
    case Reply::kRetry:
    case Reply::kWrongPeer:
    case Reply::kNoSuchRail:
      refused_ = true;
      dial_failed(to_text(reply), Hope::kAgain);
      return;
    default:
      dial_failed(to_text(reply), Hope::kNone);
      return;
  }
}

// A probe has no end; see back_off.
bool Endpoint::goes_on(Hope hope) const noexcept {
  if (probing()) return true;
  if (hope == Hope::kNone || time_left() == 0) return false;
  return hope == Hope::kNetwork ||
         attempts_ - network_waits_ <= static_cast<unsigned>(context_.params.retries);
}

// What comes again and again while the network is away is told once.
void Endpoint::take_down(std::string_view what, Hope hope) noexcept {
  if (outcomes_.size() >= 512 || (hope == Hope::kNetwork && what == last_outcome_)) return;
  add_outcome(words("attempt {} after {:.1f} s: {}", attempts_, seconds_since(attempt_began_ns_), what));
  last_outcome_ = words("{}", what);
}

void Endpoint::add_outcome(const std::string& text) noexcept {
  try {
    outcomes_ += outcomes_.empty() ? text : "; " + text;
  } catch (const std::bad_alloc&) {  // what is known already must do
  }
}

void Endpoint::dial_failed(std::string_view what, Hope hope) noexcept {
  drop_dial();
  cancel_timer();
  take_down(what, hope);
  context_.log(btl::LogLevel::kDebug, "{}: {}", describe(), what);
  if (state() == State::kTieWon || state() == State::kTieLost) {
    step(Event::kDialFailed);
    if (parked_) promote_parked();
    return;
  }
  if (!goes_on(hope)) {
    give_up();
    return;
  }
  waits_for_network_ = hope == Hope::kNetwork;
  if (waits_for_network_) ++network_waits_;
  // It may have other addresses by now, or be another process: asked once, and each time that it says so
  // itself, or that the network does.
  if ((attempts_ == 1 && !probing()) || refused_ || waits_for_network_) context_.news.on_doubt(facts_.rank);
  refused_ = false;
  if (is_slow()) context_.news.on_unsteady();
  if (step(Event::kDialFailed)) back_off(attempts_ > 0 ? attempts_ - 1 : 0);
}

// One that had its descriptor for long shows that an earlier shortage was over.
void Endpoint::drop_dial() noexcept {
  if (dial_ && now_ns() - attempt_began_ns_ > context_.params.connect_timeout_ns) short_since_ns_ = 0;
  dial_.reset();
}

bool Endpoint::put_off() noexcept {
  if (state() != State::kHelloSent || dial_->sending_proof) return false;
  --attempts_;  // the peer had no part in its end
  wait_for_descriptor();
  return true;
}

// No attempt, as the peer has no part in it: bounded by time, since the shortage began.
void Endpoint::wait_for_descriptor() noexcept {
  const std::uint64_t now = now_ns();
  const std::uint64_t limit = context_.params.connect_timeout_ns;
  unheard_since_ns_ = 0;  // the peer's system was asked nothing
  drop_dial();
  if (short_since_ns_ == 0) {
    short_since_ns_ = now;
    waits_ = 0;
  }
  cancel_timer();
  if (now - short_since_ns_ >= limit && !probing()) {
    comes_back_never_ = true;
    add_outcome(words("no file descriptor for it in {:.1f} s ({}); raise the limit with ulimit -n",
                      seconds_since(short_since_ns_), file_limit_text()));
    give_up();
    return;
  }
  context_.log(btl::LogLevel::kDebug, "{}: waits for a file descriptor: {}", describe(), file_limit_text());
  if (step(Event::kDialFailed)) back_off(waits_++);
}

// No address of ours goes with one of the peer's. Ours are heard of when they come, the peer's are asked for.
void Endpoint::wait_for_pair() noexcept {
  if (time_left() == 0) return give_up();
  context_.news.on_doubt(facts_.rank);
  if (step(Event::kDialFailed)) back_off(waits_++);
}

void Endpoint::back_off(unsigned doublings) noexcept {
  if (probing()) return pause_probe();
  doublings = std::min(doublings, kMaxDoublings);
  const std::uint64_t pause = context_.params.retry_pause_ns << doublings;
  const std::uint64_t jitter = pause / 2 * ::randombytes_uniform(1024) / 1024;
  arm_timer(std::min(pause + jitter, std::max(kShortestAttempt, time_left())));
}

// Of connect_timeout, since anything was heard of the peer's system.
std::uint64_t Endpoint::time_left() const noexcept {
  const std::uint64_t limit = context_.params.connect_timeout_ns;
  const std::uint64_t gone = unheard_since_ns_ == 0 ? 0 : now_ns() - unheard_since_ns_;
  return gone < limit ? limit - gone : 0;
}

std::uint64_t Endpoint::attempt_left() const noexcept {
  const std::uint64_t now = now_ns();
  return now < attempt_ends_ns_ ? attempt_ends_ns_ - now : 0;
}

void Endpoint::on_timer() noexcept {
  timer_ = 0;
  untimed_ = false;
  const bool pausing = state() == State::kBackoff || (state() == State::kIdle && probing());
  if (pausing && probing() && !context_.news.reaches(facts_.rank)) {
    pause_probe();  // a rail is wanted beside those that serve, and none does
  } else if (pausing) {
    dial(state() == State::kIdle ? Event::kDial : Event::kTimer);
  } else if (state() == State::kConnecting && attempt_left() != 0) {
    if (is_slow()) context_.news.on_unsteady();
    arm_timer(attempt_left());
  } else if (state() == State::kConnecting) {
    dial_failed("no answer from the peer's system", Hope::kAgain);
  } else if (state() == State::kLeaving) {
    finish_leaving();
  }
}

void Endpoint::arm_timer(std::uint64_t in_ns) noexcept {
  cancel_timer();
  timer_ = btl::call_at<&Endpoint::on_timer>(context_.host, now_ns() + in_ns, *this);
  untimed_ = timer_ == 0;  // no memory: check_silence looks
}

void Endpoint::cancel_timer() noexcept {
  if (timer_ != 0) context_.host.cancel_call(timer_);
  timer_ = 0;
  untimed_ = false;
}

// Nothing was ever sent on this rail, so whatever stood in the way, the peer is left to its other rails.
void Endpoint::give_up() noexcept {
  if (!step(Event::kGiveUp)) return;
  inbound_.reset();
  parked_.reset();
  drop_stream(Errc::kUnreachable);
  report(Errc::kUnreachable, failure_text());
}

std::string Endpoint::failure_text() const noexcept {
  if (facts_.pairless()) {
    return words(
        "no pair of addresses joins us with rank {} on {}, and none came in {:.1f} s: {}. Look which "
        "interfaces "
        "the two have ('hawser topo'), or choose others with btl_tcp_if_include",
        facts_.rank, facts_.host, seconds_since(first_attempt_ns_), why_pairless_);
  }
  return words(
      "cannot connect {}, tried for {:.1f} s: {}. Look for a firewall between the two, or choose other "
      "interfaces "
      "with btl_tcp_if_include",
      describe(), seconds_since(first_attempt_ns_), outcomes_);
}

}  // namespace hawser::tcp
