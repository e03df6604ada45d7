// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/modex_launcher.hpp"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include <algorithm>

#include "framework/modex/embedded.hpp"

namespace hawser::modex::testing {

using namespace protocol;

namespace {

btl::Job job_of(std::uint32_t size) {
  btl::Job job{};
  job.id = 4711;
  job.size = size;
  job.local_size = size;
  job.cores = 2;
  return job;
}

}  // namespace

Launcher::Launcher(std::uint32_t size, int socket_room)
    : ranks_(size), server_(job_of(size), *this), bell_(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {
  for (Rank& rank : ranks_) {
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) std::abort();
    for (const int end : ends) {
      if (socket_room != 0) ::setsockopt(end, SOL_SOCKET, SO_SNDBUF, &socket_room, sizeof socket_room);
    }
    rank.our_end.reset(ends[0]);
    rank.their_end.reset(ends[1]);
    rank.channel = std::make_unique<Channel>(ends[0], kMaxFromRank);
  }
  thread_ = std::thread([this] { run(); });
}

Launcher::~Launcher() {
  stop();
}

std::unique_ptr<Modex> Launcher::join(std::uint32_t rank) {
  auto joined = Embedded::join(socket_of(rank), deadline_in(std::chrono::seconds(60)));
  if (joined) return std::move(*joined);
  ADD_FAILURE() << joined.error().text;
  std::abort();
}

void Launcher::die(std::uint32_t rank, const std::string& how) {
  const std::lock_guard lock(mutex_);
  take(rank);  // what it said before it ended comes first
  ranks_[rank].channel.reset();
  ::shutdown(ranks_[rank].our_end.get(), SHUT_RDWR);
  server_.on_exit(rank, how);
  wake();
}

void Launcher::stop() {
  if (!thread_.joinable()) return;
  ending_ = true;
  wake();
  thread_.join();
  for (Rank& rank : ranks_) ::shutdown(rank.our_end.get(), SHUT_RDWR);
}

int Launcher::heard(std::uint32_t rank, Type type) {
  const std::lock_guard lock(mutex_);
  const auto& all = ranks_[rank].heard;
  return static_cast<int>(std::count(all.begin(), all.end(), type));
}

bool Launcher::is_stuck(std::uint32_t rank) {
  const std::lock_guard lock(mutex_);
  return ranks_[rank].channel && ranks_[rank].channel->has_output();
}

std::string Launcher::fault() {
  const std::lock_guard lock(mutex_);
  return fault_;
}

void Launcher::send(std::uint32_t rank, const SharedFrame& frame) {
  if (ranks_[rank].channel) ranks_[rank].channel->send(frame);
}

void Launcher::on_abort(std::uint32_t rank, int, const std::string& text) {
  on_fault(rank, "aborted: " + text);
}

void Launcher::on_fault(std::uint32_t rank, const std::string& text) {
  fault_ = "rank " + std::to_string(rank) + " " + text;
}

void Launcher::wake() {
  const std::uint64_t one = 1;
  static_cast<void>(::write(bell_.get(), &one, sizeof one) == sizeof one);
}

void Launcher::run() {
  while (!ending_) {
    std::vector<pollfd> all{{bell_.get(), POLLIN, 0}};
    int timeout_ms = 60000;
    {
      const std::lock_guard lock(mutex_);
      for (const Rank& rank : ranks_) {
        const bool writes = rank.channel && rank.channel->has_output();
        const short events = static_cast<short>(writes ? POLLIN | POLLOUT : POLLIN);
        all.push_back({rank.channel ? rank.our_end.get() : -1, events, 0});
      }
      if (const auto next = server_.next_deadline()) {
        const auto span = std::chrono::ceil<std::chrono::milliseconds>(*next - Clock::now()).count();
        timeout_ms = static_cast<int>(std::clamp<std::int64_t>(span, 0, 60000));
      }
    }
    ::poll(all.data(), all.size(), timeout_ms);
    std::uint64_t rung = 0;
    static_cast<void>(::read(bell_.get(), &rung, sizeof rung) == sizeof rung);
    const std::lock_guard lock(mutex_);
    server_.run_timers(Clock::now());
    for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank) {
      if (all[rank + 1].revents != 0) take(rank);
    }
  }
}

void Launcher::take(std::uint32_t rank) {
  Rank& who = ranks_[rank];
  if (!who.channel) return;
  who.channel->flush();
  const auto received = who.channel->receive();
  for (;;) {
    auto frame = who.channel->next();
    if (!frame || !*frame) break;
    who.heard.push_back((*frame)->type);
    server_.on_frame(rank, **frame);
  }
  if (!received) who.channel.reset();
}

}  // namespace hawser::modex::testing
