// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
// Datatypes and operations through the C API, in one process: what is built, what is told, what is refused.
#include <string>
#include <vector>

#include "tests/mpi/check.hpp"

using namespace mpi_tests;

namespace {

struct Bounds {
  MPI_Aint lb, extent, true_lb, true_extent;
  int size;
};

void expect(MPI_Datatype type, const Bounds& wanted) {
  Bounds got{};
  MPI_Type_get_extent(type, &got.lb, &got.extent);
  MPI_Type_get_true_extent(type, &got.true_lb, &got.true_extent);
  MPI_Type_size(type, &got.size);
  CHECK_EQ(got.lb, wanted.lb);
  CHECK_EQ(got.extent, wanted.extent);
  CHECK_EQ(got.true_lb, wanted.true_lb);
  CHECK_EQ(got.true_extent, wanted.true_extent);
  CHECK_EQ(got.size, wanted.size);
}

void expect_and_free(MPI_Datatype type, const Bounds& wanted) {
  expect(type, wanted);
  CHECK_EQ(MPI_Type_free(&type), MPI_SUCCESS);
  CHECK(type == MPI_DATATYPE_NULL);
}

void constructors() {
  MPI_Datatype type;
  const int lengths[] = {2, 0, 3}, places[] = {4, 100, -1};
  const MPI_Aint bytes[] = {16, 400, -4};
  MPI_Type_contiguous(5, MPI_INT, &type);
  expect_and_free(type, {0, 20, 0, 20, 20});
  MPI_Type_vector(3, 2, 4, MPI_INT, &type);
  expect_and_free(type, {0, 40, 0, 40, 24});
  MPI_Type_vector(3, 1, -2, MPI_INT, &type);
  expect_and_free(type, {-16, 20, -16, 20, 12});
  MPI_Type_create_hvector(2, 1, 13, MPI_CHAR, &type);
  expect_and_free(type, {0, 14, 0, 14, 2});
  MPI_Type_indexed(3, lengths, places, MPI_INT, &type);
  expect_and_free(type, {-4, 28, -4, 28, 20});
  MPI_Type_create_hindexed(3, lengths, bytes, MPI_INT, &type);
  expect_and_free(type, {-4, 28, -4, 28, 20});
  MPI_Type_create_indexed_block(3, 2, places, MPI_INT, &type);
  expect_and_free(type, {-4, 412, -4, 412, 24});
  MPI_Type_create_hindexed_block(3, 2, bytes, MPI_INT, &type);
  expect_and_free(type, {-4, 412, -4, 412, 24});
  MPI_Type_contiguous(0, MPI_DOUBLE, &type);
  expect_and_free(type, {0, 0, 0, 0, 0});
  MPI_Type_create_resized(MPI_INT, -8, 64, &type);
  expect_and_free(type, {-8, 64, 0, 4, 4});
}

void structs() {
  const int lengths[] = {1, 2};
  const MPI_Aint places[] = {0, 8};
  const MPI_Datatype types[] = {MPI_DOUBLE, MPI_SHORT};
  MPI_Datatype type, copy;
  MPI_Type_create_struct(2, lengths, places, types, &type);
  expect(type, {0, 16, 0, 12, 12});
  MPI_Type_dup(type, &copy);
  MPI_Type_free(&type);
  expect_and_free(copy, {0, 16, 0, 12, 12});
}

/// Rows 1 and 2, columns 2 to 4 of a 4 x 6 array, in either order of storage.
void subarrays() {
  const int sizes[] = {4, 6}, subsizes[] = {2, 3}, starts[] = {1, 2};
  const int wanted[2][6] = {{8, 9, 10, 14, 15, 16}, {9, 10, 13, 14, 17, 18}};
  int array[24];
  for (int i = 0; i < 24; ++i) array[i] = i;
  for (int fortran = 0; fortran < 2; ++fortran) {
    MPI_Datatype type;
    MPI_Type_create_subarray(2, sizes, subsizes, starts, fortran ? MPI_ORDER_FORTRAN : MPI_ORDER_C, MPI_INT,
                             &type);
    MPI_Type_commit(&type);
    int out[6], position = 0;
    MPI_Pack(array, 1, type, out, sizeof out, &position, MPI_COMM_WORLD);
    CHECK_EQ(position, sizeof out);
    CHECK(std::memcmp(out, wanted[fortran], sizeof out) == 0);
    MPI_Aint lb, extent;
    MPI_Type_get_extent(type, &lb, &extent);
    CHECK_EQ(lb, 0);
    CHECK_EQ(extent, sizeof array);
    MPI_Type_free(&type);
  }
}

void large_counts() {
  MPI_Datatype row, type;
  MPI_Type_vector_c(MPI_Count{1} << 32, 1, 2, MPI_INT, &row);
  MPI_Type_contiguous_c(4, row, &type);
  MPI_Count bytes, lb, extent;
  int narrow;
  MPI_Type_size_c(type, &bytes);
  CHECK_EQ(bytes, MPI_Count{1} << 36);
  MPI_Type_size(type, &narrow);
  CHECK_EQ(narrow, MPI_UNDEFINED);
  MPI_Type_get_extent_c(type, &lb, &extent);
  CHECK_EQ(extent, ((MPI_Count{1} << 35) - 4) * 4);
  MPI_Type_free(&row);
  MPI_Type_free(&type);
}

void packing() {
  MPI_Datatype type;
  MPI_Type_vector(4, 1, 3, MPI_SHORT, &type);
  MPI_Type_commit(&type);
  short in[40], out[40];
  fill(in, sizeof in, 3);
  std::memset(out, 0xee, sizeof out);
  int size, position = 0;
  MPI_Pack_size(2, type, MPI_COMM_WORLD, &size);
  CHECK(size >= 16);
  std::vector<char> packed(static_cast<std::size_t>(size) + 4);
  const int number = 77;
  MPI_Pack(&number, 1, MPI_INT, packed.data(), static_cast<int>(packed.size()), &position, MPI_COMM_WORLD);
  MPI_Pack(in, 2, type, packed.data(), static_cast<int>(packed.size()), &position, MPI_COMM_WORLD);
  const int end = position;
  int got = 0;
  position = 0;
  MPI_Unpack(packed.data(), end, &position, &got, 1, MPI_INT, MPI_COMM_WORLD);
  MPI_Unpack(packed.data(), end, &position, out, 2, type, MPI_COMM_WORLD);
  CHECK_EQ(position, end);
  CHECK_EQ(got, number);
  for (int i = 0; i < 20; ++i) {
    const int in_item = i % 10;
    CHECK(out[i] == (in_item % 3 == 0 ? in[i] : static_cast<short>(0xeeee)));
  }
  CHECK_EQ(MPI_Unpack(packed.data(), end, &position, &got, 1, MPI_INT, MPI_COMM_WORLD), MPI_ERR_TRUNCATE);
  MPI_Type_free(&type);
}

void names() {
  char name[MPI_MAX_OBJECT_NAME];
  int length;
  MPI_Type_get_name(MPI_DOUBLE, name, &length);
  CHECK(std::strcmp(name, "MPI_DOUBLE") == 0 && length == 10);
  MPI_Datatype type;
  MPI_Type_contiguous(2, MPI_INT, &type);
  MPI_Type_get_name(type, name, &length);
  CHECK(length == 0 && name[0] == 0);
  MPI_Type_set_name(type, "two of them");
  MPI_Type_get_name(type, name, &length);
  CHECK(std::strcmp(name, "two of them") == 0);
  MPI_Type_set_name(type, std::string(300, 'x').c_str());
  MPI_Type_get_name(type, name, &length);
  CHECK_EQ(length, MPI_MAX_OBJECT_NAME - 1);
  MPI_Type_free(&type);
}

void counts() {
  const int lengths[] = {1, 1};
  const MPI_Aint places[] = {0, 8};
  const MPI_Datatype types[] = {MPI_INT, MPI_DOUBLE};
  MPI_Datatype type;
  MPI_Type_create_struct(2, lengths, places, types, &type);
  MPI_Status status;
  int count;
  MPI_Status_set_elements(&status, type, 5);  // two items and the int of a third
  MPI_Get_elements(&status, type, &count);
  CHECK_EQ(count, 5);
  MPI_Get_count(&status, type, &count);
  CHECK_EQ(count, MPI_UNDEFINED);
  MPI_Get_count(&status, MPI_BYTE, &count);
  CHECK_EQ(count, 28);
  MPI_Get_elements(&status, MPI_DOUBLE, &count);
  CHECK_EQ(count, MPI_UNDEFINED);
  MPI_Status_set_elements_c(&status, MPI_INT, MPI_Count{1} << 40);
  MPI_Get_count(&status, MPI_INT, &count);
  CHECK_EQ(count, MPI_UNDEFINED);
  MPI_Count large;
  MPI_Get_count_c(&status, MPI_INT, &large);
  CHECK_EQ(large, MPI_Count{1} << 40);
  MPI_Get_elements_x(&status, MPI_INT, &large);
  CHECK_EQ(large, MPI_Count{1} << 40);
  MPI_Type_free(&type);
}

void addresses() {
  int array[4] = {};
  MPI_Aint first, last;
  MPI_Get_address(&array[0], &first);
  MPI_Get_address(&array[3], &last);
  CHECK_EQ(MPI_Aint_diff(last, first), 12);
  CHECK_EQ(MPI_Aint_add(first, 12), last);
}

int g_calls = 0;
void add_twice(void* in, void* inout, int* len, MPI_Datatype*) {
  ++g_calls;
  for (int i = 0; i < *len; ++i) static_cast<int*>(inout)[i] += 2 * static_cast<int*>(in)[i];
}

void operations() {
  int in[3] = {1, 2, 3}, inout[3] = {10, 20, 30}, commute = -1;
  MPI_Reduce_local(in, inout, 3, MPI_INT, MPI_SUM);
  CHECK(inout[0] == 11 && inout[2] == 33);
  MPI_Op op;
  MPI_Op_create(add_twice, 0, &op);
  MPI_Op_commutative(op, &commute);
  CHECK_EQ(commute, 0);
  MPI_Op_commutative(MPI_MAX, &commute);
  CHECK_EQ(commute, 1);
  MPI_Reduce_local(in, inout, 3, MPI_INT, op);
  CHECK(inout[0] == 13 && inout[2] == 39 && g_calls == 1);
  MPI_Op_free(&op);
  CHECK(op == MPI_OP_NULL);
}

void refusals() {
  MPI_Datatype type = MPI_DATATYPE_NULL, predefined = MPI_INT;
  MPI_Op sum = MPI_SUM;
  int one[] = {1}, size = 0;
  CHECK_EQ(MPI_Type_contiguous(-1, MPI_INT, &type), MPI_ERR_COUNT);
  CHECK_EQ(MPI_Type_contiguous(1, MPI_DATATYPE_NULL, &type), MPI_ERR_TYPE);
  CHECK_EQ(MPI_Type_contiguous(1, MPI_INT, nullptr), MPI_ERR_ARG);
  CHECK_EQ(MPI_Type_vector(1, -1, 1, MPI_INT, &type), MPI_ERR_ARG);
  CHECK_EQ(MPI_Type_indexed(1, one, nullptr, MPI_INT, &type), MPI_ERR_ARG);
  CHECK_EQ(MPI_Type_contiguous_c(MPI_Count{1} << 61, MPI_INT, &type), MPI_ERR_ARG);
  const int sizes[] = {4}, subsizes[] = {3}, starts[] = {2};
  CHECK_EQ(MPI_Type_create_subarray(1, sizes, subsizes, starts, MPI_ORDER_C, MPI_INT, &type), MPI_ERR_ARG);
  CHECK(type == MPI_DATATYPE_NULL);
  CHECK_EQ(MPI_Type_free(&predefined), MPI_ERR_TYPE);
  CHECK_EQ(MPI_Type_free(&type), MPI_ERR_TYPE);
  CHECK_EQ(MPI_Type_commit(&type), MPI_ERR_TYPE);
  CHECK_EQ(MPI_Type_size(type, &size), MPI_ERR_TYPE);
  CHECK_EQ(MPI_Op_free(&sum), MPI_ERR_OP);
  int a = 1, b = 1;
  CHECK_EQ(MPI_Reduce_local(&a, &b, 1, MPI_INT, MPI_MAXLOC), MPI_ERR_OP);
  CHECK_EQ(MPI_Reduce_local(&a, &b, 1, MPI_INT, MPI_OP_NULL), MPI_ERR_OP);
  CHECK_EQ(MPI_Reduce_local(&a, &b, -1, MPI_INT, MPI_SUM), MPI_ERR_COUNT);
  MPI_Type_contiguous(2, MPI_INT, &type);
  int position = 0;
  char room[8];
  CHECK_EQ(MPI_Pack(&a, 0, type, room, 8, &position, MPI_COMM_WORLD), MPI_ERR_TYPE);  // not committed
  MPI_Type_free(&type);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  constructors();
  structs();
  subarrays();
  large_counts();
  packing();
  names();
  counts();
  addresses();
  operations();
  refusals();
  MPI_Finalize();
  return 0;
}
