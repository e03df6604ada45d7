// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

/// What the MPI test programs share. A failed check names rank and place, and ends the job.
#define CHECK(condition)                                                   \
  do {                                                                     \
    if (!(condition)) ::mpi_tests::failed(__FILE__, __LINE__, #condition); \
  } while (0)

/// Both sides are shown if they differ; for integers.
#define CHECK_EQ(got, wanted)                                                                               \
  ::mpi_tests::check_equal(static_cast<long long>(got), static_cast<long long>(wanted), __FILE__, __LINE__, \
                           #got " is " #wanted)

/// A call gives an error of that class.
#define CHECK_CLASS(call, error_class) CHECK_EQ(::mpi_tests::class_of(call), error_class)

namespace mpi_tests {

inline int world_rank() {
  int rank = -1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

inline int world_size() {
  int size = -1;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}

// In a ring of all ranks.
inline int right() {
  return (world_rank() + 1) % world_size();
}
inline int left() {
  return (world_rank() + world_size() - 1) % world_size();
}

inline int class_of(int code) {
  int error_class = -1;
  MPI_Error_class(code, &error_class);
  return error_class;
}

/// MPI_Init. True: the program's argument is "threads", and so MPI_THREAD_MULTIPLE was asked for.
inline bool init_with_threads(int& argc, char**& argv) {
  const bool many = argc > 1 && std::strcmp(argv[1], "threads") == 0;
  int provided = 0;
  MPI_Init_thread(&argc, &argv, many ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
  return many;
}

[[noreturn]] inline void failed(const char* file, int line, const char* what) {
  std::fprintf(stderr, "rank %d: %s:%d: not so: %s\n", world_rank(), file, line, what);
  std::fflush(stderr);
  MPI_Abort(MPI_COMM_WORLD, 9);
  std::abort();
}

inline void check_equal(long long got, long long wanted, const char* file, int line, const char* what) {
  if (got == wanted) return;
  char text[512];
  std::snprintf(text, sizeof text, "%s (%lld, %lld)", what, got, wanted);
  failed(file, line, text);
}

inline std::uint64_t word_of(std::uint64_t seed, std::size_t index) {
  return (seed + index + 1) * 0x9e3779b97f4a7c15ULL;
}

/// Bytes that differ at every place and for every seed.
inline void fill(void* memory, std::size_t size, std::uint64_t seed) {
  auto* at = static_cast<unsigned char*>(memory);
  for (std::size_t i = 0; i < size; i += 8) {
    const std::uint64_t word = word_of(seed, i / 8);
    std::memcpy(at + i, &word, size - i < 8 ? size - i : 8);
  }
}

/// Whether `fill` with that seed wrote these.
inline bool filled(const void* memory, std::size_t size, std::uint64_t seed) {
  const auto* at = static_cast<const unsigned char*>(memory);
  for (std::size_t i = 0; i < size; i += 8) {
    const std::uint64_t word = word_of(seed, i / 8);
    if (std::memcmp(at + i, &word, size - i < 8 ? size - i : 8) != 0) return false;
  }
  return true;
}

/// Whether all bytes have that value.
inline bool all_are(const void* memory, std::size_t size, unsigned char value) {
  const auto* at = static_cast<const unsigned char*>(memory);
  for (std::size_t i = 0; i < size; ++i) {
    if (at[i] != value) return false;
  }
  return true;
}

inline void tell(int rank, int tag = 31999, MPI_Comm comm = MPI_COMM_WORLD) {
  MPI_Send(nullptr, 0, MPI_BYTE, rank, tag, comm);
}

inline void await(int rank, int tag = 31999, MPI_Comm comm = MPI_COMM_WORLD) {
  MPI_Recv(nullptr, 0, MPI_BYTE, rank, tag, comm, MPI_STATUS_IGNORE);
}

/// All ranks meet; no receive of a program can take what that sends.
inline void meet() {
  MPI_Barrier(MPI_COMM_WORLD);
}

}  // namespace mpi_tests
