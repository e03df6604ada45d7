// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "framework/mca/param_row.hpp"

namespace hawser::tcp {

/// Parameters of the component; constant once the registry has resolved them. Times in nanoseconds, sizes in
/// bytes.
struct Params {
  const char* if_include = "";
  const char* if_exclude = "";
  const char* disable_family = "0";
  std::int64_t links = 1;
  std::uint64_t eager_limit = 0;
  std::uint64_t rndv_eager_limit = 0;
  std::uint64_t max_send_size = 0;
  std::uint64_t gather_time_ns = 0;
  std::uint64_t gather_gap_ns = 0;
  std::uint64_t sndbuf = 0;
  std::uint64_t rcvbuf = 0;
  std::int64_t port_min_v4 = 0;
  std::int64_t port_range_v4 = 0;
  std::int64_t port_min_v6 = 0;
  std::int64_t port_range_v6 = 0;
  std::int64_t exclusivity = 0;
  std::int64_t latency_us = 0;
  std::int64_t bandwidth_mbps = 0;
  std::uint64_t connect_timeout_ns = 0;
  std::uint64_t hello_timeout_ns = 0;
  std::uint64_t silence_timeout_ns = 0;
  std::int64_t retries = 0;
  std::uint64_t retry_pause_ns = 0;
  std::int64_t half_open_max = 0;
  std::uint64_t probe_pause_ns = 0;
};

inline constexpr std::size_t kParamCount = 25;

extern Params g_params;
extern const mca::ParamRow g_param_rows[kParamCount];

}  // namespace hawser::tcp
