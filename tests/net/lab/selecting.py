# SPDX-FileCopyrightText: 2026 The Hawser authors
# SPDX-License-Identifier: Apache-2.0
"""Whatever the interfaces of two hosts look like, their ranks meet over the right ones."""
import os
import subprocess
import tempfile

import hosts
from case import Case, idle_cpu

MEGABYTES_64 = 64 << 20


class Default_Settings(Case):
    def test_one_good_interface_among_many(self):
        """Both hosts have docker0 with the same address, virbr0, a tunnel, twenty dummies, link-local IPv6."""
        a, b = self.lab.node("a"), self.lab.node("b")
        for side, node in ((1, a), (2, b)):
            node.tunnel("tun0", f"100.64.0.{side}", f"100.64.0.{3 - side}")
            node.bridge("docker0", "172.17.0.1/16")
            node.bridge("virbr0", f"192.168.12{side}.1/24")
            node.dummies(20, "10.50.{}." + f"{side}/24")
        self.lab.rail(a, b, "e0", ["10.9.0.1/24", "fe80::9:1/64"], ["10.9.0.2/24", "fe80::9:2/64"])
        done = self.good(self.run_job([a, b], "all", 100000), {"e0"})
        print(f"the whole job took {done.seconds:.2f} s")
        self.assertLess(done.seconds, 20)
        self.good(self.run_job([a, b, a, b], "all", 100000, mca={"btl": "self,tcp"}), {"e0", "lo"})


class B01_Bridges_Of_Containers(Case):
    def test_without_containers(self):
        a, b = self.two_hosts()
        a.bridge("docker0", "172.17.0.1/16")
        b.bridge("virbr0", "192.168.122.1/24")
        self.good(self.run_job([a, b], "pingpong", MEGABYTES_64), {"e0"})

    def test_with_containers(self):
        """Their bridges have ports and carrier, and lead to nobody that we want."""
        a, b = self.two_hosts()
        for node, bridge, network in ((a, "docker0", "172.17.0"), (b, "virbr0", "192.168.122")):
            guest = self.lab.node("g" + bridge)
            self.lab.rail(node, guest, ("veth0", "eth0"), None, f"{network}.2/24")
            node.bridge(bridge, f"{network}.1/24", ports=["veth0"])
        self.good(self.run_job([a, b], "pingpong", MEGABYTES_64), {"e0"})

    def test_nothing_else(self):
        a, b = self.lab.node("a"), self.lab.node("b")
        a.bridge("docker0", "172.17.0.1/16")
        b.bridge("virbr0", "192.168.122.1/24")
        done = self.run_job([a, b], "pingpong", 1, mca={"btl_tcp_connect_timeout": "2s"})
        self.bad(done, "rank [01]", r"172\.17\.0\.1", r"192\.168\.122\.1")


class B02_Same_Address_On_Both(Case):
    PORTS = {"btl_tcp_port_min_v4": 21000, "btl_tcp_port_range_v4": 4}

    def test_wrong_ranks_listen_there(self):
        a, b = self.two_hosts()
        for node in (a, b):
            node.bridge("docker0", "172.17.0.1/16")
        self.jobs_of_four(a, b)

    def test_and_it_has_carrier(self):
        a, b = self.two_hosts()
        for letter, node in (("g", a), ("h", b)):
            self.lab.rail(node, self.lab.node(letter), ("veth0", "eth0"), None, "172.17.0.2/16")
            node.bridge("docker0", "172.17.0.1/16", ports=["veth0"])
        self.jobs_of_four(a, b)

    def jobs_of_four(self, a, b):
        for _ in self.runs(2, 50):
            done = self.good(self.run_job([a, b, a, b], "all", 100000, mca={**self.PORTS, "btl": "self,tcp"}))
            self.assertLessEqual(done.carriers(), {"e0", "lo"}, done)
            self.assertEqual(done.sum("refused_strangers"), 0, f"a call for one rank came to another: {done}")
        self.good(self.run_job([a, b, a, b], "pingpong", 1 << 20, mca=self.PORTS), {"e0"})


