# SPDX-FileCopyrightText: 2026 The Hawser authors
# SPDX-License-Identifier: Apache-2.0
"""The launcher from outside: exit status, clean-up, output, input, signals. Usage: run_test.py HAWSER RANK [test]"""
import os
import pty
import re
import select
import signal
import subprocess
import sys
import time
import unittest

HAWSER, RANK = sys.argv[1], sys.argv[2]
MARK = "HAWSER_RUN_TEST_MARK"


def run(*words, n=4, options=(), timeout=60, env=None, **more):
    command = [HAWSER, "run", "-n", str(n), *options, *(words if words[0].startswith("/") else (RANK, *words))]
    more.setdefault("stdin", subprocess.DEVNULL)
    return subprocess.run(command, capture_output=True, text=True, timeout=timeout,
                          env={**os.environ, **(env or {})}, **more)


def marked(value):
    """Ids of all live processes whose environment carries the mark of a test."""
    needle, found = f"{MARK}={value}".encode(), []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/environ", "rb") as file:
                mine = needle in file.read().split(b"\0")
            with open(f"/proc/{name}/stat") as file:
                dead = file.read().rsplit(")", 1)[1].split()[0] in "ZX"
        except OSError:
            continue
        if mine and not dead:
            found.append(int(name))
    return found


def wait_until(condition, seconds=20):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


class Case(unittest.TestCase):
    def check(self, done, status, line=None):
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        own = [text for text in done.stderr.splitlines() if text.startswith("hawser run:")]
        if line is None:
            self.assertEqual(own, [], done.stderr)
        else:
            self.assertEqual(len(own), 1, done.stderr)
            self.assertRegex(own[0], line)

    def started(self, *words, n=4, options=(), **more):
        mark = f"{os.getpid()}-{self.id()}"
        process = subprocess.Popen([HAWSER, "run", "-n", str(n), *options, *words], stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                   env={**os.environ, MARK: mark}, **more)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.stderr.close)
        return process, mark


class Status(Case):
    ENDS = {"exit=0": (0, None), "exit=3": (3, "status 3"), "_exit=3": (3, "status 3"),
            "abort": (134, "signal 6"), "kill": (137, "signal 9"), "throw": (134, "signal 6")}

    def matrix(self, before, unfinished):
        for end, (status, line) in self.ENDS.items():
            for who in ("", "1:"):
                for wrapper in (False, True):
                    with self.subTest(end=end, who=who, wrapper=wrapper):
                        rest = ["join", "leave"] if not before and who else []
                        if rest and end != "exit=0":
                            rest.insert(1, "fence")  # which fails: the first failure must still be the one told
                        others = [f"{rank}:{word}" for rank in (0, 2) for word in rest]
                        words = [*before, *others, who + end] if who else [*before, end]
                        if unfinished and who:
                            words += ["stay"]  # ended by the launcher, unless they are done
                        command = [RANK, *words]
                        if wrapper:
                            command = ["/bin/sh", "-c", " ".join(command) + "; exit $?"]
                        done = run(*command, n=3, timeout=30)
                        want = (status, line)
                        if unfinished and end == "exit=0":
                            want = (1, "without MPI_Finalize")
                        self.check(done, want[0], want[1] if not wrapper or end == "exit=0" else want[1] and "status|signal")

    def test_before_init(self):
        self.matrix([], False)

    def test_between(self):
        self.matrix(["join", "fence"], True)

    def test_after_finalize(self):
        self.matrix(["join", "fence", "leave"], False)

    def test_mpi_abort_passes_its_code_on(self):
        for code, status in ((7, 7), (0, 1), (256, 1)):
            self.check(run("join", "fence", f"1:mpi-abort={code}", "stay"), status, r"rank 1 \(pid .*code .*because of the test")

    def test_deaf_ranks_are_killed(self):
        done = run("join", "deaf", "fence", "1:exit=5", "stay", timeout=20)
        self.check(done, 5, "rank 1 .*status 5")

    def test_programs_without_mpi(self):
        done = run("/bin/echo", "hello", n=3)
        self.check(done, 0)
        self.assertEqual(done.stdout, "hello\n" * 3)
        self.assertEqual(done.stderr, "")

    def test_timeout(self):
        self.check(run("join", "stay", options=("--timeout", "0.5")), 124, "--timeout")

    def test_quiet(self):
        self.check(run("exit=3", options=("-q",)), 3)

    def test_many_runs_of_hello(self):
        for _ in range(int(os.environ.get("HAWSER_TEST_RUNS", "300"))):
            done = run("join", "publish", "fence", "leave", n=2)
            self.check(done, 0)
            self.assertEqual(done.stdout + done.stderr, "")


