#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Hawser authors
# SPDX-License-Identifier: Apache-2.0
"""`hawser check`: arguments, verdict lines, JSON, exit status. check_test.py HAWSER SELF.so FAULT.so FERRY.so

FERRY: a component that lies where no job looks by itself.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

PROGRAM, SELF, FAULT, FERRY = sys.argv[1:5]


def check(*words):
    return subprocess.run([PROGRAM, "check", *words], capture_output=True, text=True, check=False, timeout=60)


class OfAnyUser:
    """The program, its libraries and FERRY in a folder that user 65534 can read, run as that user if we are root."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.folder.chmod(0o755)
        self.own = self.folder / "own"
        self.own.mkdir()
        linked = subprocess.run(["ldd", PROGRAM, FERRY], capture_output=True, text=True, check=True).stdout
        for file in {PROGRAM, FERRY, *re.findall(r"=> (/\S+/libhawser\S*)", linked)}:
            shutil.copy(file, self.folder)
        for file in self.folder.iterdir():
            file.chmod(0o755)
        self.user = {}
        if os.geteuid() == 0:
            os.chown(self.own, 65534, 65534)
            self.user = {"user": 65534, "group": 65534, "extra_groups": []}

    def run(self, *words):
        return subprocess.run([self.folder / pathlib.Path(PROGRAM).name, *words], cwd=self.own, capture_output=True,
                              text=True, check=False, timeout=60, **self.user,
                              env={**os.environ, "LD_LIBRARY_PATH": str(self.folder), "HOME": str(self.own)})

    def check_ferry(self, *checks):
        only = [word for check in checks for word in ("--only", check)]
        run = self.run("check", str(self.folder / pathlib.Path(FERRY).name), "--json", "-", "--patience", "5", *only)
        return run, {one["name"]: one for one in json.loads(run.stdout)["checks"]} if run.stdout else {}


