// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <exception>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tools/check/check.hpp"
#include "tools/check/rank.hpp"

namespace hawser::check {

namespace {

/// Beyond the patience of the ranks themselves: they hang where nobody looks at the time.
constexpr int kTimesPatience = 4;
/// Of a check in all, however much moves.
constexpr int kTimesPatienceInAll = 40;

std::uint32_t processes(Shape shape) noexcept {
  return shape == kFour ? 4 : shape == kPair ? 2 : 1;
}

std::string named(const Part& part) {
  return part.stranger ? "the stranger" : fmt::format("rank {}", part.rank);
}

[[noreturn]] void be_rank(const Check& check, const Part& part, pid_t command) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != command) ::_exit(1);  // it died before this could be tied to it
  report_to(part.board, named(part));
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

/// When a check has taken too long: nothing moved for some time, or it moves without end.
class Limit {
 public:
  Limit(Board& board, std::chrono::seconds patience)
      : board_(board), patience_(patience), end_(Clock::now() + kTimesPatienceInAll * patience) {}
  bool is_over() {
    const std::uint64_t moves = board_.moves.load();
    const auto now = Clock::now();
    if (moves != moves_) still_ = now;
    moves_ = moves;
    return now > still_ + kTimesPatience * patience_ || now > end_;
  }

 private:
  Board& board_;
  const std::chrono::seconds patience_;
  const Deadline end_;
  std::uint64_t moves_ = 0;
  Deadline still_ = Clock::now();
};

/// The status of a process, or of its killing when it takes too long.
struct End {
  int status = 0;
  bool late = false;
};

End wait_for(pid_t pid, Limit& limit, Board& board) {
  End end;
  while (::waitpid(pid, &end.status, WNOHANG) == 0) {
    if (!end.late && limit.is_over()) {
      end.late = true;
      board.over = true;  // before others see its end
      ::kill(pid, SIGKILL);
    }
    std::this_thread::sleep_for(std::chrono::microseconds(300));
  }
  return end;
}

void judge_end(const Check& check, const Part& part, End end, Board& board, Verdict& verdict) {
  const int killer = WIFSIGNALED(end.status) ? WTERMSIG(end.status) : 0;
  const bool wanted = static_cast<int>(part.rank) == check.dies;
  const std::string who = named(part);
  if (end.late) {
    verdict.reasons.push_back(fmt::format("{}: it hung in a call to the component, and was ended", who));
  } else if (killer != 0 && !(wanted && killer == SIGKILL)) {
    verdict.reasons.push_back(
        fmt::format("{}: it crashed with signal {} ({})", who, killer, ::strsignal(killer)));
  } else if (WIFEXITED(end.status) && WEXITSTATUS(end.status) != 0) {
    verdict.reasons.push_back(fmt::format("{}: it ended with status {}", who, WEXITSTATUS(end.status)));
  } else {
    return;
  }
  board.over = true;
}

/// What the ranks found; what was found again and again once, with a count.
void add_texts(const Board& board, std::vector<std::string>& reasons) {
  const std::uint32_t all = board.failures.load();
  const std::uint32_t kept = std::min(all, Board::kTexts);
  std::vector<std::pair<std::string, int>> counted;
  for (std::uint32_t i = 0; i < kept; ++i) {
    const auto same = std::find_if(counted.begin(), counted.end(),
                                   [&](const auto& one) { return one.first == board.texts[i]; });
    if (same == counted.end()) {
      counted.emplace_back(board.texts[i], 1);
    } else {
      ++same->second;
    }
  }
  for (const auto& [text, times] : counted)
    reasons.push_back(times == 1 ? text : fmt::format("{} ({} times)", text, times));
  if (all > kept) reasons.push_back(fmt::format("and {} more findings", all - kept));
}

/// The component's own words for a rail that it lost, unless somebody has said them.
void add_lost_rails(const Board& board, std::vector<std::string>& reasons) {
  for (std::uint32_t rank = 0; rank < kMaxRanks; ++rank) {
    const std::string lost = board.lost[rank];
    if (lost.empty()) continue;
    const bool said = std::any_of(reasons.begin(), reasons.end(), [&](const std::string& one) {
      return one.find(lost) != std::string::npos;
    });
    if (!said)
      reasons.push_back(fmt::format("rank {}: the rail to rank {} had been reported: \"{}\"", rank,
                                    board.lost_to[rank], lost));
  }
}

void collect(Board& board, Verdict& verdict) {
  add_texts(board, verdict.reasons);
  if (!verdict.reasons.empty()) add_lost_rails(board, verdict.reasons);
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
  board->dies = check.dies;
  for (std::uint32_t rank = ranks; rank < kMaxRanks; ++rank) board->shelves[rank].committed = 1;  // of nobody
  std::vector<Part> parts;
  for (std::uint32_t rank = 0; rank < ranks; ++rank)
    parts.push_back({subject, *board, shape, rank, ranks, ranks + check.more});
  if (check.stranger) parts.push_back({subject, *board, shape, 1, ranks, ranks, true});
  std::array<pid_t, kMaxRanks> pids{};
  const pid_t command = ::getpid();
  for (std::size_t i = 0; i < parts.size(); ++i) {
    pids[i] = ::fork();
    if (pids[i] == 0) be_rank(check, parts[i], command);
    if (pids[i] < 0) verdict.reasons.push_back(fmt::format("{} could not be started", named(parts[i])));
    if (pids[i] < 0) board->over = true;
  }
  Limit limit(*board, subject.patience);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (pids[i] > 0) judge_end(check, parts[i], wait_for(pids[i], limit, *board), *board, verdict);
  }
  collect(*board, verdict);
  verdict.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  return verdict;
}

}  // namespace hawser::check
