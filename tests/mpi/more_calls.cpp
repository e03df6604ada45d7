// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
// Smaller parts of the interface: exchanges with one request, how requests stand, error codes of the
// program's own, how types were made, what is attached to them, duplicates in the background. With the
// argument "threads": several threads duplicate at a time. Works with any number of ranks.
#include <climits>
#include <string>
#include <thread>
#include <vector>

#include "tests/mpi/check.hpp"

using namespace mpi_tests;

namespace {

#ifdef HAWSER_MPI_H  // what Debian's libraries do not have yet
void exchanges() {
  for (const int bytes : {0, 8, 5000, 300000}) {
    const auto size = static_cast<std::size_t>(bytes);
    std::vector<char> out(size), in(size), both(size);
    MPI_Request requests[3];
    MPI_Status statuses[3];
    MPI_Comm comm;
    fill(out.data(), size, static_cast<std::uint64_t>(world_rank()));
    fill(both.data(), size, static_cast<std::uint64_t>(world_rank() + 100));
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Isendrecv(out.data(), bytes, MPI_BYTE, right(), 1, in.data(), bytes, MPI_BYTE, left(), 1, comm,
                  &requests[0]);
    MPI_Isendrecv_replace(both.data(), bytes, MPI_BYTE, left(), 2, right(), MPI_ANY_TAG, comm, &requests[1]);
    MPI_Isendrecv(out.data(), bytes, MPI_BYTE, MPI_PROC_NULL, 1, in.data(), bytes, MPI_BYTE, MPI_PROC_NULL, 1,
                  comm, &requests[2]);
    MPI_Comm_free(&comm);
    MPI_Waitall(3, requests, statuses);
    CHECK(filled(in.data(), size, static_cast<std::uint64_t>(left())));
    CHECK(filled(both.data(), size, static_cast<std::uint64_t>(right() + 100)));
    CHECK_EQ(statuses[0].MPI_SOURCE, left());
    CHECK_EQ(statuses[1].MPI_SOURCE, right());
    CHECK_EQ(statuses[1].MPI_TAG, 2);
    CHECK_EQ(statuses[2].MPI_SOURCE, MPI_PROC_NULL);
    int count = -1;
    MPI_Get_count(&statuses[0], MPI_BYTE, &count);
    CHECK_EQ(count, bytes);
    for (const MPI_Request request : requests) CHECK(request == MPI_REQUEST_NULL);
  }
  int value = 0, other[2] = {};
  MPI_Request request;
  MPI_Status status;
  const MPI_Comm world = MPI_COMM_WORLD;
  CHECK_CLASS(MPI_Isendrecv(&value, 1, MPI_INT, world_size(), 0, other, 1, MPI_INT, 0, 0, world, &request),
              MPI_ERR_RANK);
  CHECK_CLASS(MPI_Isendrecv(&value, 1, MPI_INT, 0, 0, other, -1, MPI_INT, 0, 0, world, &request),
              MPI_ERR_COUNT);
  CHECK_CLASS(MPI_Isendrecv_replace(&value, 1, MPI_INT, 0, -1, 0, 0, world, &request), MPI_ERR_TAG);
  const int me = world_rank();
  MPI_Isendrecv(other, 2, MPI_INT, me, 3, &value, 1, MPI_INT, me, 3, world, &request);
  CHECK_CLASS(MPI_Wait(&request, &status), MPI_ERR_TRUNCATE);
}

void standing() {
  int values[3] = {}, flag = 1, index = 5, count = -1, indices[4];
  MPI_Status status, statuses[4];
  const int me = world_rank();
  MPI_Request requests[4];
  for (int i = 0; i < 3; ++i) MPI_Irecv(&values[i], 1, MPI_INT, me, i, MPI_COMM_WORLD, &requests[i]);
  MPI_Recv_init(values, 1, MPI_INT, me, 9, MPI_COMM_WORLD, &requests[3]);  // inactive: is none
  MPI_Request_get_status_all(4, requests, &flag, statuses);
  CHECK(!flag);
  MPI_Request_get_status_any(4, requests, &index, &flag, &status);
  CHECK(!flag && index == MPI_UNDEFINED);
  MPI_Request_get_status_some(4, requests, &count, indices, statuses);
  CHECK_EQ(count, 0);
  MPI_Send(&me, 1, MPI_INT, me, 1, MPI_COMM_WORLD);
  for (flag = 0; !flag;) MPI_Request_get_status_any(4, requests, &index, &flag, &status);
  CHECK_EQ(index, 1);
  CHECK_EQ(status.MPI_TAG, 1);
  MPI_Request_get_status_some(4, requests, &count, indices, statuses);
  CHECK_EQ(count, 1);
  CHECK_EQ(indices[0], 1);
  CHECK_EQ(statuses[0].MPI_TAG, 1);
  MPI_Send(&me, 1, MPI_INT, me, 0, MPI_COMM_WORLD);
  MPI_Send(&me, 1, MPI_INT, me, 2, MPI_COMM_WORLD);
  for (flag = 0; !flag;) MPI_Request_get_status_all(4, requests, &flag, statuses);
  for (int i = 0; i < 3; ++i) CHECK_EQ(statuses[i].MPI_TAG, i);
  CHECK_EQ(statuses[3].MPI_SOURCE, MPI_ANY_SOURCE);
  MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);  // they were all still there
  MPI_Request_get_status_any(4, requests, &index, &flag, &status);
  CHECK(flag && index == MPI_UNDEFINED);
  MPI_Request_get_status_some(4, requests, &count, indices, statuses);
  CHECK_EQ(count, MPI_UNDEFINED);
  MPI_Request_get_status_all(4, requests, &flag, MPI_STATUSES_IGNORE);
  CHECK(flag);
  MPI_Request_free(&requests[3]);
  CHECK_CLASS(MPI_Request_get_status_all(-1, requests, &flag, MPI_STATUSES_IGNORE), MPI_ERR_COUNT);
}

