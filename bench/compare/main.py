# SPDX-FileCopyrightText: 2026 The Hawser authors
# SPDX-License-Identifier: Apache-2.0
"""The command behind bench/compare.sh."""

import argparse
import contextlib
import pathlib
import platform
import re
import signal
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import judge  # noqa: E402
import lines  # noqa: E402
import measure  # noqa: E402
import peers as implementations  # noqa: E402
import report  # noqa: E402
import runs  # noqa: E402
import veth as namespaces  # noqa: E402

MUCH_OTHER_WORK = 0.08
SOURCES = pathlib.Path(__file__).resolve().parent.parent / "mpi"


def options():
    parser = argparse.ArgumentParser(
        prog="bench/compare.sh",
        description="Measures Hawser beside Open MPI (ob1, ucx) and MPICH, and beside the physical limits of the same "
        "minutes; says for each line whether its target holds. See docs/performance.md.")
    parser.add_argument("--build", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--quick", action="store_true", help="fewer lines and rounds: under three minutes")
    parser.add_argument("--rounds", type=int, help="how often everything is measured (7; quick: 3)")
    parser.add_argument("--seconds", type=float, help="for one figure (0.04; quick: 0.02)")
    parser.add_argument("--budget", type=float, help="most seconds for one job of an implementation; what it has not "
                        "measured by then is not measured (60; quick: 8)")
    parser.add_argument("--only", default="", metavar="PATTERN",
                        help="lines whose figure matches this regular expression: tcp/, coll, latency.8$ ...")
    parser.add_argument("--peers", default="", help="a part of ob1,ompi-ucx,mpich,uct")
    parser.add_argument("--list", action="store_true", help="the lines and the names of their figures, and no more")
    parser.add_argument("--out", default="", help="folder for results (BUILD/compare)")
    return parser.parse_args()


def wanted_lines(pattern):
    try:
        wanted = [line for line in lines.LINES if re.search(pattern, line.figure)]
    except re.error as error:
        sys.exit(f"compare.sh: --only {pattern}: {error}")
    if not wanted:
        sys.exit(f"compare.sh: --only {pattern}: no figure's name has that; --list shows them")
    return wanted


def wanted_runs(wanted, quick):
    figures = {line.figure for line in wanted} | {line.own_of for line in wanted if line.own_of}
    return [r for r in (run.only(figures, quick) for run in runs.RUNS) if r]


def take(chosen, peers, wanted, out):
    """Measures in namespaces where lines ask for them; without them if they cannot be had."""
    rounds = chosen.rounds or (3 if chosen.quick else 7)
    seconds = chosen.seconds or (0.02 if chosen.quick else 0.04)
    budget = chosen.budget or (8 if chosen.quick else 60)
    needed = wanted_runs(wanted, chosen.quick)
    for peer in peers:
        peer.build(sorted(SOURCES.glob("*.c")), sorted(SOURCES.glob("*.h")), out / "programs")
    with contextlib.ExitStack() as stack:
        veth = None
        if any(r.transport == "veth" for r in needed):
            reason = namespaces.why_not()
            if reason:
                print(f"not measured: tcp over veth: {reason}", file=sys.stderr)
                needed = [r for r in needed if r.transport != "veth"]
            else:
                veth = stack.enter_context(namespaces.Veth())
        work = measure.Measurement(peers, f"{chosen.build}/bench/limits", rounds, seconds, budget, veth)
        return work.all(needed), needed, rounds


def show(chosen, series, measured, wanted, rounds, names, out):
    """Prints and writes; how many lines there should be and are not."""
    figures = {run.prefix + f for run in measured for part in run.parts for f in part.figures}
    referee = judge.Judge(series, names)
    verdicts = [referee.verdict(line) for line in wanted if not chosen.quick or line.figure in figures]
    facts = report.Facts(f"{time.strftime('%Y-%m-%d')}, {platform.machine()}, {implementations.cores()} cores, kernel "
                         f"{platform.release()}; {rounds} interleaved rounds", report.states(series))
    (out / "compare.json").write_text(report.as_json(series, verdicts, facts))
    (out / "compare.md").write_text(report.markdown(verdicts, names, facts))
    (out / "compare.svg").write_text(report.svg(verdicts))
    print(report.text(verdicts, names, facts))
    if series.other_work > MUCH_OTHER_WORK:
        print(f"compare.sh: between rounds other work used up to {100 * series.other_work:.0f} % of the machine: the figures "
              "are disturbed", file=sys.stderr)
    for who, failures in series.failures.items():
        for what, why in failures.items():
            print(f"not measured: {who}: {what}: {why}", file=sys.stderr)
    missing = [v.line.title for v in verdicts if v.ours is None]
    if not chosen.peers:
        missing += [v.line.title + ", of anybody else" for v in verdicts if v.ours and v.line.peers and not v.peers]
    for title in missing:
        print(f"not measured: {title}", file=sys.stderr)
    print(f"\nresults: {out}/compare.json, compare.md, compare.svg")
    return len(missing)


def main():
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # ranks and namespaces are ended on the way out
    chosen = options()
    wanted = wanted_lines(chosen.only)
    if chosen.list:
        print("\n".join(f"{line.figure:34} {line.title}" for line in wanted))
        return 0
    out = pathlib.Path(chosen.out or f"{chosen.build}/compare")
    out.mkdir(parents=True, exist_ok=True)
    peers = implementations.present(chosen.build, [n for n in chosen.peers.split(",") if n])
    series, measured, rounds = take(chosen, peers, wanted, out)
    names = [p.name for p in peers if p.name != "hawser"]
    return 1 if show(chosen, series, measured, wanted, rounds, names, out) or "hawser" in series.failures else 0


if __name__ == "__main__":
    sys.exit(main())
