// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace hawser::tools {

/// `hawser new NAME [DIR]`: writes a component that builds, loads and passes `hawser check` as it is. Exit
/// status: 0; 1: a file or folder cannot be made; 2: the command line makes no sense.
int new_main(int argc, char** argv);

}  // namespace hawser::tools
