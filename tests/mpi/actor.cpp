// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
// A program for the tests from outside: does what its arguments say, one after the other. "R:word" is for
// rank R only.
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "tests/mpi/check.hpp"

using namespace mpi_tests;

namespace {

double cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

void init_threads() {
  int provided = -1;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &provided);
  CHECK_EQ(provided, MPI_THREAD_MULTIPLE);
}

/// Threads of one process send to themselves on the same communicator.
void self_threads() {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([t] {
      for (int i = 0; i < 1000; ++i) {
        int in = -1;
        MPI_Sendrecv(&i, 1, MPI_INT, world_rank(), t, &in, 1, MPI_INT, world_rank(), t, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        CHECK_EQ(in, i);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

void sendrecv(int peer) {
  int out = world_rank(), in = -1;
  MPI_Sendrecv(&out, 1, MPI_INT, peer, 0, &in, 1, MPI_INT, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  CHECK_EQ(in, peer);
}

/// With MPI_ERRORS_RETURN, a send to somebody out of reach is an error for the caller, and the job goes on.
void unreachable(int peer) {
  if (world_rank() == peer) return;
  CHECK(MPI_Send(nullptr, 0, MPI_INT, peer, 0, MPI_COMM_WORLD) != MPI_SUCCESS);
}

/// Each rank exchanges with its right and left neighbour.
void neighbours() {
  const int me = world_rank(), size = world_size();
  int in = -1;
  MPI_Sendrecv(&me, 1, MPI_INT, (me + 1) % size, 0, &in, 1, MPI_INT, (me + size - 1) % size, 0,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  CHECK_EQ(in, (me + size - 1) % size);
}

/// The same with requests, all waited for at once.
void exchange() {
  const int me = world_rank(), size = world_size();
  int in = -1;
  MPI_Request requests[2];
  MPI_Isend(&me, 1, MPI_INT, (me + 1) % size, 0, MPI_COMM_WORLD, &requests[0]);
  MPI_Irecv(&in, 1, MPI_INT, (me + size - 1) % size, 0, MPI_COMM_WORLD, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  CHECK_EQ(in, (me + size - 1) % size);
}

void all_to_all() {
  const int size = world_size();
  std::vector<int> out(static_cast<std::size_t>(size), world_rank()), in(out);
  MPI_Alltoall(out.data(), 1, MPI_INT, in.data(), 1, MPI_INT, MPI_COMM_WORLD);
  for (int i = 0; i < size; ++i) CHECK_EQ(in[static_cast<std::size_t>(i)], i);
}

/// The receiver's CPU time while it waits for a sender that is late by so many seconds.
void late(int seconds) {
  meet();
  const double before = cpu_seconds();
  if (world_rank() == 0) {
    sleep(static_cast<unsigned>(seconds));
    for (int i = 1; i < world_size(); ++i) tell(i);
  } else {
    await(0);
    std::printf("cpu %.3f\n", cpu_seconds() - before);
  }
}

/// The same with a barrier, once the ranks know each other well.
void late_at_barrier(int seconds) {
  for (int i = 0; i < 10; ++i) meet();
  const double before = cpu_seconds();
  if (world_rank() == 0) sleep(static_cast<unsigned>(seconds));
  meet();
  if (world_rank() != 0) std::printf("cpu %.3f\n", cpu_seconds() - before);
}

struct Verb {
  const char* name;
  void (*run)(int number);
};

const Verb kVerbs[] = {
    {"init", [](int) { MPI_Init(nullptr, nullptr); }},
    {"init-threads", [](int) { init_threads(); }},
    {"errors-return", [](int) { MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN); }},
    {"finalize", [](int) { MPI_Finalize(); }},
    {"size", [](int) { std::printf("%d of %d\n", world_rank(), world_size()); }},
    {"sendrecv", sendrecv},
    {"neighbours", [](int) { neighbours(); }},
    {"exchange", [](int) { exchange(); }},
    {"all-to-all", [](int) { all_to_all(); }},
    {"self-threads", [](int) { self_threads(); }},
    {"receive", [](int peer) { await(peer, 77); }},
    {"bad-send", [](int peer) { MPI_Send(nullptr, 0, MPI_INT, peer, 0, MPI_COMM_WORLD); }},
    {"unreachable", unreachable},
    {"late", late},
    {"late-at-barrier", late_at_barrier},
    {"barriers",
     [](int count) {
       while (count-- > 0) MPI_Barrier(MPI_COMM_WORLD);
     }},
    {"mpi-abort", [](int code) { MPI_Abort(MPI_COMM_WORLD, code); }},
    {"exit", [](int status) { std::exit(status); }},
    {"_exit", [](int status) { _exit(status); }},
    {"abort", [](int) { std::abort(); }},
    {"kill", [](int) { kill(getpid(), SIGKILL); }},
    {"throw", [](int) { throw std::runtime_error("the test's"); }},
};

void act(const std::string& name, int number) {
  for (const Verb& verb : kVerbs) {
    if (name == verb.name) return verb.run(number);
  }
  std::fprintf(stderr, "unknown word %s\n", name.c_str());
  std::exit(91);
}

}  // namespace

int main(int argc, char** argv) {
  const char* rank = std::getenv("HAWSER_RANK");
  for (int i = 1; i < argc; ++i) {
    std::string word = argv[i];
    const auto colon = word.find(':');
    if (colon != std::string::npos) {
      if (!rank || word.substr(0, colon) != rank) continue;
      word.erase(0, colon + 1);
    }
    const auto equals = word.find('=');
    act(word.substr(0, equals), equals == std::string::npos ? 0 : std::atoi(word.c_str() + equals + 1));
    std::fflush(stdout);
  }
  return 0;
}
