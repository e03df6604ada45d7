/* SPDX-FileCopyrightText: 2026 The Hawser authors
   SPDX-License-Identifier: Apache-2.0 */
/* framework/progress/attendant.cpp: the progress thread. Two threads of the program poll now and then, or compute for
   ever; messages come, and work for the pollers, at any time. The attendant sees to it that all is served, with no
   time-out but the interval at which it looks whether others poll.
   FAULT_NO_NUDGE: who takes the role over from the watch disarms and tells nobody.
   FAULT_LOOK_FIRST: the attendant looks for the last time before it says that it watches.
   FAULT_NO_HAND_OVER: who leaves the role lets the attendant sleep on.
   FAULT_STAND_UNSEEN: the attendant does not look at the role again once it has said that it stands by. */
#define MESSAGES 2
#define THREADS 2
mtype = { awake, stands_by, watches };

mtype attendant = awake;
bool role = false;
byte sent = 0, served = 0;
bool work = false;      /* for a poller: announced by wake */
bool armed = false;     /* messages ring */
bool left_armed = false;
bool event = false;     /* what makes the epoll descriptor readable */
bool nudge = false;
byte turns = 0;         /* modulo what fits: the program takes the role a few times only */
byte sleepers = 0;
bool changed[THREADS] = false;
bool asleep[THREADS] = false;

inline wake_all() {
  d_step {
    asleep[0] = false; asleep[1] = false; changed[0] = true; changed[1] = true
  }
}
inline pass(moved) {
  moved = false;
  if
  :: atomic { served < sent -> served = sent; moved = true }
     if
     :: sleepers > 0 -> wake_all()
     :: else
     fi
  :: else
  fi;
  if
  :: atomic { work -> work = false; moved = true }
  :: else
  fi;
  event = false
}
inline hand_over() {
  if
  :: role -> skip
  :: !role && sleepers > 0 -> wake_all()
#ifndef FAULT_NO_HAND_OVER
  :: !role && sleepers == 0 -> atomic { if :: attendant == stands_by -> attendant = awake :: else fi }
#else
  :: !role && sleepers == 0
#endif
  fi
}
/* The role was just taken. */
inline entered() {
  turns++;
  if
  :: left_armed -> armed = false; left_armed = false;
#ifndef FAULT_NO_NUDGE
     if
     :: attendant == watches -> nudge = true
     :: else
     fi
#endif
  :: else
  fi
}

proctype program(byte me) {
  byte round;
  bool moved;
  for (round : 1 .. MESSAGES) {
    if
    :: skip /* computes */
    :: true -> /* waits for that message */
       do
       :: served >= round -> break
       :: atomic { served < round && !role -> role = true }
          entered();
          do
          :: served >= round -> break
          :: served < round && (sent > served || work || event) -> pass(moved) /* blocks while there is nothing */
          od;
          role = false;
          break
       :: served < round && role ->
          sleepers++;
          changed[me] = false;
          if
          :: served >= round || !role -> skip
          :: else ->
             atomic { asleep[me] = !changed[me] }
             !asleep[me]
          fi;
          sleepers--
       od;
       hand_over()
    fi
  }
}

active proctype progress_thread() {
  byte seen = 0;
  bool moved, called = true, calm;
end:
  do
  :: role -> /* stand by */
     atomic { attendant == awake -> attendant = stands_by }
#ifndef FAULT_STAND_UNSEEN
     if
     :: role -> attendant != stands_by
     :: !role -> skip
     fi;
#else
     attendant != stands_by;
#endif
     attendant = awake;
     called = false
  :: !role && !called && turns != seen -> seen = turns /* after an interval */
  :: atomic { !role && (called || turns == seen) -> role = true }
     called = false;
     entered();
     calm = false;
     do
     :: calm || sleepers > 0 -> break
     :: !calm && sleepers == 0 ->
        pass(moved);
        if
        :: moved || sleepers > 0 -> skip
        :: else ->
           nudge = false;
#ifdef FAULT_LOOK_FIRST
           armed = true;
           calm = (sent == served && !work);
           attendant = watches;
#else
           attendant = watches;
           armed = true;
           calm = (sent == served);
           calm = calm && !work;
#endif
           if
           :: calm -> left_armed = true
           :: else -> armed = false; attendant = awake
           fi
        fi
     od;
     role = false;
     hand_over();
     if
     :: calm ->
end_watch:
        if
        :: event -> called = true
        :: nudge -> called = false
        fi;
        attendant = awake
     :: else
     fi
  od
}

proctype arrivals() {
  byte i;
  for (i : 1 .. MESSAGES) {
    sent++;
    if
    :: armed -> event = true
    :: else
    fi
  }
}

/* A thread that posts something for the pollers and computes on. */
proctype poster() {
  work = true;
  if
  :: attendant == watches -> event = true
  :: else
  fi
}

init {
  atomic { run program(0); run program(1); run arrivals(); run poster() }
  timeout;
  assert(served == MESSAGES && !work)
}
