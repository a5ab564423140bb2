/* The exclusive jobs of one group, two nodes that take them, and time that passes as it likes: what invariant I4 of
 * docs/design.md rests on. Each `atomic` is one transaction of persistence/jobs, but for GROUP_NOT_LOCKED. What is
 * between a claim and its arrival in the memory of the node, or between an end and the passing on, may last any time.
 *
 * Variants with a mistake, each of which the search must find:
 *   GROUP_NOT_LOCKED   a claim looks who holds the group, and takes it in a second transaction
 *   RELEASE_BLIND      a group is freed without a look for jobs that wait
 *   RELEASE_UNCOUNTED  a group is freed although a claim of its holder is under way
 *   RELEASE_ANY_TIME   the end of an earlier holding ends a later one of the same node
 *   RENEW_JOBS_ONLY    a renewal prolongs the lock of a job without that of its group
 *   FENCE_WITHOUT_GROUP an outcome is written although the group is lost
 */

#define JOBS 3
#define NODES 2
#define NOBODY 9

/* The rows of the jobs: free, held by a node, waiting, or gone. `live`: a held one's lock has not ended. */
mtype = { free, held, waiting, gone };
mtype state[JOBS] = free;
byte owner[JOBS] = NOBODY;
bool live[JOBS];

/* The row of the group. */
byte holder = NOBODY;
bool group_live = false;
byte claimed = 0;
byte began = 0;                 /* Which holding it is: in the tables, when it began. */
byte holdings = 0;

/* What only the model knows. */
byte lasts = 1;                 /* How often locks may still end. */

inline look_at_overlap() {
    /* I4: no two nodes have live locks on jobs of the group. */
    d_step {
        i = 0;
        seen = NOBODY;
        do
        :: i < JOBS ->
            if
            :: state[i] == held && live[i] -> assert(seen == NOBODY || seen == owner[i]); seen = owner[i]
            :: else -> skip
            fi;
            i++
        :: else -> break
        od;
        i = 0; seen = NOBODY
    }
}

/* A node has one strand that claims, and one that ends jobs and passes the group on: two processes with its memory. */
byte arrived[NODES];            /* Jobs that it knows of since it holds the group. */
byte oldest[NODES] = 255;       /* The earliest holding that one of them was claimed in. */
byte in_hand[NODES];            /* Those of them that have not ended. */
byte under_way[NODES * JOBS];   /* Claimed, and not arrived: in which holding. */
bool mine[NODES * JOBS];        /* Arrived, and not ended. */

proctype Claimer(byte me) {
    byte j; byte i; byte seen; bool may;
    do
    :: atomic {
            if
            :: state[0] == free -> j = 0
            :: state[1] == free -> j = 1
            :: state[2] == free -> j = 2
            fi;
            may = (holder == NOBODY || holder == me);
#ifdef GROUP_NOT_LOCKED
        };
        atomic {
            if
            :: state[j] != free -> may = false; goto done
            :: else -> skip
            fi;
#endif
            if
            :: may ->
                if
                :: holder != me -> claimed = 0; holdings++; began = holdings
                :: else -> skip
                fi;
                holder = me; group_live = true; claimed++;
                state[j] = held; owner[j] = me; live[j] = true;
                under_way[me * JOBS + j] = began;
                look_at_overlap()
            :: else -> state[j] = waiting
            fi
        };
done:   if
        :: atomic { under_way[me * JOBS + j] > 0 ->
                if
                :: under_way[me * JOBS + j] < oldest[me] -> oldest[me] = under_way[me * JOBS + j]
                :: else -> skip
                fi;
                if
                :: !mine[me * JOBS + j] -> in_hand[me]++
                :: else -> skip             /* Its earlier, lost run has not ended yet. */
                fi;
                under_way[me * JOBS + j] = 0; mine[me * JOBS + j] = true; arrived[me]++;
                j = 0; may = false
            }
        :: atomic { under_way[me * JOBS + j] == 0 -> j = 0; may = false }
        fi
    :: state[0] == gone && state[1] == gone && state[2] == gone -> break
    od
}

