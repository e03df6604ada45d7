// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
// A message of more than 2 GiB: 2200 elements of a type of 1 MiB, and 2200 MiB as plain bytes with a large
// count.
#include <memory>

#include "tests/mpi/check.hpp"

using namespace mpi_tests;

namespace {

constexpr std::size_t kMiB = 1u << 20;
constexpr int kElements = 2200;
constexpr std::size_t kBytes = kElements * kMiB;

void send_or_receive(unsigned char* memory, bool large_count) {
  MPI_Datatype type;
  MPI_Type_contiguous(kMiB, MPI_BYTE, &type);
  MPI_Type_commit(&type);
  if (world_rank() == 0) {
    fill(memory, kBytes, large_count);
    if (large_count) MPI_Send_c(memory, kBytes, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
    if (!large_count) MPI_Send(memory, kElements, type, 1, 1, MPI_COMM_WORLD);
  } else {
    MPI_Status status;
    std::memset(memory, 0xee, kBytes);
    if (large_count) MPI_Recv_c(memory, kBytes, MPI_BYTE, 0, 1, MPI_COMM_WORLD, &status);
    if (!large_count) MPI_Recv(memory, kElements, type, 0, 1, MPI_COMM_WORLD, &status);
    int count = -1, elements = -1;
    MPI_Count bytes = -1;
    MPI_Get_count(&status, type, &elements);
    MPI_Get_count_c(&status, MPI_BYTE, &bytes);
    MPI_Get_count(&status, MPI_BYTE, &count);
    CHECK_EQ(elements, kElements);
    CHECK_EQ(bytes, kBytes);
    CHECK_EQ(count, MPI_UNDEFINED);  // does not fit an int
    CHECK(filled(memory, kBytes, large_count));
  }
  MPI_Type_free(&type);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const std::unique_ptr<unsigned char[]> memory(new unsigned char[kBytes]);
  send_or_receive(memory.get(), false);
  send_or_receive(memory.get(), true);
  meet();
  MPI_Finalize();
  return 0;
}
