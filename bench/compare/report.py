# SPDX-FileCopyrightText: 2026 The Hawser authors
# SPDX-License-Identifier: Apache-2.0
"""The table as text, Markdown and JSON, and a chart of the ratios as SVG."""

import dataclasses
import html
import json
import math
import statistics

from measure import SAME_STATE


@dataclasses.dataclass(frozen=True)
class Facts:
    machine: str
    states: str


def figure(value):
    if value is None:
        return ""
    if value >= 1e6:
        return f"{value / 1e6:.2f} M"
    if value >= 1000:
        return f"{value:.0f}"
    return f"{value:.3g}" if value < 100 else f"{value:.1f}"


def states(series):
    """How far apart the cores were, in how many of the jobs."""
    probes = sorted(statistics.median(sample.probes) for who in series.values.values() for samples in who.values()
                    for sample in samples)
    if not probes:
        return ""
    groups = [[probes[0]]]
    for probe in probes[1:]:
        if probe <= SAME_STATE * groups[-1][0]:
            groups[-1].append(probe)
        else:
            groups.append([probe])
    shares = [f"{statistics.median(g) * 1000:.0f} ns ({100 * len(g) / len(probes):.0f} %)" for g in groups]
    return "two cache lines, one way: " + ", ".join(shares) + " of the figures"


def ratio(found):
    if not found:
        return ["", ""]
    mixed = " mixed" if found.mixed else ""
    return [f"{found.value:.2f}", f"{found.low:.2f}-{found.high:.2f}{mixed}"]


def rows(verdicts, peer_names):
    head = ["", "unit", "line ns", "hawser", *peer_names, "limit", "to best", "range", "to limit", "range", ""]
    body = []
    for v in verdicts:
        why = f" ({'; '.join(v.why)})" if v.why else ""
        body.append([v.line.title, v.line.unit, f"{v.probe * 1000:.0f}" if v.probe else "", figure(v.ours),
                     *[figure(v.peers.get(n)) for n in peer_names], figure(v.limit), *ratio(v.to_peer), *ratio(v.to_limit),
                     v.state + why])
    return head, body


def text(verdicts, peer_names, facts):
    head, body = rows(verdicts, peer_names)
    widths = [max(len(r[i]) for r in [head, *body]) for i in range(len(head))]
    lines = [facts.machine, facts.states, ""]
    for row in [head, *body]:
        cells = [c.ljust(w) if i in (0, 1, len(head) - 1) else c.rjust(w) for i, (c, w) in enumerate(zip(row, widths))]
        lines.append("  ".join(cells).rstrip())
    counts = [sum(v.state == state for v in verdicts) for state in ("ok", "MISS", "-")]
    beyond = sum(v.beyond for v in verdicts)
    return "\n".join([*lines, "", "{} ok, {} MISS ({} out of reach), {} not judged".format(*counts[:2], beyond, counts[2])])


def markdown(verdicts, peer_names, facts):
    head, body = rows(verdicts, peer_names)
    lines = [f"{facts.machine}. {facts.states}.", "", "| " + " | ".join(head) + " |",
             "|---|---|" + "--:|" * (len(head) - 3) + "---|"]
    lines += ["| " + " | ".join(row) + " |" for row in body]
    return "\n".join(lines) + "\n"


def as_json(series, verdicts, facts):
    values = {who: {name: [dataclasses.asdict(s) for s in samples] for name, samples in figures.items()}
              for who, figures in series.values.items()}

    def plain(found):
        return dataclasses.asdict(found) if found else None

    return json.dumps({
        "format": "hawser-compare-2", "machine": facts.machine, "states": facts.states, "failures": series.failures,
        "values": values,
        "lines": [{"figure": v.line.figure, "title": v.line.title, "unit": v.line.unit, "better": v.line.better,
                   "hawser": v.ours, "spread": v.spread, "line_us": v.probe, "peers": v.peers, "best_peer": v.best_peer,
                   "to_peer": plain(v.to_peer), "limit": v.limit, "to_limit": plain(v.to_limit), "beyond": v.beyond,
                   "state": v.state, "why": v.why} for v in verdicts]}, indent=1)


def svg(verdicts):
    """A bar a line: how many times better than the best peer (log scale); the mark is what is wanted."""
    bars = [v for v in verdicts if v.to_peer]
    row, left, width = 18, 300, 560
    height = 60 + row * len(bars)

    def times(ratio, better):
        return 1 / ratio if better == "low" else ratio

    def x(value):
        return left + width * (math.log10(min(max(value, 0.1), 100)) + 1) / 3

    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + width + 90}" height="{height}" '
           'font-family="sans-serif" font-size="11">',
           '<rect width="100%" height="100%" fill="white"/>',
           f'<text x="12" y="16" font-size="13">times better than the best peer; the tick is the target; '
           'red: a target is missed, this one or that to the limit; orange: the limit misses it too</text>']
    for mark in (0.1, 0.5, 1, 2, 5, 10, 100):
        out.append(f'<line x1="{x(mark):.1f}" x2="{x(mark):.1f}" y1="26" y2="{height - 24}" '
                   f'stroke="{"gray" if mark == 1 else "gainsboro"}"/>'
                   f'<text x="{x(mark):.1f}" y="{height - 8}" text-anchor="middle">{mark:g}</text>')
    for i, v in enumerate(bars):
        y, value = 30 + row * i, times(v.to_peer.value, v.line.better)
        lo, hi = sorted((x(1), x(value)))
        colour = "seagreen" if v.state == "ok" else "darkorange" if v.beyond else "firebrick"
        wanted = x(times(v.line.peers, v.line.better))
        out.append(f'<text x="{left - 8}" y="{y + 11}" text-anchor="end">{html.escape(v.line.title)}</text>'
                   f'<rect x="{lo:.1f}" y="{y + 2}" width="{max(hi - lo, 1):.1f}" height="{row - 6}" fill="{colour}"/>'
                   f'<line x1="{wanted:.1f}" x2="{wanted:.1f}" y1="{y}" y2="{y + row - 2}" stroke="black" stroke-width="2"/>'
                   f'<text x="{max(hi, wanted) + 4:.1f}" y="{y + 11}">{value:.2f}</text>')
    return "\n".join(out) + "\n</svg>\n"
