# SPDX-FileCopyrightText: 2026 The Hawser authors
# SPDX-License-Identifier: Apache-2.0
"""What the cases share: two nodes and a good rail, jobs, and what is asked of a good run."""
import subprocess
import tempfile
import unittest

import hosts
import jobs


class Case(unittest.TestCase):
    """`long`: the full counts of runs, for a night. `hawser`, `talk`: the programs. Set by main.py."""

    hawser = talk = ""
    long = False

    def setUp(self):
        self.lab = self.enterContext(hosts.Lab())

    def fresh_lab(self):
        """Another lab; those before it live on until the test ends, and are in nobody's way."""
        return self.enterContext(hosts.Lab())

    def lab_file(self):
        """The name of a file that is gone after the test."""
        return self.enterContext(tempfile.NamedTemporaryFile()).name

    def two_hosts(self, rails=1):
        """Nodes a and b, and rails e0, e1, ... in 10.9.0.0/24, 10.9.1.0/24, ..."""
        a, b = self.lab.node("a"), self.lab.node("b")
        for i in range(rails):
            self.lab.rail(a, b, f"e{i}", f"10.9.{i}.1/24", f"10.9.{i}.2/24")
        return a, b

    def runs(self, short, full):
        return range(full if self.long else short)

    def start(self, places, *words, **more):
        return jobs.Job(self.hawser, places, [self.talk, *words], **more)

    def run_job(self, places, *words, **more):
        return self.start(places, *words, **more).end()

    def good(self, done, over=None):
        """Right result, silent; if `over` is given, tcp used just these interfaces."""
        self.assertEqual((done.status, done.out, done.err), (0, "good\n", ""), done)
        for fault in ("dropped_inbound", "rails_failed"):
            self.assertEqual(done.sum(fault), 0, f"{fault}: {done}")
        if over is not None:
            self.assertEqual(done.carriers(), set(over), done)
        return done

    def bad(self, done, *words, seconds=30):
        """Ends in time, with an error that says all of `words`, and one line of the launcher's."""
        self.assertNotIn(done.status, (0, 124), done)
        self.assertLess(done.seconds, seconds, done)
        for word in words:
            self.assertRegex(done.err, word, done)
        return done

    def ready(self, places, *words, **more):
        """A job that has talked, and now waits for `job.go()`."""
        job = self.start(places, "hold", *words, **more)
        if not job.wait_for("ready\n"):
            self.fail(str(job.end()))
        return job

    def finish(self, job, over=None):
        job.go()
        done = job.end()
        self.assertEqual(done.out, "ready\ngood\n", done)
        done.out = "good\n"
        return self.good(done, over)


def idle_cpu(job, nodes, seconds=2):
    """CPU seconds that the ranks use in that time."""
    before = sum(node.cpu_seconds() for node in nodes)
    try:
        job.process.wait(seconds)
    except subprocess.TimeoutExpired:
        pass
    return sum(node.cpu_seconds() for node in nodes) - before