class CleanUp(Case):
    def test_launcher_killed(self):
        for command in ([RANK, "join", "fence", "deaf", "pid", "stay"], [RANK, "deaf", "pid", "stay"],
                        ["/bin/sh", "-c", f"{RANK} deaf pid stay; true"], ["/bin/sh", "-c", "sleep 61 & echo pid; wait"]):
            with self.subTest(command=command):
                memory = set(os.listdir("/dev/shm"))
                process, mark = self.started(*command)
                for _ in range(4):
                    self.assertTrue(process.stdout.readline().startswith("pid"))
                process.kill()
                process.wait()
                self.assertTrue(wait_until(lambda: not marked(mark)), marked(mark))
                self.assertFalse([name for name in set(os.listdir("/dev/shm")) - memory if name.startswith("hawser")])

    def test_interrupt(self):
        process, mark = self.started(RANK, "join", "fence", "pid", "stay")
        for _ in range(4):
            process.stdout.readline()
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(10), 130)
        self.assertFalse(marked(mark))

    def test_interrupt_twice_kills_at_once(self):
        process, mark = self.started(RANK, "join", "deaf", "fence", "pid", "stay")
        for _ in range(4):
            process.stdout.readline()
        process.send_signal(signal.SIGINT)
        self.assertFalse(process.poll())
        time.sleep(0.1)  # two signals at once would be one
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(10), 130)
        self.assertFalse(marked(mark))

    def test_terminate(self):
        process, mark = self.started("/bin/sh", "-c", "echo pid; sleep 61; true")
        for _ in range(4):
            process.stdout.readline()
        process.terminate()
        self.assertEqual(process.wait(10), 143)
        self.assertFalse(marked(mark))

    def test_nothing_is_left_behind_a_failed_wrapper(self):
        process, mark = self.started("/bin/sh", "-c", f"sleep 61 & {RANK} join fence 1:exit=3 stay")
        self.assertEqual(process.wait(20), 3)
        self.assertFalse(marked(mark))


