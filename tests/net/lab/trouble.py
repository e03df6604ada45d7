# SPDX-FileCopyrightText: 2026 The Hawser authors
# SPDX-License-Identifier: Apache-2.0
"""Strangers, networks that swallow or refuse, and a process that may open no more files."""
import os
import subprocess
import sys
import time

from case import Case, idle_cpu

HERE = os.path.dirname(os.path.abspath(__file__))


class B23_Strangers(Case):
    def visit(self, node, address, ports):
        """Strangers call from that node; those that hold their line stay until the test ends."""
        visitor = subprocess.Popen(node.command(sys.executable, f"{HERE}/strangers.py", address, *map(str, ports)),
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.addCleanup(visitor.communicate)
        self.assertEqual(visitor.stdout.readline(), "done\n")

    def test_they_cost_nothing(self):
        a, b = self.two_hosts()
        job = self.ready([a, b, a, b], 100000, mca={"btl": "self,tcp"})
        ports = [port for host, port in a.listeners() if host == "10.9.0.1"]
        self.assertEqual(len(ports), 2, "a listener for each rank there")
        self.visit(b, "10.9.0.1", ports)
        self.assertLess(idle_cpu(job, [a], 1), 0.4, "CPU seconds while strangers held their lines")
        done = self.finish(job, {"e0", "lo"})
        self.assertGreaterEqual(done.sum("refused_strangers"), 2 * 5, done)

    def test_before_anybody_was_met(self):
        """Strangers are all there is on the ports when the ranks first turn to each other."""
        a, b = self.two_hosts()
        job = self.start([a, b], "late", 3000, mca={"btl": "self,tcp", "btl_tcp_half_open_max": 8},
                         env={"HAWSER_MCA_hawser_progress_thread": "1"})
        ports, end = [], time.monotonic() + 20
        while not ports and time.monotonic() < end:
            ports = [port for host, port in a.listeners() if host == "10.9.0.1"]
        self.visit(b, "10.9.0.1", ports)
        done = self.good(job.end(), {"e0"})
        self.assertGreaterEqual(done.sum("refused_strangers"), 5, done)

    def test_connections_that_hold_every_place(self):
        """More silent connections than may be half open: the ranks still meet."""
        a, b = self.two_hosts()
        job = self.ready([a, b, b], 1000, mca={"btl": "self,tcp", "btl_tcp_half_open_max": 4})
        self.visit(b, "10.9.0.1", [port for host, port in a.listeners() if host == "10.9.0.1"])
        self.finish(job)


class B25_Black_Holes(Case):
    SHORT = {"btl_tcp_connect_timeout": "1s"}

    def holes(self, nodes, rail):
        a, b = nodes
        for side in self.sides:
            if side == "a":
                a.black_hole(f"10.9.{rail}.2", f"e{rail}")
            else:
                b.black_hole(f"10.9.{rail}.1", f"e{rail}")

    def test_the_only_rail(self):
        for self.sides in ("b", "a", "ab"):
            with self.subTest(sides=self.sides):
                self.lab = self.fresh_lab()
                nodes = self.two_hosts()
                self.holes(nodes, 0)
                done = self.run_job(nodes, "pingpong", 1000, mca=self.SHORT)
                self.bad(done, "rank [01]", r"10\.9\.0\.1", r"10\.9\.0\.2", "no answer", r"\d s|\d ms", "firewall",
                         "btl_tcp_if_include", seconds=30)
                self.assertNotIn("in progress", done.err)

    def test_one_of_two_rails(self):
        for self.sides in ("b", "a", "ab"):
            for rail in (0, 1):
                with self.subTest(sides=self.sides, rail=rail):
                    self.lab = self.fresh_lab()
                    nodes = self.two_hosts(rails=2)
                    self.holes(nodes, rail)
                    self.served(self.run_job(nodes, "pingpong", 4 << 20, mca=self.SHORT), f"e{1 - rail}")

    def test_default_deadline(self):
        """One of two rails, nothing set: the job is done, if later."""
        self.sides = "ab"
        nodes = self.two_hosts(rails=2)
        self.holes(nodes, 0)
        self.served(self.run_job(nodes, "pingpong", 1000), "e1")

    def test_nobody_waits_for_the_deadline(self):
        """Messages go over the rail that works, while the other is still being tried."""
        for self.sides in ("b", "a", "ab"):
            with self.subTest(sides=self.sides):
                self.lab = self.fresh_lab()
                nodes = self.two_hosts(rails=2)
                self.holes(nodes, 0)
                self.served(self.run_job(nodes, "pingpong", 4 << 20, mca={"btl_tcp_connect_timeout": "300s"}), "e1")

    def served(self, done, over):
        """By the other rail; and that is all there is to say."""
        self.assertEqual((done.status, done.out, done.err), (0, "good\n", ""), done)
        self.assertEqual(done.carriers(), {over}, done)


class B25_Refusals(Case):
    """By a's own kernel, which says so at once; or by b's, so that a hears nothing."""

    ROUTES = {"prohibit": "Permission denied", "unreachable": "No route to host"}

    def test_the_only_rail(self):
        for how, word in self.ROUTES.items():
            with self.subTest(route=how):
                self.lab = self.fresh_lab()
                a, b = self.two_hosts()
                getattr(a, how)("10.9.0.2/32")
                done = self.run_job([a, b], "pingpong", 1000)
                # With a black hole it would be 10: nobody waits for an answer that came.
                self.bad(done, "rank 0", r"10\.9\.0\.1", r"10\.9\.0\.2", word, seconds=8)

    def test_the_only_rail_and_the_other_side(self):
        for how, word in self.ROUTES.items():
            with self.subTest(route=how):
                self.lab = self.fresh_lab()
                a, b = self.two_hosts()
                getattr(b, how)("10.9.0.1/32")
                done = self.run_job([a, b], "pingpong", 1000, mca={"btl_tcp_connect_timeout": "2s"})
                self.bad(done, "rank [01]", r"10\.9\.0\.1", r"10\.9\.0\.2", f"no answer|{word}")

    def test_one_of_two_rails(self):
        for how in self.ROUTES:
            for place in (0, 1):
                with self.subTest(route=how, place="ab"[place]):
                    self.lab = self.fresh_lab()
                    nodes = self.two_hosts(rails=2)
                    getattr(nodes[place], how)(("10.9.0.2/32", "10.9.0.1/32")[place])
                    done = self.run_job(nodes, "pingpong", 4 << 20, mca={"btl_tcp_connect_timeout": "2s"})
                    self.assertEqual((done.status, done.out, done.err), (0, "good\n", ""), done)
                    self.assertEqual(done.carriers(), {"e1"}, done)

    def test_the_other_side_waits_for_no_deadline(self):
        """It hears nothing, and takes the other rail at once."""
        for how in self.ROUTES:
            with self.subTest(route=how):
                self.lab = self.fresh_lab()
                a, b = self.two_hosts(rails=2)
                getattr(b, how)("10.9.0.1/32")
                done = self.run_job([a, b], "pingpong", 4 << 20, mca={"btl_tcp_connect_timeout": "300s"})
                self.assertEqual((done.status, done.out, done.err), (0, "good\n", ""), done)
                self.assertEqual(done.carriers(), {"e1"}, done)

    def test_a_listener_that_is_gone(self):
        """A few tries with growing pauses, then an error that says how often and what the answer was."""
        nodes = self.two_hosts()
        done = self.run_job(nodes, "deaf", mca={"btl_tcp_retries": 3})
        self.bad(done, "rank [01]", r"10\.9\.0\.1", "[Rr]efused", "attempt")


class Late_Networks(Case):
    """What comes while a first message waits for it is used."""

    def waiting(self, *places):
        """A job whose ranks have turned to each other, and found no way."""
        job = self.start(places, "pingpong", 1 << 20, mca={"btl_tcp_connect_timeout": "300s"})
        end = time.monotonic() + 20
        while not all(node.listeners() for node in places) and time.monotonic() < end:
            pass
        self.assertTrue(all(node.listeners() for node in places), "the ranks do not listen")
        time.sleep(0.3)  # so that most have asked already; either way the network comes late
        return job

    def test_a_cable_that_is_plugged_in(self):
        a, b = self.lab.node("a"), self.lab.node("b")
        job = self.waiting(a, b)
        self.lab.rail(a, b, "e0", "10.9.0.1/24", "10.9.0.2/24")
        self.good(job.end(), {"e0"})

    def test_a_lease_that_is_given(self):
        for side in (0, 1):
            with self.subTest(side="ab"[side]):
                self.lab = self.fresh_lab()
                nodes = self.lab.node("a"), self.lab.node("b")
                ends = ["10.9.0.1/24", "10.9.0.2/24"]
                mine, ends[side] = ends[side], None
                self.lab.rail(*nodes, "e0", *ends)
                job = self.waiting(*nodes)
                nodes[side].address("e0", mine)
                self.good(job.end(), {"e0"})

    def test_a_link_that_was_down(self):
        a, b = self.two_hosts()
        a.ip("route del 10.9.0.0/24 dev e0")
        job = self.waiting(a, b)
        a.down("e0")
        a.up("e0")
        self.good(job.end(), {"e0"})


class B25_Routed(Case):
    def test_networks_that_a_router_joins(self):
        a, b = self.lab.node("a"), self.lab.node("b")
        self.lab.router("r", a, b)
        self.good(self.run_job([a, b], "pingpong", 4 << 20), {"e0"})

    def test_a_slow_link_is_no_black_hole(self):
        a, b = self.two_hosts(rails=2)
        for node in (a, b):
            node.rate("e1", "20mbit")
        self.good(self.run_job([a, b], "pingpong", 1 << 20))


class B27_File_Descriptors(Case):
    def test_the_launcher_says_what_is_short(self):
        a, b = self.two_hosts(rails=2)
        done = self.run_job([a, b] * 16, "all", 1000, before=["prlimit", "--nofile=64:64"], timeout=120)
        self.bad(done, "64", "open files|file descriptors", "ulimit -n")
        self.assertNotIn("Invalid argument", done.err)
        self.assertEqual(len(done.err.splitlines()), 1, done)

    def test_few_suffice_for_a_small_job(self):
        """Less than the number that the launcher likes to give to a rank's connection with it."""
        a, b = self.two_hosts()
        self.good(self.run_job([a, b, a, b], "all", 1000, before=["prlimit", "--nofile=40:40"]), {"e0"})

    def test_the_launcher_takes_what_it_may_have(self):
        """A low soft limit is no obstacle, and the ranks get the limit that the user had."""
        a, b = self.two_hosts()
        limits = self.lab_file()
        done = self.run_job([a, b] * 8, "all", 1000, before=["prlimit", "--nofile=50:4096"], timeout=120,
                            wrap=["sh", "-c", f'ulimit -Sn >>{limits}; exec "$@"', "-"])
        self.good(done)
        with open(limits) as file:
            self.assertEqual(set(file.read().split()), {"50"})

    def test_ranks_that_may_open_few(self):
        """A job of 32 ranks over two rails wants twice what it may have: it does with less, or says what is short."""
        a, b = self.two_hosts(rails=2)
        job = self.start([a, b] * 16, "all", 1000, mca={"btl": "self,tcp", "btl_tcp_connect_timeout": "4s"},
                         wrap=["prlimit", "--nofile=30:30"], timeout=30)
        done = job.end()
        self.assertNotEqual(done.status, 124, f"hangs: {done}")
        if done.status != 0:
            self.bad(done, "30", "open files", seconds=60)
            self.assertNotIn("ddress already in use", done.err)
        self.assertLess(len(done.err.splitlines()), 64, f"a flood: {done}")

    def test_ranks_that_may_open_almost_enough(self):
        """Silent strangers took what one rank has: it goes on when they are gone, and does not spin until then."""
        a, b = self.two_hosts()
        a.env["HAWSER_MCA_btl_tcp_hello_timeout"] = "4s"
        job = self.ready([a, b], 1000, wrap=["prlimit", "--nofile=24:24"], mca={"btl": "self,tcp"})
        port = [port for host, port in a.listeners() if host == "10.9.0.1"][0]
        visitor = subprocess.Popen(b.command(sys.executable, f"{HERE}/strangers.py", "10.9.0.1", str(port)),
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.addCleanup(visitor.communicate)
        visitor.stdout.readline()
        self.assertLess(idle_cpu(job, [a], 2), 0.6, "CPU seconds with no descriptor left")
        self.finish(job, {"e0"})
