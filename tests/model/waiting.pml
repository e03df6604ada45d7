/* SPDX-FileCopyrightText: 2026 The Hawser authors
   SPDX-License-Identifier: Apache-2.0 */
/* framework/progress/engine.cpp and attendant.cpp: waiting. Threads wait each for its own flag; one holds the role and
   blocks in epoll, the others sleep on the futex. A flag is set by another thread (which calls completed) or by what
   the holder polls (the last thread's). The attendant polls while no thread of the program does, watches without the
   role, and stands by while another holds it. What arrives rings only if somebody armed. No time-outs here, but for
   the attendant's pause: a lost wake-up is a state without an end.
   Given in the environment: ATTENDANT, 1: there is one, in place of the last waiter; and FAULT, a number. */
#define FAULT_CHECK_FIRST 1  /* the holder looks for the last time before it says that it blocks */
#define FAULT_NO_HAND_OVER 2 /* a thread that leaves satisfied wakes nobody */
#define FAULT_NO_NUDGE 3     /* who takes the role from a watching attendant does not tell it */
#define FAULT_STANDS_BY 4    /* the attendant does not look at the role again after it said that it stands by */
#define FAULT_ARM_FIRST 5    /* the attendant arms, and then says that it watches */
byte fault;

#ifndef WAITERS
#define WAITERS 2
#endif
#define POLLED (WAITERS - 1)

#include "environment.pml"

bool done[WAITERS] = false;
bool role = false;
bool blocked = false;
bool event = false;  /* the eventfd, or any watched descriptor */
bool armed = false;
bool data = false;   /* what polling finds */
bool arrived = false;
byte sleepers = 0;
bool changed[WAITERS] = false; /* the generation is no longer what that thread loaded */
bool asleep[WAITERS] = false;

mtype = { awake, stands_by, watches, dismissed };
mtype attendant = dismissed;
bool has_attendant;
bool left_armed = false; /* the role's own */
bool nudged = false;     /* the role's own */
bool nudge = false;      /* an eventfd */
bool turned = false;     /* another thread took the role since the attendant last looked */

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
inline poll(k, moved) {
  atomic { moved = data; event = false }
  if
  :: atomic { data -> data = false; done[POLLED] = true }
     if
     :: sleepers > 0 -> wake_all(k)
     :: else -> skip
     fi
  :: !data -> skip
  fi
}
inline taken_over() {
  turned = true;
  if
  :: left_armed ->
     armed = false;
     left_armed = false;
     if
     :: attendant == watches && fault != FAULT_NO_NUDGE -> nudged = true; nudge = true
     :: else -> skip
     fi
  :: else -> skip
  fi
}
inline hand_over(k) {
  if
  :: role || fault == FAULT_NO_HAND_OVER -> skip
  :: else ->
     if
     :: sleepers > 0 -> wake_one(k)
     :: else ->
        if
        :: atomic { attendant == stands_by -> attendant = awake }
        :: attendant != stands_by -> skip
        fi
     fi
  fi
}
inline wake_poller() {
  if
  :: blocked || attendant == watches -> event = true
  :: else -> skip
  fi
}

proctype waiter(byte me) {
  byte k;
  bool moved;
  do
  :: done[me] -> break
  :: atomic { !done[me] && !role -> role = true }
     taken_over();
     do
     :: done[me] -> break
     :: else ->
        poll(k, moved);
        moved = false;
        if
        :: done[me] && fault == FAULT_CHECK_FIRST -> break
        :: else -> blocked = true
        fi;
        armed = true;
        if /* arm: look once more */
        :: data -> skip
        :: !data && done[me] && fault != FAULT_CHECK_FIRST -> skip
        :: !data && (!done[me] || fault == FAULT_CHECK_FIRST) ->
           atomic { event -> event = false }
        fi;
        armed = false;
        blocked = false
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
  hand_over(k)
}

proctype attend() {
  byte k;
  bool called = true;
  bool moved;
  do
  :: attendant == dismissed -> break
  :: attendant != dismissed && role -> /* stand_by */
     atomic { attendant = (attendant == awake -> stands_by : attendant) }
     if
     :: role || fault == FAULT_STANDS_BY -> attendant != stands_by
     :: else -> skip
     fi;
     atomic { attendant = (attendant == stands_by -> awake : attendant) }
     called = false
  :: attendant != dismissed && !role && !called && turned -> turned = false /* the pause */
  :: atomic { attendant != dismissed && !role && (called || !turned) -> role = true; called = false }
     if /* what it took over is its own */
     :: left_armed -> armed = false; left_armed = false
     :: else -> skip
     fi;
     do /* serve */
     :: poll(k, moved);
        if
        :: sleepers > 0 || attendant == dismissed -> moved = false; break
        :: sleepers == 0 && attendant != dismissed && moved -> skip
        :: sleepers == 0 && attendant != dismissed && !moved -> /* arm_for_watch */
           atomic { nudge = (nudged -> false : nudge); nudged = false }
           if
           :: fault == FAULT_ARM_FIRST ->
              armed = true;
              left_armed = !data;
              atomic { attendant == awake -> attendant = watches }
           :: else ->
              if
              :: atomic { attendant == awake -> attendant = watches }
              :: attendant != awake -> break
              fi;
              armed = true;
              left_armed = !data
           fi;
           if
           :: left_armed -> break
           :: else ->
              armed = false;
              atomic { attendant = (attendant == watches -> awake : attendant) }
           fi
        fi
     od;
     moved = left_armed;
     role = false;
     hand_over(k);
     if
     :: moved -> /* watch */
        (event || nudge || attendant == dismissed);
        called = !nudge;
        moved = false;
        atomic { attendant = (attendant == watches -> awake : attendant) }
     :: else -> skip
     fi
  od
}

proctype completer() {
  byte k;
  byte whom;
  do
  :: whom < POLLED ->
     done[whom] = true;
     if
     :: sleepers > 0 -> wake_all(k)
     :: else -> skip
     fi;
     wake_poller();
     whom++
  :: else -> break
  od
}

proctype arrival() {
  data = true;
  if
  :: armed -> event = true
  :: else -> skip
  fi;
  arrived = true
}

init {
  byte i;
  atomic {
    c_code { now.fault = given("FAULT"); now.has_attendant = given("ATTENDANT"); };
    if
    :: has_attendant -> attendant = awake; run attend()
    :: else -> run waiter(POLLED)
    fi;
    for (i : 0 .. POLLED - 1) { run waiter(i) }
    run completer();
    run arrival()
  }
  for (i : 0 .. WAITERS - 1) { done[i] }
  attendant = dismissed;
  _nr_pr == 1;
  assert(!role && !blocked && sleepers == 0)
}
