# SPDX-FileCopyrightText: 2026 The Hawser authors
# SPDX-License-Identifier: Apache-2.0
"""From series of figures to verdicts."""

import dataclasses
import statistics


@dataclasses.dataclass
class Verdict:
    line: object
    ours: float = None
    spread: tuple = None
    peers: dict = dataclasses.field(default_factory=dict)  # name -> median
    best_peer: str = None
    to_peer: float = None
    limit: float = None
    to_limit: float = None
    state: str = "-"  # ok, MISS, or "-": not measured
    why: list = dataclasses.field(default_factory=list)


def median(series, who, figure):
    values = series.values.get(who, {}).get(figure)
    return statistics.median(values) if values else None


def best(values, better):
    return (min if better == "low" else max)(values)


def holds(ratio, bound, better):
    return ratio <= bound if better == "low" else ratio >= bound


def judge(series, line, peer_names):
    verdict = Verdict(line, ours=median(series, "hawser", line.figure))
    if verdict.ours is None:
        return verdict
    values = series.values["hawser"][line.figure]
    verdict.spread = (min(values), max(values))
    verdict.state = "ok"

    def demand(ratio, bound, what):
        if not holds(ratio, bound, line.better):
            verdict.state = "MISS"
            verdict.why.append(f"{ratio:.2f} x {what}, {bound:.2f} wanted")

    for name in peer_names:
        value = median(series, name, line.figure)
        if value is not None and (not line.against or name in line.against):
            verdict.peers[name] = value
    if verdict.peers and line.peers is not None:
        best_value = best(verdict.peers.values(), line.better)
        verdict.best_peer = next(n for n, v in verdict.peers.items() if v == best_value)
        verdict.to_peer = verdict.ours / best_value
        demand(verdict.to_peer, line.peers, verdict.best_peer)
    if line.limit:
        names, bound = line.limit
        limits = [m for m in (median(series, "limit", n) for n in names) if m is not None]
        if limits:
            verdict.limit = best(limits, line.better)
            verdict.to_limit = verdict.ours / verdict.limit
            demand(verdict.to_limit, bound, "limit")
    if line.own is not None:
        base = median(series, "hawser", line.own_of) if line.own_of else 1
        if base:
            demand(verdict.ours / base, line.own, line.own_of or line.unit)
    return verdict
