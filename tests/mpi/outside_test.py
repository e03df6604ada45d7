# SPDX-FileCopyrightText: 2026 The Hawser authors
# SPDX-License-Identifier: Apache-2.0
"""MPI jobs from outside: choices of transports, what is said when they are wrong, ends of jobs, CPU time.
Usage: outside_test.py BUILD [test]"""
import glob
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

BUILD = sys.argv[1]
HAWSER, MPIRUN, ACTOR = (f"{BUILD}/bin/{name}" for name in ("hawser", "mpirun", "mpi_actor"))
RING, HELLO, CONNECTIVITY, PING = (f"{BUILD}/examples/{name}" for name in ("ring", "hello", "connectivity", "bml_ping"))
MARK = "HAWSER_OUTSIDE_TEST_MARK"
LAST = "Rank 0 took one off: 0\n"


def environment(more=None):
    """Ours without parameters, so that only those of the test count."""
    kept = {name: value for name, value in os.environ.items() if "_MCA_" not in name}
    return {**kept, "HOME": "/nonexistent", **(more or {})}


def execute(*command, timeout=60, env=None):
    return subprocess.run(command, capture_output=True, text=True, timeout=timeout, env=environment(env),
                          stdin=subprocess.DEVNULL)


def run(*words, n=2, btl=None, options=(), **more):
    choice = () if btl is None else ("--mca", "btl", btl)
    return execute(HAWSER, "run", "-n", str(n), *choice, *options, *words, **more)


def marked(value):
    """Ids of all live processes whose environment carries the mark of a test."""
    needle, found = f"{MARK}={value}".encode(), []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/environ", "rb") as file:
                mine = needle in file.read().split(b"\0")
            with open(f"/proc/{name}/stat") as file:
                dead = file.read().rsplit(")", 1)[1].split()[0] in "ZX"
        except OSError:
            continue
        if mine and not dead:
            found.append(int(name))
    return found


def memory_files():
    """What of ours is in /dev/shm."""
    return set(glob.glob("/dev/shm/*hawser*"))


class Case(unittest.TestCase):
    def good(self, done):
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(done.stderr, "")

    def bad(self, done, *patterns, status=None):
        """Ended with an error whose text has all the patterns, each once."""
        if status is None:
            self.assertNotEqual(done.returncode, 0, done.stdout + done.stderr)
        else:
            self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        for pattern in patterns:
            self.assertEqual(len(re.findall(pattern, done.stderr)), 1, f"{pattern!r} in:\n{done.stderr}")


class Examples(Case):
    def ring(self, done, ranks):
        self.good(done)
        self.assertIn(LAST, done.stdout)
        for rank in range(ranks):
            self.assertEqual(done.stdout.count(f"Rank {rank} is done\n"), 1)

    def test_ring_over_each_choice(self):
        for btl in ("self,tcp", "self,shm", None):
            for ranks in (1, 2, 4, 8):
                with self.subTest(btl=btl, ranks=ranks):
                    self.ring(run(RING, n=ranks, btl=btl), ranks)

    def test_choice_from_the_environment(self):
        for name in ("HAWSER_MCA_btl", "OMPI_MCA_btl"):
            with self.subTest(name=name):
                done = execute(MPIRUN, "-n", "4", "--mca", "hawser_stats", "1", "--mca", "hawser_stats_format", "lines", RING, env={name: "self,tcp"})
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertIn(LAST, done.stdout)
                self.assertRegex(done.stderr, r"btl tcp module tcp/\S+ messages_sent [1-9]")
                self.assertNotIn("btl shm", done.stderr)

    def test_ring_without_self(self):
        self.ring(run(RING, n=2, btl="tcp"), 2)
        self.ring(run(RING, n=2, btl="shm"), 2)

    def test_connectivity(self):
        for btl in ("self,tcp", "self,shm", None):
            done = run(CONNECTIVITY, "-v", n=6, btl=btl)
            self.good(done)
            self.assertIn("Connectivity test on 6 ranks: passed", done.stdout)
            self.assertEqual(done.stdout.count(" exchange\n"), 15)

    def test_bml_alone(self):
        for btl, module in (("self,tcp", "tcp/lo"), ("self,shm", "shm")):
            done = run(PING, n=3, btl=btl)
            self.good(done)
            self.assertRegex(done.stdout, rf"rank 2: [0-9.]+ us one way, 64 bytes, rails: {module}")


