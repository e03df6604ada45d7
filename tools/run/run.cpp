// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/run/run.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "tools/run/job.hpp"
#include "tools/run/options.hpp"
#include "tools/run/program.hpp"

namespace hawser::tools {
namespace {

int refuse(const Failure& failure) {
  fmt::print(stderr, "hawser run: {}\n", failure.text);
  return failure.status;
}

/// Standard descriptors that are closed would be taken by sockets of ours.
void fill_standard_descriptors() {
  for (int fd = ::open("/dev/null", O_RDWR); fd >= 0; fd = ::open("/dev/null", O_RDWR)) {
    if (fd > 2) {
      ::close(fd);
      return;
    }
  }
}

}  // namespace

int run_main(int argc, char** argv) {
  fill_standard_descriptors();
  Options options;
  if (const auto stop = parse_options(argc, argv, options)) {
    if (stop->status == 0) {
      fmt::print("{}", stop->text);
      return 0;
    }
    return refuse(*stop);
  }
  if (const auto failure = enter_folder(options.folder)) return refuse(*failure);
  Commands commands;
  if (const auto failure = find_commands(options, commands)) return refuse(*failure);
  return Job(options, commands).run();
}

}  // namespace hawser::tools