class Output(Case):
    def test_complete_and_whole_lines(self):
        done = run("write=2500000", "_exit=0", n=4, timeout=100)
        self.check(done, 0)
        lines = done.stdout.splitlines()
        self.assertEqual({len(line) for line in lines}, {98})
        self.assertEqual({line.strip("=") for line in lines}, {"0", "1", "2", "3"})
        for rank in "0123":
            self.assertEqual(sum(line.endswith("=" + rank) for line in lines), -(-2500000 // 99))

    def test_ten_megabytes_and_a_slow_reader(self):
        process, _ = self.started(RANK, "write=10000000", "_exit=0", n=1)
        time.sleep(0.3)  # the pipe fills up
        self.assertEqual(len(process.stdout.read()), -(-10000000 // 99) * 99)
        self.assertEqual(process.wait(20), 0)

    def test_tags(self):
        done = run("/bin/sh", "-c", "echo a; echo b >&2", n=2, options=("--tag-output",))
        self.assertEqual(sorted(done.stdout.splitlines()), ["[1,0]<stdout>:a", "[1,1]<stdout>:a"])
        self.assertEqual(sorted(done.stderr.splitlines()), ["[1,0]<stderr>:b", "[1,1]<stderr>:b"])

    def test_last_line_without_end(self):
        self.assertEqual(run("/usr/bin/printf", "abc", n=1).stdout, "abc")
        self.assertEqual(run("/usr/bin/printf", "abc", n=2).stdout, "abc\nabc")

    def test_reader_goes_away(self):
        process, mark = self.started("/usr/bin/yes", n=2)
        process.stdout.readline()
        process.stdout.close()
        self.assertEqual(process.wait(20), 141)
        self.assertEqual(process.stderr.read(), "")
        self.assertFalse(marked(mark))

    def test_grandchild_keeps_the_pipe(self):
        done = run("/bin/sh", "-c", "echo a; sleep 61 &", n=2, timeout=20)
        self.check(done, 0)
        self.assertEqual(done.stdout, "a\na\n")


class Input(Case):
    def test_goes_to_rank_0_alone(self):
        done = run("/bin/cat", n=3, stdin=None, input="one\ntwo\n")
        self.check(done, 0)
        self.assertEqual(done.stdout, "one\ntwo\n")

    def test_goes_to_the_rank_asked_for(self):
        done = run("/bin/sh", "-c", 'read x && echo "$HAWSER_RANK $x"; true', n=3, options=("--stdin", "2"), stdin=None, input="one\n")
        self.assertEqual(done.stdout, "2 one\n")
        done = run("/bin/cat", n=2, options=("--stdin", "none"), stdin=None, input="one\n")
        self.assertEqual(done.stdout, "")

    def test_loop_loses_no_lines(self):
        loop = f"while read x; do {HAWSER} run -n 2 {RANK} join fence leave; echo $x; done"
        done = subprocess.run(["/bin/sh", "-c", loop], input="a\nb\nc\n", capture_output=True, text=True, timeout=60)
        self.assertEqual(done.stdout, "a\nb\nc\n")

    def test_large_input_that_nobody_reads(self):
        self.check(run("join", "leave", stdin=None, input="x" * 3000000), 0)

    def test_large_input(self):
        self.assertEqual(run("/usr/bin/wc", "-c", n=1, stdin=None, input="x" * 3000000).stdout.strip(), "3000000")

    def terminal(self, command):
        pid, fd = pty.fork()
        if pid == 0:
            os.execv(command[0], command)
        self.addCleanup(os.close, fd)
        return pid, fd

    def read_until(self, fd, text, seconds=20):
        seen, end = "", time.monotonic() + seconds
        while text not in seen and time.monotonic() < end:
            if select.select([fd], [], [], 0.1)[0]:
                try:
                    seen += os.read(fd, 4096).decode()
                except OSError:
                    break
        return seen

    def test_terminal(self):
        pid, fd = self.terminal([HAWSER, "run", "-n", "2", "/bin/sh", "-c", 'read x && echo "got $x"; true'])
        os.write(fd, b"word\n")
        self.assertIn("got word", self.read_until(fd, "got word"))
        self.assertEqual(os.waitpid(pid, 0)[1], 0)

    def test_background_job_of_a_terminal_is_not_stopped(self):
        script = f"set -m; {HAWSER} run -n 2 {RANK} join fence leave & wait $!; echo status $?"
        pid, fd = self.terminal(["/bin/bash", "-c", script])
        self.assertIn("status 0", self.read_until(fd, "status "))
        os.waitpid(pid, 0)


class Modex(Case):
    def test_sizes(self):
        done = run("join", "size", "leave", n=3)
        self.assertEqual(sorted(done.stdout.splitlines()), [f"{r} of 3, embedded" for r in range(3)])

    def test_fences_of_16_ranks(self):
        self.check(run("join", "publish", "fence=200", "get=15", "leave", n=16, timeout=100), 0)

    def test_128_ranks(self):
        self.check(run("join", "publish", "fence", "get=127", "leave", n=128, timeout=100), 0)

    def test_fence_names_who_died_or_left(self):
        for end, text in (("exit=0", "rank 1 exited with status 0 before it joined"), ("leave", "rank 1 left the job")):
            words = ["1:exit=0"] if end == "exit=0" else ["1:join", "1:leave", "1:exit=0"]
            done = run(*words, "join", "failing-fence", "leave", n=3)
            self.check(done, 0)
            self.assertEqual(done.stdout.count("peer gone"), 2, done.stdout)
            self.assertIn(text, done.stdout)

    def test_fence_after_a_fence_failed_for_some(self):
        done = run("2:exit=0", "join", "1:timeout=30000", "failing-fence", "failing-fence", "leave", n=3)
        self.check(done, 0)
        self.assertEqual(done.stdout.count("rank 2 exited"), 4)

    def test_fence_timeout_names_the_missing(self):
        done = run("join", "timeout=400", "1:get-late=0", "1:get-late=0", "1:get-late=0", "failing-fence",
                   "timeout=30000", "fence", "leave", n=3)
        self.check(done, 0)
        self.assertIn("not there: rank 1", done.stdout)
        self.assertEqual(done.stdout.count("timed out:"), 3, "one fence, one outcome: " + done.stdout)

    def test_members_killed(self):
        for victims in (["1"], ["1", "2"]):
            done = run("join", "fence", *[v + ":kill" for v in victims], "fence", "leave", n=6)
            self.check(done, 137, "killed by signal 9")

    def test_get_has_three_outcomes(self):
        done = run("join", "0:publish", "get=0", "get-absent=0", "timeout=300", "get-late=1", "fence", "leave", n=3)
        self.check(done, 0)

    def test_get_of_one_who_left(self):
        done = run("join", "publish", "fence", "1:leave", "1:exit=0", "get=1", "get-absent=1", "leave", n=3)
        self.check(done, 0)
        self.check(run("1:exit=0", "join", "get-absent=1", "leave", n=3), 0)

    def test_many_threads_and_gets(self):
        self.check(run("join", "many-gets=1000", "fence", "leave", n=16, timeout=110), 0)

    def test_one_reporter(self):
        self.assertEqual(run("join", "report", "report", "leave", n=16).stdout, "first\n")

    def test_joined_again_over_the_same_socket(self):
        words = "join publish fence get=0 leave"
        self.check(run("/bin/sh", "-c", f"{RANK} {words} && {RANK} {words} {words}", n=4), 0)

    def test_second_process_without_finalize_of_the_first(self):
        done = run("/bin/sh", "-c", f"{RANK} join fence; {RANK} join leave", n=2)
        self.assertEqual(done.returncode, 1)
        self.assertIn("did not finalize", done.stderr)

    def test_children_of_a_rank_are_alone(self):
        done = run("join", f"child={RANK} join size leave", "fds", "leave", n=2)
        self.check(done, 0)
        self.assertEqual(done.stdout.count("0 of 1, singleton"), 2)

    def test_only_the_own_socket_is_inherited(self):
        done = run("fds", n=4)
        self.assertEqual(done.stdout, "1\n" * 4)

    def test_without_launcher(self):
        def alone(**env):
            return subprocess.run([RANK, "join", "size", "leave"], capture_output=True, text=True, env={**os.environ, **env})
        self.assertEqual(alone().stdout, "0 of 1, singleton\n")
        self.assertEqual(alone(PMI_SIZE="1").stdout, "0 of 1, singleton\n")
        for env in ({"PMI_SIZE": "2"}, {"PMIX_NAMESPACE": "x"}, {"SLURM_NTASKS": "2", "SLURM_PROCID": "0"},
                    {"OMPI_COMM_WORLD_SIZE": "4"}, {"PMI_FD": "5"}):
            self.assertIn("another launcher", alone(**env).stderr)
        self.assertIn("HAWSER_CONTROL_FD=77", alone(HAWSER_CONTROL_FD="77").stderr)


class CommandLine(Case):
    def refused(self, *words, status=2, text=""):
        done = subprocess.run([HAWSER, "run", *words], capture_output=True, text=True, timeout=20)
        self.assertEqual(done.returncode, status, done.stderr)
        self.assertEqual(len(done.stderr.strip().splitlines()), 1, done.stderr)
        self.assertRegex(done.stderr, text)

    def test_refusals(self):
        self.refused("--tag-outptu", "true", text="did you mean --tag-output")
        self.refused("-n", "0", "true", text="0")
        self.refused("-n", "129", "true", text="129|128")
        self.refused("-n", text="needs a value")
        self.refused("-n", "2", text="which program")
        self.refused("--mca", "btl", text="NAME and a VALUE")
        self.refused("--tune", "no-such.conf", "true", text="no such file")
        self.refused("--wdir", "/no/such", "true", text="/no/such")
        self.refused("--stdin", "5", "-n", "2", "true", text="rank")
        self.refused("--hostfile", "x", "true", text="this machine only")
        self.refused("-n", "1", "true", ":", "-n", "1", "true", text="not supported")
        self.refused("-x", "NO_SUCH_VARIABLE_HERE", "true", text="not set")

    def test_programs(self):
        self.refused("no-such-program", status=127, text="no program")
        self.refused("./no-such-program", status=127, text="No such file")
        self.refused("/etc/passwd", status=126, text="Permission denied")
        self.refused("/etc", status=126, text="folder")
        self.refused("--wrap", "no-such-wrapper", "true", status=127, text="no-such-wrapper")

    def test_environment(self):
        env = '/usr/bin/env'
        done = run(env, n=1, options=("-mca", "btl", "self,tcp", "--gmca", "x", "-1", "-x", "A=b=c", "-x", "HOME"))
        self.assertIn("HAWSER_LAUNCH_MCA=btl=self,tcp\x1fx=-1\n", done.stdout)
        for line in ("A=b=c", "HAWSER_RANK=0", "HAWSER_SIZE=1", "HAWSER_LOCAL_RANK=0", "OMPI_COMM_WORLD_SIZE=1"):
            self.assertIn("\n" + line + "\n", "\n" + done.stdout)

    def test_wrap_and_folder(self):
        done = run("/bin/pwd", n=2, options=("--wrap", "env 'W=a {rank}' sh -c 'echo $W; exec \"$0\"'", "--wdir", "/"))
        self.assertEqual(sorted(done.stdout.splitlines()), ["/", "/", "a 0", "a 1"])

    def test_called_as_mpirun(self):
        done = subprocess.run([os.path.join(os.path.dirname(HAWSER), "mpirun"), "-np", "2", "echo", "x"], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "x\nx\n", ""))

    def test_help_and_version(self):
        for word in ("--help", "--version"):
            done = subprocess.run([HAWSER, "run", word], capture_output=True, text=True)
            self.assertEqual(done.returncode, 0)
            self.assertIn("hawser run", done.stdout)

    def test_binding(self):
        done = run("/usr/bin/grep", "Cpus_allowed_list", "/proc/self/status", n=2, options=("--bind-to", "core"))
        if len(os.sched_getaffinity(0)) >= 2:
            lists = [line.split()[1] for line in done.stdout.splitlines()]
            self.assertEqual(len(set(lists)), 2)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:], verbosity=2)
