# SPDX-FileCopyrightText: 2026 The Hawser authors
# SPDX-License-Identifier: Apache-2.0
"""Runs everything, interleaved: limits, then each implementation in turn, round after round."""

import os
import subprocess
import sys
import time

LIMIT_S = 300


class Failure(Exception):
    pass


def run(argv, extra, seconds):
    """Figures that the command printed, and how long it took."""
    environment = {**os.environ, **extra, "BENCH_SECONDS": str(seconds)}
    begin = time.monotonic()
    try:
        done = subprocess.run(argv, env=environment, capture_output=True, text=True, timeout=LIMIT_S, check=False)
    except subprocess.TimeoutExpired as expired:
        raise Failure(f"no end after {LIMIT_S} s") from expired
    took = time.monotonic() - begin
    if done.returncode != 0:
        raise Failure(f"status {done.returncode}: {(done.stderr or done.stdout).strip()[-400:]}")
    figures = {}
    for line in done.stdout.splitlines():
        words = line.split()
        if len(words) == 2:
            figures[words[0]] = float(words[1])
    return figures, took


class Series:
    """All values of all figures: series[implementation][figure] is a list, one entry a round."""

    def __init__(self):
        self.values = {}
        self.failures = {}

    def add(self, who, figure, value):
        self.values.setdefault(who, {}).setdefault(figure, []).append(value)

    def fail(self, who, what, why):
        self.failures.setdefault(who, {})[what] = why


def show_progress(text):
    if sys.stderr.isatty():
        sys.stderr.write(f"\r\033[K{text}")
        sys.stderr.flush()


def measure(peers, runs, limits_program, rounds, seconds):
    series = Series()
    began = time.monotonic()
    for number in range(rounds):
        for run_number, what in enumerate(runs):
            if run_number % 8 == 0:
                try:
                    for name, value in run([limits_program], {}, seconds / 4)[0].items():
                        series.add("limit", name, value)
                except Failure as failure:
                    series.fail("limit", "limits", str(failure))
            for peer in peers:
                show_progress(f"round {number + 1} of {rounds}, {run_number + 1} of {len(runs)}: {what.transport} "
                              f"{what.program} {' '.join(map(str, what.arguments))}, {what.ranks} ranks: {peer.name} "
                              f"({time.monotonic() - began:.0f} s)")
                one(series, peer, what, seconds)
    show_progress("")
    return series


def one(series, peer, what, seconds):
    label = f"{what.prefix()}{what.program} {' '.join(map(str, what.arguments))}".strip()
    if what.transport in peer.skips or label in series.failures.get(peer.name, {}):
        return
    argv, extra = peer.argv(what.ranks, what.transport, what.program, what.arguments)
    try:
        figures, took = run(argv, extra, seconds)
    except Failure as failure:
        series.fail(peer.name, label, str(failure))
        return
    if what.startup:
        figures[f"start.{what.program}.{what.arguments[0]}"] = took
    for name, value in figures.items():
        series.add(peer.name, what.prefix() + name, value)
