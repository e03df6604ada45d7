// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
// rail_cut FOLDER ROUNDS: every rank exchanges messages of several sizes with every other, round after round,
// and checks each. Once all run, rank 0 makes FOLDER/streaming; once somebody has made FOLDER/cut, it goes on
// for ROUNDS more, and all end.
#include <string>
#include <vector>

#include <unistd.h>

#include "tests/mpi/check.hpp"

using namespace mpi_tests;

namespace {

constexpr int kSizes[] = {0, 100, 20'000, 300'000};  // small, eager, and in slices
constexpr int kWarm = 30;                            // rounds before the cable may be cut

void exchange(int round) {
  const int me = world_rank(), size = world_size();
  std::vector<MPI_Request> requests;
  std::vector<std::vector<unsigned char>> in, out;
  const auto seed_of = [&](int from, int to, int tag) {
    return static_cast<std::uint64_t>(((round * 64 + from) * 64 + to) * 8 + tag);
  };
  for (int peer = 0; peer < size; ++peer) {
    for (int tag = 0; tag < 4 && peer != me; ++tag) {
      in.emplace_back(kSizes[tag]);
      out.emplace_back(kSizes[tag]);
      fill(out.back().data(), out.back().size(), seed_of(me, peer, tag));
      requests.emplace_back();
      MPI_Irecv(in.back().data(), kSizes[tag], MPI_BYTE, peer, tag, MPI_COMM_WORLD, &requests.back());
      requests.emplace_back();
      MPI_Isend(out.back().data(), kSizes[tag], MPI_BYTE, peer, tag, MPI_COMM_WORLD, &requests.back());
    }
  }
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  std::size_t next = 0;
  for (int peer = 0; peer < size; ++peer) {
    for (int tag = 0; tag < 4 && peer != me; ++tag, ++next) {
      CHECK(filled(in[next].data(), in[next].size(), seed_of(peer, me, tag)));
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  CHECK_EQ(argc, 3);
  const std::string folder = argv[1];
  int left = std::atoi(argv[2]);
  bool cut = false;
  for (int round = 0, go_on = 1; go_on != 0; ++round) {
    exchange(round);
    if (world_rank() == 0) {
      if (round == kWarm) std::fclose(std::fopen((folder + "/streaming").c_str(), "w"));
      cut = cut || access((folder + "/cut").c_str(), F_OK) == 0;
      if (cut) --left;
      go_on = left > 0 ? 1 : 0;
    }
    MPI_Bcast(&go_on, 1, MPI_INT, 0, MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}
