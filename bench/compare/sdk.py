# SPDX-FileCopyrightText: 2026 The Hawser authors
# SPDX-License-Identifier: Apache-2.0
"""Below MPI: one level of two implementations, measured alike. Prints lines "NAME VALUE".

    sdk.py hawser=PROGRAM|uct shm|tcp [latency BYTES] [rate BYTES]

`hawser perf --level btl` beside ucx_perftest's am_lat and am_bw with short messages, each rank on a core of its own. The
latency is the best of three runs (Hawser's: the median of its samples), the rate the best of three."""

import json
import os
import socket
import subprocess
import sys
import time

TRANSPORTS = {"shm": ("posix", "memory"), "tcp": ("tcp", "lo")}


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def once(test, transport, size, count):
    """The line of final figures of the client."""
    layer, device = TRANSPORTS[transport]
    first, second = sorted(os.sched_getaffinity(0))[:2]
    port = str(free_port())
    common = ["-t", test, "-x", layer, "-d", device, "-D", "short", "-s", str(size), "-n", str(count), "-w",
              str(max(count // 10, 100)), "-f", "-p", port]
    with subprocess.Popen(["ucx_perftest", *common, "-c", str(first)], stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, text=True) as server:
        try:
            for _ in range(50):  # until the server listens
                client = subprocess.run(["ucx_perftest", "127.0.0.1", *common, "-c", str(second)], capture_output=True,
                                        text=True, check=False)
                if client.returncode == 0 or server.poll() is not None:
                    break
                time.sleep(0.02)
        finally:
            server.terminate()
    for line in client.stdout.splitlines():
        words = line.split()
        if words and words[0].isdigit():
            return [float(w) for w in words]
    sys.exit(f"ucx_perftest {test}: {(client.stderr or client.stdout).strip()[-300:]}")


def uct(transport, kind, size, seconds):
    guess = {"shm": 5e-7, "tcp": 1e-5}[transport]
    # Final figures: iterations, median us, average us, overall us, MB/s average and overall, messages/s twice.
    if kind == "latency":
        return min(once("am_lat", transport, size, int(seconds / guess))[3] for _ in range(3))
    return max(once("am_bw", transport, size, int(seconds / guess * 4))[-1] for _ in range(3))


def hawser(program, transport, kind, size, seconds):
    argv = [program, "perf", "--level", "btl", "--transport", transport, "--test", kind, "--sizes", str(size), "--seconds",
            str(seconds), "--json", "-"]
    if transport == "tcp":
        argv += ["--mca", "btl_tcp_if_include", "lo"]
    found = []
    for _ in range(3 if kind == "latency" else 1):
        done = subprocess.run(argv, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            sys.exit(f"hawser perf: {done.stderr.strip()[-300:]}")
        point = json.loads(done.stdout)["transports"][0]["points"][0]
        found.append(point["latency_us"]["p50"] if kind == "latency" else point["messages_per_s"])
    return min(found)


def main():
    who, transport, *words = sys.argv[1:]
    seconds = float(os.environ.get("BENCH_SECONDS", "0.05"))
    for kind, size in zip(words[::2], map(int, words[1::2])):
        if who == "uct":
            value = uct(transport, kind, size, seconds)
        else:
            value = hawser(who.removeprefix("hawser="), transport, kind, size, seconds)
        print(f"{kind}.{size} {value:.6g}" if kind == "latency" else f"{kind}.{size} {value:.0f}")


if __name__ == "__main__":
    main()
