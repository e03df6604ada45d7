// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <thread>

namespace hawser::interfaces::testing {

/// Runs `body` in a fresh network namespace, which is gone afterwards; `body` gets a function that runs a
/// command line there and answers whether it succeeded. Answers why it did not, if it did not.
template <class Body>
std::string in_new_namespace(Body&& body) {
  std::string why;
  std::thread([&] {  // the namespace belongs to this thread and to what it starts
    if (::geteuid() != 0) {
      why = "making a network namespace needs root";
    } else if (::unshare(CLONE_NEWNET) != 0) {
      why = "network namespaces are not permitted here";
    } else if (std::system("ip link set lo up >/dev/null 2>&1") != 0) {
      why = "ip(8) is not installed";
    } else {
      body([](const std::string& command) {
        return std::system((command + " >/dev/null 2>&1").c_str()) == 0;
      });
    }
  })
      .join();
  return why;
}

}  // namespace hawser::interfaces::testing
