// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace hawser::tools {

/// `hawser run`, `mpirun`, `mpiexec`: starts the ranks of a program on this machine. argv[0] is the name it
/// was called by. Gives the exit status.
int run_main(int argc, char** argv);

}  // namespace hawser::tools