void removed_codes(int error_class, int code) {
  CHECK_CLASS(MPI_Remove_error_class(error_class), MPI_ERR_ARG);  // a code is still of it
  CHECK_EQ(MPI_Remove_error_string(code), MPI_SUCCESS);
  CHECK_EQ(MPI_Remove_error_code(code), MPI_SUCCESS);
  CHECK_CLASS(MPI_Remove_error_code(code), MPI_ERR_ARG);
  CHECK_EQ(MPI_Remove_error_class(error_class), MPI_SUCCESS);
  CHECK_CLASS(MPI_Remove_error_class(MPI_ERR_RANK), MPI_ERR_ARG);
}

void large_contents() {
  MPI_Datatype type, from[1];
  int integers = -1, addresses = -1, types = -1, combiner = -1;
  MPI_Count many[4] = {}, counts[8] = {};
  MPI_Type_vector_c(3, 2, 5, MPI_INT, &type);
  CHECK_CLASS(MPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner), MPI_ERR_TYPE);
  MPI_Type_get_envelope_c(type, &many[0], &many[1], &many[2], &many[3], &combiner);
  CHECK(many[0] == 0 && many[1] == 0 && many[2] == 3 && many[3] == 1);
  CHECK_EQ(combiner, MPI_COMBINER_VECTOR);
  MPI_Type_get_contents_c(type, 0, 0, 3, 1, nullptr, nullptr, counts, from);
  CHECK(counts[0] == 3 && counts[1] == 2 && counts[2] == 5 && from[0] == MPI_INT);
  MPI_Type_free(&type);
}
#endif

int g_seen_code = 0;

void see(MPI_Comm*, int* error, ...) {
  g_seen_code = *error;
}

void error_codes() {
  int error_class = 0, code = 0, length = 0, flag = 0, *last = nullptr;
  char text[MPI_MAX_ERROR_STRING];
  CHECK_EQ(MPI_Add_error_class(&error_class), MPI_SUCCESS);
  CHECK_EQ(MPI_Add_error_code(error_class, &code), MPI_SUCCESS);
  CHECK(error_class > MPI_ERR_LASTCODE && code != error_class);
  CHECK_EQ(class_of(code), error_class);
  CHECK_EQ(class_of(error_class), error_class);
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_LASTUSEDCODE, &last, &flag);
  CHECK(flag && *last >= code);
  MPI_Error_string(code, text, &length);
  CHECK_EQ(length, 0);
  CHECK_EQ(MPI_Add_error_string(code, "the moon is full"), MPI_SUCCESS);
  MPI_Error_string(code, text, &length);
  CHECK(std::string(text) == "the moon is full");
  CHECK_EQ(length, 16);
  MPI_Errhandler handler;
  MPI_Comm_create_errhandler(see, &handler);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
  MPI_Comm_call_errhandler(MPI_COMM_WORLD, code);
  CHECK_EQ(g_seen_code, code);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Errhandler_free(&handler);
