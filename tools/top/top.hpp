// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace hawser::tools {

/// `hawser top`: argv[0] is the sub-command. 0; 1: what was asked for is not to be seen, and why was told on
/// stderr; 2: bad arguments.
int top_main(int argc, char** argv);

}  // namespace hawser::tools
