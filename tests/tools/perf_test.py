# SPDX-FileCopyrightText: 2026 The Hawser authors
# SPDX-License-Identifier: Apache-2.0
"""`hawser perf` from outside. Usage: perf_test.py HAWSER [test]"""
import json
import os
import pty
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
import xml.etree.ElementTree as xml

HAWSER = sys.argv[1]
SVG = "{http://www.w3.org/2000/svg}"
# Figures that nobody looks at need no care.
SHORT = ("--seconds", "0.0005")


class Case(unittest.TestCase):
    """Runs the program with no configuration but that of a scratch folder."""

    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        self.environment = {key: value for key, value in os.environ.items() if not re.match(r"(HAWSER|OMPI)_", key)}
        self.environment |= {"HOME": self.path("home"), "HAWSER_SYSTEM_PARAMS": self.path("system.conf"),
                             "HAWSER_OVERRIDE_PARAMS": self.path("override.conf")}

    def path(self, name):
        return os.path.join(self.folder, name)

    def perf(self, *words, status=0, error=""):
        """stdout, once status and stderr are as expected: `error` is a pattern; nothing may be there without."""
        done = subprocess.run([HAWSER, "perf", *SHORT, *words], capture_output=True, text=True, timeout=60,
                              env=self.environment, stdin=subprocess.DEVNULL)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        if error:
            self.assertRegex(done.stderr, error)
        else:
            self.assertEqual(done.stderr, "")
        return done.stdout

    def run_of(self, *words):
        return json.loads(self.perf("--json", "-", *words))


class Levels(Case):
    # Below, at and above the limits of single messages.
    SIZES = [1, 8, 4096, 65536, 1 << 20, 3 << 20]

    def check(self, level):
        run = self.run_of("--level", level, "--sizes", "1,8,4K,64K,1M,3M")
        self.assertEqual((run["format"], run["level"]), ("hawser-perf-1", level))
        self.assertEqual([t["name"] for t in run["transports"]], ["shm", "tcp"])
        for transport in run["transports"]:
            self.assertEqual([p["size"] for p in transport["points"]], self.SIZES)
            for point in transport["points"]:
                latency = point["latency_us"]
                order = [latency[k] for k in ("min", "p50", "p90", "p99", "max")]
                self.assertEqual(order, sorted(order))
                self.assertGreater(latency["min"], 0)
                self.assertTrue(latency["min"] <= latency["mean"] <= latency["max"])
                self.assertGreaterEqual(latency["samples"], 5)
                self.assertAlmostEqual(point["mb_per_s"], point["messages_per_s"] * point["size"] / 1e6,
                                       delta=point["mb_per_s"] * 1e-6)

    def test_modules(self):
        self.check("btl")

    def test_rails(self):
        self.check("bml")

    def test_mpi(self):
        self.check("mpi")

    def test_many_small_messages_fill_and_drain_what_there_is_room_for(self):
        for level in ("btl", "bml", "mpi"):
            run = self.run_of("--level", level, "--test", "rate", "--sizes", "1:64")
            self.assertEqual([len(t["points"]) for t in run["transports"]], [7, 7])


class Outputs(Case):
    @staticmethod
    def all_of(terminal):
        """What was written on a terminal whose other side is closed: it comes in parts, and ends with an error."""
        shown = b""
        try:
            while part := os.read(terminal, 65536):
                shown += part
        except OSError:
            pass
        os.close(terminal)
        return shown.decode()

    def test_text_has_a_line_for_each_size(self):
        text = self.perf("--transport", "shm", "--sizes", "512:2K")
        self.assertRegex(text, r"^shm, mpi level")
        self.assertEqual(re.findall(r"(?m)^ +(\d+ \w+)  ", text), ["512 B", "1 KiB", "2 KiB"])

    def test_one_of_the_two_can_be_left_out(self):
        self.assertNotIn("p50", self.perf("--transport", "shm", "--sizes", "8", "--test", "rate"))
        self.assertNotIn("MB/s", self.perf("--transport", "shm", "--sizes", "8", "--test", "latency"))

    def test_picture_has_a_line_for_each_transport_in_each_panel(self):
        self.perf("--sizes", "1:64", "--svg", self.path("all.svg"))
        root = xml.parse(self.path("all.svg")).getroot()
        lines = [p for p in root.iter(f"{SVG}path") if p.get("class") == "line" and "L" in p.get("d")]
        self.assertEqual(len(lines), 4)
        self.assertEqual(len({p.get("stroke") for p in lines}), 2)
        self.assertEqual(len(list(root.iter(f"{SVG}circle"))), 2 * 2 * 7)

    def test_a_picture_on_stdout_is_alone_there(self):
        xml.fromstring(self.perf("--transport", "shm", "--sizes", "8", "--svg", "-"))

    def test_progress_is_shown_on_a_terminal_and_wiped(self):
        ours, theirs = pty.openpty()
        done = subprocess.run([HAWSER, "perf", *SHORT, "--transport", "shm", "--sizes", "8,64"], stdout=subprocess.PIPE,
                              stderr=theirs, stdin=subprocess.DEVNULL, env=self.environment, timeout=60, check=True)
        os.close(theirs)
        shown = self.all_of(ours)
        self.assertRegex(shown, r"\[#{15}\.{15}\] shm, 64 B")
        self.assertTrue(shown.endswith("\r\033[K"), repr(shown[-40:]))
        self.assertNotIn(b"\033", done.stdout)


