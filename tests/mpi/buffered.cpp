// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
// Buffered sends: they return before anybody receives, use the room that is attached again and again, and say
// when there is none. With the argument "threads": several threads share a buffer.
#include <atomic>
#include <thread>
#include <vector>

#include "tests/mpi/check.hpp"
#if defined(HAWSER_HOOKS)
#include "framework/base/hooks.hpp"
#endif

using namespace mpi_tests;

namespace {

constexpr int kLarge = 300000;

/// Memory that is attached for as long as this lives.
class Buffer {
 public:
  explicit Buffer(std::size_t bytes) : memory_(bytes) {
    MPI_Buffer_attach(memory_.data(), static_cast<int>(bytes));
  }
  ~Buffer() {
    void* address = nullptr;
    int size = -1;
    MPI_Buffer_detach(&address, &size);
    CHECK(address == memory_.data());
    CHECK_EQ(size, memory_.size());
    std::memset(memory_.data(), 0, memory_.size());  // nobody reads it any more
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

 private:
  std::vector<char> memory_;
};

void send_filled(int bytes, int to, int tag) {
  std::vector<char> out(static_cast<std::size_t>(bytes));
  fill(out.data(), out.size(), static_cast<std::uint64_t>(tag));
  MPI_Bsend(out.data(), bytes, MPI_BYTE, to, tag, MPI_COMM_WORLD);
}

void receive_filled(int bytes, int from, int tag, int source_tag) {
  std::vector<char> in(static_cast<std::size_t>(bytes));
  MPI_Status status;
  int count = -1;
  MPI_Recv(in.data(), bytes, MPI_BYTE, from, tag, MPI_COMM_WORLD, &status);
  MPI_Get_count(&status, MPI_BYTE, &count);
  CHECK_EQ(count, bytes);
  CHECK_EQ(status.MPI_TAG, source_tag);
  CHECK(filled(in.data(), in.size(), static_cast<std::uint64_t>(source_tag)));
}

/// As many as there is room for, all of them before any is received; twice over.
void full() {
  const int sizes[] = {kLarge, 0, 1, 100, 5000, 70000, kLarge + 3};
  std::size_t room = 0;
  for (const int size : sizes) {
    int packed = 0;
    MPI_Pack_size(size, MPI_BYTE, MPI_COMM_WORLD, &packed);
    room += static_cast<std::size_t>(packed) + MPI_BSEND_OVERHEAD;
  }
  const Buffer buffer(room);
  for (int round = 0; round < 2; ++round) {
    for (const int to : {world_rank(), right()}) {
      int tag = 10;
      for (const int size : sizes) send_filled(size, to, tag++);
      const int from = to == world_rank() ? to : left();
      tag = 10;
      for (const int size : sizes) {
        receive_filled(size, from, tag, tag);
        ++tag;
      }
      meet();  // all have received all: there is room again
    }
  }
}

/// A message finds its place in the gap that another one left.
void gaps() {
  const Buffer buffer(3 * (kLarge + MPI_BSEND_OVERHEAD));
  const int me = world_rank();
  for (int tag = 1; tag <= 3; ++tag) send_filled(kLarge, me, tag);
  receive_filled(kLarge, me, 2, 2);
  send_filled(kLarge, me, 4);
  for (const int tag : {4, 3, 1}) receive_filled(kLarge, me, tag, tag);
}

/// More than there is room for, one after the other; and messages are in order.
void again_and_again() {
  const Buffer buffer(2 * (kLarge + MPI_BSEND_OVERHEAD));
  for (int i = 0; i < 12; ++i) {
    send_filled(kLarge, right(), i);
    receive_filled(kLarge, left(), MPI_ANY_TAG, i);
    meet();
  }
  for (int i = 0; i < 500; ++i) send_filled(64, right(), i);
  for (int i = 0; i < 500; ++i) receive_filled(64, left(), MPI_ANY_TAG, i);
}

/// A detach ends when what is in the buffer has gone, whoever's receive that takes.
void detach_waits() {
  std::vector<char> in(kLarge);
  MPI_Request receive = MPI_REQUEST_NULL;
  {
    const Buffer buffer(kLarge + MPI_BSEND_OVERHEAD);
    send_filled(kLarge, right(), 77);
    MPI_Irecv(in.data(), kLarge, MPI_BYTE, left(), 77, MPI_COMM_WORLD, &receive);
  }
  MPI_Wait(&receive, MPI_STATUS_IGNORE);
  CHECK(filled(in.data(), kLarge, 77));
}

void with_requests() {
  const Buffer buffer(100000);
  int out[12], in[6];
  MPI_Datatype every_second;
  MPI_Request request;
  MPI_Status status;
  MPI_Type_vector(6, 1, 2, MPI_INT, &every_second);
  MPI_Type_commit(&every_second);
  for (int i = 0; i < 12; ++i) out[i] = i;
  MPI_Ibsend(out, 1, every_second, right(), 80, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, &status);
  CHECK(request == MPI_REQUEST_NULL);
  std::memset(out, 0, sizeof out);
  MPI_Recv(in, 6, MPI_INT, left(), 80, MPI_COMM_WORLD, &status);
  for (int i = 0; i < 6; ++i) CHECK_EQ(in[i], 2 * i);
  MPI_Bsend_init(out, 1, every_second, right(), 81, MPI_COMM_WORLD, &request);
  MPI_Type_free(&every_second);
  for (int round = 0; round < 5; ++round) {
    for (int i = 0; i < 12; ++i) out[i] = i + round;
    int flag = 0;
    MPI_Start(&request);
    MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    CHECK(flag);
    std::memset(out, 0, sizeof out);
    MPI_Recv(in, 6, MPI_INT, left(), 81, MPI_COMM_WORLD, &status);
    for (int i = 0; i < 6; ++i) CHECK_EQ(in[i], 2 * i + round);
  }
  MPI_Request_free(&request);
  MPI_Bsend(out, 12, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
}

void errors() {
  char memory[4000] = {};
  const int me = world_rank();
  const MPI_Comm world = MPI_COMM_WORLD;
  MPI_Request request;
  MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
#ifdef HAWSER_MPI_H  // others take small messages without
  CHECK_EQ(class_of(MPI_Bsend(memory, 1, MPI_BYTE, me, 0, world)), MPI_ERR_BUFFER);
  CHECK_EQ(class_of(MPI_Ibsend(memory, 1, MPI_BYTE, me, 0, world, &request)), MPI_ERR_BUFFER);
#endif
  MPI_Buffer_attach(memory, sizeof memory);
  CHECK_EQ(class_of(MPI_Buffer_attach(memory, sizeof memory)), MPI_ERR_BUFFER);
  std::vector<char> large(sizeof memory + 1);
  CHECK_EQ(class_of(MPI_Bsend(large.data(), sizeof memory + 1, MPI_BYTE, me, 0, world)), MPI_ERR_BUFFER);
  CHECK_EQ(class_of(MPI_Bsend(memory, 1, MPI_BYTE, world_size(), 0, world)), MPI_ERR_RANK);
  CHECK_EQ(class_of(MPI_Ibsend(memory, -1, MPI_BYTE, me, 0, world, &request)), MPI_ERR_COUNT);
  MPI_Bsend_init(large.data(), sizeof memory + 1, MPI_BYTE, me, 0, world, &request);
  CHECK_EQ(class_of(MPI_Start(&request)), MPI_ERR_BUFFER);
  MPI_Request_free(&request);
  void* address = nullptr;
  int size = 0;
  MPI_Buffer_detach(&address, &size);
#ifdef HAWSER_MPI_H
  CHECK_EQ(class_of(MPI_Buffer_detach(&address, &size)), MPI_ERR_BUFFER);
  CHECK_EQ(class_of(MPI_Buffer_attach(memory, -1)), MPI_ERR_ARG);
  CHECK_EQ(class_of(MPI_Buffer_attach(nullptr, 8)), MPI_ERR_BUFFER);
  CHECK_EQ(class_of(MPI_Comm_attach_buffer(MPI_COMM_NULL, memory, 8)), MPI_ERR_COMM);
  CHECK_EQ(class_of(MPI_Comm_detach_buffer(world, &address, &size)), MPI_ERR_BUFFER);
#endif
  MPI_Comm_set_errhandler(world, MPI_ERRORS_ARE_FATAL);
}

#ifdef HAWSER_MPI_H
/// What MPI 4.1 added.
void of_communicators() {
  const int me = world_rank();
  MPI_Comm comm;
  MPI_Request request;
  std::vector<char> memory(kLarge + MPI_BSEND_OVERHEAD), in(kLarge), out(kLarge);
  fill(out.data(), out.size(), 5);
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_attach_buffer(comm, memory.data(), static_cast<int>(memory.size()));
  int flag = 1;
  MPI_Bsend(out.data(), kLarge, MPI_BYTE, me, 1, comm);
  MPI_Comm_iflush_buffer(comm, &request);
  MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
  CHECK(!flag);
  MPI_Recv(in.data(), kLarge, MPI_BYTE, me, 1, comm, MPI_STATUS_IGNORE);
  CHECK(filled(in.data(), in.size(), 5));
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Comm_flush_buffer(comm);
  MPI_Bsend(out.data(), kLarge, MPI_BYTE, me, 1, comm);
  MPI_Irecv(in.data(), kLarge, MPI_BYTE, me, 1, comm, &request);
  MPI_Comm_free(&comm);  // gives the buffer back
  std::memset(memory.data(), 0, memory.size());
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  CHECK(filled(in.data(), in.size(), 5));

  MPI_Buffer_attach(MPI_BUFFER_AUTOMATIC, 0);
  for (int tag = 0; tag < 4; ++tag) send_filled(kLarge, right(), tag);
  for (int tag = 3; tag >= 0; --tag) receive_filled(kLarge, left(), tag, tag);
  MPI_Buffer_flush();
  MPI_Buffer_iflush(&request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  void* address = nullptr;
  int size = -1;
  MPI_Buffer_detach(&address, &size);
  CHECK(address == MPI_BUFFER_AUTOMATIC);
  CHECK_EQ(size, 0);
  MPI_Buffer_iflush(&request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}
#endif

void threads() {
  constexpr int kThreads = 3;
  const Buffer buffer(kThreads * 2 * (kLarge + MPI_BSEND_OVERHEAD));
  std::vector<std::thread> all;
  for (int thread = 0; thread < kThreads; ++thread) {
    all.emplace_back([thread] {
      for (int round = 0; round < 60; ++round) {
        const int bytes = round % 3 == 0 ? kLarge : 100 * round;
        send_filled(bytes, right(), thread);
        receive_filled(bytes, left(), thread, thread);
        tell(left(), 100 + thread);  // there is room again at the left
        await(right(), 100 + thread);
      }
    });
  }
  for (std::thread& thread : all) thread.join();
}

#if defined(HAWSER_HOOKS)
/// A send has found the buffer; now its owner takes it back.
void detach_found(void* memory) {
  hawser::hooks::set("mpi.send_buffer_found", nullptr, nullptr);
  void* address = nullptr;
  int size = 0;
  MPI_Buffer_detach(&address, &size);
  CHECK(address == memory);
}
/// And attaches another one.
void exchange_found(void* memories) {
  char* const* both = static_cast<char**>(memories);
  detach_found(both[0]);
  MPI_Buffer_attach(both[1], kLarge + MPI_BSEND_OVERHEAD);
}

/// The message that finds the buffer gone leaves its memory alone, and goes to the next one if there is one.
void detached_when_found() {
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  std::vector<char> first(kLarge + MPI_BSEND_OVERHEAD), second(first.size()), in(kLarge), out(kLarge, 'x');
  const std::vector<char> zeros(first.size());
  MPI_Buffer_attach(first.data(), static_cast<int>(first.size()));
  hawser::hooks::set("mpi.send_buffer_found", &detach_found, first.data());
  CHECK_CLASS(MPI_Bsend(out.data(), kLarge, MPI_BYTE, world_rank(), 1, comm), MPI_ERR_BUFFER);
  CHECK(first == zeros);
  char* both[] = {first.data(), second.data()};
  MPI_Buffer_attach(first.data(), static_cast<int>(first.size()));
  hawser::hooks::set("mpi.send_buffer_found", &exchange_found, both);
  CHECK_EQ(MPI_Bsend(out.data(), kLarge, MPI_BYTE, world_rank(), 1, comm), MPI_SUCCESS);
  CHECK(first == zeros);
  CHECK(second != zeros);
  MPI_Recv(in.data(), kLarge, MPI_BYTE, world_rank(), 1, comm, MPI_STATUS_IGNORE);
  CHECK(in == out);
  detach_found(second.data());
  MPI_Comm_free(&comm);
}
#endif

/// The same with threads, whenever it happens: for race detectors.
void detached_while_sending() {
  constexpr int kBytes = 4096;
  constexpr int kSenders = 2;
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  std::atomic<bool> over{false};
  std::vector<std::thread> senders;
  for (int sender = 0; sender < kSenders; ++sender) {
    senders.emplace_back([&, sender] {
      std::vector<char> out(kBytes, 1);
      std::vector<char> in(kBytes);
      while (!over) {
        if (MPI_Bsend(out.data(), kBytes, MPI_BYTE, world_rank(), sender, comm) == MPI_SUCCESS)
          MPI_Recv(in.data(), kBytes, MPI_BYTE, world_rank(), sender, comm, MPI_STATUS_IGNORE);
      }
    });
  }
  std::vector<char> memory((kBytes + MPI_BSEND_OVERHEAD) * kSenders * 2);
  const std::vector<char> zeros(memory.size());
  for (int round = 0; round < 40; ++round) {
    MPI_Buffer_attach(memory.data(), static_cast<int>(memory.size()));
    std::this_thread::yield();
    void* address = nullptr;
    int size = 0;
    MPI_Buffer_detach(&address, &size);
    std::memset(memory.data(), 0, memory.size());
    std::this_thread::yield();
    CHECK(memory == zeros);
  }
  over = true;
  for (std::thread& sender : senders) sender.join();
  MPI_Comm_free(&comm);
}

}  // namespace

int main(int argc, char** argv) {
  if (init_with_threads(argc, argv)) {
    threads();
    detached_while_sending();
#if defined(HAWSER_HOOKS)
    detached_when_found();
#endif
  } else {
    full();
    gaps();
    again_and_again();
    detach_waits();
    with_requests();
    errors();
#ifdef HAWSER_MPI_H
    of_communicators();
#endif
  }
  static char last[1000];
  MPI_Buffer_attach(last, sizeof last);  // stays to the end
  send_filled(100, right(), 1);
  receive_filled(100, left(), 1, 1);
  MPI_Finalize();
  return 0;
}