class B03_Several_Addresses_On_One_Interface(Case):
    OURS = ("e0", "10.9.0.0/24", "10.9.0.1/32", "10.9.0.11/32", "10.9.0.12/32")
    THEIRS = ("e0", "10.9.0.0/24", "10.9.0.2/32")

    def hosts(self):
        a, b = self.two_hosts()
        a.address("e0", "10.9.0.11/24", label="e0:1")
        a.address("e0", "10.9.0.12/24")
        a.address("e0", "10.20.0.1/24")
        return a, b

    def test_all_choices(self):
        a, b = self.hosts()
        for i, ours in enumerate(self.OURS):
            for j, theirs in enumerate(self.THEIRS):
                with self.subTest(a=ours, b=theirs):
                    a.env["HAWSER_MCA_btl_tcp_if_include"] = ours
                    b.env["HAWSER_MCA_btl_tcp_if_include"] = theirs
                    if self.long or (i + j) % 2 == 0:
                        self.good(self.run_job([a, b], "pingpong", 1 << 20))
                    if self.long or (i + j) % 2 == 1:
                        self.good(self.run_job([a, b, a, b], "all", 100000))

    def test_the_label(self):
        a, b = self.hosts()
        a.env["HAWSER_MCA_btl_tcp_if_include"] = "e0:1"
        job = self.ready([a, b], 1000)
        self.assertEqual({host for host, _ in a.listeners()}, {"10.9.0.11"})
        self.finish(job)

    def test_an_address_that_only_a_route_reaches(self):
        a, b = self.hosts()
        b.ip("route add 10.20.0.0/24 dev e0")
        a.env["HAWSER_MCA_btl_tcp_if_include"] = "10.20.0.1/32"
        self.good(self.run_job([a, b], "pingpong", 1 << 20))

    def test_no_choice(self):
        a, b = self.hosts()
        self.good(self.run_job([a, b, a, b], "all", 100000))


class B05_Exclude_And_Loopback(Case):
    def hosts(self):
        a, b = self.two_hosts()
        for node in (a, b):
            node.bridge("docker0", "172.17.0.1/16")
        return a, b

    def test_exclude_does_not_let_loopback_in(self):
        a, b = self.hosts()
        self.good(self.run_job([a, b], "pingpong", 1 << 20, mca={"btl_tcp_if_exclude": "docker0"}), {"e0"})

    def test_loopback_and_a_good_one(self):
        a, b = self.hosts()
        self.good(self.run_job([a, b], "pingpong", 1 << 20, mca={"btl_tcp_if_include": "lo,e0"}), {"e0"})

    def test_loopback_within_a_node(self):
        a, _ = self.hosts()
        settings = {"btl": "self,tcp", "btl_tcp_if_include": "lo"}
        self.good(self.run_job([a, a], "pingpong", 1 << 20, mca=settings), {"lo"})

    def test_loopback_between_nodes(self):
        a, b = self.hosts()
        for more in ({}, {"btl": "self,tcp"}):
            done = self.run_job([a, b], "pingpong", 1, mca={"btl_tcp_if_include": "lo", **more})
            self.bad(done, "rank [01]", "loopback|127", seconds=20)


class B06_Include_And_Exclude(Case):
    NAME = "btl_tcp_if_exclude"

    def home(self, text):
        home = self.enterContext(tempfile.TemporaryDirectory())
        os.mkdir(f"{home}/.hawser")
        with open(f"{home}/.hawser/mca-params.conf", "w") as file:
            file.write(text)
        return home

    def test_both(self):
        a, b = self.two_hosts()
        home = self.home("\nbtl_tcp_if_include = e0\n")
        done = self.run_job([a, b], "pingpong", 1, env={"HOME": home}, mca={self.NAME: "docker0"})
        self.bad(done, "btl_tcp_if_include", "btl_tcp_if_exclude", r"mca-params\.conf:2", "command line", "e0",
                 "docker0")

    def test_one_from_each_source(self):
        a, b = self.two_hosts(rails=2)
        home = self.home(f"{self.NAME} = e1\n")
        for source, more in {"command line": {"mca": {self.NAME: "e1"}},
                             "environment": {"env": {f"HAWSER_MCA_{self.NAME}": "e1"}},
                             "user file": {"env": {"HOME": home}},
                             "--tune": {"options": ["--tune", f"{home}/.hawser/mca-params.conf"]}}.items():
            with self.subTest(source=source):
                job = self.ready([a, b], 100000, **more)
                for node in (a, b):
                    used = "\n".join(node.sockets("-ta"))
                    self.assertIn("10.9.0.", used)
                    self.assertNotIn("10.9.1.", used)
                self.finish(job, {"e0"})


