/* SPDX-FileCopyrightText: 2026 The Hawser authors
   SPDX-License-Identifier: Apache-2.0 */
/* framework/modex/embedded*.cpp: a get joins the one that is under way for the same rank, under the lock that the
   reply takes; it is unlinked before it is told; a key that is missing in an answer older than the caller is asked for
   once more. Whoever waits reads the socket, one at a time; who is served or out of time hands that on. Each has one
   outcome, and a key that was published before its caller came is found. One atomic block is one hold of the lock.
   Given in the environment: FAULT, a number. */
#define FAULT_BUSY 1      /* a get while another is under way is answered "not found" */
#define FAULT_OLD 2       /* an answer that is older than a caller tells it "not found" */
#define FAULT_LINKED 3    /* who gave up at its deadline is told all the same */
#define FAULT_NO_NOTICE 4 /* who stops reading tells nobody */
byte fault;

#define CALLERS 3

#include "environment.pml"

mtype = { nothing, found, not_found, timed_out };
mtype outcome[CALLERS] = nothing;
byte outcomes[CALLERS];
bool published;               /* the key */
bool knew[CALLERS];           /* it was there when the caller came */
bool cached;
bool in_flight;
bool waiting[CALLERS];        /* in the flight */
bool asked_after[CALLERS];    /* its request was sent after it came */
bool told[CALLERS];
bool gone[CALLERS];           /* its memory is no more */
bool reading;
byte round;                   /* of the condition: 0 or 1; each sleeper sleeps through one */
bool asleep[CALLERS];
chan request = [2] of { bit };
chan answer = [2] of { bool }; /* whether the key was there */

inline notify_all(k) {
  k = 0;
  do
  :: k < CALLERS -> asleep[k] = false; k++
  :: else -> break
  od;
  k = 0
}
inline tell(who, what) {
  assert(!gone[who]);
  outcome[who] = what;
  outcomes[who]++;
  told[who] = true
}
inline fly(who, again) {
  waiting[who] = true;
  asked_after[who] = !in_flight || again;
  if
  :: !in_flight -> in_flight = true; request ! 0
  :: else -> skip
  fi
}
/* The flight is over before anybody is told: who comes now starts another. */
inline on_got(k, there) {
  in_flight = false;
  k = 0;
  do
  :: k < CALLERS && waiting[k] ->
     waiting[k] = false;
     if
     :: there -> tell(k, found)
     :: !there && !asked_after[k] && fault != FAULT_OLD -> fly(k, true)
     :: else -> tell(k, not_found)
     fi;
     k++
     /* fly() may have linked it anew: it is behind k */
  :: k < CALLERS && !waiting[k] -> k++
  :: else -> break
  od;
  k = 0;
  cached = cached || there
}

proctype caller(byte me) {
  byte k; bool there;
  atomic {
    knew[me] = published;
    if
    :: cached -> outcome[me] = found; outcomes[me]++; goto out
    :: !cached && in_flight && fault == FAULT_BUSY -> outcome[me] = not_found; outcomes[me]++; goto out
    :: else -> fly(me, false)
    fi
  }
  do
  :: atomic { told[me] -> break }
  :: atomic { !told[me] && me == 0 -> /* the deadline: one of them has one */
       waiting[me] = (fault == FAULT_LINKED -> waiting[me] : false);
       outcome[me] = timed_out; outcomes[me]++;
       break
     }
  :: atomic { !told[me] && reading -> asleep[me] = true } /* lets the lock go */
     if
     :: !asleep[me]
     :: atomic { me == 0 && asleep[me] -> asleep[me] = false } /* its deadline */
     fi
  :: atomic { !told[me] && !reading -> reading = true }
     if
     :: len(answer) > 0 -> skip /* poll */
     :: me == 0 -> skip
     fi;
     atomic {
       if
       :: len(answer) > 0 -> answer ? there; on_got(k, there); there = false
       :: else -> skip
       fi;
       reading = false;
       if
       :: fault != FAULT_NO_NOTICE -> notify_all(k)
       :: else -> skip
       fi
     }
  od;
out:
  gone[me] = true
}

proctype launcher() {
end_serving:
  do
  :: atomic { request ? _ -> answer ! published }
  od
}

proctype publisher() { published = true }

init {
  byte i;
  atomic {
    c_code { now.fault = given("FAULT"); };
    run launcher();
    run publisher();
    for (i : 0 .. CALLERS - 1) { run caller(i) }
  }
  (gone[0] && gone[1] && gone[2]);
  for (i : 0 .. CALLERS - 1) {
    assert(outcomes[i] == 1);
    assert(!knew[i] || outcome[i] != not_found)
  }
}
