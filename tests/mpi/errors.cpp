// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
// Wrong arguments under MPI_ERRORS_RETURN: each is answered with its class, and everything works afterwards.
#include "tests/mpi/check.hpp"

using namespace mpi_tests;

namespace {

void expect(int code, int error_class, const char* what, int line) {
  if (class_of(code) == error_class) return;
  char text[MPI_MAX_ERROR_STRING + 200], meaning[MPI_MAX_ERROR_STRING];
  int length = 0;
  MPI_Error_string(code, meaning, &length);
  std::snprintf(text, sizeof text, "%s gives class %d, not %d (%s)", what, error_class, class_of(code),
                meaning);
  failed(__FILE__, line, text);
}

#define EXPECT_ERROR(call, error_class) expect(call, error_class, #call, __LINE__)

void point_to_point() {
  int value = 0;
  const int size = world_size(), me = world_rank();
  MPI_Request request;
  MPI_Status status;
  const MPI_Comm world = MPI_COMM_WORLD;
  EXPECT_ERROR(MPI_Send(&value, 1, MPI_INT, size, 0, world), MPI_ERR_RANK);
  EXPECT_ERROR(MPI_Send(&value, 1, MPI_INT, -77, 0, world), MPI_ERR_RANK);
  EXPECT_ERROR(MPI_Send(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, world), MPI_ERR_RANK);
  EXPECT_ERROR(MPI_Send(&value, 1, MPI_INT, me, -5, world), MPI_ERR_TAG);
  EXPECT_ERROR(MPI_Send(&value, 1, MPI_INT, me, MPI_ANY_TAG, world), MPI_ERR_TAG);
  EXPECT_ERROR(MPI_Send(&value, -1, MPI_INT, me, 0, world), MPI_ERR_COUNT);
  EXPECT_ERROR(MPI_Send(&value, 1, MPI_DATATYPE_NULL, me, 0, world), MPI_ERR_TYPE);
  EXPECT_ERROR(MPI_Send(&value, 1, MPI_INT, me, 0, MPI_COMM_NULL), MPI_ERR_COMM);
  EXPECT_ERROR(MPI_Send(nullptr, 1, MPI_INT, me, 0, world), MPI_ERR_BUFFER);
  EXPECT_ERROR(MPI_Isend(&value, 1, MPI_INT, size, 0, world, &request), MPI_ERR_RANK);
  EXPECT_ERROR(MPI_Ssend(&value, -1, MPI_INT, me, 0, world), MPI_ERR_COUNT);
  EXPECT_ERROR(MPI_Recv(&value, 1, MPI_INT, size, 0, world, &status), MPI_ERR_RANK);
  EXPECT_ERROR(MPI_Recv(&value, 1, MPI_INT, me, -5, world, &status), MPI_ERR_TAG);
  EXPECT_ERROR(MPI_Recv(&value, -1, MPI_INT, me, 0, world, &status), MPI_ERR_COUNT);
  EXPECT_ERROR(MPI_Irecv(&value, 1, MPI_DATATYPE_NULL, me, 0, world, &request), MPI_ERR_TYPE);
  EXPECT_ERROR(MPI_Irecv(nullptr, 1, MPI_INT, me, 0, world, &request), MPI_ERR_BUFFER);
  EXPECT_ERROR(MPI_Probe(size, 0, world, &status), MPI_ERR_RANK);
  EXPECT_ERROR(MPI_Iprobe(me, -5, world, &value, &status), MPI_ERR_TAG);
  EXPECT_ERROR(MPI_Sendrecv(&value, 1, MPI_INT, size, 0, &value, 1, MPI_INT, me, 0, world, &status),
               MPI_ERR_RANK);
}

void uncommitted_type() {
  int values[4] = {};
  MPI_Datatype type;
  MPI_Type_vector(2, 1, 2, MPI_INT, &type);
  EXPECT_ERROR(MPI_Send(values, 1, type, world_rank(), 0, MPI_COMM_WORLD), MPI_ERR_TYPE);
  MPI_Type_free(&type);
}

void communicators() {
  MPI_Comm comm;
  MPI_Group group;
  int value = 0;
  EXPECT_ERROR(MPI_Comm_size(MPI_COMM_NULL, &value), MPI_ERR_COMM);
  EXPECT_ERROR(MPI_Comm_rank(MPI_COMM_NULL, &value), MPI_ERR_COMM);
  EXPECT_ERROR(MPI_Comm_dup(MPI_COMM_NULL, &comm), MPI_ERR_COMM);
  EXPECT_ERROR(MPI_Barrier(MPI_COMM_NULL), MPI_ERR_COMM);
  EXPECT_ERROR(MPI_Bcast(&value, 1, MPI_INT, world_size(), MPI_COMM_WORLD), MPI_ERR_ROOT);
  EXPECT_ERROR(MPI_Bcast(&value, -1, MPI_INT, 0, MPI_COMM_WORLD), MPI_ERR_COUNT);
  EXPECT_ERROR(MPI_Group_size(MPI_GROUP_NULL, &value), MPI_ERR_GROUP);
  MPI_Comm_group(MPI_COMM_WORLD, &group);
  const int ranks[] = {world_size()};
  MPI_Group none;
  EXPECT_ERROR(MPI_Group_incl(group, 1, ranks, &none), MPI_ERR_RANK);
  MPI_Group_free(&group);
}

int g_calls = 0, g_code = 0;

void count_call(MPI_Comm*, int* code, ...) {
  ++g_calls;
  g_code = *code;
}

/// A handler of the program's own is called, once, with the code; copies of the communicator have it too.
void own_handler() {
  MPI_Errhandler handler, got;
  MPI_Comm comm, copy;
  int value = 0;
  MPI_Comm_dup(MPI_COMM_SELF, &comm);
  MPI_Comm_create_errhandler(count_call, &handler);
  MPI_Comm_set_errhandler(comm, handler);
  MPI_Errhandler_free(&handler);
  CHECK(handler == MPI_ERRHANDLER_NULL);
  MPI_Send(&value, 1, MPI_INT, 99, 0, comm);
  CHECK_EQ(g_calls, 1);
  CHECK_EQ(class_of(g_code), MPI_ERR_RANK);
  MPI_Comm_dup(comm, &copy);
  MPI_Send(&value, -1, MPI_INT, 0, 0, copy);
  CHECK_EQ(g_calls, 2);
  CHECK_EQ(class_of(g_code), MPI_ERR_COUNT);
  MPI_Comm_call_errhandler(copy, MPI_ERR_OTHER);
  CHECK_EQ(g_calls, 3);
  MPI_Comm_free(&copy);
  MPI_Comm_free(&comm);
  MPI_Comm_get_errhandler(MPI_COMM_WORLD, &got);
  CHECK(got == MPI_ERRORS_RETURN);
  MPI_Errhandler_free(&got);
}

void every_class_has_a_text() {
  char text[MPI_MAX_ERROR_STRING];
  const int classes[] = {MPI_SUCCESS, MPI_ERR_RANK, MPI_ERR_TRUNCATE, MPI_ERR_UNSUPPORTED_OPERATION};
  for (const int error_class : classes) {
    int length = -1;
    CHECK_EQ(MPI_Error_string(error_class, text, &length), MPI_SUCCESS);
    CHECK_EQ(static_cast<std::size_t>(length), std::strlen(text));
    CHECK(length > 0);
  }
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Errhandler handler;
  MPI_Comm_get_errhandler(MPI_COMM_WORLD, &handler);
  CHECK(handler == MPI_ERRORS_ARE_FATAL);
  MPI_Errhandler_free(&handler);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  point_to_point();
  uncommitted_type();
  communicators();
  own_handler();
  every_class_has_a_text();
  meet();
  MPI_Finalize();
  return 0;
}
