/* One job, the runs that want it, and time that passes as it likes: what invariants I1, I2, I3 and I5 of
 * docs/design.md rest on. Each `atomic` is one transaction of persistence/jobs; what stands between two of them may
 * last any time, so a run may be frozen, or lose its lock and go on without knowing.
 *
 * Variants with a mistake, each of which the search must find:
 *   FENCE_IS_OWNER     a write asks for the owner of the lock only
 *   CLAIM_KEEPS_REV    neither a claim nor a reset raises the revision
 *   RESET_LIVE         a reset does not ask whether the lock has ended
 *   RESET_USES_RETRY   a lost lock counts as a failure
 *   MOVE_IN_TWO        a move deletes the row in one transaction and inserts it in another
 */

#define RETRIES 2

/* The row. `live`: its lock has not ended by the database's clock. */
bool there = true;
bool locked = false;
bool live = false;
byte owner = 0;
byte rev = 0;
byte retries = RETRIES;

/* What only the model knows. */
byte holder = 0;       /* The run that claimed it last. */
byte successes = 0;    /* Runs whose success was written. */
byte failures = 0;     /* Runs whose failure was written. */
byte running = 0;      /* Runs that have neither ended nor been killed. */

#ifdef FENCE_IS_OWNER
#define HELD (there && locked && owner == my_owner)
#else
#define HELD (there && locked && owner == my_owner && rev == my_rev)
#endif

#ifdef CLAIM_KEEPS_REV
#define RAISE_ON_CLAIM
#else
#define RAISE_ON_CLAIM rev++
#endif

#define UNLOCK locked = false; live = false; owner = 0

/* A run of node `my_owner`. Two runs of one node have the same owner: the node has lost the lock and taken the job
 * again, or it was started anew under its name. */
proctype Run(byte me; byte my_owner) {
    byte my_rev;
    bool is_lost = false;

    if
    :: atomic { there && !locked ->
            assert(!live);                  /* I3: no other live lock. */
            locked = true; live = true; owner = my_owner; holder = me;
            RAISE_ON_CLAIM;
            my_rev = rev
        }
    :: !there -> goto over
    fi;
    do
    :: atomic { !is_lost ->                 /* The renewal. */
            if
            :: HELD -> live = true
            :: else -> is_lost = true
            fi
        }
    :: atomic { true ->                     /* It succeeds. */
            if
            :: HELD -> assert(holder == me); there = false; successes++; UNLOCK
            :: else -> skip
            fi;
            break
        }
    :: atomic { true ->                     /* It fails, and waits for another run. */
            if
            :: HELD && retries > 1 ->
                assert(holder == me);
                retries--; failures++; rev++; UNLOCK;
#ifdef MOVE_IN_TWO
                there = false
#endif
            :: HELD && retries <= 1 -> assert(holder == me)   /* A dead letter: it stays. */
            :: else -> goto over
            fi
        };
#ifdef MOVE_IN_TWO
        if
        :: there = true
        :: skip                             /* Killed between the two. */
        fi;
#endif
        break
    :: break                                /* It is killed. */
    od;
over:
    running--
}

/* Locks end, and any node resets them. */
active proctype Time() {
    do
    :: atomic { locked && live -> live = false }
#ifdef RESET_LIVE
    :: atomic { locked -> locked = false; owner = 0; rev++ }
#else
    :: atomic { locked && !live ->
            locked = false; owner = 0;
#ifndef CLAIM_KEEPS_REV
            rev++;
#endif
#ifdef RESET_USES_RETRY
            retries--
#endif
        }
#endif
    :: atomic { running == 0 ->
            assert(there + successes == 1);            /* I1, I2: neither lost nor there twice. */
            assert(retries == RETRIES - failures);     /* I5: nothing but a failure uses one. */
            break
        }
    od
}

init {
    atomic {
        running = 4;
        run Run(1, 1); run Run(2, 1); run Run(3, 2); run Run(4, 2)
    }
}
