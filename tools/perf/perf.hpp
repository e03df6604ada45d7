// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace hawser::tools {

/// `hawser perf`: latency, bandwidth and message rate between two ranks that it starts. Gives the exit
/// status.
int perf_main(int argc, char** argv);

}  // namespace hawser::tools
