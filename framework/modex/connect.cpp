// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <atomic>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "framework/modex/embedded.hpp"
#include "framework/modex/singleton.hpp"

namespace hawser::modex {
namespace {

using namespace std::chrono_literals;
constexpr auto kJoinTimeout = 60s;

// While this process is joined, its children must not find the socket. The value in the environment is
// blanked in place, by its first byte: unsetenv would move the table under other threads that read it.
struct Claim {
  std::atomic<bool> taken{false};
  char* value = nullptr;
  char first = '\0';
  int fd = -1;
};
Claim g_claim;

std::optional<long> number(const char* text) {
  long value = 0;
  const char* end = text + std::strlen(text);
  const auto [rest, error] = std::from_chars(text, end, value);
  if (error != std::errc() || rest != end || text == end) return std::nullopt;
  return value;
}

Result<int> checked_control(const char* text) {
  const auto fd = number(text);
  struct stat about {};
  int domain = 0;
  socklen_t size = sizeof domain;
  const bool is_ours = fd && *fd >= 0 && *fd < 1 << 20 && ::fstat(static_cast<int>(*fd), &about) == 0 &&
                       S_ISSOCK(about.st_mode) &&
                       ::getsockopt(static_cast<int>(*fd), SOL_SOCKET, SO_DOMAIN, &domain, &size) == 0 &&
                       domain == AF_UNIX;
  if (is_ours) return static_cast<int>(*fd);
  return make_error(
      Errc::kInvalid,
      "HAWSER_CONTROL_FD={} is not the launcher's socket: the program that started this one closed it, or "
      "the "
      "variable was copied from elsewhere; keep the descriptor open, or unset the variable to run alone",
      text);
}

bool more_than_one(const char* name) {
  const char* text = std::getenv(name);
  if (!text) return false;
  const auto value = number(text);
  return !value || *value > 1;
}

/// Names the sign of another launcher, or "".
std::string foreign_launcher() {
  if (std::getenv("HAWSER_RANK")) return "";  // a child of one of our ranks, not a rank of its own
  struct Sign {
    const char* size;
    const char* with;
  };
  static constexpr Sign kSigns[] = {{"OMPI_COMM_WORLD_SIZE", nullptr}, {"PMI_SIZE", nullptr},
                                    {"SLURM_NTASKS", "SLURM_PROCID"},  {"MPI_LOCALNRANKS", nullptr},
                                    {"MV2_COMM_WORLD_SIZE", nullptr},  {"PALS_NRANKS", nullptr}};
  bool size_known = false;
  for (const Sign& sign : kSigns) {
    if (sign.with && !std::getenv(sign.with)) continue;
    if (more_than_one(sign.size)) return std::string(sign.size) + "=" + std::getenv(sign.size);
    size_known = size_known || std::getenv(sign.size);
  }
  if (size_known) return "";  // a job of one: no need to talk to its launcher
  for (const char* name : {"PMIX_NAMESPACE", "PMI_FD", "PMI_PORT"}) {
    if (const char* value = std::getenv(name)) return std::string(name) + "=" + value;
  }
  return "";
}

Result<std::unique_ptr<Modex>> join_launcher(char* value) {
  auto fd = checked_control(value);
  if (!fd) return fd.error();
  auto modex = Embedded::join(*fd, Clock::now() + kJoinTimeout);
  if (!modex) return modex;
  ::fcntl(*fd, F_SETFD, FD_CLOEXEC);
  g_claim.fd = *fd;
  g_claim.value = value;
  g_claim.first = *value;
  *value = '\0';
  return modex;
}

}  // namespace

void give_back_control(int fd) noexcept {
  if (!g_claim.value || g_claim.fd != fd) return;
  ::fcntl(g_claim.fd, F_SETFD, 0);
  *std::exchange(g_claim.value, nullptr) = g_claim.first;
  g_claim.taken = false;
}

Result<std::unique_ptr<Modex>> connect() {
  if (g_claim.taken.exchange(true)) {
    return make_error(Errc::kInvalid, "this process has joined its job already and has not left it");
  }
  char* control = std::getenv("HAWSER_CONTROL_FD");
  if (control && *control) {
    auto modex = join_launcher(control);
    if (!modex) g_claim.taken = false;
    return modex;
  }
  g_claim.taken = false;  // nothing is claimed for a world of one
  if (const std::string sign = foreign_launcher(); !sign.empty()) {
    return make_error(
        Errc::kUnsupported,
        "this process was started in parallel by another launcher ({}), which this build cannot talk to; "
        "start "
        "the program with \"hawser run -n N\" (or Hawser's mpirun), or unset that variable to run it alone",
        sign);
  }
  return make_singleton();
}

}  // namespace hawser::modex
