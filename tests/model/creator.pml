/* SPDX-FileCopyrightText: 2026 The Hawser authors
   SPDX-License-Identifier: Apache-2.0 */
/* framework/peers/peer_table.hpp, rule two: one creator per peer; all who waited get its outcome; after a failure the
   next caller may try; letting go of the peer, replacing it and closing the table while it is made are not overtaken
   by that creation. Every caller calls once; a creation fails or not, as the checker likes. One atomic block is one
   hold of the lock. Given in the environment: FAULT, a number. */
#define FAULT_CHECK_THEN_ACT 1 /* the test and the claim are two holds of the lock */
#define FAULT_UNTOLD 2         /* a failure is not told to those who wait */
#define FAULT_TAKEN 3          /* a creation publishes though the peer was let go meanwhile */
#define FAULT_OUTDATED 4       /* a creation publishes what it made of an older state */
#define FAULT_LEFT 5           /* the table is closed while somebody is inside */
byte fault;

#define CALLERS 3
#define ROUNDS (CALLERS + 1) /* 0 is none; a caller begins one at most */

#include "environment.pml"

mtype = { none, got, failed, shutdown, timed_out, late };
mtype outcome[CALLERS] = none;

byte ready = 0;     /* the published peer: the state that it was made of */
byte current = 1;   /* what a peer is to be made of */
byte round = 0;     /* of the creation under way */
bool ended[ROUNDS];
bool let_go[ROUNDS];
bool outdated[ROUNDS];
mtype result[ROUNDS] = none;
byte inside = 0;    /* callers */
bool closed = false;
bool destroyed = false;

byte makers = 0;    /* inside make() now */
byte takes = 0;

inline touch() { assert(!destroyed) }
inline answer(what) { outcome[me] = what; inside--; touch() }

proctype caller(byte me) {
  byte seen;         /* the round that it waits for, or its own */
  byte made;         /* the state that it made the peer of; 0: it failed */
  byte takes_before;
  bool joins;
  atomic {
    if
    :: destroyed -> outcome[me] = late; goto out /* its owner lets nobody in any more */
    :: else -> inside++
    fi
  }
begin:
  atomic {
    touch();
    if
    :: ready != 0 -> answer(got); goto out
    :: ready == 0 && closed -> answer(shutdown); goto out
    :: ready == 0 && !closed && round != 0 -> seen = round; joins = !let_go[seen]; goto parked
    :: ready == 0 && !closed && round == 0 && fault != FAULT_CHECK_THEN_ACT -> round = me + 1
    :: ready == 0 && !closed && round == 0 && fault == FAULT_CHECK_THEN_ACT -> skip
    fi
  }
  round = (fault == FAULT_CHECK_THEN_ACT -> me + 1 : round);
  seen = me + 1;
  takes_before = takes;
  do /* create */
  :: makers++;
     assert(makers == 1);
     if
     :: made = current
     :: made = 0
     fi;
     makers--;
     atomic { /* settle */
       touch();
       if
       :: made != 0 && outdated[seen] && !let_go[seen] && fault != FAULT_OUTDATED -> outdated[seen] = false
       :: else ->
          if
          :: let_go[seen] && fault != FAULT_TAKEN -> result[seen] = shutdown
          :: (!let_go[seen] || fault == FAULT_TAKEN) && made == 0 -> result[seen] = failed
          :: (!let_go[seen] || fault == FAULT_TAKEN) && made != 0 ->
             result[seen] = got;
             ready = made;
             assert(takes == takes_before)
          fi;
          ended[seen] = (fault != FAULT_UNTOLD || made != 0);
          round = 0;
          break
       fi
     }
  od;
  atomic { answer(result[seen]) }
  goto out;
parked:
  atomic {
    if
    :: ended[seen] || closed -> /* the condition variable */
       touch();
       if
       :: !ended[seen] || !joins -> goto begin
       :: ended[seen] && joins && result[seen] != got -> answer(result[seen])
       :: ended[seen] && joins && result[seen] == got && ready != 0 -> answer(got)
       :: ended[seen] && joins && result[seen] == got && ready == 0 -> answer(shutdown)
       fi
    :: me == 0 && !ended[seen] -> answer(timed_out) /* one of them is in a hurry */
    fi
  }
out:
  skip
}

proctype taker() {
  atomic {
    touch();
    if
    :: round != 0 -> let_go[round] = true; takes++
    :: else -> skip
    fi;
    ready = 0
  }
}

proctype replacer() {
  byte next;
  current++;
  next = current;
  atomic {
    touch();
    if
    :: ready != 0 -> ready = next
    :: ready == 0 && round != 0 -> outdated[round] = true
    :: else -> skip
    fi
  }
}

proctype closer() {
  byte i;
  atomic {
    closed = true;
    if
    :: round != 0 -> let_go[round] = true; takes++
    :: else -> skip
    fi
  }
  atomic { inside == 0 || fault == FAULT_LEFT -> destroyed = true }
}

init {
  byte i;
  atomic {
    c_code { now.fault = given("FAULT"); };
    for (i : 0 .. CALLERS - 1) { run caller(i) }
    if
    :: run taker(); run replacer()
    :: run closer()
    :: skip
    fi
  }
  _nr_pr == 1;
  for (i : 0 .. CALLERS - 1) { assert(outcome[i] != none) }
  assert(inside == 0 && round == 0);
  assert(ready == 0 || ready == current)
}