#ifdef HAWSER_MPI_H
  CHECK_CLASS(MPI_Add_error_code(code, &code), MPI_ERR_ARG);
  CHECK_CLASS(MPI_Add_error_string(MPI_ERR_RANK, "mine"), MPI_ERR_ARG);
  removed_codes(error_class, code);
#endif
}

struct Made {
  int combiner = -1;
  std::vector<int> integers;
  std::vector<MPI_Aint> addresses;
  std::vector<MPI_Datatype> types;
};

/// Frees the type.
Made made_by(MPI_Datatype type) {
  Made made;
  int integers = -1, addresses = -1, types = -1;
  MPI_Type_get_envelope(type, &integers, &addresses, &types, &made.combiner);
  made.integers.resize(static_cast<std::size_t>(integers));
  made.addresses.resize(static_cast<std::size_t>(addresses));
  made.types.resize(static_cast<std::size_t>(types));
  MPI_Type_get_contents(type, integers, addresses, types, made.integers.data(), made.addresses.data(),
                        made.types.data());
  MPI_Type_free(&type);
  return made;
}

void check_made(const Made& made, int combiner, const std::vector<int>& integers,
                const std::vector<MPI_Aint>& addresses, const std::vector<MPI_Datatype>& types) {
  CHECK_EQ(made.combiner, combiner);
  CHECK(made.integers == integers);
  CHECK(made.addresses == addresses);
  CHECK(made.types == types);
}

void contents() {
  const int lengths[2] = {2, 1}, places[2] = {4, 0}, sizes[2] = {4, 5}, subsizes[2] = {2, 3},
            starts[2] = {1, 0};
  const MPI_Aint bytes[2] = {16, 0};
  const MPI_Datatype both[2] = {MPI_INT, MPI_DOUBLE};
  MPI_Datatype type;
  MPI_Type_contiguous(3, MPI_INT, &type);
  check_made(made_by(type), MPI_COMBINER_CONTIGUOUS, {3}, {}, {MPI_INT});
  MPI_Type_vector(3, 2, 5, MPI_INT, &type);
  check_made(made_by(type), MPI_COMBINER_VECTOR, {3, 2, 5}, {}, {MPI_INT});
  MPI_Type_create_hvector(3, 2, 50, MPI_INT, &type);
  check_made(made_by(type), MPI_COMBINER_HVECTOR, {3, 2}, {50}, {MPI_INT});
  MPI_Type_indexed(2, lengths, places, MPI_CHAR, &type);
  check_made(made_by(type), MPI_COMBINER_INDEXED, {2, 2, 1, 4, 0}, {}, {MPI_CHAR});
  MPI_Type_create_hindexed(2, lengths, bytes, MPI_CHAR, &type);
  check_made(made_by(type), MPI_COMBINER_HINDEXED, {2, 2, 1}, {16, 0}, {MPI_CHAR});
  MPI_Type_create_indexed_block(2, 3, places, MPI_CHAR, &type);
  check_made(made_by(type), MPI_COMBINER_INDEXED_BLOCK, {2, 3, 4, 0}, {}, {MPI_CHAR});
  MPI_Type_create_hindexed_block(2, 3, bytes, MPI_CHAR, &type);
  check_made(made_by(type), MPI_COMBINER_HINDEXED_BLOCK, {2, 3}, {16, 0}, {MPI_CHAR});
  MPI_Type_create_struct(2, lengths, bytes, both, &type);
  check_made(made_by(type), MPI_COMBINER_STRUCT, {2, 2, 1}, {16, 0}, {MPI_INT, MPI_DOUBLE});
  MPI_Type_create_resized(MPI_INT, -4, 40, &type);
  check_made(made_by(type), MPI_COMBINER_RESIZED, {}, {-4, 40}, {MPI_INT});
  MPI_Type_create_subarray(2, sizes, subsizes, starts, MPI_ORDER_C, MPI_INT, &type);
  check_made(made_by(type), MPI_COMBINER_SUBARRAY, {2, 4, 5, 2, 3, 1, 0, MPI_ORDER_C}, {}, {MPI_INT});
  MPI_Type_dup(MPI_INT, &type);
  check_made(made_by(type), MPI_COMBINER_DUP, {}, {}, {MPI_INT});
  int numbers[3], combiner = -1;
  MPI_Type_get_envelope(MPI_INT, &numbers[0], &numbers[1], &numbers[2], &combiner);
  CHECK(numbers[0] == 0 && numbers[1] == 0 && numbers[2] == 0);
  CHECK_EQ(combiner, MPI_COMBINER_NAMED);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  CHECK_CLASS(MPI_Type_get_contents(MPI_INT, 0, 0, 0, numbers, nullptr, &type), MPI_ERR_TYPE);
}