class Compared(Case):
    def test_an_earlier_run_is_set_beside(self):
        words = ("--transport", "shm", "--sizes", "8,64")
        self.perf(*words, "--json", self.path("before.json"))
        with open(self.path("before.json"), encoding="utf-8") as file:
            before = json.load(file)
        for point in before["transports"][0]["points"]:
            point["messages_per_s"] /= 1e6
        before["host"] = "<odd & \u0001 host>"
        with open(self.path("before.json"), "w", encoding="utf-8") as file:
            json.dump(before, file)
        text = self.perf(*words, "--compare", self.path("before.json"), "--svg", self.path("both.svg"))
        self.assertIn(f"beside the mpi level on {before['host']}, {before['date']}", text)
        self.assertEqual(len(re.findall(r"(?m) \d{5,} x$", text)), 2, text)
        root = xml.parse(self.path("both.svg")).getroot()
        dashed = [p for p in root.iter(f"{SVG}path") if p.get("class") == "line before" and "L" in p.get("d")]
        self.assertEqual(len(dashed), 2)

    def test_other_sizes_and_transports_are_left_open(self):
        self.perf("--transport", "shm", "--sizes", "8", "--json", self.path("before.json"))
        text = self.perf("--sizes", "64", "--compare", self.path("before.json"))
        self.assertIn("the earlier run did not measure this transport", text)
        self.assertNotRegex(text, r"\d x\b")


class CommandLine(Case):
    def test_what_is_wrong_is_said(self):
        for words, error in ((("--sizes", "0"), "--sizes 0"), (("--sizes", "65M"), "1 B to 64 MiB"),
                             (("--sizes", "8:4"), "neither a list"), (("--sizes", "8;9"), "neither a list"),
                             (("--level", "tcp"), "--level"), (("--transport", "self,shm"), "join two ranks"),
                             (("--mca", "btl", "self"), "--transport says"), (("--transport", "a,,b"), "as in shm,tcp"),
                             (("--json", "-", "--svg", "-"), "both write to stdout"), (("--sice", "8"), "--sice")):
            self.perf(*words, status=2, error=error)

    def test_a_transport_that_is_not_there_ends_with_the_reason(self):
        self.perf("--transport", "nope", "--sizes", "8", status=1, error='"?nope"?')

    def test_files_that_cannot_be_read_or_written(self):
        self.perf("--compare", self.path("none.json"), status=1, error="none.json: No such file")
        with open(self.path("odd.json"), "w", encoding="utf-8") as file:
            file.write('{"format": "hawser-perf-1", "level": 7}')
        self.perf("--compare", self.path("odd.json"), status=1, error="odd.json is not what `hawser perf --json` writes")
        self.perf("--transport", "shm", "--sizes", "8", "--svg", self.path("no/folder.svg"), status=1,
                  error="folder.svg: No such file")

    def test_parameters_reach_the_ranks(self):
        self.perf("--transport", "shm", "--sizes", "8", "--mca", "btl_shm_nope", "1", error="btl_shm_nope")
        self.perf("--level", "btl", "--transport", "shm", "--sizes", "8", "--mca", "hawser_progress_thread", "1", status=1,
                  error="measured with hawser_progress_thread 0")

    def test_the_ranks_end_with_the_command(self):
        words = ("--transport", "shm", "--sizes", "8,64", "--seconds", "60", "--level", "btl")
        script = self.path("wrap.sh")
        with open(script, "w", encoding="utf-8") as file:
            file.write('echo $$ >>"$1"; shift; exec "$@"\n')
        log = self.path("log")
        command = subprocess.Popen([HAWSER, "perf", *words, "--wrap", f"sh {script} {log}"], env=self.environment,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        ranks = []
        while len(ranks) < 2:
            self.assertIsNone(command.poll())
            if os.path.exists(log):
                with open(log, encoding="utf-8") as file:
                    ranks = [int(pid) for pid in file.read().split("\n")[:-1]]
        command.terminate()
        command.wait(60)
        deadline = time.monotonic() + 60
        while any(os.path.exists(f"/proc/{pid}") for pid in ranks):
            self.assertLess(time.monotonic(), deadline)

    def test_the_ranks_may_be_wrapped(self):
        log = self.path("log")
        script = self.path("wrap.sh")
        with open(script, "w", encoding="utf-8") as file:
            file.write(f'echo "$1" >>{log}; shift; exec "$@"\n')
        self.perf("--transport", "shm", "--sizes", "8", "--wrap", f"sh {script} {{rank}}")
        with open(log, encoding="utf-8") as file:
            self.assertEqual(sorted(file.read().split()), ["0", "1"])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
