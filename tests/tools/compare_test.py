#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Hawser authors
# SPDX-License-Identifier: Apache-2.0
"""compare_test.py ROOT: how bench/compare.sh comes from samples to verdicts. Nothing is measured."""
import json
import pathlib
import sys
import unittest
import xml.etree.ElementTree

sys.path.insert(0, str(pathlib.Path(sys.argv[1]) / "bench/compare"))

import judge  # noqa: E402
import report  # noqa: E402
from lines import LINES, Line  # noqa: E402
from measure import Sample, Series  # noqa: E402
from runs import RUNS  # noqa: E402

NEAR, FAR = (0.03, 0.03), (0.2, 0.2)
LATENCY = Line("shm/latency.8", "8 B", "us", peers=0.75, limit=(("raw.lines",), 1.6))


def verdict(line=LATENCY, peers=("one", "two"), **values):
    """`values`: who -> what was taken in rounds 0, 1, ...: a figure, taken near, or (figure, probes)."""
    series = Series()
    for who, taken in values.items():
        name = "shm/raw.lines" if who == "limit" else line.figure
        for number, value in enumerate(taken):
            series.add(who, name, Sample(number, *(value if isinstance(value, tuple) else (value, NEAR))))
    return judge.Judge(series, peers).verdict(line)


class Verdicts(unittest.TestCase):
    def test_a_line_holds_or_misses(self):
        self.assertEqual(verdict(hawser=[0.7], one=[1], limit=[0.5]).state, "ok")
        missed = verdict(hawser=[0.8], one=[1], limit=[0.5])
        self.assertEqual((missed.state, missed.why), ("MISS", ["0.80 x one, 0.75 wanted"]))
        self.assertEqual(verdict(hawser=[0.7], one=[1], limit=[0.4]).state, "MISS")
        self.assertEqual(verdict(hawser=[0.7]).state, "-")
        self.assertIsNone(verdict(one=[1]).ours)

    def test_more_may_be_better(self):
        rate = Line("shm/latency.8", "rate", "msg/s", "high", peers=1.5)
        self.assertEqual(verdict(rate, hawser=[1.6], one=[1]).state, "ok")
        self.assertEqual(verdict(rate, hawser=[1.6], one=[1], two=[1.2]).best_peer, "two")

    def test_the_best_peer_is_the_one_beside_which_we_look_worst(self):
        found = verdict(hawser=[0.7, 0.7, 0.7], one=[1, 1, 5], two=[2, 2, 0.9])
        self.assertEqual((found.best_peer, found.to_peer.value), ("one", 0.7))

    def test_only_rounds_of_one_state_are_compared(self):
        found = verdict(hawser=[0.5, 0.5, 3], one=[1, (5, FAR), (4, FAR)])
        self.assertEqual((found.to_peer.value, found.to_peer.rounds), (0.5, 1))
        self.assertFalse(found.to_peer.mixed)
        self.assertTrue(verdict(hawser=[0.5], one=[(5, FAR)]).to_peer.mixed)

    def test_a_round_in_another_state_is_told(self):
        found = verdict(hawser=[0.7, 0.7, (0.9, FAR)], one=[1, 1, (1, FAR)])
        self.assertEqual(found.state, "ok")
        self.assertIn("some rounds miss 0.75 x one: 0.90 at 200 ns", found.why)

    def test_what_the_limit_would_miss_too_is_out_of_reach(self):
        self.assertFalse(verdict(hawser=[0.9], one=[1], limit=[0.7]).beyond)
        found = verdict(hawser=[0.9], one=[1], limit=[0.8])
        self.assertTrue(found.beyond)
        self.assertIn("out of reach: the limit itself is 0.80 x one", found.why)
        self.assertFalse(verdict(hawser=[0.7], one=[1], limit=[0.8]).beyond)
        self.assertFalse(verdict(hawser=[0.9], one=[1], limit=[1.1]).beyond, "a limit that a peer beats is none")

    def test_a_figure_may_have_a_bound_of_its_own(self):
        wake = Line("shm/latency.8", "woken", "us", own=60, limit=(("raw.lines",), None))
        self.assertEqual(verdict(wake, hawser=[59, 61, 58], limit=[40]).state, "ok")
        self.assertFalse(verdict(wake, hawser=[61], limit=[40]).beyond)
        self.assertTrue(verdict(wake, hawser=[80], limit=[61]).beyond)
        twice = Line("shm/latency.8", "deep", "ns", own=2, own_of="shm/raw.lines")
        self.assertEqual(verdict(twice, hawser=[3]).state, "-", "what it is divided by was not measured")


class Reports(unittest.TestCase):
    def setUp(self):
        self.verdicts = [verdict(hawser=[0.9], one=[1], limit=[0.8]), verdict(hawser=[0.7], one=[1]), verdict()]
        self.facts = report.Facts("a <machine>", "near")

    def test_the_table_counts(self):
        text = report.text(self.verdicts, ("one", "two"), self.facts)
        self.assertIn("1 ok, 1 MISS (1 out of reach), 1 not judged", text)

    def test_what_is_written_can_be_read(self):
        read = json.loads(report.as_json(Series(), self.verdicts, self.facts))
        self.assertEqual([line["beyond"] for line in read["lines"]], [True, False, False])
        xml.etree.ElementTree.fromstring(report.svg(self.verdicts))


class Lists(unittest.TestCase):
    def test_every_line_is_measured(self):
        measured = {run.prefix + figure for run in RUNS for part in run.parts for figure in part.figures}
        wanted = {line.figure for line in LINES} | {line.own_of for line in LINES if line.own_of}
        self.assertEqual(wanted - measured, set())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
