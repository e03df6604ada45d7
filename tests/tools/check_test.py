#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Hawser authors
# SPDX-License-Identifier: Apache-2.0
"""`hawser check`: arguments, verdict lines, JSON, exit status. check_test.py HAWSER SELF.so"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

PROGRAM, SELF = sys.argv[1:3]


def check(*words):
    return subprocess.run([PROGRAM, "check", *words], capture_output=True, text=True, check=False, timeout=60)


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
