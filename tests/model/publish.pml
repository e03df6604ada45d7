/* SPDX-FileCopyrightText: 2026 The Hawser authors
   SPDX-License-Identifier: Apache-2.0 */
/* framework/peers/peer_table.hpp, rule one: whoever finds a peer sees all of it.
   FAULT_EARLY: the peer is published before its endpoints are built. */
#define ENDPOINTS 3
#define FINDERS 3

bool published = false;
byte built = 0;

proctype creator() {
#ifdef FAULT_EARLY
  published = true;
#endif
  do
  :: built < ENDPOINTS -> built++
  :: else -> break
  od;
  published = true /* the commit point */
}

proctype finder() {
  if
  :: published -> assert(built == ENDPOINTS)
  :: !published -> skip /* not there: it goes the slow way */
  fi
}

init {
  byte i;
  atomic {
    run creator();
    for (i : 1 .. FINDERS) { run finder() }
  }
}
