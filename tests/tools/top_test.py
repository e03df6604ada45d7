# SPDX-FileCopyrightText: 2026 The Hawser authors
# SPDX-License-Identifier: Apache-2.0
"""`hawser top` and the table at the end of a job, from outside. Usage: top_test.py HAWSER RANKS [test]"""
import contextlib
import fcntl
import json
import os
import pty
import re
import signal
import struct
import subprocess
import sys
import time
import unittest

HAWSER, RANKS = sys.argv[1], sys.argv[2]
NOBODY = 65534


def top(*words, **more):
    return subprocess.run([HAWSER, "top", *map(str, words)], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=60, check=False, **more)


def looks(*words):
    """The ranks by number, as `hawser top --once --json` tells of them."""
    done = top("--once", "--json", *words)
    return {rank["rank"]: rank for rank in json.loads(done.stdout)["ranks"]} if done.returncode == 0 else {}


def until(get, wanted, seconds=30):
    """What `get` gives, once `wanted` says that it is that."""
    end = time.monotonic() + seconds
    while not wanted(got := get()) and time.monotonic() < end:
        time.sleep(0.02)
    return got


class Job:
    """Two ranks, one blocked in a receive and one outside of MPI; see top_ranks.c."""

    def __init__(self, *options, btl="self,shm"):
        self.process = subprocess.Popen([HAWSER, "run", "-n", "2", "--timeout", "90", "--mca", "btl", btl, *options, RANKS],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        assert self.process.stdout.readline() == "ready\n", self.process.communicate()[1]

    def looks(self):
        return until(lambda: looks(self.process.pid), lambda ranks: ranks.get(1, {}).get("waits"))

    def end(self):
        out, err = self.process.communicate(timeout=60)
        return self.process.returncode, out, err

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.terminate()
            self.process.communicate()


# Where they are in the header that a rank shows: see framework/live/layout.hpp.
HEADER, FILE_SIZE, TABLES = 128, 32, {"peers": 40, "channels": 56, "rails": 72}


def header_of(pid):
    folder = f"/proc/{pid}/fd"
    shown = next(name for name in os.listdir(folder) if os.readlink(f"{folder}/{name}") == "/memfd:hawser_live (deleted)")
    with open(f"{folder}/{shown}", "rb") as file:
        return bytearray(file.read(HEADER))


@contextlib.contextmanager
def showing(header, size):
    """This process is a rank, for `hawser top`."""
    header = header.copy()
    struct.pack_into("<Q", header, FILE_SIZE, size)
    with open(os.memfd_create("hawser_live", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING), "r+b", buffering=0) as file:
        file.write(header)
        file.truncate(size)
        fcntl.fcntl(file, fcntl.F_ADD_SEALS, fcntl.F_SEAL_SHRINK)
        yield os.getpid()


def rail(look, peer):
    return next(one for one in look["rails"] if one["peer"] == peer)


class Top(unittest.TestCase):
    def test_what_waits_and_what_went(self):
        for btl, module in (("self,shm", "shm"), ("self,tcp", "tcp/")):
            with self.subTest(btl=btl), Job(btl=btl) as job:
                ranks = job.looks()
                self.assertEqual(sorted(ranks), [0, 1])
                self.assertFalse(ranks[0]["waits"], "it reads its input")
                self.assertTrue(ranks[1]["waits"], "it is blocked in a receive")
                self.assertEqual([ranks[0][name] for name in ("posted", "unexpected", "pending")], [2, 0, 0])
                self.assertEqual([ranks[1][name] for name in ("posted", "unexpected", "pending")], [1, 6, 0])
                out = rail(ranks[0], 1)
                self.assertTrue(out["module"].startswith(module), out)
                self.assertEqual([out["state"], out["sent_again"]], ["up", 0])
                self.assertGreaterEqual(out["messages"], 7)
                self.assertGreaterEqual(out["bytes"], 7000)
                self.assertEqual(looks(ranks[1]["process"]).keys(), {1}, "a rank by its process")
                name = ranks[0]["job"]
                self.assertEqual(looks(name).keys() | looks(name[:8]).keys(), {0, 1}, "a job by its name")
                self.assertEqual(job.end()[::2], (0, ""))

    def test_tables(self):
        with Job() as job:
            ranks = job.looks()
            once = top("--once", job.process.pid)
            self.assertEqual((once.returncode, once.stderr), (0, ""))
            self.assertRegex(once.stdout, rf"job {ranks[0]['job'][:8]}  top_ranks  2 of 2 ranks")
            self.assertRegex(once.stdout, r"(?m)^1 +\d+ +waits +- +1 +6 +0 +0 +0 +0$")
            self.assertRegex(once.stdout, r"(?m)^0 +1 +shm +up +- +- +\d+ +[78]\.\d\d k ")
            self.assertNotIn("\x1b", once.stdout)
            self.assertIn(ranks[0]["job"][:8], top().stdout, "without a name: which jobs there are")
            rates = top("--once", "--interval", "0.1", job.process.pid).stdout
            self.assertRegex(rates, r"(?m)^0 +1 +shm +up +0 +0 ")
            self.assertRegex(rates, r"(?m)^1 +\d+ .* +\d+% +1 +6 ", "two looks tell how much it computes")

    def test_follows_to_the_end(self):
        with Job() as job:
            ranks = job.looks()
            with subprocess.Popen([HAWSER, "top", "--json", "--interval", "0.1", ranks[0]["job"]], text=True,
                                  stdout=subprocess.PIPE) as follower:
                first = json.loads(follower.stdout.readline())
                self.assertEqual(len(first["ranks"]), 2)
                second = json.loads(follower.stdout.readline())
                self.assertEqual(second["ranks"][0]["rails"][0]["messages_per_second"], 0)
                self.assertEqual(job.end()[0], 0)
                follower.stdout.read()
                self.assertEqual(follower.wait(30), 0)

    def test_on_a_terminal(self):
        with Job() as job:
            job.looks()
            ours, theirs = pty.openpty()
            env = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
            with subprocess.Popen([HAWSER, "top", "--interval", "0.1", str(job.process.pid)], stdin=subprocess.DEVNULL,
                                  stdout=theirs, env={**env, "TERM": "xterm"}) as follower:
                os.close(theirs)
                shown = b""
                while shown.count(b"\x1b[H\x1b[2J") < 2:
                    shown += os.read(ours, 65536)
                follower.send_signal(signal.SIGINT)
                follower.wait(30)
            os.close(ours)
            self.assertIn(b"unexpected", shown)

    def test_nothing_is_left_of_a_killed_job(self):
        with Job() as job:
            ranks = job.looks()
            for rank in ranks.values():
                with contextlib.suppress(ProcessLookupError):  # the launcher ends the second when the first is gone
                    os.kill(rank["process"], signal.SIGKILL)
            job.process.communicate(timeout=60)
            self.assertNotIn(ranks[0]["job"][:8], top().stdout)


class Errors(unittest.TestCase):
    def bad(self, text, *words, **more):
        done = top("--once", *words, **more)
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertRegex(done.stderr, text)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)

    def test_not_to_be_seen(self):
        gone = subprocess.Popen(["true"])
        gone.wait()
        self.bad(f"there is no process, nor a job that begins with \"{gone.pid}\"", gone.pid)
        self.bad("there is no job that begins with \"zzz\"", "zzz")
        self.bad(rf"process {os.getpid()} \(.*\) is no rank of a Hawser job, and none runs below it", os.getpid())
        self.assertEqual(top("--interval", "0", "1").returncode, 2)
        done = top("--interval", "1")
        self.assertEqual(done.returncode, 2)
        self.assertIn("--interval requires target", done.stdout + done.stderr)

    def test_more_than_a_rank_can_have(self):
        with Job() as job:
            header = header_of(job.looks()[0]["process"])
        most_of = {"peers": 1 << 16, "channels": 256, "rails": 1 << 14}
        size_of = {name: struct.unpack_from("<I", header, TABLES[name] + 8)[0] for name in most_of}
        size = HEADER + max((most + 1) * size_of[name] for name, most in most_of.items())  # room for one too many
        with showing(header, size) as pid:
            self.assertEqual(top("--once", pid).stderr, "")
        for name, most in most_of.items():
            with self.subTest(name):
                record = size_of[name]
                larger = header.copy()
                struct.pack_into("<QII", larger, TABLES[name], HEADER, record, most)
                with showing(larger, size) as pid:
                    self.assertEqual(top("--once", pid).stderr, "")
                struct.pack_into("<QII", larger, TABLES[name], HEADER, record, most + 1)
                with showing(larger, size) as pid:
                    self.bad(f"what process {pid} .* shows of itself makes no sense", pid)
        with showing(header, 1 << 40) as pid:
            self.bad("too short or too long", pid)

    def test_of_another_user(self):
        if os.geteuid() != 0:
            return self.bad("process 1 .* belongs to user root", 1)
        with Job() as job:
            ranks = job.looks()
            try:
                self.bad(r"belongs to user root \(0\), and the system does not let user \w+ \(65534\) look", ranks[0]["process"],
                         user=NOBODY, extra_groups=[])
            except PermissionError:
                self.skipTest("others cannot run the program where it lies")
        return None

    def test_help_names_everything(self):
        done = top("--help")
        self.assertEqual(done.returncode, 0)
        for word in ("PID|JOB", "--once", "--json", "--interval", "unacknowledged"):
            self.assertIn(word, done.stdout)


