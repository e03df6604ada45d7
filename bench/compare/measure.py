# SPDX-FileCopyrightText: 2026 The Hawser authors
# SPDX-License-Identifier: Apache-2.0
"""Runs everything, interleaved, and says beside each figure how far apart the cores were.

A host may move the virtual cores of a machine at any time: a cache line then takes 40, 60 or 150 ns from one to the
other, and all that goes through shared memory follows. So the time of a cache line (the probe) is taken before and after
each job; all implementations and the limits take their turns at one run before the next run begins; and if the probes
say that the cores were moved among them, the whole turn is taken again."""

import dataclasses
import sys
import time

import process
import veth as namespaces

SAME_STATE = 2  # probes within this factor: the cores did not move; hyperthreads alone spread by 1.9
RETRIES = 2
RETRY_SHARE = 0.15  # of the time so far, for turns that are taken again
PROBE_S = 0.012
LEAST_LIMIT_S = 0.01
OWN_PROBE = "raw.two_lines"


@dataclasses.dataclass(frozen=True)
class Sample:
    round: int
    value: float
    probes: tuple  # us, before, after, and within if there is one


def calm(probes):
    return max(probes) <= SAME_STATE * min(probes)


class Series:
    """values[implementation][figure] is a list of samples; "limit" is an implementation."""

    def __init__(self):
        self.values = {}
        self.failures = {}  # who -> label -> why
        self.other_work = 0  # most, between rounds: a share of the machine

    def add(self, who, figure, sample):
        self.values.setdefault(who, {}).setdefault(figure, []).append(sample)

    def fail(self, who, what, why):
        self.failures.setdefault(who, {})[what] = why


def show_progress(text):
    if sys.stderr.isatty():
        sys.stderr.write(f"\r\033[K{text[:110]}")
        sys.stderr.flush()


def other_work(seconds=0.2):
    """The share of the machine that others use, while we do nothing."""

    def jiffies():
        with open("/proc/stat", encoding="ascii") as stat:
            fields = [int(f) for f in stat.readline().split()[1:]]
        return fields[3] + fields[4], sum(fields[:8])

    idle, total = jiffies()
    time.sleep(seconds)
    idle_after, total_after = jiffies()
    return 1 - (idle_after - idle) / max(total_after - total, 1)


class Measurement:
    def __init__(self, peers, limits_program, rounds, seconds, budget_s, veth):
        self.peers, self.limits_program, self.rounds = peers, limits_program, rounds
        self.seconds, self.budget_s, self.veth = seconds, budget_s, veth
        self.series = Series()
        self.given_up = set()  # (who, label): not again in this measurement
        self.began = time.monotonic()
        self.retried_s = 0

    def all(self, runs):
        for number in range(self.rounds):
            self.series.other_work = max(self.series.other_work, other_work())
            for position, run in enumerate(runs):
                show_progress(f"round {number + 1} of {self.rounds}, {position + 1} of {len(runs)}, "
                              f"{time.monotonic() - self.began:.0f} s: {run.label}")
                self.turn(number, run)
        show_progress("")
        return self.series

    def probe(self):
        figures, _ = process.run([self.limits_program, "probe"], {"BENCH_SECONDS": str(PROBE_S)}, 10)
        return figures["raw.probe"]

    def takers(self, number, run):
        """Who takes part, in an order that differs from round to round."""
        takers = [p for p in self.peers if run.transport in p.transports and (p.name == "hawser" or not run.alone)]
        commands = [(p.name, *p.command(run, run.arguments, self.veth), self.seconds) for p in takers]
        if run.limits:
            extra = {"BENCH_NAMESPACES": ",".join(self.veth.names),
                     "BENCH_ADDRESS": namespaces.ADDRESSES[0]} if run.transport == "veth" else {}
            commands.append(("limit", [self.limits_program, *run.limits], extra,
                             max(self.seconds / 4, LEAST_LIMIT_S)))
        first = number % len(commands) if commands else 0
        return [c for c in commands[first:] + commands[:first] if (c[0], run.label) not in self.given_up]

    def turn(self, number, run):
        results, probes = self.attempt(number, run)
        for _ in range(RETRIES):
            begin = time.monotonic()
            if calm(probes) or self.retried_s > RETRY_SHARE * (begin - self.began):
                break
            results, probes = self.attempt(number, run)
            self.retried_s += time.monotonic() - begin
        for who, (figures, around) in results.items():
            for name, value in figures.items():
                self.series.add(who, run.prefix + name, Sample(number, value, around))

    def attempt(self, number, run):
        before = self.probe()
        results, probes = {}, [before]
        for who, argv, extra, seconds in self.takers(number, run):
            figures = self.job(who, run, argv, {**extra, "BENCH_SECONDS": str(seconds)})
            after = self.probe()
            # One of the limits is what a probe is: it says of itself where the cores were.
            within = [figures[OWN_PROBE]] if OWN_PROBE in figures else []
            results[who] = (figures, (before, *within, after))
            probes += [*within, after]
            before = after
        return results, probes

    def job(self, who, run, argv, extra):
        try:
            figures, took = process.run(argv, extra, self.budget_s)
        except process.Failure as failure:
            self.series.fail(who, run.label, str(failure))
            if failure.too_slow:
                self.given_up.add((who, run.label))
            return failure.figures
        if run.startup and who != "limit":
            figures[f"start.{run.program}.{run.arguments[0]}"] = took
        return figures
