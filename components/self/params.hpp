// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "framework/mca/param_row.hpp"

namespace hawser::self {

/// In effect once the registry has resolved; constant from open on.
struct Params {
  std::int64_t exclusivity = 0;
  std::uint64_t eager_limit = 0;
  std::uint64_t rndv_eager_limit = 0;
  std::uint64_t max_send_size = 0;
  std::uint64_t min_rdma_size = 0;
  std::uint64_t queue_size = 0;
  std::uint64_t latency_ns = 0;
  std::int64_t bandwidth = 0;
};
inline Params g_params;

inline constexpr std::int64_t kKiB = 1024;
inline constexpr std::int64_t kMiB = 1024 * kKiB;

inline const mca::ParamRow kParamRows[] = {
    mca::param_int("exclusivity", &g_params.exclusivity, "100000", {0, INT32_MAX}, 7,
                   "of the components that reach a peer, only those with the highest value serve it"),
    mca::param_size(
        "eager_limit", &g_params.eager_limit, "64k", {1, 4 * kMiB}, 4,
        "largest message that is copied aside, so that a send to oneself ends before its receive"),
    mca::param_size(
        "rndv_eager_limit", &g_params.rndv_eager_limit, "4k", {0, 4 * kMiB}, 6,
        "data that may travel with the request of a longer message; MPI messages carry none there yet"),
    mca::param_size("max_send_size", &g_params.max_send_size, "1m", {1, 64 * kMiB}, 4, "largest single send"),
    mca::param_size("min_rdma_size", &g_params.min_rdma_size, "64k", {0, INT64_MAX}, 5,
                    "from this size on a message is copied once, from buffer to buffer"),
    mca::param_size(
        "queue_size", &g_params.queue_size, "4m", {64 * kKiB, 1024 * kMiB}, 6,
        "room for messages that were sent and not yet taken in; touched only as far as it is used"),
    mca::param_time("latency", &g_params.latency_ns, "50ns", {0, INT32_MAX}, 8,
                    "latency, for choosing among ways", "us"),
    mca::param_int("bandwidth", &g_params.bandwidth, "100000", {1, INT32_MAX}, 8,
                   "bandwidth, for choosing among ways", "Mbit/s"),
};

}  // namespace hawser::self
