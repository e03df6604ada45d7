// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
// Derived datatypes between two processes: layouts that differ, sizes from one item to many megabytes, types
// freed while their transfer is under way, less received than was asked for.
#include <vector>

#include "tests/mpi/check.hpp"

using namespace mpi_tests;

namespace {

struct Particle {
  char kind;
  double place[3];
  int id;
};

MPI_Datatype particle_type() {
  const int lengths[] = {1, 3, 1};
  const MPI_Aint places[] = {offsetof(Particle, kind), offsetof(Particle, place), offsetof(Particle, id)};
  const MPI_Datatype types[] = {MPI_CHAR, MPI_DOUBLE, MPI_INT};
  MPI_Datatype type;
  MPI_Type_create_struct(3, lengths, places, types, &type);
  MPI_Aint lb, extent;
  MPI_Type_get_extent(type, &lb, &extent);
  CHECK_EQ(extent, sizeof(Particle));
  MPI_Type_commit(&type);
  return type;
}

/// The sender frees the type as soon as the send is posted, the receiver as soon as the receive is.
void structs(int count) {
  std::vector<Particle> all(static_cast<std::size_t>(count));
  if (count != 0) {
    std::memset(static_cast<void*>(all.data()), 0x11 * (world_rank() + 1), all.size() * sizeof(Particle));
  }
  MPI_Datatype type = particle_type();
  MPI_Request request;
  if (world_rank() == 0) {
    for (int i = 0; i < count; ++i) {
      Particle& p = all[static_cast<std::size_t>(i)];
      p.kind = static_cast<char>(i);
      p.id = i;
      for (int d = 0; d < 3; ++d) p.place[d] = i + d / 4.0;
    }
    MPI_Isend(all.data(), count, type, 1, 1, MPI_COMM_WORLD, &request);
    MPI_Type_free(&type);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    return;
  }
  MPI_Irecv(all.data(), count, type, 0, 1, MPI_COMM_WORLD, &request);
  MPI_Type_free(&type);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  for (int i = 0; i < count; ++i) {
    const Particle& p = all[static_cast<std::size_t>(i)];
    CHECK(p.kind == static_cast<char>(i) && p.id == i && p.place[0] == i && p.place[2] == i + 0.5);
    CHECK_EQ(reinterpret_cast<const unsigned char*>(&p)[1], 0x22);  // padding is the receiver's own
  }
}

/// Columns of the sender's matrix become rows of the receiver's.
void transpose(int n) {
  const auto size = static_cast<std::size_t>(n);
  std::vector<double> matrix(size * size);
  MPI_Datatype column, columns;
  MPI_Type_vector(n, 1, n, MPI_DOUBLE, &column);
  MPI_Type_create_resized(column, 0, sizeof(double), &columns);
  MPI_Type_commit(&columns);
  MPI_Type_free(&column);
  if (world_rank() == 0) {
    for (std::size_t i = 0; i < matrix.size(); ++i) matrix[i] = static_cast<double>(i);
    MPI_Send(matrix.data(), n, columns, 1, 2, MPI_COMM_WORLD);
  } else {
    MPI_Recv(matrix.data(), n * n, MPI_DOUBLE, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (std::size_t i = 0; i < size; ++i) {
      for (std::size_t j = 0; j < size; ++j) CHECK(matrix[i * size + j] == static_cast<double>(j * size + i));
    }
  }
  MPI_Type_free(&columns);
}

/// Irregular blocks on one side, regular ones on the other.
void irregular(int blocks) {
  std::vector<int> lengths, places;
  int place = 0, total = 0;
  for (int i = 0; i < blocks; ++i) {
    lengths.push_back(1 + i % 4);
    places.push_back(place);
    place += lengths.back() + i % 3;
    total += lengths.back();
  }
  if (world_rank() == 0) {
    std::vector<int> memory(static_cast<std::size_t>(place));
    int number = 0;
    for (int i = 0; i < blocks; ++i) {
      for (int j = 0; j < lengths[static_cast<std::size_t>(i)]; ++j) {
        memory[static_cast<std::size_t>(places[static_cast<std::size_t>(i)] + j)] = number++;
      }
    }
    MPI_Datatype type;
    MPI_Type_indexed(blocks, lengths.data(), places.data(), MPI_INT, &type);
    MPI_Type_commit(&type);
    MPI_Send(memory.data(), 1, type, 1, 3, MPI_COMM_WORLD);
    MPI_Type_free(&type);
    return;
  }
  std::vector<int> memory(static_cast<std::size_t>(total) * 2, -1);
  MPI_Datatype type;
  MPI_Type_vector(total, 1, 2, MPI_INT, &type);
  MPI_Type_commit(&type);
  MPI_Recv(memory.data(), 1, type, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Type_free(&type);
  for (std::size_t i = 0; i < memory.size(); i += 2) {
    CHECK_EQ(memory[i], i / 2);
    CHECK_EQ(memory[i + 1], -1);
  }
}

/// Less comes than was asked for: whole items, and elements of a broken one.
void partial() {
  MPI_Datatype type = particle_type();
  if (world_rank() == 0) {
    char kind = 'x';
    Particle two[2] = {};
    int position = 0;
    char packed[200];
    MPI_Pack(two, 2, type, packed, sizeof packed, &position, MPI_COMM_WORLD);
    MPI_Pack(&kind, 1, MPI_CHAR, packed, sizeof packed, &position, MPI_COMM_WORLD);
    MPI_Send(packed, position, MPI_PACKED, 1, 4, MPI_COMM_WORLD);
  } else {
    Particle got[4];
    MPI_Status status;
    int count = 0;
    MPI_Recv(got, 4, type, 0, 4, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, type, &count);
    CHECK_EQ(count, MPI_UNDEFINED);
    MPI_Get_elements(&status, type, &count);
    CHECK_EQ(count, 11);
    CHECK_EQ(got[2].kind, 'x');
  }
  MPI_Type_free(&type);
}

/// Two variables of the process as one message, by their addresses.
void from_bottom() {
  int number = world_rank() == 0 ? 5 : 0;
  double other = world_rank() == 0 ? 2.5 : 0;
  const int lengths[] = {1, 1};
  const MPI_Datatype types[] = {MPI_INT, MPI_DOUBLE};
  MPI_Aint places[2];
  MPI_Get_address(&number, &places[0]);
  MPI_Get_address(&other, &places[1]);
  MPI_Datatype type;
  MPI_Type_create_struct(2, lengths, places, types, &type);
  MPI_Type_commit(&type);
  if (world_rank() == 0) {
    MPI_Send(MPI_BOTTOM, 1, type, 1, 5, MPI_COMM_WORLD);
  } else {
    MPI_Recv(MPI_BOTTOM, 1, type, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  CHECK(number == 5 && other == 2.5);
  MPI_Type_free(&type);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  for (const int count : {0, 1, 100, 3000, 200000}) structs(count);
  for (const int n : {1, 7, 64, 700}) transpose(n);
  for (const int blocks : {1, 50, 100000}) irregular(blocks);
  partial();
  from_bottom();
  MPI_Finalize();
  return 0;
}
