# SPDX-FileCopyrightText: 2026 The Hawser authors
# SPDX-License-Identifier: Apache-2.0
"""Test hosts made of network namespaces: nodes, rails between them, and what can be wrong with a network.

    with Lab() as lab:
        a, b = lab.node("a"), lab.node("b")
        lab.rail(a, b, "e0", "10.9.0.1/24", "10.9.0.2/24")
        b.black_hole("10.9.0.1", "e0")

Names begin with the process id, so labs live side by side. A helper process removes what a lab made, however
the lab's process ends: it waits for the end of a pipe that only that process holds. Needs root, and ip(8).
"""
import os
import shutil
import subprocess
import time

# Sent to the helper: it ends what still runs in the lab's namespaces, and removes them.
_REMOVE = """cat >/dev/null
for path in /run/netns/"$0"*; do
  [ -e "$path" ] || continue
  for pid in $(ip netns pids "${path##*/}" 2>/dev/null); do kill -KILL "$pid" 2>/dev/null; done
  ip netns del "${path##*/}" 2>/dev/null
done"""


def sweep():
    """Removes the hosts of tests that were killed, helper and all."""
    subprocess.run(["sh", os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "sweep.sh")], check=True)


class Unsupported(Exception):
    """This kernel has no such device or discipline."""


def why_not():
    """Why no test hosts can be made here; "" if they can."""
    if os.geteuid() != 0:
        return "making network namespaces needs root"
    for tool in ("ip", "ss", "tc"):
        if not shutil.which(tool):
            return f"{tool}(8) is not installed (package iproute2)"
    name = f"hwlab{os.getpid()}probe"
    if subprocess.run(["ip", "netns", "add", name], capture_output=True).returncode != 0:
        return "network namespaces are not permitted here"
    subprocess.run(["ip", "netns", "del", name], check=True)
    sweep()
    return ""


def _command(words, text=None):
    done = subprocess.run(words, input=text, capture_output=True, text=True)
    if done.returncode != 0:
        error = done.stderr.strip()
        if "Unknown device type" in error or "qdisc kind is unknown" in error:
            raise Unsupported(error)
        raise RuntimeError(f"{' '.join(words)}: {error}\n{text or ''}")
    return done.stdout


class Node:
    """A host: a namespace with loopback up. `env`: variables of all ranks that run there."""

    def __init__(self, name):
        self.name = name
        self.env = {}
        self._dark = None  # where the other ends of its dummies are
        _command(["ip", "netns", "add", name])
        self.ip("link set lo up")

    def ip(self, *lines):
        """`ip -n NODE LINE` for each, in one process."""
        return _command(["ip", "-n", self.name, "-batch", "-"], "\n".join(lines) + "\n")

    def command(self, *words):
        """The words that run a command in here, with a /sys that shows this node's interfaces."""
        return ["ip", "netns", "exec", self.name, *words]

    def sockets(self, *flags):
        """Lines of ss(8): ("-ltn",) listening, ("-tn",) connected; with owners."""
        return _command(self.command("ss", "-Hnp", *flags)).splitlines()

    def listeners(self):
        """(address, port) of all TCP listeners."""
        found = []
        for line in self.sockets("-lt"):
            address, port = line.split()[3].rsplit(":", 1)
            found.append((address.strip("[]"), int(port)))
        return found

    def pids(self):
        return [int(word) for word in _command(["ip", "netns", "pids", self.name]).split()]

    def cpu_seconds(self):
        """CPU time so far of all processes in here."""
        ticks = 0
        for pid in self.pids():
            try:
                with open(f"/proc/{pid}/stat") as file:
                    ticks += sum(int(word) for word in file.read().rsplit(")", 1)[1].split()[11:13])
            except OSError:
                pass
        return ticks / os.sysconf("SC_CLK_TCK")

    # Interfaces that lead nowhere.

    def bridge(self, name, *addresses, ports=()):
        """Without ports it has no carrier, as docker0 and virbr0 on a host that runs no container."""
        self.ip(f"link add name {name} type bridge", *self._up(name, addresses),
                *[f"link set {port} master {name}" for port in ports])

    def tunnel(self, name, address, peer):
        """Point to point, as a VPN makes it."""
        self.ip(f"tuntap add dev {name} mode tun", f"addr add {address} peer {peer} dev {name}",
                f"link set {name} up")

    def dummies(self, count, network):
        """dummy0 and on, all up; `network` is a pattern such as "10.50.{}.1/24"."""
        for i in range(count):
            self.dummy(f"dummy{i}", network.format(i))

    def dummy(self, name, *addresses):
        try:
            self.ip(f"link add name {name} type dummy")
        except Unsupported:
            # Looks like one all over: it is up, has carrier, asks for no neighbours, and nobody gets what it sends.
            if not self._dark:
                self._dark = Node(self.name + "dark")
            self.ip(f"link add name {name} type veth peer name {name} netns {self._dark.name}",
                    f"link set {name} arp off")
            self._dark.up(name)
        self.ip(*self._up(name, addresses))

    # Interfaces as they are.

    def address(self, interface, address, label=None):
        self.ip(f"addr add {address} dev {interface}" + (f" label {label}" if label else ""))

    @staticmethod
    def _up(interface, addresses):
        # Without the wait for duplicates, which leaves an IPv6 address unusable for a second or two.
        return [f"addr add {address} dev {interface}" + (" nodad" if ":" in address else "")
                for address in addresses] + [f"link set {interface} up"]

    def down(self, interface):
        self.ip(f"link set {interface} down")

    def up(self, interface):
        self.ip(f"link set {interface} up")

    def wait_for_carrier(self, interface):
        """The kernel tells of it with a delay, and a host that is asked too early looks as if its cable was out."""
        end = time.monotonic() + 10
        while "LOWER_UP" not in self.ip(f"link show dev {interface}"):
            if time.monotonic() > end:
                raise RuntimeError(f"{interface} of {self.name} got no carrier")

    # What goes wrong.

    def black_hole(self, address, interface):
        """What is sent to `address` vanishes: a neighbour that is not there."""
        self.ip(f"neigh replace {address} lladdr 02:00:00:00:00:99 nud permanent dev {interface}")

    def no_black_hole(self, address, interface):
        self.ip(f"neigh del {address} dev {interface}")

    def prohibit(self, address):
        """Connecting fails at once with EACCES."""
        self.ip(f"route add prohibit {address}")

    def unreachable(self, address):
        """Connecting fails at once with EHOSTUNREACH."""
        self.ip(f"route add unreachable {address}")

    def cut(self, address):
        """Ends all connections with that address, as a kernel does that finds one broken."""
        _command(self.command("ss", "-K", "dst", address))

    def rate(self, interface, rate):
        """`rate` as tc(8) has it: 20mbit."""
        _command(["tc", "-n", self.name, "qdisc", "replace", "dev", interface, "root", "tbf", "rate", rate,
                  "burst", "32k", "latency", "50ms"])

    def delay(self, interface, delay):
        """`delay` as tc(8) has it: 5ms. Unsupported where the kernel lacks netem."""
        _command(["tc", "-n", self.name, "qdisc", "replace", "dev", interface, "root", "netem", "delay", delay])


