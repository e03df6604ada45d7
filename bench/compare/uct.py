# SPDX-FileCopyrightText: 2026 The Hawser authors
# SPDX-License-Identifier: Apache-2.0
"""UCX's transport level by ucx_perftest, with the arguments of `hawser perf` that bench/compare.sh uses: prints lines
"NAME VALUE".

    uct.py --transport shm|tcp [--latency BYTES] [--rate BYTES]"""

import argparse
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


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--transport", choices=TRANSPORTS, required=True)
    parser.add_argument("--latency", type=int)
    parser.add_argument("--rate", type=int)
    chosen, _ = parser.parse_known_args()
    seconds = float(os.environ.get("BENCH_SECONDS", "0.05"))
    guess = {"shm": 5e-7, "tcp": 1e-5}[chosen.transport]
    # Final figures: iterations, median us, average us, overall us, MB/s average and overall, messages/s twice.
    if chosen.latency is not None:
        best = min(once("am_lat", chosen.transport, chosen.latency, int(seconds / guess))[3] for _ in range(3))
        print(f"latency.{chosen.latency} {best:.4f}")
    if chosen.rate is not None:
        best = max(once("am_bw", chosen.transport, chosen.rate, int(seconds / guess * 4))[-1] for _ in range(3))
        print(f"rate.{chosen.rate} {best:.0f}")


if __name__ == "__main__":
    main()
