/* SPDX-FileCopyrightText: 2026 The Hawser authors
   SPDX-License-Identifier: Apache-2.0 */
/* framework/peers/gate.hpp, rule three: nothing is stranded, nothing overtakes, a break hands all back. One atomic
   block is one hold of the gate's lock. Sender 0 sends items 0 and 1 in that order, sender 1 sends item 2. The way
   opens at some time, and whoever opens it calls drain; somebody else drains at any time. Given in the environment:
   BREAKS, 1: somebody breaks it; and FAULT, a number. */
#define FAULT_ENQUEUE 1 /* the sender tests in one hold and queues in another */
#define FAULT_GIVE_UP 2 /* a drain that finds another under way leaves no word */
byte fault;

#include "environment.pml"

#define ITEMS 3

mtype = { shut, open, broken }
mtype state = shut;
bool draining = false;
bool again = false;
byte breaks = 0;
byte breaks_left;
bool way = false;
byte outcomes[ITEMS] = 0;
chan queue = [ITEMS] of { byte };

inline deliver(item) {
  outcomes[item]++;
  assert(item != 1 || outcomes[0] == 1) /* in order */
}
inline append_all(from, to, item) {
  do
  :: len(from) > 0 -> from ? item; to ! item
  :: else -> break
  od
}
inline fail_all(from, item) {
  do
  :: len(from) > 0 -> from ? item; outcomes[item]++
  :: else -> break
  od
}
inline push_front(onto, item, spare, moved) {
  append_all(onto, spare, moved);
  onto ! item;
  append_all(spare, onto, moved)
}

inline drain(batch, spare, item, moved, mine, stuck) {
  atomic {
    if
    :: draining ->
       again = again || fault != FAULT_GIVE_UP;
       goto drained
    :: !draining && state != shut -> goto drained
    :: else -> draining = true; again = false; mine = breaks; stuck = false
    fi
  }
  do
  :: atomic { /* next_batch */
       if
       :: mine != breaks -> fail_all(batch, item); mine = breaks; stuck = true
       :: else -> skip
       fi;
       append_all(queue, batch, moved); /* what is left of the batch stays before the newcomers */
       append_all(batch, queue, moved);
       if
       :: state == shut && !(stuck && !again) && len(queue) == 0 -> state = open
       :: else -> skip
       fi;
       if
       :: state != shut || (stuck && !again) -> draining = false; break
       :: else -> again = false; stuck = false; append_all(queue, batch, moved)
       fi
     }
     do
     :: len(batch) > 0 ->
        batch ? item;
        if
        :: atomic { way -> deliver(item) }
        :: atomic { !way -> push_front(batch, item, spare, moved); stuck = true; break }
        fi
     :: len(batch) == 0 -> break
     od
  od;
drained:
  skip
}

proctype sender(byte first; byte last) {
  byte id = first;
  chan batch = [ITEMS] of { byte };
  chan spare = [ITEMS] of { byte };
  byte item; byte moved; byte mine; bool stuck;
  bool pass;
  do
  :: id > last -> break
  :: else ->
     pass = (state == open); /* without the lock */
     if
     :: pass -> skip
     :: else ->
        if
        :: fault == FAULT_ENQUEUE ->
           atomic { pass = (state == open) }
           if
           :: pass -> skip
           :: else -> queue ! id
           fi
        :: else ->
           atomic {
             if
             :: state == broken -> outcomes[id]++
             :: state == open -> pass = true
             :: state == shut -> queue ! id
             fi
           }
        fi
     fi;
     if
     :: !pass -> skip
     :: atomic { pass && way -> deliver(id) }
     :: pass && !way ->
        atomic { /* turn_back */
          if
          :: state == broken -> outcomes[id]++; pass = false
          :: else -> state = shut; push_front(queue, id, spare, moved)
          fi
        }
        if
        :: pass -> drain(batch, spare, item, moved, mine, stuck)
        :: else -> skip
        fi
     fi;
     id++
  od
}

proctype drainer(bool opens) {
  chan batch = [ITEMS] of { byte };
  chan spare = [ITEMS] of { byte };
  byte item; byte moved; byte mine; bool stuck;
  if
  :: opens -> way = true
  :: else -> skip
  fi;
  drain(batch, spare, item, moved, mine, stuck)
}

proctype breaker() {
  byte item;
  atomic {
    state = broken;
    breaks++;
    again = false;
    fail_all(queue, item)
  }
}

init {
  byte i;
  atomic {
    c_code { now.fault = given("FAULT"); now.breaks_left = given("BREAKS"); };
    run sender(0, 1);
    run sender(2, 2);
    run drainer(true);
    run drainer(false);
    if
    :: breaks_left > 0 -> breaks_left = 0; run breaker()
    :: else -> skip
    fi
  }
  _nr_pr == 1;
  for (i : 0 .. ITEMS - 1) { assert(outcomes[i] == 1) }
  assert(len(queue) == 0 && !draining)
}