/// A type that is made of a derived one lives on without it, and gives it back.
void nested_contents() {
  MPI_Datatype inner, outer;
  MPI_Type_vector(2, 1, 3, MPI_SHORT, &inner);
  MPI_Type_contiguous(4, inner, &outer);
  MPI_Type_free(&inner);
  const Made outside = made_by(outer);
  CHECK_EQ(outside.combiner, MPI_COMBINER_CONTIGUOUS);
  int size = 0;
  MPI_Type_size(outside.types[0], &size);
  CHECK_EQ(size, 2 * sizeof(short));
  check_made(made_by(outside.types[0]), MPI_COMBINER_VECTOR, {2, 1, 3}, {}, {MPI_SHORT});
  MPI_Datatype type;
  int numbers[8];
  MPI_Type_vector(2, 1, 3, MPI_SHORT, &inner);
  CHECK(MPI_Type_get_contents(inner, 2, 0, 1, numbers, nullptr, &type) != MPI_SUCCESS);
  MPI_Type_free(&inner);
}

int g_copies = 0, g_removals = 0;

int copy_attribute(MPI_Datatype, int, void* extra, void* value, void* out, int* flag) {
  ++g_copies;
  *flag = value != nullptr;
  *static_cast<void**>(out) = static_cast<char*>(value) + *static_cast<int*>(extra);
  return MPI_SUCCESS;
}
int remove_attribute(MPI_Datatype, int, void*, void*) {
  ++g_removals;
  return MPI_SUCCESS;
}

void type_attributes() {
  static char memory[10];
  int three = 3, key = 0, same = 0, flag = 1;
  char* value = nullptr;
  MPI_Datatype type, copy;
  MPI_Type_create_keyval(copy_attribute, remove_attribute, &key, &three);
  MPI_Type_create_keyval(MPI_TYPE_DUP_FN, MPI_TYPE_NULL_DELETE_FN, &same, nullptr);
  MPI_Type_contiguous(2, MPI_INT, &type);
  MPI_Type_get_attr(type, key, &value, &flag);
  CHECK(!flag);
  MPI_Type_set_attr(type, key, memory);
  MPI_Type_set_attr(type, same, memory + 1);
  MPI_Type_get_attr(type, key, &value, &flag);
  CHECK(flag && value == memory);
  MPI_Type_dup(type, &copy);
  CHECK_EQ(g_copies, 1);
  MPI_Type_get_attr(copy, key, &value, &flag);
  CHECK(flag && value == memory + 3);
  MPI_Type_get_attr(copy, same, &value, &flag);
  CHECK(flag && value == memory + 1);
  MPI_Type_free(&copy);
  CHECK_EQ(g_removals, 1);
  MPI_Type_set_attr(type, key, memory + 2);  // instead of the one before
  CHECK_EQ(g_removals, 2);
  MPI_Type_delete_attr(type, key);
  CHECK_EQ(g_removals, 3);
  MPI_Type_get_attr(type, key, &value, &flag);
  CHECK(!flag);
  int freed = key;
  MPI_Type_free_keyval(&freed);
  CHECK_EQ(freed, MPI_KEYVAL_INVALID);
#ifdef HAWSER_MPI_H
  CHECK_CLASS(MPI_Type_delete_attr(type, key), MPI_ERR_KEYVAL);
  CHECK_CLASS(MPI_Type_set_attr(type, key, memory), MPI_ERR_KEYVAL);
  CHECK_CLASS(MPI_Type_set_attr(MPI_DATATYPE_NULL, same, memory), MPI_ERR_TYPE);
  CHECK_CLASS(MPI_Comm_set_attr(MPI_COMM_WORLD, same, memory), MPI_ERR_KEYVAL);
#endif
  MPI_Type_free(&type);
  MPI_Type_free_keyval(&same);
}

