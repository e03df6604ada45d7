# SPDX-FileCopyrightText: 2026 The Hawser authors
# SPDX-License-Identifier: Apache-2.0
"""Two network namespaces joined by a veth pair, for as long as a `with` block lasts."""

import os
import shutil
import subprocess

INTERFACE = "bench0"  # in both: an implementation is told one name for all ranks
ADDRESSES = ("10.77.0.1", "10.77.0.2")


def why_not():
    """Why there can be no namespaces here; "" if there can."""
    if not shutil.which("ip"):
        return "there is no `ip` (Debian package iproute2)"
    if os.geteuid() != 0:
        return "network namespaces need root"
    return ""


class Veth:
    def __init__(self):
        self.base = f"hawser-bench{os.getpid()}"
        self.names = tuple(f"{self.base}-{i}" for i in (0, 1))

    def inside(self, rank):
        """Words to put before a command that rank `rank` runs; "{rank}" is left to who fills it in."""
        return ["ip", "netns", "exec", f"{self.base}-{rank}"]

    def __enter__(self):
        try:
            for name in self.names:
                ip("netns", "add", name)
            ip("link", "add", INTERFACE, "netns", self.names[0], "type", "veth", "peer", "name", INTERFACE, "netns",
               self.names[1])
            for name, address in zip(self.names, ADDRESSES):
                ip("-n", name, "addr", "add", f"{address}/24", "dev", INTERFACE)
                ip("-n", name, "link", "set", "lo", "up")
                ip("-n", name, "link", "set", INTERFACE, "up")
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for name in self.names:
            subprocess.run(["ip", "netns", "del", name], check=False, capture_output=True)


def ip(*words):
    done = subprocess.run(["ip", *words], check=False, capture_output=True, text=True)
    if done.returncode != 0:
        raise OSError(f"ip {' '.join(words)}: {done.stderr.strip()}")
