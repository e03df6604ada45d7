// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
// Messages of every interesting size, contiguous and strided, expected and unexpected, with each byte
// checked. Usage: p2p_sizes [LARGEST]
#include <cstdlib>
#include <vector>

#include "tests/mpi/check.hpp"

using namespace mpi_tests;

namespace {

constexpr std::size_t kBlock = 24, kStride = 40;

/// 0, 1, and each power of two with its neighbours: whatever the limits are set to, both sides of them are
/// met.
std::vector<std::size_t> sizes_up_to(std::size_t largest) {
  std::vector<std::size_t> sizes{0, 1, 3};
  for (std::size_t size = 8; size <= (1u << 20); size *= 2)
    sizes.insert(sizes.end(), {size - 1, size, size + 1});
  sizes.push_back(largest);
  return sizes;
}

void contiguous(std::size_t size, bool expected) {
  std::vector<unsigned char> memory(size + 16, 0xee);
  const int count = static_cast<int>(size);
  if (world_rank() == 0) {
    fill(memory.data(), size, size);
    if (expected) await(1);
    MPI_Request request;
    MPI_Isend(memory.data(), count, MPI_BYTE, 1, 1, MPI_COMM_WORLD, &request);
    if (!expected) tell(1);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    return;
  }
  MPI_Request request;
  if (!expected) await(0);
  MPI_Irecv(memory.data(), count, MPI_BYTE, 0, 1, MPI_COMM_WORLD, &request);
  if (expected) tell(0);
  MPI_Status status;
  MPI_Wait(&request, &status);
  int got = -1;
  MPI_Get_count(&status, MPI_BYTE, &got);
  CHECK_EQ(got, count);
  CHECK(filled(memory.data(), size, size));
  CHECK(all_are(memory.data() + size, 16, 0xee));
}

/// Blocks of 24 bytes, 40 apart. The receiver may take the same bytes as one piece, and the other way round.
void strided(std::size_t size, bool sender, bool receiver) {
  const std::size_t blocks = size / kBlock;
  const bool mine = world_rank() == 0 ? sender : receiver;
  const std::size_t packed = blocks * kBlock;
  std::vector<unsigned char> memory(mine ? blocks * kStride : packed, 0xee);
  std::vector<unsigned char> plain(packed);
  MPI_Datatype type = MPI_BYTE;
  int count = static_cast<int>(packed);
  if (mine) {
    MPI_Type_vector(static_cast<int>(blocks), kBlock, kStride, MPI_BYTE, &type);
    MPI_Type_commit(&type);
    count = 1;
  }
  const std::size_t step = mine ? kStride : kBlock;
  if (world_rank() == 0) {
    fill(plain.data(), packed, size);
    for (std::size_t i = 0; i < blocks; ++i) std::memcpy(&memory[i * step], &plain[i * kBlock], kBlock);
    MPI_Send(memory.data(), count, type, 1, 2, MPI_COMM_WORLD);
  } else {
    MPI_Recv(memory.data(), count, type, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (std::size_t i = 0; i < blocks; ++i) {
      std::memcpy(&plain[i * kBlock], &memory[i * step], kBlock);
      CHECK(all_are(&memory[i * step] + kBlock, step - kBlock, 0xee));
    }
    CHECK(filled(plain.data(), packed, size));
  }
  if (mine) MPI_Type_free(&type);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const std::size_t largest = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 64u << 20;
  for (const std::size_t size : sizes_up_to(largest)) {
    contiguous(size, true);
    contiguous(size, false);
    if (size < kBlock) continue;
    strided(size, true, true);
    strided(size, true, false);
    strided(size, false, true);
  }
  meet();
  MPI_Finalize();
  return 0;
}
