// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
// A program without memory for a call: the call, or its wait, says so, and all works again afterwards.
#include <vector>

#include "tests/mpi/check.hpp"
#include "tests/race/failing_memory.hpp"

using namespace mpi_tests;
using hawser::tests::FailingMemory;

namespace {

const MPI_Comm kSelf = MPI_COMM_SELF;

/// More than any pool or table has room for by itself.
constexpr int kMany = 1000;

int g_handled = 0;

void count_call(MPI_Comm* comm, int* code, ...) {
  CHECK(*comm == kSelf);
  CHECK_EQ(class_of(*code), MPI_ERR_NO_MEM);
  ++g_handled;
}

/// Those of `requests` that are there, cancelled; the errors of the others.
int cancel_all(std::vector<MPI_Request>& requests) {
  int errors = 0;
  for (MPI_Request& request : requests) {
    MPI_Cancel(&request);
    if (class_of(MPI_Wait(&request, MPI_STATUS_IGNORE)) == MPI_ERR_NO_MEM) ++errors;
  }
  requests.clear();
  return errors;
}

/// Without memory for the request, and then only for where it is posted. False: all were posted.
bool receives_fail(std::vector<MPI_Request>& posted, int first_tag) {
  static int value = 0;
  int errors = 0;
  for (int tag = first_tag; tag < first_tag + kMany; ++tag) {
    MPI_Request request = MPI_REQUEST_NULL;
    int code = MPI_SUCCESS;
    {
      const FailingMemory none(0);
      code = MPI_Irecv(&value, 1, MPI_INT, 0, tag, kSelf, &request);
    }
    if (code != MPI_SUCCESS) ++errors;
    if (code != MPI_SUCCESS) CHECK(request == MPI_REQUEST_NULL);
    if (request != MPI_REQUEST_NULL) posted.push_back(request);
  }
  errors += cancel_all(posted);
  return errors != 0;
}

void receives() {
  static int value = 0;
  std::vector<MPI_Request> posted;
  CHECK(receives_fail(posted, 0));
  for (int i = 0; i < kMany; ++i) {  // memory for so many requests, but for one tag
    posted.emplace_back();
    CHECK_EQ(MPI_Irecv(&value, 1, MPI_INT, 0, 0, kSelf, &posted.back()), MPI_SUCCESS);
  }
  CHECK_EQ(cancel_all(posted), 0);
  CHECK(receives_fail(posted, kMany));
}

void persistent_receives() {
  static int value = 0;
  std::vector<MPI_Request> posted(kMany);
  for (int tag = 0; tag < kMany; ++tag)
    MPI_Recv_init(&value, 1, MPI_INT, 0, 10 * kMany + tag, kSelf, &posted[static_cast<std::size_t>(tag)]);
  int errors = 0;
  {
    const FailingMemory none(0);
    for (MPI_Request& request : posted) {
      MPI_Start(&request);
      int flag = 0;
      if (MPI_Test(&request, &flag, MPI_STATUS_IGNORE) != MPI_SUCCESS) ++errors;
    }
  }
  CHECK(errors != 0);
  for (MPI_Request& request : posted) {
    MPI_Cancel(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
  }
}

/// The message is still there.
void matched() {
  std::vector<MPI_Request> requests;
  static int value = 0;
  int seven = 7, code = MPI_SUCCESS;
  for (int i = 0; i < 3 * kMany && code == MPI_SUCCESS; ++i) {
    MPI_Message message;
    MPI_Request sent, request = MPI_REQUEST_NULL;
    MPI_Isend(&seven, 1, MPI_INT, 0, 1, kSelf, &sent);
    MPI_Mprobe(0, 1, kSelf, &message, MPI_STATUS_IGNORE);
    MPI_Wait(&sent, MPI_STATUS_IGNORE);
    {
      const FailingMemory none(0);
      code = MPI_Imrecv(&value, 1, MPI_INT, &message, &request);
    }
    if (code != MPI_SUCCESS) {
      CHECK_EQ(class_of(code), MPI_ERR_NO_MEM);
      CHECK(message != MPI_MESSAGE_NULL);
      value = 0;
      CHECK_EQ(MPI_Mrecv(&value, 1, MPI_INT, &message, MPI_STATUS_IGNORE), MPI_SUCCESS);
      CHECK_EQ(value, 7);
    } else {
      requests.push_back(request);
    }
  }
  CHECK_EQ(class_of(code), MPI_ERR_NO_MEM);
  CHECK_EQ(cancel_all(requests), 0);
}

void copies() {
  std::vector<int> numbers(100'000);
  MPI_Request request = MPI_REQUEST_NULL;
  const FailingMemory none(0);
  const int count = static_cast<int>(numbers.size());
  CHECK_CLASS(MPI_Sendrecv_replace(numbers.data(), count, MPI_INT, 0, 1, 0, 1, kSelf, MPI_STATUS_IGNORE),
              MPI_ERR_NO_MEM);
#ifdef HAWSER_MPI_H
  CHECK_CLASS(MPI_Isendrecv_replace(numbers.data(), count, MPI_INT, 0, 1, 0, 1, kSelf, &request),
              MPI_ERR_NO_MEM);
#endif
}

/// Small, not contiguous: there is no memory to pack it, and then it goes in slices.
void strided() {
  static int from[60], to[60];
  MPI_Datatype type;
  MPI_Type_vector(30, 1, 2, MPI_INT, &type);
  MPI_Type_commit(&type);
  for (int i = 0; i < 60; ++i) from[i] = i;
  MPI_Request request;
  MPI_Irecv(to, 1, type, 0, 2, kSelf, &request);
  int code = MPI_SUCCESS;
  {
    const FailingMemory none(0);
    code = MPI_Send(from, 1, type, 0, 2, kSelf);
  }
  if (code == MPI_SUCCESS) {
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK_EQ(to[58], 58);
  } else {
    MPI_Cancel(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  MPI_Type_free(&type);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Errhandler handler;
  MPI_Comm_create_errhandler(count_call, &handler);
  MPI_Comm_set_errhandler(kSelf, handler);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
  receives();
  CHECK(g_handled > 0);
  persistent_receives();
  matched();
  copies();
  strided();
  MPI_Errhandler_free(&handler);
  MPI_Finalize();
  return 0;
}