class Singleton(Case):
    def test_hello(self):
        done = execute(HELLO)
        self.good(done)
        self.assertRegex(done.stdout, r"^Hello from rank 0 of 1 on \S+\n$")

    def test_threads(self):
        self.good(execute(ACTOR, "init-threads", "self-threads", "finalize"))

    def test_examples(self):
        for program in (RING, CONNECTIVITY):
            self.good(execute(program))


class Unreachable(Case):
    def fast(self, *words, **more):
        begin = time.monotonic()
        done = run(*words, **more)
        self.assertLess(time.monotonic() - begin, 5)  # a promise to people, not a measure
        return done

    def test_itself_without_self(self):
        for words in (("init", "sendrecv=0", "finalize"), ("init", "0:sendrecv=0", "1:receive=0", "finalize")):
            done = self.fast(ACTOR, *words, n=1 if len(words) == 3 and "sendrecv=0" in words else 2, btl="tcp")
            self.bad(done, r"rank 0 \(\S+\) cannot reach rank 0", r"(?m)^ *self: .*not in btl", r"(?m)^ *tcp: ", r"(?m)^ *shm: ",
                     "add it to 'btl'")

    def test_whatever_waits_for_it_ends_too(self):
        for word in ("exchange", "all-to-all", "barriers=1"):
            with self.subTest(word):
                done = self.fast(ACTOR, "init", word, "finalize", btl="self", timeout=20)
                self.bad(done, r"cannot reach rank [01]", r"(?m)^ *tcp: .*not in btl", "hawser info")

    def test_each_has_what_the_other_lacks(self):
        wrap = "sh -c 'test {rank} = 0 && HAWSER_MCA_btl=self,shm || HAWSER_MCA_btl=self,tcp; export HAWSER_MCA_btl; exec \"$@\"' -"
        done = self.fast(ACTOR, "init", "all-to-all", "finalize", options=("--wrap", wrap), timeout=20)
        self.bad(done, r"cannot reach rank [01]")

    def test_others_with_self_alone(self):
        self.bad(self.fast(ACTOR, "init", "neighbours", "finalize", btl="self"), r"cannot reach rank [01]",
                 r"(?m)^ *tcp: .*not in btl", r"(?m)^ *self: ", "hawser info")

    def test_an_error_for_the_caller_if_it_wants_that(self):
        done = self.fast(ACTOR, "init", "errors-return", "unreachable=1", "finalize", btl="self")
        self.good(done)

    def test_shared_memory_between_namespaces(self):
        names = [f"hw{os.getpid()}{letter}" for letter in "ab"]
        links = {0: names[0], 1: names[1]}
        for name in names:
            subprocess.run(["ip", "netns", "add", name], check=True)
            self.addCleanup(subprocess.run, ["ip", "netns", "del", name], check=True)
        wrap = f"sh -c 'test {{rank}} = 0 && exec ip netns exec {links[0]} \"$@\"; exec ip netns exec {links[1]} \"$@\"' sh"
        done = self.fast(ACTOR, "init", "neighbours", "finalize", btl="shm,self", options=("--wrap", wrap))
        self.bad(done, r"cannot reach rank [01]", r"(?m)^ *shm: ", r"(?m)^ *tcp: .*not in btl")


