# SPDX-FileCopyrightText: 2026 The Hawser authors
# SPDX-License-Identifier: Apache-2.0
"""The command behind bench/compare.sh."""

import argparse
import pathlib
import platform
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import judge  # noqa: E402
import lines  # noqa: E402
import measure  # noqa: E402
import peers as implementations  # noqa: E402
import report  # noqa: E402

SOURCES = pathlib.Path(__file__).resolve().parent.parent / "mpi"


def options():
    parser = argparse.ArgumentParser(prog="bench/compare.sh", description=__doc__)
    parser.add_argument("--build", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--quick", action="store_true", help="fewer lines and rounds: under three minutes")
    parser.add_argument("--rounds", type=int, help="how often everything is measured (7; quick: 3)")
    parser.add_argument("--seconds", type=float, help="for one figure (0.06; quick: 0.03)")
    parser.add_argument("--only", default="", help="lines whose figure contains this: tcp/, coll, latency.8 ...")
    parser.add_argument("--peers", default="", help="a part of ob1,ompi-ucx,mpich")
    parser.add_argument("--out", default="", help="folder for results (BUILD/compare)")
    return parser.parse_args()


def needed(run, wanted):
    """Whether any line asks for a figure of this run."""
    start = f"{run.prefix()}start.{run.program}.{run.arguments[0]}" if run.startup else None
    heads = {"pt2pt": run.arguments[0] if run.arguments else "", "contact": "contact"}
    head = run.prefix() + heads.get(run.program, run.program)
    return any(line.figure == start or line.figure.startswith(head + ".") or (line.own_of or "").startswith(head + ".")
               for line in wanted)


def main():
    chosen = options()
    rounds = chosen.rounds or (3 if chosen.quick else 7)
    seconds = chosen.seconds or (0.03 if chosen.quick else 0.06)
    out = pathlib.Path(chosen.out or f"{chosen.build}/compare")
    out.mkdir(parents=True, exist_ok=True)
    wanted = [line for line in lines.LINES if chosen.only in line.figure]
    runs = [r for r in lines.RUNS if (r.quick or not chosen.quick) and needed(r, wanted)]
    peers = implementations.present(chosen.build, [n for n in chosen.peers.split(",") if n])
    for peer in peers:
        peer.build(sorted(SOURCES.glob("*.c")), out / "programs")
    series = measure.measure(peers, runs, f"{chosen.build}/bench/limits", rounds, seconds)
    names = [p.name for p in peers if p.name != "hawser"]
    verdicts = [v for v in (judge.judge(series, line, names) for line in wanted) if v.state != "-" or not chosen.quick]
    facts = (f"{time.strftime('%Y-%m-%d')}, {platform.machine()}, {implementations.cores()} cores, kernel "
             f"{platform.release()}; medians of {rounds} interleaved rounds")
    (out / "compare.json").write_text(report.as_json(series, verdicts, facts))
    (out / "compare.md").write_text(report.markdown(verdicts, names, facts))
    (out / "compare.svg").write_text(report.svg(verdicts))
    print(report.text(verdicts, names))
    for who, failures in series.failures.items():
        for what, why in failures.items():
            print(f"not measured: {who}: {what}: {why}", file=sys.stderr)
    missing = [v.line.title for v in verdicts if v.ours is None]
    for title in missing:
        print(f"not measured: {title}", file=sys.stderr)
    print(f"\nresults: {out}/compare.json, compare.md, compare.svg")
    return 1 if missing or series.failures else 0


if __name__ == "__main__":
    sys.exit(main())
