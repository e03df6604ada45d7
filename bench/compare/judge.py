# SPDX-FileCopyrightText: 2026 The Hawser authors
# SPDX-License-Identifier: Apache-2.0
"""From samples to verdicts.

What is judged is the median of the ratios of the rounds: our figure divided by the other's *of the same round, taken in
the same state of the cores*. The ratio of two medians would mix states: with four rounds near and three far for us, and
the other way round for the other, it compares near with far. The best peer is the one that we look worst beside: the
best of each round would be a different peer each time, and better than any of them. Figures shown are medians of the
state that most rounds were in."""

import dataclasses
import statistics

from measure import calm


@dataclasses.dataclass(frozen=True)
class Ratio:
    value: float  # median of the rounds
    low: float
    high: float
    rounds: int
    states: tuple = ()  # (line time in us, median, rounds) of each state
    mixed: bool = False  # no round had both in one state: the cores moved all the time


@dataclasses.dataclass
class Verdict:
    line: object
    ours: float = None
    spread: tuple = None
    probe: float = None  # us, in the state that is shown
    peers: dict = dataclasses.field(default_factory=dict)  # name -> figure
    best_peer: str = None
    to_peer: Ratio = None
    limit: float = None
    to_limit: Ratio = None
    beyond: bool = False  # what is missed beside the best peer, the limit would miss as well
    state: str = "-"  # ok, MISS, or "-": nothing to judge by
    why: list = dataclasses.field(default_factory=list)


def samples(series, who, figure):
    return series.values.get(who, {}).get(figure, [])


def usual_state(of):
    """The samples of the state that most were taken in."""
    probes = sorted(p for s in of for p in s.probes)
    if not probes:
        return []
    groups = [[s for s in of if calm((low, *s.probes)) and min(s.probes) >= low] for low in probes]
    return max(groups, key=len) or list(of)


def shown(series, who, figure, probes):
    """The median of what was taken in that state; of all, if nothing was."""
    of = samples(series, who, figure)
    if not of:
        return None
    alike = [s for s in of if calm((*probes, *s.probes))]
    return statistics.median(s.value for s in alike or of)


def ratio(ours, others):
    """Round by round. Nothing if the other was not measured."""
    pairs = [(a, b) for a in ours for b in others if a.round == b.round and b.value]
    alike = [(a, b) for a, b in pairs if calm((*a.probes, *b.probes))]
    found = sorted((statistics.median((*a.probes, *b.probes)), a.value / b.value) for a, b in alike or pairs)
    if not found:
        return None
    values = [value for _, value in found]
    return Ratio(statistics.median(values), min(values), max(values), len(values), by_state(found), mixed=not alike)


def by_state(found):
    """`found`: (line time, value), ascending."""
    groups = []
    for line, value in found:
        if not groups or not calm((groups[-1][0][0], line)):
            groups.append([])
        groups[-1].append((line, value))
    return tuple((statistics.median(line for line, _ in g), statistics.median(v for _, v in g), len(g)) for g in groups)


def holds(value, bound, better):
    return value <= bound if better == "low" else value >= bound


class Judge:
    def __init__(self, series, peer_names):
        self.series, self.peer_names = series, peer_names

    def verdict(self, line):
        ours = samples(self.series, "hawser", line.figure)
        verdict = Verdict(line)
        if not ours:
            return verdict
        usual = usual_state(ours)
        verdict.probe = statistics.median(p for s in usual for p in s.probes)
        verdict.ours = statistics.median(s.value for s in usual)
        verdict.spread = (min(s.value for s in usual), max(s.value for s in usual))
        self.beside_peers(verdict, ours)
        self.beside_limit(verdict, ours)
        self.beside_itself(verdict, ours)
        return verdict

    @staticmethod
    def demand(verdict, found, bound, what):
        better = verdict.line.better
        held = holds(found.value, bound, better)
        if held and verdict.state == "-":
            verdict.state = "ok"
        if not held:
            verdict.state = "MISS"
            verdict.why.append(f"{found.value:.2f} {what}, {bound:.2f} wanted")
        if holds(found.low, bound, better) != holds(found.high, bound, better):
            verdict.why.append(f"some rounds {'miss' if held else 'hold'} {bound:.2f} {what}")
        others = [f"{value:.2f} at {line * 1000:.0f} ns" for line, value, _ in found.states
                  if holds(value, bound, better) != held]
        if others and len(found.states) > 1:
            verdict.why[-1] += f": {', '.join(others)}"

    def beside_peers(self, verdict, ours):
        line, ratios = verdict.line, {}
        for name in self.peer_names:
            found = ratio(ours, samples(self.series, name, line.figure))
            if found:
                ratios[name] = found
                verdict.peers[name] = shown(self.series, name, line.figure, (verdict.probe,))
        if not ratios or line.peers is None:
            return
        worst = max if line.better == "low" else min
        verdict.best_peer, verdict.to_peer = worst(ratios.items(), key=lambda item: item[1].value)
        self.demand(verdict, verdict.to_peer, line.peers, f"x {verdict.best_peer}")

    def beside_limit(self, verdict, ours):
        line = verdict.line
        if not line.limit:
            return
        names, bound = line.limit
        better = max if line.better == "high" else min
        found = {n: shown(self.series, "limit", line.prefix + n, (verdict.probe,)) for n in names}
        found = {n: v for n, v in found.items() if v is not None}
        if not found:
            return
        best = better(found, key=found.get)
        verdict.limit = found[best]
        verdict.to_limit = ratio(ours, samples(self.series, "limit", line.prefix + best))
        if bound is not None and verdict.to_limit:
            self.demand(verdict, verdict.to_limit, bound, "x limit")
        self.in_reach(verdict, line.prefix + best)

    def in_reach(self, verdict, limit):
        """Whether a bound to the best peer that is missed could be held at all: the limit beside that peer."""
        line, peer = verdict.line, verdict.best_peer
        if not peer or holds(verdict.to_peer.value, line.peers, line.better):
            return
        found = ratio(samples(self.series, "limit", limit), samples(self.series, peer, line.figure))
        if not found or holds(found.value, line.peers, line.better):
            return
        verdict.beyond = holds(found.value, 1, line.better)  # else that peer shows that it is no limit
        verdict.why.append(f"{'out of reach: ' if verdict.beyond else ''}the limit itself is {found.value:.2f} x {peer}")

    def beside_itself(self, verdict, ours):
        line = verdict.line
        if line.own is None:
            return
        if line.own_of is None:
            values = [s.value for s in ours]
            found = Ratio(statistics.median(values), min(values), max(values), len(values))
        else:
            found = ratio(ours, samples(self.series, "hawser", line.own_of))
        if found:
            self.demand(verdict, found, line.own, f"x {line.own_of}" if line.own_of else line.unit)
        if verdict.limit and line.own_of is None and not holds(found.value, line.own, line.better) \
                and not holds(verdict.limit, line.own, line.better):
            verdict.beyond = True
            verdict.why.append(f"out of reach: the limit itself is {verdict.limit:.2f} {line.unit}")
