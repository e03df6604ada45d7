/* SPDX-FileCopyrightText: 2026 The Hawser authors
   SPDX-License-Identifier: Apache-2.0 */
/* docs/decisions/exactly-once.md: one direction of a guarded peer. A rail may die at any moment; each side sees that
   when it gets to it, and reads before that as much as it likes of what was under way. A message is placed in steps:
   begun, and finished. One atomic block is one event that a progress role handles.
   Given in the environment: DEATHS, how many rails die at most, and FAULT, a number. */
#define FAULT_NO_ABANDON 1 /* a copy that was sent again is placed while the rail of the first still places its own */
#define FAULT_ON_WRITE 2   /* a send ends when it is written, not when it is acknowledged */
#define FAULT_AT_START 3   /* a message counts as received when its placement begins */
#define FAULT_MARK 4       /* copies say that they were sent again, but not how often */
#define FAULT_TOLD_ONCE 5  /* a receiver that lost a rail does not say again what it has */
#define FAULT_HELD 6       /* a send ends though a rail still reads its memory */
#define FAULT_DOUBLE 7     /* what was received is delivered again when it comes again */
byte fault;

#ifndef MESSAGES
#define MESSAGES 3
#endif
#ifndef RAILS
#define RAILS 2
#endif
#define WINDOW 2
#define NOBODY 255

#include "environment.pml"

/* --- the rails */
byte deaths_left;
bool dead[RAILS];                                  /* nothing gets through any more */
chan way[RAILS] = [MESSAGES] of { byte, byte };    /* number, how often it was sent before */
chan back[RAILS] = [2] of { byte };                /* what is received, a set of bits */

/* --- the sender */
mtype = { new, unsent, out, ended };
mtype send[MESSAGES] = new;
bool rail_ok[RAILS];     /* as the sender knows */
byte on[MESSAGES];       /* the rail that it was last given to */
byte attempt[MESSAGES];
bool held[MESSAGES];     /* by that rail, which reads its memory */
bool over[MESSAGES];     /* ends when it is not held any more */
byte ends[MESSAGES];     /* how often the operation ended */
byte under_way;
bool failed;             /* no rail is left */

/* --- the receiver */
bool link_ok[RAILS];     /* as the receiver knows */
byte placing[RAILS];     /* number */
byte placed_attempt[RAILS];
byte received;           /* a set of bits */
byte delivered[MESSAGES];
bool owes;               /* an acknowledgement */

byte n; byte k; byte r;  /* of the event that is being handled; 0 between events */

#define HAS(number) ((received >> number & 1) == 1)

/* --- the sender */
inline end_or_wait(n) {
  if
  :: held[n] && fault != FAULT_HELD -> over[n] = true
  :: else -> send[n] = ended; ends[n]++; assert(ends[n] == 1 && !held[n])
  fi
}
inline give(n, rail) {
  on[n] = rail;
  held[n] = true;
  send[n] = out
}
inline let_go(n) {
  held[n] = false;
  if
  :: over[n] -> over[n] = false; end_or_wait(n)
  :: else -> skip
  fi
}
inline on_acknowledged(bits) {
  n = 0;
  do
  :: n < MESSAGES ->
     if
     :: (bits >> n & 1) == 1 && (send[n] == out || send[n] == unsent) && !over[n] ->
        under_way--;
        end_or_wait(n)
     :: else -> skip
     fi;
     n++
  :: else -> break
  od;
  n = 0
}
/* What was last given to that rail goes out again on another. */
inline on_rail_lost(rail) {
  rail_ok[rail] = false;
  n = 0;
  do
  :: n < MESSAGES ->
     if
     :: send[n] == out && on[n] == rail ->
        let_go(n);
        send[n] = (send[n] == out -> unsent : send[n]);
        attempt[n] = (send[n] == unsent -> attempt[n] + 1 : attempt[n])
     :: else -> skip
     fi;
     n++
  :: else -> break
  od;
  n = 0
}
inline fail_all() {
  failed = true;
  n = 0;
  do
  :: n < MESSAGES ->
     if
     :: send[n] != ended -> held[n] = false; over[n] = false; send[n] = ended; ends[n]++; assert(ends[n] == 1)
     :: else -> skip
     fi;
     n++
  :: else -> break
  od;
  n = 0
}
#define ANY_RAIL (rail_ok[0] || rail_ok[1] || rail_ok[RAILS - 1])

#if RAILS > 2
#define PICK(rail, can) if :: can(0) -> rail = 0 :: can(1) -> rail = 1 :: can(2) -> rail = 2 fi
#else
#define PICK(rail, can) if :: can(0) -> rail = 0 :: can(1) -> rail = 1 fi
#endif
#define CAN_SEND(rail) rail_ok[rail]
#define TELLS_SENDER(rail) rail_ok[rail] && (len(back[rail]) > 0 || dead[rail])
#define TELLS_RECEIVER(rail) link_ok[rail] && (placing[rail] != NOBODY || len(way[rail]) > 0 || dead[rail])
#define CAN_ANSWER(rail) owes && link_ok[rail] && (dead[rail] || len(back[rail]) < 2)
inline pick_message(state) {
  if
  :: send[0] == state -> n = 0
  :: send[0] != state && send[1] == state -> n = 1
#if MESSAGES > 2
  :: send[0] != state && send[1] != state && send[2] == state -> n = 2
#endif
  fi
}
#if MESSAGES > 2
#define SOME(state) (send[0] == state || send[1] == state || send[2] == state)
#define HOLDS(rail) (held[0] && on[0] == rail || held[1] && on[1] == rail || held[2] && on[2] == rail)
#else
#define SOME(state) (send[0] == state || send[1] == state)
#define HOLDS(rail) (held[0] && on[0] == rail || held[1] && on[1] == rail)
#endif