class Lab:
    """Makes nodes; all of it is gone when the block or the process ends."""

    def __init__(self):
        Lab._count = getattr(Lab, "_count", 0) + 1
        self._prefix = f"hwlab{os.getpid()}x{Lab._count}x"
        self._helper = None

    def __enter__(self):
        # In a session of its own: Ctrl-C is for the test, not for who cleans up.
        self._helper = subprocess.Popen(["sh", "-c", _REMOVE, self._prefix], stdin=subprocess.PIPE,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                        start_new_session=True)
        return self

    def __exit__(self, *_):
        self._helper.stdin.close()
        self._helper.wait()

    def node(self, letter):
        return Node(self._prefix + letter)

    def rail(self, a, b, name, *ends):
        """A cable between two nodes, an interface of that name in each (or a pair of names). `ends`: a's
        address or list of them, then b's; None for none. IPv4 and IPv6."""
        names = name if isinstance(name, tuple) else (name, name)
        a.ip(f"link add name {names[0]} type veth peer name {names[1]} netns {b.name}")
        for node, interface, end in zip((a, b), names, (*ends, None, None)):
            node.ip(*Node._up(interface, [end] if isinstance(end, str) else end or []))
        for node, interface in zip((a, b), names):
            node.wait_for_carrier(interface)

    def router(self, letter, a, b, name="e0", networks=("10.1.0", "10.2.0")):
        """A node between two others, which are in different networks; `name` leads to it in each."""
        router = self.node(letter)
        for node, port, network in zip((a, b), ("p0", "p1"), networks):
            self.rail(node, router, (name, port), f"{network}.2/24", f"{network}.1/24")
        for node, network, other in zip((a, b), networks, reversed(networks)):
            node.ip(f"route add {other}.0/24 via {network}.1")
        _command(router.command("sh", "-c", "echo 1 >/proc/sys/net/ipv4/ip_forward"))
        return router

    def switch(self, letter, *plugs):
        """A node that joins interfaces into one network. `plugs`: (node, interface, addresses...)."""
        switch = self.node(letter)
        for i, (node, interface, *addresses) in enumerate(plugs):
            self.rail(node, switch, (interface, f"p{i}"), addresses)
        switch.bridge("sw", ports=[f"p{i}" for i in range(len(plugs))])
        return switch
