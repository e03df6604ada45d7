# SPDX-FileCopyrightText: 2026 The Hawser authors
# SPDX-License-Identifier: Apache-2.0
"""How each MPI compiles and runs a program: one object per implementation."""

import os
import pathlib
import shutil
import subprocess


TOP = pathlib.Path(__file__).resolve().parents[2]


class Peer:
    """`command` gives argv and extra environment for `ranks` ranks over `transport`: shm, shm-copy (no single copy) or
    tcp."""

    def __init__(self, name, compiler, command, skips=()):
        self.name, self.compiler, self.command, self.skips = name, compiler, command, skips
        self.programs = None

    def build(self, sources, into):
        self.programs = pathlib.Path(into) / self.name
        self.programs.mkdir(parents=True, exist_ok=True)
        for source in sources:
            out = self.programs / source.stem
            subprocess.run([self.compiler, "-O2", "-std=gnu11", "-pthread", "-I", TOP, "-o", out, source], check=True)

    def argv(self, ranks, transport, program, arguments):
        argv, extra = self.command(ranks, transport)
        return argv + [str(self.programs / program), *map(str, arguments)], extra


def hawser(build):
    def command(ranks, transport):
        argv = [f"{build}/bin/hawser", "run", "-n", str(ranks)]
        argv += ["--mca", "btl", "self,tcp" if transport == "tcp" else "self,shm"]
        if transport == "tcp":
            argv += ["--mca", "btl_tcp_if_include", "lo"]
        if transport == "shm-copy":
            argv += ["--mca", "btl_shm_single_copy", "none"]
        return argv + (["--bind-to", "core"] if ranks <= cores() else []), {}

    return Peer("hawser", f"{build}/bin/mpicc", command)


def open_mpi(pml):
    def command(ranks, transport):
        argv = ["mpirun.openmpi", "--allow-run-as-root", "-np", str(ranks), "--mca", "pml", pml]
        argv += ["--bind-to", "core"] if ranks <= cores() else ["--oversubscribe", "--bind-to", "none"]
        extra = {}
        if pml == "ucx":
            extra = {"UCX_TLS": "tcp,self" if transport == "tcp" else "posix,sysv,cma,self"}
            # Without these two it looks for InfiniBand alone.
            argv += ["--mca", "opal_common_ucx_tls", "any", "--mca", "opal_common_ucx_devices", "any"]
            argv += ["--mca", "btl", "self", "-x", "UCX_TLS"]
            if transport == "tcp":
                extra["UCX_NET_DEVICES"] = "lo"
                argv += ["-x", "UCX_NET_DEVICES"]
        else:
            argv += ["--mca", "btl", "self,tcp" if transport == "tcp" else "self,vader"]
            if transport == "tcp":
                argv += ["--mca", "btl_tcp_if_include", "lo"]
            if transport == "shm-copy":
                argv += ["--mca", "btl_vader_single_copy_mechanism", "none"]
        return argv, extra

    return Peer("ob1" if pml == "ob1" else "ompi-ucx", "mpicc.openmpi", command,
                skips=() if pml == "ob1" else ("shm-copy",))


def mpich():
    def command(ranks, transport):
        argv = ["mpiexec.mpich", "-n", str(ranks)] + (["-bind-to", "core"] if ranks <= cores() else [])
        extra = {"UCX_TLS": "posix,sysv,cma,self"}
        if transport == "tcp":
            extra = {"UCX_TLS": "tcp,self", "UCX_NET_DEVICES": "lo", "MPIR_CVAR_NOLOCAL": "1"}
        return argv, extra

    return Peer("mpich", "mpicc.mpich", command, skips=("shm-copy",))


def cores():
    return len(os.sched_getaffinity(0))


def present(build, wanted):
    """All implementations that are installed, Hawser first; `wanted` names a part of them."""
    all_peers = [hawser(build), open_mpi("ob1"), open_mpi("ucx"), mpich()]
    return [p for p in all_peers if shutil.which(p.compiler) and (not wanted or p.name in wanted or p.name == "hawser")]