class Selection(Case):
    def test_wrong_lists(self):
        for btl, patterns in (("tcp,selff", ["selff", "self"]), ("tcp,^self", [r"\^"]), ("", []), (" , ", [])):
            with self.subTest(btl=btl):
                done = run(HELLO, n=4, btl=btl, timeout=20)
                if btl == "":
                    self.good(done)  # empty leaves the choice open
                    continue
                self.assertNotEqual(done.returncode, 0, done.stderr)
                self.assertEqual(len(done.stderr.splitlines()), len(set(done.stderr.splitlines())), done.stderr)
                for pattern in patterns:
                    self.assertRegex(done.stderr, pattern)

    def test_wrong_values_of_every_layer(self):
        for name, value in (("bml_guard_window", "x"), ("bml_guard_window", "0"), ("btl_tcp_links", "-1"), ("hawser_stats", "maybe")):
            with self.subTest(name=name, value=value):
                self.bad(run(HELLO, n=2, options=("--mca", name, value), timeout=20), name, "command line")

    def test_exclusion_covers_the_whole_list(self):
        done = run(RING, n=2, btl="^tcp,self")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, r"self")  # excluding it is told
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        self.bad(run(ACTOR, "init", "sendrecv=0", "finalize", n=1, btl="^tcp,self"), "cannot reach rank 0")

    def sources(self, folder, name, value):
        """Each way to set a parameter: its name, command line options, environment."""
        user = os.path.join(folder, "home", ".hawser")
        os.makedirs(user, exist_ok=True)
        tune = os.path.join(folder, "tune.conf")
        for path in (os.path.join(user, "mca-params.conf"), tune):
            with open(path, "w") as file:
                file.write(f"{name} = {value}\n")
        yield "command line", ("--mca", name, value), {}
        yield "tune file", ("--tune", tune), {}
        yield "environment", (), {f"HAWSER_MCA_{name}": value}
        yield "other environment", (), {f"OMPI_MCA_{name}": value}
        yield "user file", (), {"HOME": os.path.join(folder, "home")}

    def test_misspelt_name_warns_once_with_the_nearest(self):
        with tempfile.TemporaryDirectory() as folder:
            for source, options, env in self.sources(folder, "btl_tcp_if_inclde", "lo"):
                with self.subTest(source=source):
                    done = run(HELLO, n=16, options=options, env=env)
                    self.assertEqual(done.returncode, 0, done.stderr)
                    if source == "other environment":
                        continue  # another program's names are none of our business
                    self.bad(done, '"btl_tcp_if_inclde"', r"btl_tcp_if_include\b", status=0)

    def test_wrong_value_names_value_range_and_source(self):
        with tempfile.TemporaryDirectory() as folder:
            for value in ("four", "0", "17", "2x", "99999999999999999999999"):
                for source, options, env in self.sources(folder, "btl_tcp_links", value):
                    with self.subTest(source=source, value=value):
                        self.bad(run(HELLO, n=4, options=options, env=env, timeout=20), f"btl_tcp_links.*{value}|{value}.*btl_tcp_links")

    def test_parameter_of_an_excluded_component_is_fine(self):
        self.good(run(HELLO, n=2, btl="self,shm", options=("--mca", "btl_tcp_links", "2")))


