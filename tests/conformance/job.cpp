// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/conformance/job.hpp"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

namespace hawser::conformance {

namespace {

constexpr std::chrono::seconds kJobLimit{100};

[[noreturn]] void be_rank(const std::function<void(Rank&)>& body, Board& board, std::uint32_t rank,
                          std::uint32_t size) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  try {
    Rank self(board, rank, size);
    body(self);
  } catch (const std::exception& failure) {
    ADD_FAILURE() << "rank " << rank << ": " << failure.what();
  }
  std::fflush(nullptr);
  ::_exit(testing::Test::HasFailure() ? 1 : 0);
}

// The status of that process, or of its killing when it takes too long.
int wait_for(pid_t pid, Deadline deadline) {
  int status = 0;
  while (::waitpid(pid, &status, WNOHANG) == 0) {
    if (Clock::now() > deadline) ::kill(pid, SIGKILL);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return status;
}

}  // namespace

void run_job(const std::function<void(Rank&)>& body, std::uint32_t size, int dies) {
  Board& board = make_board();
  const std::uint32_t ranks = subject().loopback ? 1 : 2;
  for (std::uint32_t rank = ranks; rank < kMaxRanks; ++rank)
    board.shelves[rank].committed = 1;  // nothing published
  pid_t pids[2] = {};
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    pids[rank] = ::fork();
    ASSERT_GE(pids[rank], 0);
    if (pids[rank] == 0) be_rank(body, board, rank, size);
  }
  const Deadline deadline = Clock::now() + kJobLimit;
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    const int status = wait_for(pids[rank], deadline);
    if (static_cast<int>(rank) == dies) {
      EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
          << "rank " << rank << " was to be killed";
    } else {
      EXPECT_TRUE(WIFEXITED(status)) << "rank " << rank << " ended by signal " << WTERMSIG(status);
      EXPECT_EQ(WEXITSTATUS(status), 0) << "rank " << rank << ": its failures are above";
    }
  }
}

}  // namespace hawser::conformance