/* Jobs end in any order here: that they follow each other in the memory of a node is no matter of the tables. */
proctype Ender(byte me) {
    byte j; byte i; byte seen; byte told; byte told_began; byte number;
    do
    :: atomic {
            if
            :: mine[me * JOBS + 0] -> j = 0
            :: mine[me * JOBS + 1] -> j = 1
            :: mine[me * JOBS + 2] -> j = 2
            fi;
            mine[me * JOBS + j] = false; in_hand[me]--;
            if
#ifdef FENCE_WITHOUT_GROUP
            :: state[j] == held && owner[j] == me ->
#else
            :: state[j] == held && owner[j] == me && holder == me ->
#endif
                assert(holder == me);       /* I4: what is written, is written by the holder. */
                state[j] = gone; owner[j] = NOBODY; live[j] = false
            :: else -> skip                 /* Lost. */
            fi;
            j = 0
        }
    :: atomic { arrived[me] > 0 && in_hand[me] == 0 ->
            told = arrived[me]; told_began = oldest[me]; arrived[me] = 0; oldest[me] = 255
        };
        atomic {
            if
#ifdef RELEASE_UNCOUNTED
            :: holder == me && told_began == began ->
#else
#ifdef RELEASE_ANY_TIME
            :: holder == me && claimed == told ->
#else
            :: holder == me && claimed == told && told_began == began ->
#endif
#endif
#ifndef RELEASE_BLIND
                if
                :: state[0] == waiting -> j = 0; number = 1
                :: state[1] == waiting -> j = 1; number = 1
                :: state[2] == waiting -> j = 2; number = 1
                :: else -> number = 0
                fi;
#else
                number = 0;
#endif
                if
                :: number == 1 ->
                    state[j] = held; owner[j] = me; live[j] = true; group_live = true; claimed = 1;
                    holdings++; began = holdings;
                    if
                    :: !mine[me * JOBS + j] -> in_hand[me]++
                    :: else -> skip
                    fi;
                    mine[me * JOBS + j] = true; arrived[me]++;
                    if
                    :: began < oldest[me] -> oldest[me] = began
                    :: else -> skip
                    fi;
                    look_at_overlap()
                :: else -> holder = NOBODY; group_live = false; claimed = 0;
                    /* Who waits, waits for a holder. */
                    assert(state[0] != waiting && state[1] != waiting && state[2] != waiting)
                fi
            :: else ->                      /* Busy, or somebody else's by now. */
                if
                :: holder == me && claimed > told && told_began == began ->
                    arrived[me] = arrived[me] + told; oldest[me] = told_began
                :: else -> skip
                fi
            fi;
            j = 0; number = 0; told = 0; told_began = 0
        }
    :: atomic { mine[me * JOBS + 0] && state[0] == held && owner[0] == me ->
            /* A renewal, group first. */
#ifdef RENEW_JOBS_ONLY
            live[0] = true
#else
            if
            :: holder == me -> group_live = true; live[0] = true
            :: else -> skip
            fi
#endif
        }
    :: state[0] == gone && state[1] == gone && state[2] == gone -> break
    od
}

/* Locks end, those of jobs no later than that of their group; and any node resets them. */
active proctype Time() {
    byte i; byte seen;
    do
    :: atomic { lasts > 0 -> lasts--; live[0] = false; live[1] = false; live[2] = false; group_live = false }
    :: atomic { holder != NOBODY && !group_live ->
            holder = NOBODY; claimed = 0;
            if :: state[0] == waiting -> state[0] = free :: else -> skip fi;
            if :: state[1] == waiting -> state[1] = free :: else -> skip fi;
            if :: state[2] == waiting -> state[2] = free :: else -> skip fi
        }
    :: atomic { state[0] == held && !live[0] -> state[0] = free; owner[0] = NOBODY }
    :: atomic { state[1] == held && !live[1] -> state[1] = free; owner[1] = NOBODY }
    :: atomic { state[2] == held && !live[2] -> state[2] = free; owner[2] = NOBODY }
    :: look_at_overlap(); break
    od
}

init {
    atomic { run Claimer(0); run Ender(0); run Claimer(1); run Ender(1) }
}
