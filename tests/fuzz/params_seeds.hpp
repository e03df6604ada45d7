// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "framework/runtime/proc_blob.hpp"
#include "tests/fuzz/params_input.hpp"

namespace hawser::mca {

/// Inputs of read_foreign_input that are as they should be.
inline std::vector<std::string> true_inputs() {
  const std::string file(1, static_cast<char>(kFeedFile));
  const std::string list(1, static_cast<char>(kFeedList));
  return {file + "# a comment\nbtl = tcp,self\nbtl_tcp_links=0x10 # two\n\n a_b = \"x # y\"\nt = 5ms\n",
          file + "a = 64kb\nb = auto\nc = 1.5g\nd = -5\ne = yes\nf = bc\ng = 'q'\nh = 1048576ns\n",
          list + "^tcp, self", list + "tcp,self,shm",
          static_cast<char>(kFeedProc) + runtime::write_proc(runtime::this_proc(3))};
}

}  // namespace hawser::mca
