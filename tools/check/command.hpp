// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace hawser::tools {

/// `hawser check COMPONENT`: whether a component keeps the promises of the SDK. 0: all; 1: not all, or it
/// does not load; 2: wrong arguments.
int check_main(int argc, char** argv);

}  // namespace hawser::tools
