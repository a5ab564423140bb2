/* A node with its lease, the job that it and others want, and time that passes as it likes: why a node starts nothing
 * that others may have. Each `atomic` is one transaction, or one look of the node into its own memory; what stands
 * between two of them may last any time, so the node may be frozen or cut off anywhere.
 *
 * Variants with a mistake, each of which the search must find:
 *   BELIEF_OUTLASTS    the node believes in its lease for longer than the lease holds
 *   BURY_LIVE          others end a lease without a look whether it has been renewed
 *   NEVER_CHECKED      a node whose lease was over goes on without a look at its locks
 *   CHECKED_ANEW_ONLY  it looks only after a registration whose answer it got
 */

#define NOBODY 0
#define NODE 1
#define OTHER 2

/* The row of the node: there, and its lease not over by the database's clock. */
bool there;
bool row_live;

/* The row of the job. `live`: its lock has not ended. */
byte owner = NOBODY;
bool live;
byte rev;

/* In the memory of the node: until when it believes in its lease is reckoned from before the renewal began, so a belief
 * ends no later than the lease. `worth`: what an answer is worth that is on its way. */
bool believes;
bool worth;

/* What only the model knows. */
byte losses = 2;                /* How often answers may be lost, */
byte claims = 5;                /* and the job be claimed. */

#define HELD (has && owner == NODE && rev == my_rev)

active proctype Node() {
    bool registered;            /* Some registration of it was answered, or found. */
    bool had; bool held;
    bool has;                   /* The job, as it believes. */
    byte my_rev;

    do
    :: had = registered && believes;        /* It renews its lease, */
        atomic {
            held = there;
            if
            :: held -> row_live = true; worth = true
            :: else -> skip
            fi
        };
        if
        :: losses > 0 -> losses--; goto next
        :: true
        fi;
        if
        :: held -> registered = true
        :: else ->                          /* or registers anew. */
            atomic { there = true; row_live = true; worth = true };
            if
            :: losses > 0 -> losses--; goto next
            :: true
            fi;
#ifdef CHECKED_ANEW_ONLY
            if
            :: registered -> atomic { if :: HELD -> live = true :: else -> has = false fi }
            :: else -> skip
            fi;
#endif
            registered = true
        fi;
#if !defined(CHECKED_ANEW_ONLY) && !defined(NEVER_CHECKED)
        if
        :: !had || !held -> atomic { if :: HELD -> live = true :: else -> has = false fi }
        :: else -> skip
        fi;
#endif
        atomic { believes = worth };
next:   skip
    :: atomic { !has && owner == NOBODY && claims > 0 ->    /* It claims the job, */
            claims--;
            owner = NODE; live = true; rev++;
            has = true; my_rev = rev
        }
    :: atomic { has && believes ->          /* starts it, */
            assert(owner == NODE && live && rev == my_rev)
        }
    :: atomic { has ->                      /* and ends or frees it. */
            if
            :: HELD -> owner = NOBODY; live = false
            :: else -> skip
            fi;
            has = false
        }
    od
}

/* Another node takes the job and frees it. */
active proctype Other() {
    do
    :: atomic { owner == NOBODY && claims > 0 -> claims--; owner = OTHER; live = true; rev++ }
    :: atomic { owner == OTHER -> owner = NOBODY; live = false }
    od
}

/* The lease ends, whoever sees it ends the locks of the node, and any node resets those. */
active proctype Time() {
    do
    :: atomic { row_live ->
            row_live = false; worth = false;
#ifndef BELIEF_OUTLASTS
            believes = false
#endif
        }
#ifdef BURY_LIVE
    :: atomic { there ->
            row_live = false;
#else
    :: atomic { there && !row_live ->
#endif
            there = false;
            if
            :: owner == NODE -> live = false
            :: else -> skip
            fi
        }
    :: atomic { owner == NODE && !live -> owner = NOBODY; rev++ }
    od
}
