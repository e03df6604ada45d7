# SPDX-FileCopyrightText: 2026 The Hawser authors
# SPDX-License-Identifier: Apache-2.0
"""How each MPI compiles and runs a program: one object per implementation.

Transports: shm; shm-copy (no single copy); tcp (over loopback); veth (tcp between two network namespaces); sdk-shm and
sdk-tcp (below MPI: Hawser's BTL level and UCX's transport level)."""

import os
import pathlib
import shutil
import subprocess
import sys

import veth as namespaces

TOP = pathlib.Path(__file__).resolve().parents[2]
HERE = pathlib.Path(__file__).resolve().parent
MPI_TRANSPORTS = ("shm", "shm-copy", "tcp", "veth")
SDK_TRANSPORTS = ("sdk-shm", "sdk-tcp")


def cores():
    return len(os.sched_getaffinity(0))


class Peer:
    """`launch(run, words, veth)` gives argv and extra environment; `words` is the program with its arguments."""

    def __init__(self, name, compiler, transports, launch):
        self.name, self.compiler, self.transports, self.launch = name, compiler, transports, launch
        self.programs = None

    def build(self, sources, headers, into):
        """Compiles what is older than its source."""
        self.programs = pathlib.Path(into) / self.name
        self.programs.mkdir(parents=True, exist_ok=True)
        if not self.compiler:
            return
        newest_header = max(h.stat().st_mtime for h in headers)
        for source in sources:
            out = self.programs / source.stem
            if out.exists() and out.stat().st_mtime > max(source.stat().st_mtime, newest_header):
                continue
            # -w: MPICH's mpi.h makes g++ complain of every MPI_STATUSES_IGNORE. The project's own build of these
            # programs has all warnings on.
            subprocess.run([self.compiler, "-w", "-O2", "-std=gnu11", "-pthread", "-I", TOP, "-o", out, source],
                           check=True)

    def command(self, run, arguments, veth):
        return self.launch(run, [str(self.programs / run.program), *map(str, arguments)], veth)


def contexts(count_option, words, veth):
    """Two ranks of one job, each in its namespace. The launcher is in the first one."""
    return [count_option, "1", *words, ":", count_option, "1", *veth.inside(1), *words]


def below_mpi(who, run, words):
    return [sys.executable, str(HERE / "sdk.py"), who, run.transport.removeprefix("sdk-"), *words[1:]]


def hawser(build):
    def launch(run, words, veth):
        if run.transport in SDK_TRANSPORTS:
            return below_mpi(f"hawser={build}/bin/hawser", run, words), {}
        argv = [f"{build}/bin/hawser", "run", "-n", str(run.ranks)]
        argv += ["--mca", "btl", "self,tcp" if run.transport in ("tcp", "veth") else "self,shm"]
        if run.transport in ("tcp", "veth"):
            argv += ["--mca", "btl_tcp_if_include", "lo" if run.transport == "tcp" else namespaces.INTERFACE]
        if run.transport == "veth":
            argv += ["--wrap", " ".join(veth.inside("{rank}"))]
        if run.transport == "shm-copy":
            argv += ["--mca", "btl_shm_single_copy", "none"]
        return argv + (["--bind-to", "core"] if run.ranks <= cores() else []) + words, {}

    return Peer("hawser", f"{build}/bin/mpicc", MPI_TRANSPORTS + SDK_TRANSPORTS, launch)


def ucx_environment(transport):
    if transport == "shm":
        return {"UCX_TLS": "posix,sysv,cma,self"}
    return {"UCX_TLS": "tcp,self", "UCX_NET_DEVICES": "lo" if transport == "tcp" else namespaces.INTERFACE}


def open_mpi(pml):
    def launch(run, words, veth):
        argv = ["mpirun.openmpi", "--allow-run-as-root", "--mca", "pml", pml]
        argv += ["--bind-to", "core"] if run.ranks <= cores() else ["--oversubscribe", "--bind-to", "none"]
        extra = {}
        if pml == "ucx":
            extra = ucx_environment(run.transport)
            # Without these two it looks for InfiniBand alone.
            argv += ["--mca", "opal_common_ucx_tls", "any", "--mca", "opal_common_ucx_devices", "any"]
            argv += ["--mca", "btl", "self"]
        else:
            argv += ["--mca", "btl", "self,tcp" if run.transport in ("tcp", "veth") else "self,vader"]
            if run.transport in ("tcp", "veth"):
                argv += ["--mca", "btl_tcp_if_include", "lo" if run.transport == "tcp" else namespaces.INTERFACE]
            if run.transport == "shm-copy":
                argv += ["--mca", "btl_vader_single_copy_mechanism", "none"]
        if run.transport != "veth":
            return argv + ["-np", str(run.ranks), *words], extra
        # A rank in the other namespace does not reach the launcher over loopback.
        extra |= {"PMIX_MCA_ptl_base_remote_connections": "1", "PMIX_MCA_ptl_base_if_include": namespaces.INTERFACE}
        return veth.inside(0) + argv + contexts("-np", words, veth), extra

    transports = MPI_TRANSPORTS if pml == "ob1" else ("shm", "tcp", "veth")
    return Peer("ob1" if pml == "ob1" else "ompi-ucx", "mpicc.openmpi", transports, launch)


def mpich():
    def launch(run, words, veth):
        argv = ["mpiexec.mpich"] + (["-bind-to", "core"] if run.ranks <= cores() else [])
        extra = ucx_environment(run.transport)
        if run.transport != "shm":
            extra["MPIR_CVAR_NOLOCAL"] = "1"
        if run.transport == "veth":
            return veth.inside(0) + argv + contexts("-n", words, veth), extra
        return argv + ["-n", str(run.ranks), *words], extra

    return Peer("mpich", "mpicc.mpich", ("shm", "tcp", "veth"), launch)


def uct():
    def launch(run, words, _):
        return below_mpi("uct", run, words), {}

    return Peer("uct", None, SDK_TRANSPORTS, launch)


def present(build, wanted):
    """All implementations that are installed, Hawser first; `wanted` names a part of them."""
    all_peers = [hawser(build), open_mpi("ob1"), open_mpi("ucx"), mpich(), uct()]
    installed = [p for p in all_peers if shutil.which(p.compiler or "ucx_perftest")]
    return [p for p in installed if not wanted or p.name in wanted or p.name == "hawser"]