class B07_Names_That_Do_Not_Exist(Case):
    def test_exact_names(self):
        a, b = self.lab.node("a"), self.lab.node("b")
        self.lab.rail(a, b, "eth10", "10.9.10.1/24", "10.9.10.2/24")
        self.lab.rail(a, b, "eth1", "10.9.1.1/24", "10.9.1.2/24")
        for name in ("eth1", "eth10"):
            self.good(self.run_job([a, b], "pingpong", 1 << 20, mca={"btl_tcp_if_include": name}), {name})

    def test_the_prefix_of_a_name(self):
        a, b = self.lab.node("a"), self.lab.node("b")
        self.lab.rail(a, b, "eth10", "10.9.10.1/24", "10.9.10.2/24")
        done = self.run_job([a, b], "pingpong", 1, mca={"btl_tcp_if_include": "eth1"})
        self.bad(done, "eth1", "eth10", "btl_tcp_if_include")

    def test_no_match_and_tcp_was_asked_for(self):
        a, b = self.two_hosts()
        done = self.run_job([a, b], "pingpong", 1, mca={"btl": "self,tcp", "btl_tcp_if_include": "nope0"})
        self.bad(done, "nope0", "e0", "btl_tcp_if_include", seconds=20)

    def test_no_match_and_others_serve(self):
        a, _ = self.two_hosts()
        done = self.run_job([a, a, a], "all", 1000, mca={"btl_tcp_if_include": "nope0"})
        self.assertEqual((done.status, done.out), (0, "good\n"), done)
        self.one_note(done, "nope0")

    def test_one_of_two_exists(self):
        a, b = self.two_hosts()
        done = self.run_job([a, b, a, b], "all", 1000, mca={"btl_tcp_if_include": "nope0,e0"})
        self.assertEqual((done.status, done.out), (0, "good\n"), done)
        self.assertEqual(done.carriers(), {"e0"}, done)
        self.one_note(done, "nope0")

    def one_note(self, done, name):
        lines = done.err.splitlines()
        self.assertEqual(len(lines), 1, done)
        self.assertIn(name, lines[0], done)


class B09_Harmless_Lines(Case):
    def test_two_families_on_one_side(self):
        a, b = self.lab.node("a"), self.lab.node("b")
        self.lab.rail(a, b, "e0", ["10.9.0.1/24", "2001:db8::1/64"], "10.9.0.2/24")
        self.silent(self.run_job([a, b], "pingpong", 1 << 20, stats=False))

    def test_one_node(self):
        a = self.lab.node("a")
        for more in ({}, {"mca": {"btl": "self,shm,tcp"}}):
            self.silent(self.run_job([a] * 4, "all", 100000, stats=False, **more))

    def silent(self, done):
        self.assertEqual((done.status, done.out, done.err), (0, "good\n", ""), done)


class B11_Tunnel_First(Case):
    def hosts(self):
        a, b = self.lab.node("a"), self.lab.node("b")
        a.tunnel("tun0", "100.64.0.1", "100.64.0.2")
        a.dummies(20, "10.50.{}.1/24")
        self.lab.rail(a, b, "e0", "10.9.0.1/24", "10.9.0.2/24")
        return a, b

    def test_within_the_node(self):
        a, _ = self.hosts()
        self.waits_without_work([a, a], [a], {"lo"})

    def test_to_another(self):
        a, b = self.hosts()
        self.waits_without_work([a, b], [a, b], {"e0"})

    def waits_without_work(self, places, nodes, over):
        job = self.ready(places, 100000, mca={"btl": "self,tcp"})
        self.assertLess(idle_cpu(job, nodes), 0.5, "CPU seconds while all ranks waited for two")
        self.finish(job, over)


class B13_Properties_Not_Names(Case):
    def bridged(self):
        """a's only address is on a bridge called as those that black lists name; its port is the cable."""
        a, b = self.lab.node("a"), self.lab.node("b")
        self.lab.rail(a, b, "e0", None, "10.9.0.2/24")
        a.bridge("virbr0", "10.9.0.1/24", ports=["e0"])
        return a, b

    def test_a_bridge_is_the_only_way(self):
        a, b = self.bridged()
        done = self.good(self.run_job([a, b], "pingpong", 1 << 20))
        self.assertEqual(done.carriers(ranks=[0]), {"virbr0"}, done)

    def test_a_cable_is_preferred(self):
        a, b = self.bridged()
        self.lab.rail(a, b, "e1", "10.9.1.1/24", "10.9.1.2/24")
        done = self.good(self.run_job([a, b], "pingpong", 1 << 20))
        cable, bridge = (done.sum("messages_sent", f"tcp/{name}#", [0]) for name in ("e1", "virbr0"))
        self.assertGreater(cable, bridge, done)

    def test_an_empty_bridge_is_never_preferred(self):
        a, b = self.bridged()
        a.bridge("eth0", "10.8.0.1/24")
        b.bridge("eth0", "10.8.0.2/24")
        self.assertEqual(self.good(self.run_job([a, b], "pingpong", 1 << 20)).carriers(ranks=[0]), {"virbr0"})


