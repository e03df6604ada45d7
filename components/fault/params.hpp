// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "framework/mca/param_row.hpp"

namespace hawser::fault {

/// In effect once the registry has resolved; constant from open on.
struct Params {
  const char* target = "";
  std::int64_t seed = 0;
  std::int64_t rank = 0;
  const char* module = "";
  std::int64_t drop = 0;
  bool silent = false;
  std::int64_t delay = 0;
  std::uint64_t delay_ns = 0;
  std::int64_t duplicate = 0;
  std::int64_t reorder = 0;
  std::int64_t refuse = 0;
  std::int64_t refuse_run = 0;
  std::int64_t reset = 0;
  std::int64_t reset_after = 0;
  std::uint64_t short_write = 0;
  std::uint64_t short_read = 0;
};
inline Params g_params;

inline constexpr std::int64_t kMost = INT32_MAX;
inline constexpr std::int64_t kMostTime = 3'600'000'000'000;

inline const mca::ParamRow kParamRows[] = {
    mca::param_string("target", &g_params.target, "", 6, "the component that fault wraps, by its name"),
    mca::param_int("seed", &g_params.seed, "1", {0, kMost}, 6,
                   "the same seed gives the same message of a peer and rail the same fate in every run"),
    mca::param_int("rank", &g_params.rank, "-1", {-1, kMost}, 6,
                   "the rank whose posts suffer the faults; -1: every rank"),
    mca::param_string("module", &g_params.module, "", 6,
                      "only modules with this text in their name suffer the faults: \"lo#1\" of tcp/lo#1"),
    mca::param_int(
        "drop", &g_params.drop, "0", {0, kMost}, 6,
        "one message in so many is taken and never sent; its rail then fails, as one that lost something"),
    mca::param_bool("drop_silent", &g_params.silent, "false", 8,
                    "a rail that lost a message does not fail: a broken promise, to see who notices"),
    mca::param_int("delay", &g_params.delay, "0", {0, kMost}, 6,
                   "one message in so many waits before it is sent, and those behind it too"),
    mca::param_time("delay_time", &g_params.delay_ns, "1ms", {0, kMostTime}, 6,
                    "the longest wait of a message that is delayed or overtaken", "us"),
    mca::param_int("duplicate", &g_params.duplicate, "0", {0, kMost}, 6,
                   "one message in so many is sent twice; for peers guarded by bml_guard"),
    mca::param_int("reorder", &g_params.reorder, "0", {0, kMost}, 6,
                   "one message in so many is overtaken by the next one"),
    mca::param_int("refuse", &g_params.refuse, "0", {0, kMost}, 6,
                   "one post in so many is refused for want of room"),
    mca::param_int("refuse_run", &g_params.refuse_run, "1", {1, kMost}, 6,
                   "how many posts in a row are refused once one is"),
    mca::param_int("reset", &g_params.reset, "0", {0, kMost}, 6, "one message in so many breaks its rail"),
    mca::param_int("reset_after", &g_params.reset_after, "0", {0, kMost}, 6,
                   "the message with this number breaks its rail, counted from 1; 0: none"),
    mca::param_size(
        "short_write", &g_params.short_write, "0", {0, kMost}, 6,
        "a message is taken up in pieces of so many bytes, one a pass of progress, and then sent; "
        "0: at once"),
    mca::param_size("short_read", &g_params.short_read, "0", {0, kMost}, 6,
                    "a message is written to its place in pieces of so many bytes, one a pass of progress; "
                    "0: at once"),
};

}  // namespace hawser::fault
