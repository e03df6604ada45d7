// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "components/tcp/params.hpp"

namespace hawser::tcp {
namespace {

constexpr std::int64_t kMs = 1'000'000;
constexpr std::int64_t kSecond = 1'000 * kMs;
constexpr std::int64_t kMiB = 1 << 20;

}  // namespace

Params g_params;

const mca::ParamRow g_param_rows[kParamCount] = {
    mca::param_string(
        "if_include", &g_params.if_include, "", 1,
        "interfaces to use, by exact name or network (eth0,10.9.0.0/16,fd00::/8); empty: all. Not "
        "together with if_exclude"),
    mca::param_string("if_exclude", &g_params.if_exclude, "", 1,
                      "interfaces not to use, by exact name or network; loopback is used only within a node, "
                      "whatever is said here"),
    mca::param_choice("disable_family", &g_params.disable_family, "0", "0|4|6", 2,
                      "4: do not use IPv4; 6: do not use IPv6; 0: use both"),
    mca::param_int("links", &g_params.links, "1", {1, 16}, 4,
                   "connections for each pair of interfaces; of two processes the smaller number counts"),
    mca::param_size("eager_limit", &g_params.eager_limit, "64k", {64, 16 * kMiB}, 4,
                    "largest message that is sent without asking the receiver first"),
    mca::param_size(
        "rndv_eager_limit", &g_params.rndv_eager_limit, "64k", {0, 16 * kMiB}, 4,
        "data that may travel with the request of a longer message; MPI messages carry none there yet"),
    mca::param_size("max_send_size", &g_params.max_send_size, "512k", {4096, 1024 * kMiB}, 4,
                    "largest piece of a long message in one send"),
    mca::param_time(
        "gather_time", &g_params.gather_time_ns, "500us", {0, kSecond}, 4,
        "longest time that a message which follows another at once may wait to share a write, if the "
        "program makes no call meanwhile; 16 times as long for a while if that has not been of use; 0: each "
        "is written by itself",
        "us"),
    mca::param_time("gather_gap", &g_params.gather_gap_ns, "2us", {0, kSecond}, 7,
                    "a message follows another at once if it comes so soon after it", "us"),
    mca::param_size(
        "sndbuf", &g_params.sndbuf, "0", {0, 1024 * kMiB}, 4,
        "size of a socket's send buffer; 0: as the kernel chooses, but 192k to a peer on the same machine"),
    mca::param_size("rcvbuf", &g_params.rcvbuf, "0", {0, 1024 * kMiB}, 4,
                    "size of a socket's receive buffer; 0: as the kernel chooses"),
    mca::param_int("port_min_v4", &g_params.port_min_v4, "0", {0, 65535}, 2,
                   "first port to listen on with IPv4; 0: any free port"),
    mca::param_int("port_range_v4", &g_params.port_range_v4, "64512", {1, 65535}, 2,
                   "how many ports from port_min_v4 on may be used"),
    mca::param_int("port_min_v6", &g_params.port_min_v6, "0", {0, 65535}, 4,
                   "first port to listen on with IPv6; 0: any free port"),
    mca::param_int("port_range_v6", &g_params.port_range_v6, "64512", {1, 65535}, 4,
                   "how many ports from port_min_v6 on may be used"),
    mca::param_int("exclusivity", &g_params.exclusivity, "100", {0, 65536}, 7,
                   "of the components that reach a peer, those with the highest value serve it"),
    mca::param_int("latency", &g_params.latency_us, "100", {0, 1'000'000}, 5,
                   "time of a small message, for choosing among rails; loopback counts as a third of it",
                   "us"),
    mca::param_int("bandwidth", &g_params.bandwidth_mbps, "0", {0, 10'000'000}, 5,
                   "bandwidth of each interface, for sharing long messages; 0: as the interface says",
                   "Mbit/s"),
    mca::param_time(
        "connect_timeout", &g_params.connect_timeout_ns, "10s", {10 * kMs, 3600 * kSecond}, 2,
        "how long all attempts to connect may take together while the peer's system gives no answer; "
        "each has a third of it",
        "s"),
    mca::param_time("hello_timeout", &g_params.hello_timeout_ns, "5s", {10 * kMs, 3600 * kSecond}, 6,
                    "how long an inbound connection may take to say who it is", "s"),
    mca::param_time("silence_timeout", &g_params.silence_timeout_ns, "30s", {kSecond, 3600 * kSecond}, 4,
                    "a peer's system that has not answered for so long counts as lost", "s"),
    mca::param_int("retries", &g_params.retries, "6", {0, 100}, 5,
                   "how often a connection that was refused, broken off or not answered is tried again, with "
                   "growing pauses"),
    mca::param_time("retry_pause", &g_params.retry_pause_ns, "20ms", {kMs, 60 * kSecond}, 7,
                    "pause before the first new attempt; it doubles each time", "ms"),
    mca::param_int("half_open_max", &g_params.half_open_max, "256", {1, 65536}, 6,
                   "most inbound connections that have not yet said who they are; the oldest makes room",
                   "connections"),
    mca::param_time("probe_pause", &g_params.probe_pause_ns, "1s", {0, 3600 * kSecond}, 5,
                    "pause before a rail that failed is tried again while others serve its peer; it doubles "
                    "each time, up to 64 times as long; 0: it is not",
                    "s"),
};

}  // namespace hawser::tcp
