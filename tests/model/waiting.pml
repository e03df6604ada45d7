/* SPDX-FileCopyrightText: 2026 The Hawser authors
   SPDX-License-Identifier: Apache-2.0 */
/* framework/progress/engine.cpp, sleepers.cpp and attendant.cpp: waiting. Threads wait each for its own flag; one holds the role and blocks in epoll, the others sleep, each on a word of its own, and
   a completion wakes only who waits for it. A flag is set by another
   thread (which calls completed) or by what the holder polls (the last thread's). The attendant polls while no thread of
   the program does, watches without the role, and stands by while another holds it. What arrives rings only if somebody
   armed. No time-outs here, but for the attendant's pause: a lost wake-up is a state without an end.
   Given in the environment: ATTENDANT, 1: there is one, in place of the last waiter; TWO, 1: the first thread waits for
   two flags, one after the other; YIELDS, 1: a holder yields once, and gives the role away meanwhile; and FAULT, a
   number. */
#define FAULT_CHECK_FIRST 1  /* the holder looks for the last time before it says that it blocks */
#define FAULT_NO_HAND_OVER 2 /* a thread that leaves satisfied wakes nobody */
#define FAULT_NO_NUDGE 3     /* who takes the role from a watching attendant does not tell it */
#define FAULT_STANDS_BY 4    /* the attendant does not look at the role again after it said that it stands by */
#define FAULT_ARM_FIRST 5    /* the attendant arms, and then says that it watches */
#define FAULT_SLEEP_FIRST 6  /* a thread without the role looks for the last time, and then says that it sleeps */
#define FAULT_OLD_KEY 7      /* a thread whose first flag came as it was about to sleep waits on for that one */
byte fault;

#ifndef WAITERS
#define WAITERS 2
#endif
#define POLLED (WAITERS - 1)
#define SECOND WAITERS /* the first thread's other flag */

#include "environment.pml"

bool done[WAITERS + 1] = false;
bool role = false;
bool blocked = false;
bool event = false;  /* the eventfd, or any watched descriptor */
bool armed = false;
bool data = false;   /* what polling finds */
bool arrived = false;
byte waiters = 0;          /* without the role */
byte sleepers = 0;         /* on the list */
byte next_flag[WAITERS];   /* that the thread waits for */
bool has_all[WAITERS] = false;
byte awaited[WAITERS];     /* by the thread, as the list has it */
bool listed[WAITERS] = false;
bool woken[WAITERS] = false;

mtype = { awake, stands_by, watches, dismissed };
mtype attendant = dismissed;
bool has_attendant;
bool wants_two;
bool may_yield;
bool left_armed = false; /* the role's own */
bool nudged = false;     /* the role's own */
bool nudge = false;      /* an eventfd */
bool turned = false;     /* another thread took the role since the attendant last looked */

inline ask(me) { /* is_done */
  d_step {
    if
    :: !has_all[me] && done[next_flag[me]] && me == 0 && wants_two && next_flag[me] != SECOND -> next_flag[me] = SECOND
    :: else -> skip
    fi;
    has_all[me] = done[next_flag[me]] && (me != 0 || !wants_two || next_flag[me] == SECOND)
  }
}
inline wake_thread(k) {
  woken[k] = true;
  listed[k] = false;
  sleepers--
}
inline wake_for(flag, k) {
  if
  :: sleepers > 0 ->
     d_step {
       for (k : 0 .. WAITERS - 1) {
         if
         :: listed[k] && awaited[k] == flag -> wake_thread(k)
         :: else -> skip
         fi
       }
       k = 0
     }
  :: else -> skip
  fi
}
inline wake_one(k) {
  d_step {
    for (k : 0 .. WAITERS - 1) {
      if
      :: listed[k] -> wake_thread(k); break
      :: else -> skip
      fi
    }
    k = 0
  }
}
inline list(me) {
  d_step {
    awaited[me] = next_flag[me];
    if
    :: !listed[me] -> listed[me] = true; sleepers++
    :: else -> skip
    fi
  }
}
inline unlist(me) {
  d_step {
    if
    :: listed[me] -> listed[me] = false; sleepers--
    :: else -> skip
    fi;
    woken[me] = false
  }
}
inline poll(k, moved) {
  atomic { moved = data; event = false }
  if
  :: atomic { data -> data = false; done[POLLED] = true }
     wake_for(POLLED, k)
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

inline wait_with_role(me, k, moved) {
  do
  :: has_all[me] -> break
  :: !has_all[me] && yields -> yields = false; break
  :: !has_all[me] ->
     poll(k, moved);
     moved = false;
     ask(me);
     if
     :: has_all[me] && fault == FAULT_CHECK_FIRST -> break
     :: else -> blocked = true
     fi;
     armed = true;
     if /* arm: look once more */
     :: data -> skip
     :: else ->
        if
        :: fault != FAULT_CHECK_FIRST -> ask(me)
        :: else -> skip
        fi;
        if
        :: has_all[me] -> skip
        :: else -> atomic { event -> event = false }
        fi
     fi;
     armed = false;
     blocked = false;
     ask(me)
  od
}

inline sleep(me) {
  if
  :: fault == FAULT_SLEEP_FIRST ->
     ask(me);
     if
     :: !has_all[me] && role -> list(me); woken[me]
     :: else -> skip
     fi
  :: else ->
     do
     :: list(me);
        ask(me);
        if
        :: has_all[me] || awaited[me] == next_flag[me] || fault == FAULT_OLD_KEY -> break
        :: else -> skip
        fi
     od;
     if
     :: has_all[me] || !role -> skip
     :: else -> woken[me]
     fi
  fi;
  ask(me);
  unlist(me)
}

proctype waiter(byte me) {
  byte k;
  bool moved;
  bool yields = may_yield;
  ask(me);
  do
  :: has_all[me] -> break
  :: atomic { !has_all[me] && !role -> role = true }
     taken_over();
     wait_with_role(me, k, moved);
     role = false
  :: !has_all[me] && role ->
     waiters++;
     sleep(me);
     waiters--
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
        :: waiters > 0 || attendant == dismissed -> moved = false; break
        :: waiters == 0 && attendant != dismissed && moved -> skip
        :: waiters == 0 && attendant != dismissed && !moved -> /* arm_for_watch */
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
  :: whom < WAITERS + 1 ->
     if
     :: whom != POLLED && (whom != SECOND || wants_two) ->
        done[whom] = true;
        wake_for(whom, k);
        wake_poller()
     :: else -> skip
     fi;
     whom++
  :: else -> break
  od
}

proctype arrival() {
  !wants_two || has_all[0]; /* the last thread's partner may need the first one */
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
    c_code { now.wants_two = given("TWO"); now.may_yield = given("YIELDS"); };
    if
    :: has_attendant -> attendant = awake; run attend()
    :: else -> run waiter(POLLED)
    fi;
    for (i : 0 .. WAITERS - 1) { next_flag[i] = i }
    for (i : 0 .. POLLED - 1) { run waiter(i) }
    run completer();
    run arrival()
  }
  for (i : 0 .. WAITERS) { done[i] || (i == SECOND && !wants_two) }
  attendant = dismissed;
  _nr_pr == 1;
  assert(!role && !blocked && sleepers == 0 && waiters == 0)
}
