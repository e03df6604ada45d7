# SPDX-FileCopyrightText: 2026 The Hawser authors
# SPDX-License-Identifier: Apache-2.0
"""Whatever the timing of first contact, each pair of ranks has one connection on each rail, and nothing is lost."""
from case import Case

# In a build with hook points: each of them waits a random time up to so many microseconds.
DELAYS = {"HAWSER_HOOKS_DELAY_US": "3000"}


class Contact(Case):
    def connected_once(self, done, pairs, rails):
        """Of `pairs` of ranks, each has at most one connection on each rail, and one side made what the other took;
        nobody was turned away. Rails are connected when there is something for them."""
        self.good(done)
        made = {rail: done.sum("connections_made", f"tcp/e{rail}#") for rail in range(rails)}
        for rail, count in made.items():
            self.assertLessEqual(count, pairs, f"rail {rail}: {done}")
            self.assertEqual(count, done.sum("accepted", f"tcp/e{rail}#"), f"rail {rail}: {done}")
        self.assertGreaterEqual(sum(made.values()), pairs, done)
        self.assertEqual(done.sum("refused_strangers"), 0, done)


class B19_Half_Built_Peer(Contact):
    def test_rank_0_sleeps_while_all_call_it(self):
        a, b = self.two_hosts(rails=3)
        for i in self.runs(4, 200):
            done = self.run_job([a, b, b], "late", 200, env={**DELAYS, "HAWSER_HOOKS_SEED": str(i)},
                                mca={"btl": "self,tcp", "hawser_progress_thread": i % 2})
            self.connected_once(done, 2, 3)
            self.assertLessEqual(done.wireups, 9, done)


class B20_Both_Connect_At_Once(Contact):
    def test_all_to_all(self):
        for rails in (1, 3):
            self.lab = self.fresh_lab()
            a, b = self.two_hosts(rails)
            for ranks in range(2, 9) if self.long else (2, 5, 8):
                for i in self.runs(1, 36):
                    with self.subTest(rails=rails, ranks=ranks, run=i):
                        self.job(a, b, ranks, rails, i)

    def job(self, a, b, ranks, rails, i):
        # shm serves the ranks of one node: what tcp counts is between the two.
        done = self.run_job([(a, b)[rank % 2] for rank in range(ranks)], "all", 100000, 2,
                            env={**DELAYS, "HAWSER_HOOKS_SEED": str(i)} if i % 2 else {})
        pairs = (ranks // 2) * (ranks - ranks // 2)
        self.connected_once(done, pairs, rails)


class B21_Leftover_Duplicates(Contact):
    """Connections that lost the tie wait, or are closed, while those that won carry on: nobody takes a close for a
    death, however late it is looked at."""

    def test_losers_are_never_taken_for_a_death(self):
        a, b = self.two_hosts(rails=2)
        ties = 0
        for i in self.runs(3, 50):
            job = self.ready([a, b, a, b], 100000, mca={"btl": "self,tcp"},
                             env={**DELAYS, "HAWSER_HOOKS_SEED": str(i)})
            sockets = [line for line in a.sockets("-t") if "10.9." in line]
            self.assertEqual(len(sockets), 8, "four pairs, two rails, and no socket beside those:\n" +
                             "\n".join(sockets))
            done = self.finish(job)
            ties += done.sum("ties_lost")
        print(f"{ties} ties were lost on the way")

    def test_a_connection_that_is_cut(self):
        """By an operator, say. The other rail serves, and nobody is taken for dead."""
        for side in (0, 1):
            with self.subTest(side="ab"[side]):
                self.lab = self.fresh_lab()
                nodes = self.two_hosts(rails=2)
                job = self.ready(nodes, 4 << 20)
                nodes[side].cut(f"10.9.1.{2 - side}")
                job.go()
                done = job.end()
                self.assertEqual((done.status, done.out, done.err), (0, "ready\ngood\n", ""), done)
