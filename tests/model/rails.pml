/* SPDX-FileCopyrightText: 2026 The Hawser authors
   SPDX-License-Identifier: Apache-2.0 */
/* bml/pending.cpp, bml/rails.cpp: a peer's rails are replaced while threads send. Set 1 has rail A, set 2 has rail B.
   The progress role publishes set 2 and lets A go, which hands back what A still holds; it also drains the gate and
   moves what rails hold. The gate itself is gate.pml. Some rail is always there: every message is delivered, once, and
   none is told "unreachable". Given in the environment: FAULT, a number. */
#define FAULT_LET_GO_FIRST 1 /* the old rail is let go before the new set is published */
#define FAULT_NULL 2         /* a set without a living rail is believed though another one is published by now */
#define FAULT_LAST_LOOK 3    /* a drain does not list again what it left */
#define FAULT_FORGOTTEN 4    /* what the old rail held is dropped */
byte fault;

#define MESSAGES 2

#include "environment.pml"

mtype = { done, pending, no_resource, unreachable, refused };
byte published = 1;        /* the current set, and its rail */
bool dead[3];              /* [set]: its rail is marked as failed */
bool usable[3] = true;     /* [rail]: the endpoint takes posts */
byte held[MESSAGES];       /* the rail that has it and has not written it */
byte delivered[MESSAGES];
byte failed[MESSAGES];
byte refusals = 2;         /* how often there may be no room */
bool gate_open = true;
bool stalled = false;      /* the peer is on the list */
bool listed = false;
chan queue = [MESSAGES] of { byte };
byte senders = MESSAGES;

inline post(m, set, result) {
  result = refused;
  do
  :: result != refused -> break
  :: else ->
     set = published;
     if
     :: dead[set] ->
        result = (set != published && fault != FAULT_NULL -> refused : unreachable)
     :: else ->
        atomic {
          if
          :: !usable[set] -> result = refused
          :: usable[set] -> result = done; delivered[m]++
          :: usable[set] -> result = pending; held[m] = set
          :: usable[set] && refusals > 0 -> result = no_resource; refusals--
          fi
        }
        if
        :: result == refused -> dead[set] = true
        :: else -> skip
        fi
     fi
  od
}
inline list_stalled() {
  atomic {
    if
    :: stalled -> skip
    :: else -> stalled = true; listed = true
    fi
  }
}
inline send(m, set, result) {
  atomic {
    result = done;
    if
    :: gate_open -> skip
    :: else -> queue ! m; result = no_resource
    fi
  }
  if
  :: result == no_resource -> list_stalled()
  :: else ->
     post(m, set, result);
     if
     :: result == no_resource ->
        atomic { gate_open = false; queue ! m }
        list_stalled()
     :: result == unreachable -> failed[m]++
     :: else -> skip
     fi
  fi
}

proctype sender(byte m) {
  byte set;
  mtype result;
  send(m, set, result);
  senders--
}

inline drain(m, set, result) {
  listed = false;
  stalled = false; /* before the drain: whoever is turned back from now on lists the peer again */
  do
  :: atomic { gate_open -> break }
  :: atomic { !gate_open && len(queue) == 0 -> gate_open = true }
  :: atomic { !gate_open && len(queue) > 0 -> queue ? m }
     post(m, set, result);
     if
     :: result == no_resource -> queue ! m; break
     :: result == unreachable -> failed[m]++
     :: else -> skip
     fi
  od;
  if
  :: len(queue) > 0 && fault != FAULT_LAST_LOOK -> list_stalled()
  :: else -> skip
  fi
}

inline let_go(m, set, result, each) {
  usable[1] = false;
  each = 0;
  do
  :: each < MESSAGES ->
     if
     :: held[each] == 1 ->
        held[each] = 0;
        if
        :: fault != FAULT_FORGOTTEN -> send(each, set, result)
        :: else -> skip
        fi
     :: else -> skip
     fi;
     each++
  :: else -> break
  od;
  each = 0
}

/* What the role does, one after the other. */
proctype progress() {
  byte m; byte set; byte each;
  mtype result;
  bool changed = false;
  do
  :: !changed ->
     if
     :: fault == FAULT_LET_GO_FIRST -> let_go(m, set, result, each); published = 2
     :: else -> published = 2; let_go(m, set, result, each)
     fi;
     changed = true
  :: listed -> drain(m, set, result)
  :: atomic { held[0] != 0 -> held[0] = 0; delivered[0]++ }
  :: atomic { held[1] != 0 -> held[1] = 0; delivered[1]++ }
  :: changed && senders == 0 && !listed && held[0] == 0 && held[1] == 0 -> break
  od
}

init {
  byte i;
  atomic {
    c_code { now.fault = given("FAULT"); };
    run progress();
    for (i : 0 .. MESSAGES - 1) { run sender(i) }
  }
  _nr_pr == 1;
  assert(len(queue) == 0);
  for (i : 0 .. MESSAGES - 1) { assert(delivered[i] == 1 && failed[i] == 0) }
}
