// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace hawser::tools {

/// `hawser topo`: argv[0] is the sub-command. Starts no job and opens no component. 0; 1: something is wrong
/// with parameters, with a peer's description or with a file, and was told on stderr; 2: bad arguments.
int topo_main(int argc, char** argv);

}  // namespace hawser::tools
