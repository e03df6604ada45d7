/* SPDX-FileCopyrightText: 2026 The Hawser authors
   SPDX-License-Identifier: Apache-2.0 */
/* framework/progress/engine.cpp: waiting. Threads wait each for its own flag; one holds the role and blocks in epoll,
   the others sleep on the futex. A flag is set by another thread (which calls completed) or by what the holder polls
   (the last thread's). No time-outs here: a lost wake-up is a state without an end.
   Given in the environment: FAULT, a number. */
#define FAULT_CHECK_FIRST 1  /* the holder looks for the last time before it says that it blocks */
#define FAULT_NO_HAND_OVER 2 /* a thread that leaves satisfied wakes nobody */
byte fault;

#include "environment.pml"

#define WAITERS 3
#define POLLED (WAITERS - 1)

bool done[WAITERS] = false;
bool role = false;
bool blocked = false;
bool event = false;  /* the eventfd, or any watched descriptor */
bool data = false;   /* what polling finds */
byte sleepers = 0;
bool changed[WAITERS] = false; /* the generation is no longer what that thread loaded */
bool asleep[WAITERS] = false;

inline wake_all(k) {
  d_step {
    for (k : 0 .. WAITERS - 1) { asleep[k] = false; changed[k] = true }
    k = 0
  }
}
inline wake_one(k) {
  d_step {
    for (k : 0 .. WAITERS - 1) { changed[k] = true }
    for (k : 0 .. WAITERS - 1) {
      if
      :: asleep[k] -> asleep[k] = false; break
      :: else -> skip
      fi
    }
    k = 0
  }
}
inline poll(k) {
  if
  :: atomic { data -> data = false; done[POLLED] = true }
     if
     :: sleepers > 0 -> wake_all(k)
     :: else -> skip
     fi
  :: !data -> skip
  fi
}

proctype waiter(byte me) {
  byte k;
  do
  :: done[me] -> break
  :: atomic { !done[me] && !role -> role = true }
     do
     :: done[me] -> break
     :: else ->
        poll(k);
        if
        :: done[me] && fault == FAULT_CHECK_FIRST -> break
        :: else -> blocked = true
        fi;
        if /* arm: look once more */
        :: data -> blocked = false
        :: !data && done[me] && fault != FAULT_CHECK_FIRST -> blocked = false
        :: !data && (!done[me] || fault == FAULT_CHECK_FIRST) ->
           atomic { event -> event = false }
           blocked = false
        fi
     od;
     role = false;
     break
  :: !done[me] && role ->
     sleepers++;
     changed[me] = false; /* loads the generation */
     if
     :: done[me] || !role -> skip
     :: else ->
        atomic { asleep[me] = !changed[me] }
        !asleep[me]
     fi;
     sleepers--
  od;
  if
  :: sleepers > 0 && !role && fault != FAULT_NO_HAND_OVER -> wake_one(k)
  :: else -> skip
  fi
}

proctype completer(byte whom) {
  byte k;
  done[whom] = true;
  if
  :: sleepers > 0 -> wake_all(k)
  :: else -> skip
  fi;
  if
  :: blocked -> event = true
  :: else -> skip
  fi
}

proctype arrival() {
  data = true;
  event = true /* an armed descriptor becomes ready whether somebody blocks or not */
}

init {
  byte i;
  atomic {
    c_code { now.fault = given("FAULT"); };
    for (i : 0 .. WAITERS - 1) { run waiter(i) }
    for (i : 0 .. POLLED - 1) { run completer(i) }
    run arrival()
  }
  _nr_pr == 1;
  for (i : 0 .. WAITERS - 1) { assert(done[i]) }
}
