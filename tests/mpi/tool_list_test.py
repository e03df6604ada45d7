# SPDX-FileCopyrightText: 2026 The Hawser authors
# SPDX-License-Identifier: Apache-2.0
"""The control variables are the parameters that `hawser info` shows, with the same values.
Usage: tool_list_test.py HAWSER PROGRAM [test]"""
import json
import subprocess
import sys
import unittest

HAWSER, PROGRAM = sys.argv[1], sys.argv[2]
GIVEN = ["--mca", "btl_tcp_links", "3", "--mca", "btl_tcp_eager_limit", "24k", "--mca", "mpi_coll_shm", "no", "--mca",
         "hawser_modex_timeout", "1min", "--mca", "bml_guard", "always", "--mca", "btl_tcp_if_include", "lo", "--mca",
         "hawser_spin_time", "auto"]
VERBOSITY = (9, 10, 12, 17, 18, 20, 33, 34, 36)
SIZES = {"": 1, "k": 2**10, "m": 2**20, "g": 2**30}
TIMES = {"ns": 1, "us": 10**3, "ms": 10**6, "s": 10**9, "min": 60 * 10**9}


def text_of(*command):
    done = subprocess.run([HAWSER, *command], capture_output=True, text=True, timeout=60)
    if done.returncode != 0 or done.stderr:
        raise AssertionError(f"{command}: {done.returncode} {done.stderr}")
    return done.stdout


def number(text, units, bare):
    digits = text.rstrip("abcdefghijklmnopqrstuvwxyz")
    return int(digits) * units[text[len(digits):].rstrip("b") if units is SIZES else text[len(digits):] or bare]


def as_tool_sees_it(parameter):
    value, kind = parameter["value"], parameter["type"]
    if kind in ("size", "time") and value == "auto":
        return str(2**64 - 1)
    if kind == "bool":
        return "true" if value in ("true", "yes", "on", "enabled", "1") else "false"
    if kind == "int":
        return str(int(value, 0))
    if kind == "size":
        return str(number(value, SIZES, ""))
    if kind == "time":
        return str(number(value, TIMES, parameter["unit"]))
    return value


class List(unittest.TestCase):
    def rows(self, kind, *arguments):
        lines = text_of("run", "-n", "1", *GIVEN, PROGRAM, *arguments).splitlines()
        return {name: rest for what, name, *rest in (line.split("\t") for line in lines) if what == kind}

    def check_against_info(self, *arguments):
        known = {one["name"]: one for one in json.loads(text_of("info", "--json", *GIVEN))["parameters"]}
        shown = self.rows("cvar", *arguments)
        self.assertEqual(set(shown), set(known))
        for name, (value, verbosity, category) in shown.items():
            with self.subTest(name=name):
                self.assertEqual(value, as_tool_sees_it(known[name]))
                self.assertEqual(int(verbosity), VERBOSITY[known[name]["level"] - 1])
                framework, component = known[name]["framework"], known[name]["component"]
                self.assertEqual(category, f"{framework}/{framework}_{component}" if component else framework)

    def test_before_init(self):
        self.check_against_info()

    def test_between(self):
        self.check_against_info("run")

    def test_counters_are_there_once_it_runs(self):
        self.assertEqual(self.rows("pvar"), {})
        shown = self.rows("pvar", "run")
        self.assertEqual(shown["btl_tcp_messages_sent"], ["btl/btl_tcp"])
        self.assertEqual(shown["btl_self_bytes_received"], ["btl/btl_self"])
        self.assertEqual(shown["bml_sent_again"], ["bml"])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=2)
