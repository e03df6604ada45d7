/* SPDX-FileCopyrightText: 2026 The Hawser authors
   SPDX-License-Identifier: Apache-2.0 */
/* components/tcp: how the connection of one rail comes about. Two ranks, 0 is the lower; each may dial at any moment
   and again after a failure. One atomic block is one event that a progress role handles. A socket has two ends and a
   box of messages in each direction. It may be cut at any moment: what is in a box is lost or not, then comes an end,
   and each rank sees that when it gets to it. Hellos are read in any order, whatever the order of the connections.
   step() takes its edges from edges.pml, which edges.sh makes from components/tcp/states.hpp.
   What else happens is given in the environment:
   CUTS: how many sockets are cut at most. TROUBLES: how many hellos are answered "retry", or turned away unread.
   ABANDONS, CLOSES: how many ranks give the rail up, or leave. FAULT: a number, see below. */
#define FAULT_ARRIVAL 1   /* whichever connection arrives is taken, whoever is the lower rank */
#define FAULT_SILENT 2    /* a connection that is refused is closed without a word */
#define FAULT_PARKED 3    /* the winner fails and the parked connection is forgotten */
#define FAULT_DUPLICATE 4 /* the answer "duplicate" is taken for the end of the peer */
#define FAULT_LEFTOVER 5  /* a socket that ends without a hello is taken for the one in use */
#define FAULT_EARLY 6     /* the accepting side uses a connection before its proof */
#define FAULT_NUMBER 7    /* the hello that is read last is taken for the newest */
#define FAULT_BELIEVE 9   /* a welcome is believed, though the peer has called since */
#define FAULT_DEAF 8      /* nobody looks whether a connection in use still stands */
byte fault;

