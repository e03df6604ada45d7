// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "framework/mca/param_row.hpp"

namespace hawser::shm {

/// In effect once the registry has resolved; constant from open on.
struct Params {
  std::int64_t exclusivity = 0;
  std::uint64_t eager_limit = 0;
  std::uint64_t rndv_eager_limit = 0;
  std::uint64_t max_send_size = 0;
  std::uint64_t min_rdma_size = 0;
  const char* single_copy = "";
  std::int64_t ring_slots = 0;
  std::uint64_t ring_buffer_size = 0;
  std::uint64_t latency_ns = 0;
  std::int64_t bandwidth = 0;
};
inline Params g_params;

inline constexpr std::int64_t kKiB = 1024;
inline constexpr std::int64_t kMiB = 1024 * kKiB;

inline const mca::ParamRow kParamRows[] = {
    mca::param_int("exclusivity", &g_params.exclusivity, "65536", {0, INT32_MAX}, 7,
                   "of the components that reach a peer, only those with the highest value serve it"),
    mca::param_size("eager_limit", &g_params.eager_limit, "64k", {1, 4 * kMiB}, 4,
                    "largest message that is sent without asking the receiver"),
    mca::param_size(
        "rndv_eager_limit", &g_params.rndv_eager_limit, "4k", {0, 4 * kMiB}, 6,
        "data that may travel with the request of a longer message; MPI messages carry none there yet"),
    mca::param_size("max_send_size", &g_params.max_send_size, "256k", {64, 4 * kMiB}, 4,
                    "largest single send: the slice in which long messages are copied through"),
    mca::param_size(
        "min_rdma_size", &g_params.min_rdma_size, "64k", {0, INT64_MAX}, 5,
        "from this size on a message is copied once, from buffer to buffer, where that is permitted"),
    mca::param_choice(
        "single_copy", &g_params.single_copy, "auto", "auto|cma|none", 4,
        "how long messages are copied once: cma (process_vm_readv), none (always copy through), "
        "auto (cma if the ranks of this machine share cores; else both ends copy at a time, "
        "which is faster)"),
    mca::param_int("ring_slots", &g_params.ring_slots, "128", {8, 65536}, 6,
                   "messages on their way from one sender to one receiver; rounded up to a power of two",
                   "messages"),
    mca::param_size(
        "ring_buffer_size", &g_params.ring_buffer_size, "256k", {4 * kKiB, 64 * kMiB}, 6,
        "room for their data; rounded up to a power of two; longer messages go through it in pieces"),
    mca::param_time("latency", &g_params.latency_ns, "100ns", {0, INT32_MAX}, 8,
                    "latency, for choosing among ways", "us"),
    mca::param_int("bandwidth", &g_params.bandwidth, "80000", {1, INT32_MAX}, 8,
                   "bandwidth, for choosing among ways", "Mbit/s"),
};

}  // namespace hawser::shm