proctype sender() {
end_sending:
  do
  :: atomic { ANY_RAIL && SOME(unsent) -> pick_message(unsent); PICK(r, CAN_SEND); give(n, r); n = 0; r = 0 }
  :: atomic {
       ANY_RAIL && SOME(new) && !SOME(unsent) && under_way < WINDOW ->
       pick_message(new);
       PICK(r, CAN_SEND);
       under_way++;
       give(n, r);
       n = 0; r = 0
     }
  :: atomic {
       PICK(r, TELLS_SENDER);
       if
       :: len(back[r]) > 0 -> back[r] ? k; on_acknowledged(k)
       :: dead[r] ->
          on_rail_lost(r);
          if
          :: !ANY_RAIL -> fail_all()
          :: else -> skip
          fi
       fi;
       k = 0; r = 0
     }
  od
}

/* A rail writes what it holds, in whatever order. */
proctype writer() {
end_writing:
  do
  :: atomic {
       if
       :: held[0] -> n = 0
       :: held[1] -> n = 1
#if MESSAGES > 2
       :: held[2] -> n = 2
#endif
       fi;
       if
       :: !dead[on[n]] -> way[on[n]] ! n, attempt[n]
       :: else -> skip /* the kernel took it, and that is all */
       fi;
       let_go(n);
       if
       :: fault == FAULT_ON_WRITE && send[n] == out -> under_way--; end_or_wait(n)
       :: else -> skip
       fi;
       n = 0
     }
  od
}

/* --- the receiver */
inline on_link_lost(link) {
  link_ok[link] = false;
  placing[link] = NOBODY;
  placed_attempt[link] = 0;
  owes = owes || fault != FAULT_TOLD_ONCE; /* what was said on it may be lost */
  do
  :: len(way[link]) > 0 -> way[link] ? _, _
  :: else -> break
  od
}
#define OLDER(link) \
  (placing[link] == n && (k > placed_attempt[link] || (fault == FAULT_MARK && k > 0)))
#define ABOUT(link) (link != r && placing[link] == n)
inline give_up_older(link) {
  if
  :: ABOUT(link) && OLDER(link) && fault != FAULT_NO_ABANDON ->
     assert(dead[link]); /* its sender gave it up before: a sound rail is never lost this way */
     on_link_lost(link)
  :: else -> skip
  fi
}
inline begin(link) {
  way[link] ? n, k;
  give_up_older(0);
  give_up_older(1);
#if RAILS > 2
  give_up_older(2);
#endif
  if
  :: HAS(n) ->
     owes = true; /* its sender does not know */
     if
     :: fault == FAULT_DOUBLE -> delivered[n]++
     :: else -> skip
     fi
  :: !HAS(n) && (ABOUT(0) || ABOUT(1) || ABOUT(RAILS - 1)) && fault != FAULT_NO_ABANDON -> skip /* an older one */
  :: else ->
     placing[link] = n;
     placed_attempt[link] = k;
     received = (fault == FAULT_AT_START -> received | 1 << n : received);
     owes = owes || fault == FAULT_AT_START
  fi
}
inline finish(link) {
  n = placing[link];
  placing[link] = NOBODY;
  placed_attempt[link] = 0;
  delivered[n]++;
  received = received | 1 << n;
  owes = true;
  /* The memory is its owner's now: nobody else may still write to it. */
  assert(placing[0] != n && placing[1] != n && placing[RAILS - 1] != n);
  assert(delivered[n] == 1)
}

proctype receiver() {
end_receiving:
  do
  :: atomic {
       PICK(r, TELLS_RECEIVER);
       if
       :: placing[r] == NOBODY && len(way[r]) > 0 -> begin(r)
       :: placing[r] != NOBODY -> finish(r) /* the rest came */
       :: dead[r] -> on_link_lost(r)
       fi;
       n = 0; k = 0; r = 0
     }
  :: atomic {
       PICK(r, CAN_ANSWER);
       if
       :: dead[r] -> skip
       :: else -> back[r] ! received
       fi;
       owes = false; r = 0
     }
  od
}

/* Rails are alike: name them in the order in which they die. */
proctype network() {
  do
  :: atomic {
       deaths_left > 0 ->
       deaths_left--;
       if
       :: !dead[0] -> dead[0] = true
       :: dead[0] && !dead[1] -> dead[1] = true
#if RAILS > 2
       :: dead[0] && dead[1] -> dead[2] = true
#endif
       fi
     }
  :: break
  od
}

#define ALL_DEAD (dead[0] && dead[1] && dead[RAILS - 1])
proctype watch() {
  timeout;
  n = 0;
  do
  :: n < MESSAGES ->
     assert(ends[n] == 1);
     assert(delivered[n] == 1 || (delivered[n] == 0 && failed));
     n++
  :: else -> break
  od;
  assert(!failed || ALL_DEAD)
}

init {
  atomic {
    c_code {
      now.fault = given("FAULT");
      now.deaths_left = given("DEATHS");
    };
    r = 0;
    do
    :: r < RAILS -> rail_ok[r] = true; link_ok[r] = true; placing[r] = NOBODY; r++
    :: else -> break
    od;
    r = 0;
    run sender(); run writer(); run receiver();
    run network();
    run watch()
  }
}
