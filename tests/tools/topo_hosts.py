# SPDX-FileCopyrightText: 2026 The Hawser authors
# SPDX-License-Identifier: Apache-2.0
"""Test hosts made of network namespaces of their own names, for topo_test.py."""
import os
import subprocess


class Hosts:
    """Hosts "a" and "b", joined by a cable e0; `remove` takes all away again."""

    @staticmethod
    def why_not():
        """Why test hosts cannot be made here; "" if they can."""
        if os.geteuid() != 0:
            return "making network namespaces needs root"
        name = f"hwtp{os.getpid()}"
        try:
            made = subprocess.run(["ip", "netns", "add", name], capture_output=True)
        except OSError:
            return "ip(8) is not installed"
        if made.returncode != 0:
            return "network namespaces are not permitted here"
        subprocess.run(["ip", "netns", "del", name], check=True)
        return ""

    def __init__(self):
        self.names = {}
        try:
            for host in ("a", "b"):
                self.add(host)
            self.cable("e0", "10.9.0.1/24", "10.9.0.2/24")
        except BaseException:
            self.remove()
            raise

    def add(self, host):
        name = f"hwtp{os.getpid()}{host}"
        subprocess.run(["ip", "netns", "add", name], check=True)
        self.names[host] = name
        # The kernel checks link-local addresses of its own making for a while; ours are there at once.
        mode = "/proc/sys/net/ipv6/conf/default/addr_gen_mode"
        subprocess.run(["ip", "netns", "exec", name, "sh", "-c", f"echo 1 >{mode}"], check=True)
        self.ip(host, "link set lo up")

    def remove(self):
        for name in self.names.values():
            subprocess.run(["ip", "netns", "del", name], check=False)

    def ip(self, host, *commands):
        """One run of ip for all commands."""
        subprocess.run(["ip", "-n", self.names[host], "-batch", "-"], input="\n".join(commands) + "\n", text=True,
                       check=True, capture_output=True)

    def cable(self, nic, address_a, address_b):
        subprocess.run(["ip", "link", "add", nic, "netns", self.names["a"], "type", "veth", "peer", "name", nic,
                        "netns", self.names["b"]], check=True)
        for number, (host, address) in enumerate((("a", address_a), ("b", address_b)), 1):
            self.ip(host, f"addr add {address} dev {nic}", f"addr add fe80::{number}/64 dev {nic} nodad",
                    f"link set {nic} up")

    def crowd(self):
        """What stands beside the good interface in the field: docker0 with one address on both hosts, virbr0, a
        tunnel, twenty dummies; IPv6 has link-local addresses."""
        for number, host in enumerate(("a", "b"), 1):
            lines = []
            for bridge, address in (("docker0", "172.17.0.1/16"), ("virbr0", f"192.168.12{number}.1/24")):
                lines += [f"link add {bridge} type bridge", f"addr add {address} dev {bridge}",
                          f"addr add fe80::{number}/64 dev {bridge} nodad", f"link set {bridge} up"]
            lines += ["tuntap add tun0 mode tun", f"addr add 100.64.{number}.1/32 peer 100.64.{number}.2 dev tun0",
                      "link set tun0 up"]
            dead = self.dead_end(host)
            for i in range(20):
                lines += [dead.format(f"dum{i}"), f"addr add 10.2{number}.{i}.1/24 dev dum{i}", f"link set dum{i} up"]
            self.ip(host, *lines)

    def dead_end(self, host):
        """How to make an interface that leads nowhere: not every kernel has dummies."""
        probe = ["ip", "-n", self.names[host], "link", "add", "probe0", "type", "dummy"]
        if subprocess.run(probe, capture_output=True).returncode != 0:
            return "link add {0} type veth peer name p{0}"
        self.ip(host, "link del probe0")
        return "link add {0} type dummy"