void old_names() {
  static int value = 5;
  int key = 0, flag = 0, *got = nullptr;
  MPI_Comm copy;
  MPI_Keyval_create(MPI_DUP_FN, MPI_NULL_DELETE_FN, &key, nullptr);
  MPI_Attr_put(MPI_COMM_WORLD, key, &value);
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  MPI_Attr_get(copy, key, &got, &flag);
  CHECK(flag && got == &value);
  MPI_Attr_delete(MPI_COMM_WORLD, key);
  MPI_Attr_get(MPI_COMM_WORLD, key, &got, &flag);
  CHECK(!flag);
  MPI_Comm_free(&copy);
  MPI_Keyval_free(&key);
}

void use(MPI_Comm comm) {
  int sum = 0, got = -1;
  const int one = 1, me = world_rank();
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
  CHECK_EQ(sum, world_size());
  MPI_Sendrecv(&me, 1, MPI_INT, right(), 0, &got, 1, MPI_INT, left(), 0, comm, MPI_STATUS_IGNORE);
  CHECK_EQ(got, left());
}

/// Several at once, and collectives on the same communicator meanwhile.
void duplicates() {
  constexpr int kCount = 4;
  static int value = 3;
  const int size = world_size(), yes = 1;
  int key = 0, flag = 0, kind = 0, result = 0, *got = nullptr;
  MPI_Comm grid, copies[kCount];
  MPI_Request requests[kCount];
  MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &yes, 0, &grid);
  MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &key, nullptr);
  MPI_Comm_set_attr(grid, key, &value);
  for (int round = 0; round < 5; ++round) {
    for (int i = 0; i < kCount; ++i) {
      MPI_Comm_idup(grid, &copies[i], &requests[i]);
      if (i == 1) use(grid);
    }
    MPI_Comm other;
    MPI_Comm_dup(MPI_COMM_WORLD, &other);
    for (int i = kCount - 1; i >= 0; --i) MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
    use(other);
    MPI_Comm_free(&other);
    for (MPI_Comm& copy : copies) {
      use(copy);
      MPI_Comm_compare(grid, copy, &result);
      CHECK_EQ(result, MPI_CONGRUENT);
      MPI_Comm_get_attr(copy, key, &got, &flag);
      CHECK(flag && got == &value);
      MPI_Topo_test(copy, &kind);
      CHECK_EQ(kind, MPI_CART);
      MPI_Comm_free(&copy);
    }
  }
  MPI_Comm copy;
  MPI_Comm_idup_with_info(grid, MPI_INFO_NULL, &copy, &requests[0]);
  MPI_Comm_free(&grid);  // lives until the copy is made
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  use(copy);
  MPI_Comm_free(&copy);
  MPI_Comm_free_keyval(&key);
  CHECK_CLASS(MPI_Comm_idup(MPI_COMM_NULL, &copy, &requests[0]), MPI_ERR_COMM);
}

/// Threads duplicate communicators of their own at the same time, some waiting, some not.
void threads() {
  constexpr int kThreads = 3;
  MPI_Comm comms[kThreads];
  for (MPI_Comm& comm : comms) MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  std::vector<std::thread> all;
  for (int thread = 0; thread < kThreads; ++thread) {
    all.emplace_back([thread, comm = comms[thread]] {
      for (int round = 0; round < 30; ++round) {
        MPI_Comm copy;
        MPI_Request request;
        if (thread == 0) {
          MPI_Comm_dup(comm, &copy);
        } else {
          MPI_Comm_idup(comm, &copy, &request);
          MPI_Wait(&request, MPI_STATUS_IGNORE);
        }
        use(copy);
        MPI_Comm_free(&copy);
      }
    });
  }
  for (std::thread& thread : all) thread.join();
  for (MPI_Comm& comm : comms) MPI_Comm_free(&comm);
}

}  // namespace

int main(int argc, char** argv) {
  if (init_with_threads(argc, argv)) {
    threads();
    MPI_Finalize();
    return 0;
  }
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  contents();
  nested_contents();
  type_attributes();
  old_names();
  duplicates();
  error_codes();
#ifdef HAWSER_MPI_H
  exchanges();
  standing();
  large_contents();
#endif
  MPI_Finalize();
  return 0;
}