#define SOCKETS 7 /* 0 is none */
#define NONE 255
#include "edges.pml"
#include "environment.pml"
#define step(event)                                 \
  edge_from = st[me];                               \
  assert(next_##event(edge_from) != NONE);          \
  st[me] = next_##event(edge_from);                 \
  c_code { edge_taken[now.edge_from][event] = 1; }; \
  edge_from = 0
byte edge_from;

/* What goes over a socket. An end is that of a file, or an error. */
#define HELLO 1
#define WELCOME 2
#define DUPLICATE 3
#define RETRY 4
#define RAIL_FAILED 5
#define SHUTTING_DOWN 6
#define PROOF 7
#define DATA 8
#define GOODBYE 9
#define END 10

/* --- the kernel */
byte dialer[SOCKETS];
bool stands[2 * SOCKETS]; /* [2 * s + rank]: that rank's end is open */
bool heard[SOCKETS];      /* the listener has read the hello */
bool leftover[SOCKETS];   /* the listener has read a hello with a higher number */
byte number[SOCKETS];     /* of the attempt, in its hello */
bool answered[SOCKETS];
byte before[SOCKETS];     /* bit x: its dialer had answered socket x before it dialled */
bool taken_back[SOCKETS]; /* the dialer has read a hello that was dialled after the answer */
bool cut[SOCKETS];
bool proven[SOCKETS];     /* the listener has checked the proof */
int box[2 * SOCKETS];     /* [2 * s + rank]: for that rank to read; four bits a message, the oldest is the lowest */

/* --- the two endpoints; the last four are sockets, named as in the code */
byte st[2] = kIdle;
bool wants[2];
bool wanted[2];
bool sent[2];
bool got[2];
byte attempts[2];
byte dial[2];
byte inbound[2];
byte parked[2];
byte stream[2];
bool excused; /* a connection in use was cut, or a rank gave the rail up or left: it may fail */

byte cuts_left;
byte troubles_left;
byte abandons_left;
byte closes_left;
byte retries; /* so many that it never comes to the last one */

/* --- of the event that is being handled; all 0 between events */
byte s;
byte reply;       /* the answer to our hello */
byte caller;      /* the connection to welcome */
byte proved;      /* the connection that is through */
bool bad;         /* a write failed */
bool dial_failed;
bool may_retry;
bool lost;        /* the inbound connection */

#define FINAL(rank) (st[rank] == kFailed || st[rank] == kClosed)
#define BOX(s, rank) box[2 * (s) + (rank)]
#define STANDS(s, rank) stands[2 * (s) + (rank)]
#define HEAD(s, rank) (BOX(s, rank) & 15)
#define READY(s) (s != 0 && BOX(s, me) != 0)
#define APPENDED(b, what) \
  (b == 0 -> what : (b < 16 -> b | what << 4 : (b < 256 -> b | what << 8 : b | what << 12)))
#define ENDS(b) ((b & 15) == END || (b >> 4 & 15) == END || (b >> 8 & 15) == END || b >> 12 == END)
#define UNHEARD(s) (STANDS(s, me) && dialer[s] != me && !heard[s] && BOX(s, me) != 0)
#define CAN_CUT(s) (cuts_left > 0 && !cut[s] && (STANDS(s, 0) || STANDS(s, 1)))

inline read(s) { BOX(s, me) = BOX(s, me) >> 4 }

/* A write into a socket that is cut, or let go at the other end, is lost; the writer may learn it at once. */
inline write(s, what) {
  if
  :: !cut[s] && STANDS(s, 1 - me) ->
     assert(BOX(s, 1 - me) < 4096);
     BOX(s, 1 - me) = APPENDED(BOX(s, 1 - me), what)
  :: else ->
     if
     :: bad = true
     :: skip
     fi
  fi
}
#define forget_answer(at) before[at] = before[at] & ~(1 << s)
/* A close with something unread may take away what the other side has not read yet. */
inline shut(s) {
  if
  :: s != 0 && BOX(s, me) != 0 && BOX(s, 1 - me) != 0 && !cut[s] -> BOX(s, 1 - me) = 0
  :: true
  fi;
  d_step {
    if
    :: s != 0 ->
       STANDS(s, me) = false;
       BOX(s, me) = 0;
       if
       :: STANDS(s, 1 - me) && !cut[s] -> BOX(s, 1 - me) = APPENDED(BOX(s, 1 - me), END)
       :: STANDS(s, 1 - me) && cut[s] -> skip
       :: else ->
          BOX(s, 1 - me) = 0;
          dialer[s] = 0; number[s] = 0; heard[s] = false; leftover[s] = false;
          answered[s] = false; cut[s] = false; proven[s] = false;
          before[s] = 0; taken_back[s] = false;
          forget_answer(1); forget_answer(2); forget_answer(3); forget_answer(4); forget_answer(5); forget_answer(6)
       fi;
       s = 0
    :: else -> skip
    fi
  }
}
/* Whoever lets go of a connection before it is answered owes its caller a reason, unless the caller is gone. */
#define NOT_OWED(s) (s == 0 || answered[s] || cut[s] || !STANDS(s, 1 - me))

/* --- connect.cpp */
inline open_dial() {
  d_step {
    attempts[me] = (attempts[me] > retries -> attempts[me] : attempts[me] + 1);
    s = 1;
    do
    :: s < SOCKETS && (STANDS(s, 0) || STANDS(s, 1)) -> s++
    :: else -> break
    od;
    assert(s < SOCKETS); /* the model has enough of them */
    dialer[s] = me;
    STANDS(s, 0) = true;
    STANDS(s, 1) = true;
    dial[me] = s;
    number[s] = 1;
    s = 1; /* higher than those of what is left of earlier attempts */
    do
    :: s < SOCKETS && s != dial[me] && dialer[s] == me && number[s] >= number[dial[me]] ->
       number[dial[me]] = number[s] + 1; s++
    :: s < SOCKETS && !(s != dial[me] && dialer[s] == me && number[s] >= number[dial[me]]) -> s++
    :: else -> break
    od;
    s = 1;
    do
    :: s < SOCKETS ->
       before[dial[me]] = before[dial[me]] | (dialer[s] == 1 - me && answered[s] -> 1 << s : 0);
       s++
    :: else -> break
    od;
    s = 0
  }
}
inline give_up() {
  step(kGiveUp);
  assert(excused || FINAL(1 - me));
  assert(NOT_OWED(inbound[me]) && NOT_OWED(parked[me]));
  shut(inbound[me]);
  shut(parked[me])
}
inline after_failed_dial() {
  shut(dial[me]);
  if
  :: st[me] == kTieWon || st[me] == kTieLost ->
     step(kDialFailed);
     promote_parked()
  :: (st[me] == kConnecting || st[me] == kHelloSent) && may_retry && attempts[me] <= retries -> step(kDialFailed)
  :: else -> give_up()
  fi;
  dial_failed = false;
  may_retry = false
}
inline promote_parked() {
  if
  :: fault != FAULT_PARKED -> caller = parked[me]; parked[me] = 0
  :: else -> skip
  fi
}
inline on_connected() {
  step(kConnected);
  write(dial[me], HELLO);
  if
  :: bad -> bad = false; dial_failed = true; may_retry = true
  :: else -> skip
  fi
}
inline on_answer() {
  reply = HEAD(dial[me], me);
  if
  :: reply == WELCOME && taken_back[dial[me]] && fault != FAULT_BELIEVE -> dial_failed = true; may_retry = true
  :: reply == WELCOME && (!taken_back[dial[me]] || fault == FAULT_BELIEVE) ->
     read(dial[me]);
     write(dial[me], PROOF);
     if
     :: bad -> bad = false; dial_failed = true; may_retry = true
     :: else -> step(kAnswer); proved = dial[me]
     fi
  :: reply == DUPLICATE && fault == FAULT_DUPLICATE -> shut(dial[me]); give_up()
  :: reply == DUPLICATE && fault != FAULT_DUPLICATE ->
     shut(dial[me]);
     if
     :: st[me] == kHelloSent -> skip
     :: else -> promote_parked()
     fi;
     step(kDuplicate)
  :: reply == RETRY || reply == END -> dial_failed = true; may_retry = true
  :: reply == RAIL_FAILED || reply == SHUTTING_DOWN -> dial_failed = true
  fi;
  reply = 0
}

/* --- accept.cpp */
inline refuse(s, why) {
  if
  :: fault == FAULT_SILENT -> assert(NOT_OWED(s))
  :: else ->
     write(s, why);
     bad = false;
     answered[s] = true
  fi;
  shut(s)
}
inline welcome() {
  assert(NOT_OWED(inbound[me]));
  shut(inbound[me]);
  inbound[me] = caller;
  write(caller, WELCOME);
  answered[caller] = true;
  caller = 0;
  lost = bad;
  bad = false;
  if
  :: fault == FAULT_EARLY && !lost -> step(kProof); proved = inbound[me]
  :: else -> skip
  fi
}
inline after_inbound_lost() {
  shut(inbound[me]);
  step(kInboundLost);
  lost = false;
  if
  :: st[me] == kIdle && wanted[me] -> step(kDial); open_dial()
  :: else -> skip
  fi
}
inline note_number(s) {
  d_step {
    reply = 1;
    do
    :: reply < SOCKETS ->
       leftover[reply] =
         leftover[reply] || (dialer[reply] == dialer[s] && number[reply] != 0 && number[reply] < number[s]);
       taken_back[reply] = taken_back[reply] || (before[s] >> reply & 1);
       reply++
    :: else -> break
    od;
    reply = 0
  }
}
inline on_inbound(s) {
  if
  :: fault != FAULT_NUMBER -> note_number(s)
  :: else -> skip
  fi;
  if
  :: leftover[s] -> refuse(s, DUPLICATE)
  :: !leftover[s] && (st[me] == kIdle || st[me] == kBackoff || st[me] == kHelloWait || st[me] == kConnecting) ->
     caller = s;
     shut(dial[me]); /* ours has said nothing yet */
     step(kInbound)
  :: !leftover[s] && (st[me] == kHelloSent || st[me] == kTieWon || st[me] == kTieLost) ->
     if
     :: me == 0 && fault != FAULT_ARRIVAL ->
        assert(NOT_OWED(parked[me]));
        shut(parked[me]);
        parked[me] = s;
        step(kInboundLoses)
     :: else ->
        caller = s;
        step(kInboundWins)
     fi
  :: !leftover[s] && (st[me] == kReady || FINAL(me) || st[me] == kClosing) ->
     reply = (st[me] == kReady -> DUPLICATE : (st[me] == kFailed -> RAIL_FAILED : SHUTTING_DOWN));
     refuse(s, reply);
     reply = 0
  fi
}

/* --- endpoint.cpp */
/* Never in use on two connections. */
#define AGREED (st[1 - me] != kReady || stream[0] == stream[1])
inline become_ready() {
  stream[me] = proved;
  dial[me] = (dial[me] == proved -> 0 : dial[me]);
  inbound[me] = (inbound[me] == proved -> 0 : inbound[me]);
  proved = 0;
  shut(dial[me]);
  shut(inbound[me]);
  if
  :: parked[me] != 0 -> refuse(parked[me], DUPLICATE)
  :: else -> skip
  fi;
  excused = excused || cut[stream[me]];
  assert(dialer[stream[me]] == me || proven[stream[me]]);
  assert(AGREED)
}
inline lose() {
  assert(excused || FINAL(1 - me)); /* only a cut or the other's end breaks a connection in use */
  step(kLost);
  shut(stream[me])
}
inline on_stream() {
  if
  :: HEAD(stream[me], me) == DATA ->
     assert(st[me] == kReady);
     got[me] = true;
     read(stream[me])
  :: HEAD(stream[me], me) == GOODBYE ->
     step(kGoodbye);
     shut(stream[me]);
     step(kLost)
  :: HEAD(stream[me], me) == END -> lose()
  fi
}
inline abandon() {
  excused = true;
  if
  :: st[me] == kReady -> step(kLost)
  :: else -> step(kGiveUp)
  fi;
  shut(dial[me]); shut(inbound[me]); shut(parked[me]); shut(stream[me])
}
inline leave() {
  excused = true;
  if
  :: stream[me] != 0 -> write(stream[me], GOODBYE); bad = false
  :: else -> skip
  fi;
  step(kClose);
  shut(dial[me]); shut(inbound[me]); shut(stream[me]);
  if
  :: parked[me] != 0 -> refuse(parked[me], SHUTTING_DOWN)
  :: else -> skip
  fi
}

/* --- what may happen. Each source of events is a process, so that weak fairness serves each of them. */
inline finish_inbound() {
  if
  :: caller != 0 -> welcome()
  :: else -> skip
  fi;
  if
  :: lost -> after_inbound_lost()
  :: else -> skip
  fi
}
inline finish_ready() {
  if
  :: proved != 0 -> become_ready()
  :: else -> skip
  fi
}

proctype user(byte me) {
  if
  :: wants[me] ->
     atomic {
       wanted[me] = true;
       if
       :: st[me] == kIdle -> step(kDial); open_dial()
       :: else -> skip
       fi
     }
  :: else -> skip
  fi;
end_unused:
  atomic { st[me] == kReady -> sent[me] = true; write(stream[me], DATA); bad = false }
}

proctype listener(byte me) {
end_listening:
  do
  :: atomic {
       if
       :: UNHEARD(1) -> s = 1
       :: UNHEARD(2) -> s = 2
       :: UNHEARD(3) -> s = 3
       :: UNHEARD(4) -> s = 4
       :: UNHEARD(5) -> s = 5
       :: UNHEARD(6) -> s = 6
       fi;
       if
       :: HEAD(s, me) == HELLO -> read(s); heard[s] = true; on_inbound(s)
       :: HEAD(s, me) == HELLO && troubles_left > 0 && !FINAL(me) ->
          troubles_left--; read(s); heard[s] = true; refuse(s, RETRY)
       :: troubles_left > 0 -> troubles_left--; shut(s) /* before it said who it is */
       :: HEAD(s, me) == END ->
          shut(s);
          if
          :: fault == FAULT_LEFTOVER && st[me] == kReady -> lose()
          :: else -> skip
          fi
       fi;
       s = 0;
       finish_inbound();
       finish_ready()
     }
  od
}

proctype dialling(byte me) {
end_dialling:
  do
  :: atomic {
       if
       :: st[me] == kConnecting && BOX(dial[me], me) == 0 -> on_connected()
       :: READY(dial[me]) -> on_answer()
       :: st[me] == kBackoff -> step(kTimer); open_dial()
       fi;
       if
       :: dial_failed -> after_failed_dial()
       :: else -> skip
       fi;
       finish_inbound();
       finish_ready()
     }
  od
}

proctype accepted(byte me) {
end_accepted:
  do
  :: atomic {
       if
       :: READY(inbound[me]) ->
          if
          :: HEAD(inbound[me], me) == PROOF ->
             read(inbound[me]);
             proven[inbound[me]] = true;
             step(kProof);
             proved = inbound[me]
          :: HEAD(inbound[me], me) == END -> lost = true
          fi
       :: READY(parked[me]) ->
          assert(HEAD(parked[me], me) == END);
          shut(parked[me]);
          step(kInboundLost)
       :: READY(stream[me]) && (fault != FAULT_DEAF || HEAD(stream[me], me) != END) -> on_stream()
       fi;
       finish_inbound();
       finish_ready()
     }
  od
}

inline cut_box(s, rank) {
  if
  :: BOX(s, rank) = 0
  :: true
  fi;
  if
  :: STANDS(s, rank) && !ENDS(BOX(s, rank)) -> BOX(s, rank) = APPENDED(BOX(s, rank), END)
  :: else -> skip
  fi
}
proctype network() {
  do
  :: atomic {
       if
       :: CAN_CUT(1) -> s = 1
       :: CAN_CUT(2) -> s = 2
       :: CAN_CUT(3) -> s = 3
       :: CAN_CUT(4) -> s = 4
       :: CAN_CUT(5) -> s = 5
       :: CAN_CUT(6) -> s = 6
       fi;
       cuts_left--;
       cut[s] = true;
       excused = excused || stream[0] == s || stream[1] == s;
       cut_box(s, 0);
       cut_box(s, 1);
       s = 0
     }
  :: break
  od
}

proctype leaver(byte me) {
  if
  :: atomic { abandons_left > 0 && !FINAL(me) -> abandons_left--; abandon() }
  :: atomic { closes_left > 0 && !FINAL(me) -> closes_left--; leave() }
  :: skip
  fi
}

/* When nothing can happen any more, nobody waits. */
#define SETTLED(rank)                                      \
  (FINAL(rank) || (st[rank] == kIdle && !wanted[rank]) ||  \
   (st[rank] == kReady && st[1 - rank] == kReady && stream[0] == stream[1] && sent[rank] && got[rank]))
proctype watch() {
  timeout -> assert(SETTLED(0) && SETTLED(1) && (excused || st[0] == kReady))
}

init {
  atomic {
    c_code {
      now.cuts_left = given("CUTS");
      now.troubles_left = given("TROUBLES");
      now.abandons_left = given("ABANDONS");
      now.closes_left = given("CLOSES");
      now.fault = given("FAULT");
    };
    retries = cuts_left + troubles_left + 1;
    if
    :: wants[0] = true
    :: wants[1] = true
    :: wants[0] = true; wants[1] = true
    fi;
    run user(0); run user(1);
    run listener(0); run listener(1);
    run dialling(0); run dialling(1);
    run accepted(0); run accepted(1);
    if
    :: cuts_left > 0 -> run network()
    :: else -> skip
    fi;
    if
    :: abandons_left + closes_left > 0 -> run leaver(0); run leaver(1)
    :: else -> skip
    fi;
    run watch()
  }
}