class CheckTest(unittest.TestCase):
    def test_a_good_one_has_a_line_per_verdict_and_a_summary(self):
        run = check(SELF, "--only", "file.*", "--only", "message.without_pieces")
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        lines = run.stdout.splitlines()
        self.assertEqual(len(lines), 6, run.stdout)
        self.assertTrue(all(line.startswith("passed") for line in lines[:-1]), run.stdout)
        self.assertIn("message.without_pieces", lines[4])
        self.assertEqual(lines[-1], "self: 5 passed, 0 failed, 0 skipped")

    def test_a_name_is_found_as_a_job_finds_it(self):
        run = check("self", "--only", "file.one_symbol")
        self.assertEqual(run.returncode, 0, run.stderr)

    def test_json(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "verdicts.json"
            run = check(SELF, "--only", "file.*", "--json", str(path))
            self.assertEqual(run.returncode, 0, run.stderr)
            report = json.loads(path.read_text(encoding="utf-8"))
        self.assertEqual((report["component"], report["passed"], report["failed"]), ("self", 4, 0))
        one = report["checks"][0]
        self.assertEqual(set(one), {"name", "promise", "where", "outcome", "reasons", "seconds"})
        only = check(SELF, "--only", "file.one_symbol", "--json", "-")
        self.assertEqual(json.loads(only.stdout)["passed"], 1)

    def test_what_is_no_component_fails_with_the_reason(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "hawser_btl_text.so"
            path.write_text("a text", encoding="utf-8")
            run = check(str(path))
        self.assertEqual(run.returncode, 1, run.stdout)
        self.assertIn("is not a shared library", run.stdout)

    def test_a_parameter_reaches_the_component(self):
        run = check(SELF, "--param", "eager_limit=never", "--only", "module.is_named")
        self.assertEqual(run.returncode, 1, run.stdout)
        self.assertIn("btl_self_eager_limit", run.stdout)
        self.assertEqual(check(SELF, "--param", "eager_limit=2k", "--only", "module.is_named").returncode, 0)

    def test_mca_parameters_reach_the_component_too(self):
        run = check(SELF, "--mca", "btl_self_eager_limit", "never", "--only", "module.is_named")
        self.assertEqual(run.returncode, 1, run.stdout)
        self.assertIn("btl_self_eager_limit", run.stdout)
        taken = check(SELF, "--mca", "btl_self_eager_limit", "2k", "--only", "module.is_named")
        self.assertEqual(taken.returncode, 0, taken.stdout)
        other = check(SELF, "--mca", "pml_eager_limit", "2k", "--only", "module.is_named")
        self.assertEqual(other.returncode, 2, other.stdout)
        self.assertIn("takes btl_* and mca_component_path alone", other.stderr)

    def test_a_wrapped_component_is_found_in_the_folder_that_mca_names(self):
        words = (FAULT, "--param", "target=ferry", "--only", "reach.same_answer")
        without = check(*words)
        self.assertEqual(without.returncode, 1, without.stdout)
        self.assertIn("ferry", without.stdout)
        run = check(*words, "--mca", "mca_component_path", str(pathlib.Path(FERRY).parent))
        self.assertEqual(run.returncode, 0, run.stdout)
        self.assertIn("1 passed, 0 failed, 0 skipped", run.stdout)

    def test_patience_counts_only_while_nothing_moves(self):
        patience = ("--patience", "2", "--json", "-")
        # Each message is held for up to 100 ms, by a seed: a run lasts longer than the patience.
        slow = check(FAULT, "--param", "target=self", "--param", "delay=1", "--param", "delay_time=100ms", "--only",
                     "message.described_whole", *patience)
        self.assertEqual(slow.returncode, 0, slow.stdout)
        self.assertGreater(json.loads(slow.stdout)["checks"][0]["seconds"], 2)
        lost = check(FAULT, "--param", "target=self", "--param", "drop=1", "--param", "drop_silent=true", "--only",
                     "message.without_pieces", *patience)
        self.assertEqual(lost.returncode, 1, lost.stdout)
        self.assertIn("waited 2 s for 1 messages that were sent, and nothing moved meanwhile", lost.stdout)

    def test_it_needs_no_root(self):
        with tempfile.TemporaryDirectory() as folder:
            user = OfAnyUser(folder)
            made = user.run("new", "mine")
            self.assertEqual(made.returncode, 0, made.stderr)
            self.assertTrue((user.own / "mine/component.cpp").is_file())
            run, verdicts = user.check_ferry("reach.*", "end.goodbye_finds_room")
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        stranger = verdicts.pop("reach.stranger_is_refused")
        self.assertEqual(stranger["outcome"], "skipped")
        self.assertIn("root", stranger["reasons"][0])
        self.assertLess(stranger["seconds"], 5)  # its patience: nobody waited for nothing
        self.assertEqual({one["outcome"] for one in verdicts.values()}, {"passed"}, run.stdout)

    def test_root_that_is_no_other_user_makes_no_stranger(self):
        alone = ["unshare", "--user", "--map-root-user"]
        if not shutil.which("unshare") or subprocess.run([*alone, "true"], capture_output=True, check=False).returncode:
            self.skipTest("there are no user namespaces here")
        run = subprocess.run([*alone, PROGRAM, "check", FERRY, "--only", "reach.stranger_is_refused", "--json", "-"],
                             capture_output=True, text=True, check=False, timeout=60)
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        one = json.loads(run.stdout)["checks"][0]
        self.assertEqual(one["outcome"], "skipped")
        self.assertIn("may not become user 65534", one["reasons"][0])

    def test_wrong_words_are_told(self):
        for words, text in (((), "which component?"), (("nowhere",), 'there is no component "nowhere"'),
                            (("/nowhere/hawser_btl_x.so",), "No such file"), ((SELF, "--only", "nothing.*"), "no check"),
                            ((SELF, "--param", "x"), "NAME=VALUE"), ((SELF, "--param", "no_such=1"), "no_such")):
            run = check(*words)
            self.assertEqual(run.returncode, 2, f"{words}: {run.stdout}{run.stderr}")
            self.assertIn(text, run.stderr)

    def test_the_list_says_what_is_promised(self):
        run = check("--list")
        self.assertEqual(run.returncode, 0)
        self.assertGreater(len(run.stdout.splitlines()), 40)
        self.assertTrue(all(line.rstrip().endswith(".") for line in run.stdout.splitlines()))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
