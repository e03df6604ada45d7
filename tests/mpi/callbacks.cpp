// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
// Attributes whose copy and delete functions fail: the call gives their error, and nobody waits for ever.
#include <initializer_list>
#include <vector>

#include "tests/mpi/check.hpp"

using namespace mpi_tests;

namespace {

constexpr int kNo = MPI_ERR_ARG;  // what the functions below give

int g_fails = 0;  // calls that do, from now on
int g_calls = 0;

int answer() {
  ++g_calls;
  return g_fails-- > 0 ? kNo : MPI_SUCCESS;
}
int remove_of_comm(MPI_Comm, int, void*, void*) {
  return answer();
}
int remove_of_type(MPI_Datatype, int, void*, void*) {
  return answer();
}
int copy_of_comm(MPI_Comm, int, void*, void* value, void* out, int* flag) {
  *static_cast<void**>(out) = value;
  *flag = 1;
  return answer();
}
int copy_of_type(MPI_Datatype, int, void*, void* value, void* out, int* flag) {
  *static_cast<void**>(out) = value;
  *flag = 1;
  return answer();
}

/// The next `fails` calls of such a function fail.
void let_fail(int fails) {
  g_calls = 0;
  g_fails = fails;
}

bool has(MPI_Comm comm, int key) {
  void* value = nullptr;
  int flag = 0;
  MPI_Comm_get_attr(comm, key, &value, &flag);
  return flag;
}

void use(MPI_Comm comm) {
  int one = 1, sum = 0, size = 0;
  MPI_Comm_size(comm, &size);
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
  CHECK_EQ(sum, size);
}

/// It stays as it was until its delete function lets it go; each attribute is deleted once.
void communicators_are_kept() {
  static int value = 0;
  int first = 0, second = 0;
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, remove_of_comm, &first, nullptr);
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, remove_of_comm, &second, nullptr);
  MPI_Comm_set_attr(comm, first, &value);
  MPI_Comm_set_attr(comm, second, &value);
  let_fail(1);
  CHECK_EQ(class_of(MPI_Comm_set_attr(comm, first, &value)), kNo);
  CHECK(has(comm, first));
  let_fail(1);
  CHECK_EQ(class_of(MPI_Comm_delete_attr(comm, first)), kNo);
  CHECK(has(comm, first));
  let_fail(1);
  CHECK_EQ(class_of(MPI_Comm_free(&comm)), kNo);
  CHECK(comm != MPI_COMM_NULL);
  CHECK_EQ(g_calls, 1);
  CHECK(has(comm, first) && has(comm, second));
  use(comm);
  let_fail(0);
  CHECK_EQ(MPI_Comm_free(&comm), MPI_SUCCESS);
  CHECK(comm == MPI_COMM_NULL);
  CHECK_EQ(g_calls, 2);
  MPI_Comm_free_keyval(&first);
  MPI_Comm_free_keyval(&second);
}

void types_are_kept() {
  static int value = 0;
  int key = 0, flag = 0;
  void* found = nullptr;
  MPI_Datatype type, copy = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(2, MPI_INT, &type);
  MPI_Type_create_keyval(copy_of_type, remove_of_type, &key, nullptr);
  MPI_Type_set_attr(type, key, &value);
  let_fail(1);
  CHECK_EQ(class_of(MPI_Type_dup(type, &copy)), kNo);
  for (const auto call : {+[](MPI_Datatype of, int with) { return MPI_Type_set_attr(of, with, &value); },
                          +[](MPI_Datatype of, int with) { return MPI_Type_delete_attr(of, with); },
                          +[](MPI_Datatype of, int) { return MPI_Type_free(&of); }}) {
    let_fail(1);
    CHECK_EQ(class_of(call(type, key)), kNo);
    MPI_Type_get_attr(type, key, &found, &flag);
    CHECK(flag && found == &value);
  }
  let_fail(0);
  CHECK_EQ(MPI_Type_free(&type), MPI_SUCCESS);
  CHECK(type == MPI_DATATYPE_NULL);
  CHECK_EQ(g_calls, 1);
  MPI_Type_free_keyval(&key);
}

/// In one member the copy fails: that one is told why, the others that there is no communicator.
void check_copy(MPI_Comm comm, bool fails, bool waits) {
  MPI_Comm copy = MPI_COMM_NULL;
  MPI_Request request = MPI_REQUEST_NULL;
  let_fail(fails ? 1 : 0);
  int error = waits ? MPI_Comm_dup(comm, &copy) : MPI_Comm_idup(comm, &copy, &request);
  CHECK_EQ(g_calls, 1);
  if (fails) CHECK_EQ(class_of(error), kNo);
  if (!fails && !waits) {
    CHECK_EQ(error, MPI_SUCCESS);
    error = MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  if (!fails) CHECK_EQ(class_of(error), MPI_ERR_OTHER);
  CHECK(request == MPI_REQUEST_NULL);
  CHECK(copy == MPI_COMM_NULL);
}

void copies_fail_in_one() {
  static int value = 0;
  const int me = world_rank(), size = world_size();
  int key = 0;
  MPI_Comm comm, copy;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  MPI_Comm_create_keyval(copy_of_comm, MPI_COMM_NULL_DELETE_FN, &key, nullptr);
  MPI_Comm_set_attr(comm, key, &value);
  for (int fails = 0; fails < size; ++fails) {
    check_copy(comm, me == fails, false);
    check_copy(comm, me == fails, true);
    use(comm);
  }
  let_fail(0);
  CHECK_EQ(MPI_Comm_dup(comm, &copy), MPI_SUCCESS);
  use(copy);
  MPI_Comm_free(&copy);
  check_copy(comm, me == 0, false);  // goes to MPI_Finalize at once, while others may not have begun
  MPI_Comm_free(&comm);
  MPI_Comm_free_keyval(&key);
}

std::vector<int> g_left;  // values of attributes, in the order in which they were deleted

int note_end(MPI_Comm comm, int, void* value, void*) {
  g_left.push_back(*static_cast<int*>(value));
  int over = 1, sum = 0, one = 1;
  MPI_Finalized(&over);
  CHECK(!over);
  CHECK_EQ(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm), MPI_SUCCESS);
  return kNo;  // it ends all the same
}

/// What a library attached to MPI_COMM_SELF to clean up behind itself.
void attach_to_self() {
  static int values[] = {1, 2, 3};
  int keys[3];
  for (int& key : keys) MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, note_end, &key, nullptr);
  for (int i : {1, 0, 2}) MPI_Comm_set_attr(MPI_COMM_SELF, keys[i], &values[i]);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  communicators_are_kept();
  types_are_kept();
  copies_fail_in_one();
  attach_to_self();
  MPI_Finalize();
  CHECK((g_left == std::vector<int>{3, 1, 2}));
  return 0;
}