class B16_Shapes(Case):
    def switched(self, ours, theirs):
        """So many interfaces on each side, all plugged into one network."""
        a, b = self.lab.node("a"), self.lab.node("b")
        plugs = [(a, f"e{i}", f"10.9.0.{10 + i}/24") for i in range(ours)]
        plugs += [(b, f"e{i}", f"10.9.0.{20 + i}/24") for i in range(theirs)]
        self.lab.switch("s", *plugs)
        return a, b

    def test_one_network(self):
        for ours, theirs in ((1, 1), (3, 5), (1, 4), (5, 2)):
            with self.subTest(ours=ours, theirs=theirs):
                with hosts.Lab() as self.lab:
                    a, b = self.switched(ours, theirs)
                    done = self.good(self.run_job([a, b], "pingpong", 4 << 20))
                    self.pairs(done, min(ours, theirs))

    def test_networks_in_another_order(self):
        """3 x 5, of which three have a partner, in another order on the other side."""
        a, b = self.lab.node("a"), self.lab.node("b")
        for ours, theirs in ((0, 3), (1, 0), (2, 4)):
            self.lab.rail(a, b, (f"e{ours}", f"e{theirs}"), f"10.9.{ours}.1/24", f"10.9.{ours}.2/24")
        for i, name in enumerate(("e1", "e2")):
            self.lab.rail(b, self.lab.node(f"x{i}"), (name, "e0"), f"10.7.{i}.1/24", f"10.7.{i}.2/24")
        done = self.good(self.run_job([a, b], "pingpong", 4 << 20))
        self.pairs(done, 3)
        self.assertEqual(done.carriers(ranks=[0]), {"e0", "e1", "e2"}, done)
        self.assertEqual(done.carriers(ranks=[1]), {"e0", "e3", "e4"}, done)

    def test_other_settings_on_the_other_side(self):
        """Links, limits and buffers: each sends as it was told, and takes what the other sends."""
        a, b = self.two_hosts(rails=2)
        for node, links, most, eager in ((a, 3, "4k", "1k"), (b, 2, "2m", "1m")):
            for name, value in (("links", links), ("max_send_size", most), ("eager_limit", eager),
                                ("rndv_eager_limit", eager)):
                node.env["HAWSER_MCA_btl_tcp_" + name] = value
        for size in (1000, 500_000, 8 << 20):
            done = self.good(self.run_job([a, b], "pingpong", size), {"e0", "e1"} if size > 500_000 else None)
            self.assertLessEqual(done.sum("connections_made"), 4, done)

    def test_none(self):
        a, b = self.lab.node("a"), self.lab.node("b")
        self.lab.rail(b, self.lab.node("c"), "e0", "10.9.0.2/24", "10.9.0.3/24")
        self.bad(self.run_job([a, b], "pingpong", 1), "rank [01]", seconds=20)

    def pairs(self, done, count):
        """So many rails, each with one connection; both sides agree which."""
        for counter in ("connections_made", "accepted"):
            self.assertEqual(done.sum(counter), count, f"{counter}: {done}")


class B18_Listeners(Case):
    def test_only_what_was_selected(self):
        a, b = self.two_hosts()
        for include, addresses in (("lo", {"127.0.0.1", "::1"}), ("e0", {"10.9.0.1"}), ("10.9.0.0/24", {"10.9.0.1"})):
            with self.subTest(include=include):
                job = self.ready([a, a], 1000, mca={"btl": "self,tcp", "btl_tcp_if_include": include})
                listeners = a.listeners()
                hosts = {host for host, _ in listeners}
                if include == "e0":  # by its name all its addresses, also the link-local one that comes a second later
                    hosts = {host for host in hosts if not host.startswith("fe80::")}
                self.assertLessEqual(hosts, addresses)
                self.assertEqual(self.reachable(b, listeners), include != "lo")
                self.finish(job)

    def test_the_launcher_listens_nowhere(self):
        a, _ = self.two_hosts()
        job = self.ready([a, a], 1000)
        done = subprocess.run(["ss", "-Hltnp"], capture_output=True, text=True, check=True)
        self.assertNotIn(f"pid={job.process.pid},", done.stdout)
        self.finish(job)

    def reachable(self, node, listeners):
        """Whether one of those ports answers over the cable."""
        tries = " || ".join(f"exec 3<>/dev/tcp/10.9.0.1/{port}" for _, port in listeners)
        return subprocess.run(node.command("timeout", "10", "bash", "-c", tries), capture_output=True).returncode == 0
