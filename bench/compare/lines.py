# SPDX-FileCopyrightText: 2026 The Hawser authors
# SPDX-License-Identifier: Apache-2.0
"""What must hold: LINES. How it is measured is in runs.py."""

import dataclasses

KI, MI = 1024, 1024 * 1024


@dataclasses.dataclass(frozen=True)
class Line:
    """`peers`: bound on our figure divided by the best peer's (None: shown, not judged); `limit`: (names of limits, bound
    on our figure divided by the best of those, or None); `own`: bound on our figure itself, or on it divided by another
    figure of ours. All bounds are upper ones where less is better, lower ones where more is."""

    figure: str
    title: str
    unit: str
    better: str = "low"
    peers: float = None
    limit: tuple = None
    own: float = None
    own_of: str = None

    @property
    def prefix(self):
        return self.figure.rpartition("/")[0] + "/"


def size_text(size):
    return f"{size // MI} MiB" if size >= MI else f"{size // KI} KiB" if size >= KI else f"{size} B"


def _latencies():
    for size in (0, 8):
        yield Line(f"shm/latency.{size}", f"shm {size} B", "us", peers=0.75, limit=(("raw.two_lines",), 1.6))
    for size in (64, KI, 4 * KI):
        yield Line(f"shm/latency.{size}", f"shm {size_text(size)}", "us", peers=0.8, limit=((f"raw.copy.{size}",), None))
    for kind, words in (("latency", "reused"), ("rewritten", "rewritten")):
        for size, bound in ((64 * KI, 0.85), (MI, 0.55), (4 * MI, 0.6)):
            yield Line(f"shm/{kind}.{size}", f"shm {size_text(size)}, {words}", "us", peers=bound,
                       limit=((f"raw.copy.{size}",), None) if kind == "latency" else None)
    for size in (64 * KI, MI, 4 * MI):
        yield Line(f"shm-copy/latency.{size}", f"shm {size_text(size)}, no single copy", "us", peers=1 / 1.3,
                   limit=((f"raw.copy.{size}",), None))


def _streams():
    for size in (8, 64):
        for window in (64, 256):
            yield Line(f"shm/rate.{size}.{window}", f"shm {size} B, window {window}", "msg/s", "high", peers=1.5)
    for size in (KI, 4 * KI, 16 * KI, 64 * KI, MI, 4 * MI):
        bound = 1.1 if size <= 64 * KI else 1.8 if size == MI else 1.3
        for way, way_words in (("one", "one way"), ("both", "both ways")):
            for kind, kind_words in (("same", "one buffer"), ("each", "a buffer each")):
                name = f"stream.{way}.{kind}.{size}"
                yield Line(f"shm/{name}", f"shm {size_text(size)}, {way_words}, {kind_words}", "MB/s", "high", peers=bound,
                           limit=((f"raw.copy_{name}", f"raw.single_{name}"), 0.85))
    for way, way_words in (("one", "one way"), ("both", "both ways")):
        name = f"stream.{way}.same.{MI}"
        yield Line(f"shm-copy/{name}", f"shm 1 MiB, {way_words}, no single copy", "MB/s", "high", peers=1.3,
                   limit=((f"raw.copy_{name}",), None))


def _tcp():
    for place, where in (("tcp", "tcp"), ("veth", "tcp over veth")):
        yield Line(f"{place}/latency.8", f"{where} 8 B", "us", peers=0.9, limit=(("raw.socket_spin.8",), 1.15))
        yield Line(f"{place}/latency.{64 * KI}", f"{where} 64 KiB", "us", peers=0.7,
                   limit=((f"raw.socket_spin.{64 * KI}",), None))
        yield Line(f"{place}/rate.8.64", f"{where} 8 B, window 64", "msg/s", "high", peers=10)
        for size in (64 * KI, MI, 64 * MI):
            for way, words in (("one", "one way"), ("both", "both ways")):
                yield Line(f"{place}/stream.{way}.same.{size}", f"{where} {size_text(size)}, {words}", "MB/s", "high",
                           peers=1.1, limit=((f"raw.socket_stream.{way}.same.{size}",), 0.95))


def _threads_and_matching():
    for kind, words in (("own", "own communicators"), ("shared", "one communicator")):
        yield Line(f"shm/threads.latency.{kind}", f"2 threads, 8 B, {words}", "us", peers=1 / 1.5)
        yield Line(f"shm/threads.rate.{kind}", f"2 threads, rate, {words}", "msg/s", "high", peers=1.5)
    for kind in ("unexpected", "posted"):
        yield Line(f"shm/matching.{kind}.50000", f"matching, 50,000 {kind}", "ns", own=2, own_of=f"shm/matching.{kind}.10")


def _collectives():
    for ranks, bound in ((2, 0.8), (4, 0.7), (8, 0.7)):
        prefix = "shm/" if ranks == 2 else f"shm/{ranks}/"
        for op in ("barrier", "allreduce.8", f"allreduce.{MI}", "bcast.8", f"bcast.{MI}", "alltoall.8", f"alltoall.{MI}"):
            name, _, size = op.partition(".")
            yield Line(f"{prefix}coll.{op}", f"{ranks} ranks: {name} {size_text(int(size)) if size else ''}".rstrip(), "us",
                       peers=bound)


def _jobs():
    for ranks in (2, 8, 32, 64):
        prefix = "shm/" if ranks == 2 else f"shm/{ranks}/"
        for what, words in (("hello", "start and end"), ("all", "all pairs")):
            yield Line(f"{prefix}start.contact.{what}", f"{ranks} ranks: {words}", "s", peers=0.5)
    for transport in ("shm", "tcp"):
        yield Line(f"{transport}/64/contact.pss", f"memory of a rank, 64 ranks, {transport}", "MB", peers=0.5)
    for transport, limit in (("shm", "raw.wake"), ("tcp", "raw.wake_socket")):
        yield Line(f"{transport}/waiting.cpu", f"CPU of a rank that waits, {transport}", "%", own=1)
        yield Line(f"{transport}/waiting.wake", f"woken after, {transport}", "us", own=60,
                   limit=((limit,), None))


def _sdk():
    yield Line("sdk-shm/latency.64", "BTL level, shm 64 B", "us", peers=1)
    yield Line("sdk-shm/rate.8", "BTL level, shm 8 B rate", "msg/s", "high", peers=1)
    yield Line("sdk-tcp/latency.8", "BTL level, tcp 8 B", "us", peers=1)


LINES = [*_latencies(), *_streams(), *_tcp(), *_threads_and_matching(), *_collectives(), *_jobs(), *_sdk()]