class Ends(Case):
    ENDS = {"exit=0": (0, None), "exit=3": (3, "status 3"), "_exit=3": (3, "status 3"), "abort": (134, "signal 6"),
            "kill": (137, "signal 9"), "throw": (134, "signal 6")}

    def setUp(self):
        self.files = memory_files()

    def ended(self, done, status, line):
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        own = [text for text in done.stderr.splitlines() if text.startswith("hawser run:")]
        self.assertEqual(len(own), 0 if line is None else 1, done.stderr)
        if line:
            self.assertRegex(own[0], line)
        self.nothing_left(self.mark)

    def nothing_left(self, mark):
        end = time.monotonic() + 20
        while (marked(mark) or memory_files() - self.files) and time.monotonic() < end:
            time.sleep(0.02)
        self.assertEqual(marked(mark), [])
        self.assertEqual(memory_files() - self.files, set())

    def matrix(self, before, unfinished):
        for end, (status, line) in self.ENDS.items():
            for who in ("", "1:"):
                for wrapper in (False, True):
                    with self.subTest(end=end, who=who, wrapper=wrapper):
                        words = [*before, who + end]
                        if who and unfinished:
                            words += ["0:receive=1", "2:receive=1"]  # which never comes
                        command = [ACTOR, *words]
                        if wrapper:
                            command = ["/bin/sh", "-c", " ".join(command) + "; exit $?"]
                        self.mark = f"{os.getpid()}-{end}{who}{wrapper}"
                        done = run(*command, n=3, timeout=40, env={MARK: self.mark})
                        if unfinished and end == "exit=0":
                            self.ended(done, 1, "without MPI_Finalize")
                        elif wrapper and line:
                            self.ended(done, status, "status|signal")
                        else:
                            self.ended(done, status, line)

    def test_before_init(self):
        self.matrix([], False)

    def test_between(self):
        self.matrix(["init", "neighbours"], True)

    def test_after_finalize(self):
        self.matrix(["init", "neighbours", "finalize"], False)

    def test_in_a_barrier(self):
        for btl in ("self,shm", "self,tcp"):
            self.mark = f"{os.getpid()}-barrier-{btl}"
            done = run(ACTOR, "init", "barriers=20", "1:kill", "barriers=1", n=3, btl=btl, timeout=40, env={MARK: self.mark})
            self.ended(done, 137, "signal 9")

    def test_mpi_abort_passes_its_code_on(self):
        for code, status in ((7, 7), (0, 1), (256, 1)):
            self.mark = f"{os.getpid()}-abort{code}"
            done = run(ACTOR, "init", "neighbours", f"1:mpi-abort={code}", "0:receive=1", "2:receive=1", n=3,
                       env={MARK: self.mark})
            self.ended(done, status, f"rank 1 .*MPI_Abort on MPI_COMM_WORLD with code {code}")

    def test_fatal_error_is_told_once(self):
        self.mark = f"{os.getpid()}-fatal"
        done = run(ACTOR, "init", "1:bad-send=99", "0:receive=1", "2:receive=1", n=3, env={MARK: self.mark})
        self.assertNotEqual(done.returncode, 0)
        self.bad(done, "MPI_Send", "MPI_ERR_RANK")
        self.assertRegex(done.stderr, r"rank 1\b")
        self.assertRegex(done.stderr, r"\b99\b")
        self.nothing_left(self.mark)

    def test_calls_outside_the_time_of_mpi(self):
        for words, when in ((("barriers=1",), "before MPI_Init"), (("init", "finalize", "barriers=1"), "after MPI_Finalize")):
            self.bad(execute(ACTOR, *words), f"MPI_Barrier was called {when}")

    def test_launcher_killed(self):
        for btl in ("self,shm", "self,tcp"):
            mark = f"{os.getpid()}-launcher-{btl}"
            process = subprocess.Popen([HAWSER, "run", "-n", "3", "--mca", "btl", btl, ACTOR, "init", "neighbours", "size", "receive=0"],
                                       stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                       text=True, env=environment({MARK: mark}))
            for _ in range(3):
                self.assertRegex(process.stdout.readline(), "of 3")
            process.send_signal(signal.SIGKILL)
            process.wait()
            process.stdout.close()
            self.nothing_left(mark)


class Waiting(Case):
    def test_barriers_on_few_cores(self):
        for btl in ("self,shm", "self,tcp"):
            self.good(run(ACTOR, "init", "barriers=10000", "finalize", n=8, btl=btl, timeout=200))

    def test_a_waiting_rank_uses_no_cpu(self):
        for btl, word in (("self,shm", "late=10"), ("self,tcp", "late=10"), (None, "late=10"), ("self,shm", "late-at-barrier=5")):
            done = run(ACTOR, "init", word, "finalize", n=2, btl=btl)
            self.good(done)
            used = float(re.search(r"cpu ([0-9.]+)", done.stdout).group(1))
            self.assertLess(used, 0.5)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]], verbosity=2)
