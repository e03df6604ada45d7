// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>

#include <vector>

#include "mpi/include/mpi.h"
#include "tools/perf/active.hpp"

namespace hawser::tools {

namespace {

/// Beside libhawser, so that a moved tree finds its own.
std::string library_file() {
  const std::string name = "libmpi_abi.so.1";
  Dl_info ours{};
  if (::dladdr(reinterpret_cast<const void*>(&Runtime::make), &ours) == 0 || !ours.dli_fname) return name;
  const std::string path = ours.dli_fname;
  return path.substr(0, path.rfind('/') + 1) + name;
}

/// The functions of libmpi_abi.so.1 that are used. Loaded, so that the other commands do not carry the
/// library.
struct Mpi {
  template <class Function>
  static void find(void* library, const char* name, Function& out) {
    out = reinterpret_cast<Function>(::dlsym(library, name));
    if (!out) perf_rank_dies(fmt::format("libmpi_abi.so.1 has no {}", name));
  }

  Mpi() {
    void* library = ::dlopen(library_file().c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library) perf_rank_dies(fmt::format("the MPI library cannot be loaded: {}", ::dlerror()));
    find(library, "MPI_Init", init);
    find(library, "MPI_Finalize", finalize);
    find(library, "MPI_Comm_rank", comm_rank);
    find(library, "MPI_Send", send);
    find(library, "MPI_Recv", recv);
    find(library, "MPI_Isend", isend);
    find(library, "MPI_Irecv", irecv);
    find(library, "MPI_Waitall", waitall);
  }

  decltype(&MPI_Init) init;
  decltype(&MPI_Finalize) finalize;
  decltype(&MPI_Comm_rank) comm_rank;
  decltype(&MPI_Send) send;
  decltype(&MPI_Recv) recv;
  decltype(&MPI_Isend) isend;
  decltype(&MPI_Irecv) irecv;
  decltype(&MPI_Waitall) waitall;
};

/// Errors end the job: MPI_ERRORS_ARE_FATAL is what a program starts with.
class MpiLevel final : public PerfLevel {
 public:
  explicit MpiLevel(std::size_t largest) : out_(largest, 'o'), in_(largest, 'i') {
    mpi_.init(nullptr, nullptr);
    mpi_.comm_rank(MPI_COMM_WORLD, &rank_);
  }

  std::uint32_t rank() const override { return static_cast<std::uint32_t>(rank_); }

  std::uint64_t agree(std::uint64_t value) override {
    if (rank_ == 0) send(&value, sizeof value, kWord);
    if (rank_ == 1) receive(&value, sizeof value, kWord);
    if (rank_ == 1) send(&value, sizeof value, kWord);
    if (rank_ == 0) receive(&value, sizeof value, kWord);
    return value;
  }

  void round_trips(std::size_t size, std::uint64_t count) override {
    for (std::uint64_t i = 0; i < count; ++i) {
      if (rank_ == 1) receive(in_.data(), size, kData);
      send(out_.data(), size, kData);
      if (rank_ == 0) receive(in_.data(), size, kData);
    }
  }

  void windows(std::size_t size, std::uint32_t window, std::uint64_t count) override {
    requests_.resize(window);
    for (std::uint64_t i = 0; i < count; ++i) {
      for (MPI_Request& request : requests_) {
        const int bytes = static_cast<int>(size);
        if (rank_ == 0) mpi_.isend(out_.data(), bytes, MPI_BYTE, 1, kData, MPI_COMM_WORLD, &request);
        if (rank_ == 1) mpi_.irecv(in_.data(), bytes, MPI_BYTE, 0, kData, MPI_COMM_WORLD, &request);
      }
      mpi_.waitall(static_cast<int>(window), requests_.data(), MPI_STATUSES_IGNORE);
      if (rank_ == 1) send(nullptr, 0, kWord);
      if (rank_ == 0) receive(nullptr, 0, kWord);
    }
  }

  void finish() override { mpi_.finalize(); }

 private:
  enum : int { kData = 1, kWord = 2 };
  void send(const void* from, std::size_t size, int tag) {
    mpi_.send(from, static_cast<int>(size), MPI_BYTE, 1 - rank_, tag, MPI_COMM_WORLD);
  }
  void receive(void* to, std::size_t size, int tag) {
    mpi_.recv(to, static_cast<int>(size), MPI_BYTE, 1 - rank_, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }

  Mpi mpi_;
  std::vector<char> out_, in_;
  std::vector<MPI_Request> requests_;
  int rank_ = 0;
};

}  // namespace

std::unique_ptr<PerfLevel> make_mpi_level(std::size_t largest) {
  return std::make_unique<MpiLevel>(largest);
}

}  // namespace hawser::tools