class Stats(unittest.TestCase):
    def test_one_table_of_all_ranks(self):
        with Job("--mca", "hawser_stats", "1", "--mca", "bml_guard", "always") as job:
            status, _, err = job.end()
        self.assertEqual(status, 0, err)
        self.assertTrue(err.startswith("hawser stats: "), err)
        self.assertEqual(err.count("hawser stats: "), 1, err)
        titles = err.splitlines()[1].split()
        self.assertEqual(titles[:6], ["rank", "to", "rail", "state", "messages", "bytes"])
        sent = re.search(r"(?m)^ *0 +1 +shm +up +(\d+) +(\S+ k) +0 +0 ", err)
        self.assertIsNotNone(sent, err)
        self.assertGreaterEqual(int(sent[1]), 8)
        self.assertRegex(err, r"(?m)^ *1 +0 +shm +up +\d+ ")
        self.assertRegex(err, r"(?m)^ *all +\d+ ")
        self.assertRegex(err, r"(?m)^btl shm messages_received +\d+ +active messages delivered \(all ranks\)$")
        self.assertRegex(err, r"(?m)^btl shm bytes_received +\d+ ")
        self.assertNotRegex(err, "messages_sent|bytes_sent|no_resource", "they are in the table")
        self.assertRegex(err, r"(?m)^bml guard guarded_peers +\d+ +peers whose messages .* \(.*\)$")

    def test_lines_for_programs(self):
        with Job("--mca", "hawser_stats", "1", "--mca", "hawser_stats_format", "lines") as job:
            status, _, err = job.end()
        self.assertEqual(status, 0, err)
        self.assertEqual([line for line in err.splitlines() if not line.startswith("hawser stats: rank ")], [])
        self.assertRegex(err, r"(?m)^hawser stats: rank 1 btl shm module shm messages_sent \d+ ")
        self.assertRegex(err, r"(?m)^hawser stats: rank 0 rail to 1 over shm shm up messages \d+ bytes \d+ ")
        self.assertRegex(err, r"(?m)^hawser stats: rank 0 bml guard guarded_peers 0 ")

    def test_without_it_nothing_is_said(self):
        with Job() as job:
            self.assertEqual(job.end()[::2], (0, ""))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
