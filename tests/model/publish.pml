/* SPDX-FileCopyrightText: 2026 The Hawser authors
   SPDX-License-Identifier: Apache-2.0 */
/* framework/peers/peer_table.hpp, rule one: whoever finds a peer sees all of it; also while it is replaced and the old
   one retired. Given in the environment: FAULT, a number. */
#define FAULT_EARLY 1    /* the peer is published before its endpoints are built */
#define FAULT_IN_PLACE 2 /* the peer that others may be inside is changed */
#define FAULT_DESTROY 3  /* the old peer is destroyed while somebody may be inside */
byte fault;

#define ENDPOINTS 2
#define FINDERS 3

#include "environment.pml"

byte published = 0; /* which peer is found; 0: none */
byte built[3] = 0;  /* endpoints of peer 1, and of peer 2, which replaces it */
byte inside = 0;

inline build(peer) {
  do
  :: built[peer] < ENDPOINTS -> built[peer]++
  :: else -> break
  od
}

proctype creator() {
  if
  :: fault == FAULT_EARLY -> published = 1
  :: else -> skip
  fi;
  build(1);
  published = 1 /* the commit point */
}

proctype replacer() {
  if
  :: published == 0 -> skip
  :: published == 1 && fault == FAULT_IN_PLACE -> built[1] = 0; build(1)
  :: published == 1 && fault != FAULT_IN_PLACE ->
     build(2);
     published = 2;
     fault == FAULT_DESTROY || inside == 0; /* nobody is in the old one: it is out of reach now */
     built[1] = 0
  fi
}

proctype finder() {
  byte peer;
  atomic { peer = published; inside = (peer != 0 -> inside + 1 : inside) }
  if
  :: peer != 0 ->
     assert(built[peer] == ENDPOINTS);
     assert(built[peer] == ENDPOINTS);
     inside--
  :: else -> skip /* not there: it goes the slow way */
  fi
}

init {
  byte i;
  atomic {
    c_code { now.fault = given("FAULT"); };
    run creator();
    run replacer();
    for (i : 1 .. FINDERS) { run finder() }
  }
}
