// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <exception>
#include <memory>
#include <thread>

#include "tools/check/check.hpp"
#include "tools/check/rank.hpp"

namespace hawser::check {

namespace {

/// Beyond the patience of the ranks themselves: they hang where nobody looks at the time.
constexpr int kTimesPatience = 4;

std::uint32_t processes(Shape shape) noexcept {
  return shape == kFour ? 4 : shape == kPair ? 2 : 1;
}

[[noreturn]] void be_rank(const Check& check, const Part& part, pid_t command) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != command) ::_exit(1);  // it died before this could be tied to it
  report_to(part.board, part.rank);
  try {
    if (check.look) {
      check.look(part.subject);
    } else {
      Rank self(part);
      check.body(self);
    }
  } catch (const Stop&) {
  } catch (const std::exception& failure) {
    fail(failure.what());
  }
  if (failed()) part.board.over = true;
  std::fflush(nullptr);
  ::_exit(0);
}

/// The status of a process, or of its killing when it takes too long.
struct End {
  int status = 0;
  bool late = false;
};

End wait_for(pid_t pid, Deadline deadline) {
  End end;
  while (::waitpid(pid, &end.status, WNOHANG) == 0) {
    if (Clock::now() > deadline && !end.late) {
      end.late = true;
      ::kill(pid, SIGKILL);
    }
    std::this_thread::sleep_for(std::chrono::microseconds(300));
  }
  return end;
}

void judge_end(const Check& check, std::uint32_t rank, End end, Board& board, Verdict& verdict) {
  const int killer = WIFSIGNALED(end.status) ? WTERMSIG(end.status) : 0;
  const bool wanted = static_cast<int>(rank) == check.dies;
  if (end.late) {
    verdict.reasons.push_back(
        fmt::format("rank {}: it hung in a call to the component, and was ended", rank));
  } else if (killer != 0 && !(wanted && killer == SIGKILL)) {
    verdict.reasons.push_back(
        fmt::format("rank {}: it crashed with signal {} ({})", rank, killer, ::strsignal(killer)));
  } else if (WIFEXITED(end.status) && WEXITSTATUS(end.status) != 0) {
    verdict.reasons.push_back(fmt::format("rank {}: it ended with status {}", rank, WEXITSTATUS(end.status)));
  } else {
    return;
  }
  board.over = true;
}

void collect(Board& board, Verdict& verdict) {
  const std::uint32_t told = std::min(board.failures.load(), Board::kTexts);
  for (std::uint32_t i = 0; i < told; ++i) verdict.reasons.emplace_back(board.texts[i]);
  const bool skipped = board.skipped[0] != '\0' && verdict.reasons.empty();
  if (skipped) verdict.reasons.emplace_back(board.skipped);
  verdict.outcome = skipped                   ? Outcome::kSkipped
                    : verdict.reasons.empty() ? Outcome::kPassed
                                              : Outcome::kFailed;
}

}  // namespace

Verdict run_check(const Check& check, Shape shape, const Subject& subject) {
  struct Free {
    void operator()(Board* board) const noexcept { free_board(*board); }
  };
  const std::unique_ptr<Board, Free> board(&make_board());
  const auto begin = Clock::now();
  Verdict verdict{&check, shape, Outcome::kPassed, {}, 0};
  const std::uint32_t ranks = processes(shape);
  for (std::uint32_t rank = ranks; rank < kMaxRanks; ++rank) board->shelves[rank].committed = 1;  // of nobody
  std::array<pid_t, kMaxRanks> pids{};
  const pid_t command = ::getpid();
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    pids[rank] = ::fork();
    if (pids[rank] == 0) be_rank(check, {subject, *board, shape, rank, ranks, ranks + check.more}, command);
    if (pids[rank] < 0) verdict.reasons.push_back(fmt::format("rank {} could not be started", rank));
    if (pids[rank] < 0) board->over = true;
  }
  const Deadline deadline = begin + kTimesPatience * subject.patience;
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    if (pids[rank] > 0) judge_end(check, rank, wait_for(pids[rank], deadline), *board, verdict);
  }
  collect(*board, verdict);
  verdict.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  return verdict;
}

}  // namespace hawser::check
