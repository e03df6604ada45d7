/* SPDX-FileCopyrightText: 2026 The Hawser authors
   SPDX-License-Identifier: Apache-2.0 */
/* framework/peers/peer_table.hpp, rule two: one creator per peer; all who waited get its outcome; after a failure the
   next caller may try. Every caller calls once; a creation fails or not, as the checker likes.
   FAULT_CHECK_THEN_ACT: the test and the claim are two holds of the lock. */
#define CALLERS 4

mtype = { none, got, failed }
bool ready = false;    /* the peer is published */
bool creating = false;
byte round = 0;
byte makers = 0;       /* inside make() now */
byte created = 0;
mtype outcome[CALLERS] = none;

proctype caller(byte me) {
  byte seen;
  bool good;
  bool mine = false;
  /* One atomic block is one hold of the lock. */
#ifdef FAULT_CHECK_THEN_ACT
  atomic {
    if
    :: ready -> outcome[me] = got; goto out
    :: else -> skip
    fi
  }
  creating = true;
#else
  atomic {
    if
    :: ready -> outcome[me] = got; goto out
    :: !ready && creating -> seen = round; goto parked
    :: else -> creating = true
    fi
  }
#endif
  makers++;
  assert(makers == 1);
  if
  :: good = true
  :: good = false
  fi;
  makers--;
  atomic {
    creating = false;
    round++;
    if
    :: good -> created++; ready = true; outcome[me] = got
    :: else -> outcome[me] = failed
    fi
  }
  goto out;
parked:
  atomic {
    round != seen -> /* the condition variable */
    if
    :: ready -> outcome[me] = got
    :: else -> outcome[me] = failed
    fi
  }
out:
  skip
}

init {
  byte i;
  atomic { for (i : 0 .. CALLERS - 1) { run caller(i) } }
  _nr_pr == 1;
  for (i : 0 .. CALLERS - 1) { assert(outcome[i] != none) }
  assert(created <= 1);
  assert(!creating)
}
