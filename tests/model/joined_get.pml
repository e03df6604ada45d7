/* SPDX-FileCopyrightText: 2026 The Hawser authors
   SPDX-License-Identifier: Apache-2.0 */
/* framework/modex: a get joins the one that is under way for the same rank, under the lock that the reply takes; it
   is unlinked before it is told. Callers may give up at their deadline. Each has exactly one outcome, and one that
   waited learns what the reply brought.
   FAULT_BUSY: a get while another is under way is answered "not found".
   FAULT_LATE: the reply tells those it saw before it took the lock. */
#define CALLERS 3

bool cached = false;
bool in_flight = false;
bool asked = false;
bool waiting[CALLERS] = false;
byte outcomes[CALLERS] = 0;
byte not_found = 0;

proctype caller(byte me) {
  atomic {
    if
    :: cached -> outcomes[me]++; goto out
    :: !cached && in_flight ->
#ifdef FAULT_BUSY
       not_found++; outcomes[me]++; goto out
#else
       waiting[me] = true
#endif
    :: else -> in_flight = true; waiting[me] = true; asked = true
    fi
  }
  if
  :: !waiting[me] -> skip                    /* told */
  :: atomic {                                /* the deadline */
       if
       :: waiting[me] -> waiting[me] = false; outcomes[me]++
       :: else -> skip
       fi
     }
  fi;
out:
  skip
}

proctype reply() {
  byte i;
  bool seen[CALLERS];
  asked;
#ifdef FAULT_LATE
  for (i : 0 .. CALLERS - 1) { seen[i] = waiting[i] }
#endif
  atomic {
    cached = true;
    in_flight = false;
    for (i : 0 .. CALLERS - 1) {
#ifndef FAULT_LATE
      seen[i] = waiting[i];
#endif
      waiting[i] = (seen[i] -> false : waiting[i])
    }
  }
  for (i : 0 .. CALLERS - 1) {
    if
    :: seen[i] -> outcomes[i]++
    :: else -> skip
    fi
  }
}

init {
  byte i;
  atomic {
    run reply();
    for (i : 0 .. CALLERS - 1) { run caller(i) }
  }
  _nr_pr == 1;
  assert(not_found == 0);
  for (i : 0 .. CALLERS - 1) { assert(outcomes[i] == 1) }
}
