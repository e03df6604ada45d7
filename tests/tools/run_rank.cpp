// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
// A rank for the launcher's tests: does what its arguments say, one after the other, on the modex alone.
// "R:word" is for rank R only. Prints and exits 90 when something is not as it must be.
#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "framework/modex/modex.hpp"

using namespace hawser;
using namespace std::chrono_literals;

namespace {

std::unique_ptr<modex::Modex> g_modex;
auto g_timeout = 30000ms;

[[noreturn]] void wrong(const std::string& what) {
  fmt::print(stderr, "run_rank: {}\n", what);
  std::fflush(stderr);
  ::_exit(90);
}

Deadline soon() {
  return deadline_in(g_timeout);
}

void join() {
  auto modex = modex::connect();
  if (!modex) wrong("join: " + modex.error().text);
  g_modex = std::move(*modex);
}

void publish() {
  const std::string mine = "blob of " + std::to_string(g_modex->job().rank);
  if (!g_modex->put("blob", mine) || !g_modex->commit()) wrong("publish");
}

void expect_blob(std::uint32_t rank) {
  const auto value = g_modex->get(rank, "blob", soon());
  if (!value) wrong("get: " + value.error().text);
  if (*value != "blob of " + std::to_string(rank)) wrong("get: wrong value " + *value);
}

void expect_error(const Result<std::string>& got, Errc code) {
  if (got) wrong("a value that nobody published");
  if (got.error().code != code) wrong("another error: " + got.error().text);
}

void fences(int count) {
  for (int i = 0; i < count; ++i) {
    const auto met = g_modex->fence(i % 7 == 0, soon());
    if (!met) wrong("fence: " + met.error().text);
  }
}

/// The fence must fail; prints how.
void failing_fence() {
  const auto met = g_modex->fence(true, soon());
  if (met) wrong("the fence succeeded");
  fmt::print("{}: {}\n", to_text(met.error().code), met.error().text);
  std::fflush(stdout);
}

/// Threads that ask for everybody's blob, while half of the keys come late.
void many_gets(int count) {
  std::atomic<bool> failed{false};
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      const std::uint32_t size = g_modex->job().size;
      for (int i = 0; i < count; ++i) {
        const auto rank = static_cast<std::uint32_t>(i * 7 + t) % size;
        const bool absent = i % 5 == 0;
        const auto value = g_modex->get(rank, absent ? "no such key" : "blob", soon());
        if (absent ? value || value.error().code != Errc::kNotFound : !value) failed = true;
      }
    });
  }
  if (g_modex->job().rank % 2 == 1) std::this_thread::sleep_for(20ms);
  publish();
  for (auto& thread : threads) thread.join();
  if (failed) wrong("many gets");
}

void write_much(long bytes) {
  const std::string line = fmt::format("{:=>98}\n", std::getenv("HAWSER_RANK"));
  for (long done = 0; done < bytes; done += static_cast<long>(line.size())) {
    // In pieces, so that a line can only come out whole if somebody puts it together.
    const std::size_t half = line.size() / 3;
    for (std::size_t at = 0; at < line.size();) {
      const ssize_t wrote = ::write(1, line.data() + at, std::min(half, line.size() - at));
      if (wrote <= 0) wrong("write");
      at += static_cast<std::size_t>(wrote);
    }
  }
}

void act(const std::string& word) {
  const auto equals = word.find('=');
  const std::string verb = word.substr(0, equals);
  const int number = equals == std::string::npos ? 0 : std::atoi(word.c_str() + equals + 1);
  if (verb == "join")
    join();
  else if (verb == "leave")
    g_modex->finalize();
  else if (verb == "drop")
    g_modex.reset();
  else if (verb == "timeout")
    g_timeout = std::chrono::milliseconds(number);
  else if (verb == "publish")
    publish();
  else if (verb == "get")
    expect_blob(static_cast<std::uint32_t>(number));
  else if (verb == "get-absent")
    expect_error(g_modex->get(static_cast<std::uint32_t>(number), "none", soon()), Errc::kNotFound);
  else if (verb == "get-late")
    expect_error(g_modex->get(static_cast<std::uint32_t>(number), "blob", soon()), Errc::kTimedOut);
  else if (verb == "fence")
    fences(std::max(1, number));
  else if (verb == "failing-fence")
    failing_fence();
  else if (verb == "many-gets")
    many_gets(number);
  else if (verb == "report") {
    if (g_modex->first_to_report("topic")) fmt::print("first\n");
  } else if (verb == "size")
    fmt::print("{} of {}, {}\n", g_modex->job().rank, g_modex->job().size, g_modex->name());
  else if (verb == "mpi-abort")
    g_modex->abort(number, "because of the test");
  else if (verb == "exit") {
    std::fflush(stdout);
    std::exit(number);
  } else if (verb == "_exit")
    ::_exit(number);
  else if (verb == "abort")
    std::abort();
  else if (verb == "kill")
    ::kill(::getpid(), SIGKILL);
  else if (verb == "throw")
    throw std::runtime_error("the test's");
  else if (verb == "stay")
    std::this_thread::sleep_for(std::chrono::seconds(60));
  else if (verb == "deaf")
    ::signal(SIGTERM, SIG_IGN), ::signal(SIGINT, SIG_IGN);
  else if (verb == "pid") {
    fmt::print("pid {}\n", ::getpid());
    std::fflush(stdout);
  } else if (verb == "write")
    write_much(number);
  else if (verb == "fds")
    std::system("ls -l /proc/self/fd | grep -c socket");
  else if (verb == "child") {
    if (std::system(word.c_str() + equals + 1) != 0) wrong("child");
  } else
    wrong("unknown word " + word);
}

}  // namespace

int main(int argc, char** argv) {
  const char* rank = std::getenv("HAWSER_RANK");
  for (int i = 1; i < argc; ++i) {
    std::string word = argv[i];
    const auto colon = word.find(':');
    if (colon != std::string::npos && word.find('=') > colon) {
      if (!rank || word.substr(0, colon) != rank) continue;
      word.erase(0, colon + 1);
    }
    act(word);
  }
  return 0;
}
