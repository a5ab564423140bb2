"""What run_mutants.py takes out of the code: the conditions on which the invariants I1, I3, I4, I5 and I7 of
docs/design.md rest, one at a time. A mutant that no test notices is a hole in the tests."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Mutant:
    """`text` stands in `path` exactly once behind `behind`, and becomes `instead`."""

    name: str
    path: str
    text: str
    instead: str
    behind: str = ""


def without(name, path, behind, condition):
    """A condition of an SQL statement that is always true. Its parameter stays, so that the others keep their places."""
    return Mutant(name, path, condition, f"({condition} OR 1 = 1)", behind)


def fence(statement, path, constant):
    return without(f"{statement} ignores the fence", path, constant, "{held}")


FENCES = "persistence/rows/fences.cpp"
OUTCOMES = "persistence/jobs/apply_outcomes.cpp"
HOLD = "persistence/jobs/hold_locks.cpp"
END_CLAIMS = "persistence/rows/page_claims.cpp"
CLAIMED = "persistence/rows/page_claims.cpp"
PAGES = "persistence/jobs/candidates.cpp"
RESET = "persistence/jobs/reset_expired_locks.cpp"
CANDIDATES = "persistence/jobs/candidates.cpp"
SERVED = "persistence/jobs/served_condition.cpp"
ACQUIRE = "persistence/jobs/acquire_jobs.cpp"
CLAIM = "persistence/jobs/claim_rows.cpp"
SAME_INSTANCE = "persistence/jobs/claim_rows.cpp"
GROUPS = "persistence/limits/exclusive_groups.cpp"
JOIN = "persistence/limits/exclusive_groups.cpp"
PASS_ON = "persistence/jobs/pass_on_groups.cpp"
TABLE = "persistence/rows/job_rows.cpp"
PRODUCER = "executor/enqueue/job_producer.cpp"
DUE = "persistence/jobs/due_timers.cpp"
MOVE = "persistence/rows/move_jobs.cpp"
KEYS = "persistence/rows/key_rows.cpp"
LIMIT = "schema/concurrency.cpp"
LIMITED = "persistence/jobs/candidates.cpp"
JOIN_LIMITS = "persistence/limits/limit_slots.cpp"
RUNNER = "executor/job_runner.cpp"
HELD = "executor/pool/held_jobs.cpp"
ORDER = "executor/pool/group_order.cpp"

MUTANTS = [
    without("a fence ignores the revision", FENCES, "kByRow", "REV_ = ?"),
    without("a fence ignores the owner", FENCES, "kByRow", "LOCK_OWNER_ = ?"),
    without("a fence of claimed jobs ignores the revision", FENCES, "kByClaim", "COALESCE(REV_, 1) = ?"),
    Mutant("a reset of a claim keeps the revision", END_CLAIMS, "COALESCE(REV_, 1) + 1", "COALESCE(REV_, 1)", "kLetGo"),
    Mutant("a reset of a claim takes a job with its own lock", END_CLAIMS, " AND LOCK_OWNER_ IS NULL", "", "kLetGo"),
    Mutant("a claim of a page takes what is held", CANDIDATES, "!is_held && ", ""),
    Mutant("a claim of a page begins among others", PAGES, "from = std::move(*last);", ""),
    Mutant("an operator does not ask the claims", CLAIMED, "    mark(transaction, rows);\n", ""),
    without("the end of a job ends its claim", END_CLAIMS, "kDeleteEmpty", "LEFT_ <= 0"),
    fence("the look at what is held", FENCES, "kLockHeld"),
    fence("the release", FENCES, "kFree = "),
    fence("the release of what is not served", FENCES, "kFreeUnserved"),
    fence("the deletion of what is completed", OUTCOMES, "kDelete"),
    fence("the renewal", HOLD, "kExtend"),
    fence("the count of a start", HOLD, "kCountStart"),
    Mutant("a release keeps the revision", FENCES, "COALESCE(REV_, 1) + 1", "COALESCE(REV_, 1)", "kFree = "),
    Mutant(
        "a release of what is not served keeps the revision",
        FENCES,
        "COALESCE(REV_, 1) + 1",
        "COALESCE(REV_, 1)",
        "kFreeUnserved",
    ),
    Mutant(
        "a failed run of an earlier revision moves the job",
        OUTCOMES,
        "row.revision != outcome.job->revision || ",
        "",
    ),
    Mutant("a failed run of another owner moves the job", OUTCOMES, " || !is_ours", ""),
    Mutant(
        "a failed run of a job that is gone counts",
        OUTCOMES,
        "leaving.rows.size() == outcomes.size() ?",
        "true ?",
    ),
    Mutant(
        "of two runs in a batch the wrong one counts",
        OUTCOMES,
        " && found->second == outcome->job->revision",
        "",
    ),
    Mutant("a lost lock in a batch is not noticed", OUTCOMES, "if (!is_held) {", "if (false) {"),
    Mutant("a live lock is reset", RESET, "LOCK_EXP_TIME_ < ?", "(LOCK_EXP_TIME_ < ? OR 1 = 1)", "kReset"),
    Mutant("a reset keeps the revision", RESET, "COALESCE(REV_, 1) + 1", "COALESCE(REV_, 1)", "kReset"),
    Mutant(
        "a reset keeps the owner", RESET, "LOCK_OWNER_ = NULL, ", "", "kReset"
    ),
    Mutant("a claim takes what is locked", CANDIDATES, "LOCK_EXP_TIME_ IS NULL AND ", "", "kOldest = "),
    Mutant(
        "a claim in an order takes what is locked",
        "persistence/jobs/ordered_candidates.cpp",
        "LOCK_EXP_TIME_ IS NULL AND ",
        "",
        "kNextOfRange",
    ),
    Mutant(
        "a claim takes any handler type",
        SERVED,
        "HANDLER_TYPE_ IN (...)",
        "(HANDLER_TYPE_ IN (...) OR 1 = 1)",
        "kOfType",
    ),
    Mutant(
        "a claim takes what it lacks the need of",
        SERVED,
        " AND NEEDS_ IS NULL",
        "",
        "kNeedsNothing",
    ),
    Mutant(
        "a claim takes what is outside of the scope",
        SERVED,
        "{column} IN (...)",
        "({column} IN (...) OR 1 = 1)",
        "kListed = ",
    ),
    Mutant("a claim keeps the revision", CLAIM, "COALESCE(REV_, 1) + 1", "COALESCE(REV_, 1)", "kLock"),
    without("a claim locks beyond its page", CLAIM, "kInRange", "ID_ <= ?"),
    without("a claim locks what is locked", CLAIM, "kInRange", "LOCK_EXP_TIME_ IS NULL"),
    without("a claim locks what is not served", CLAIM, "kInRange", "{served}"),
    Mutant("a claim keeps rows that it could not lock", CLAIM, "if (std::cmp_equal(locked, jobs.size())) {", "if (true) {"),
    Mutant(
        "a claim by id takes what is locked",
        ACQUIRE,
        "is_locked(jobs.front(), now)",
        "(is_locked(jobs.front(), now) && false)",
    ),
    Mutant("a timer moves before it is due", DUE, "DUEDATE_ <= ?", "(DUEDATE_ <= ? OR 1 = 1)", "kDue"),
    Mutant("a locked timer moves", DUE, "AND LOCK_EXP_TIME_ IS NULL ", "", "kDue"),
    Mutant(
        "a move whose row is gone succeeds",
        MOVE,
        "if (deleted != static_cast<std::int64_t>(ids.size())) {",
        "if (false) {",
    ),
    Mutant("a move keeps the revision", MOVE, "++row.revision;", ""),
    Mutant("a move keeps the lock", MOVE, "job.lock_owner.clear();", ""),
    Mutant(
        "a claim joins the group of another owner",
        JOIN,
        "lock->second.owner == owner",
        "(lock->second.owner == owner || true)",
    ),
    Mutant("a run by hand joins any group", ACQUIRE, "!join_group_alone(", "!true && !join_group_alone("),
    without("a renewal of groups ignores the owner", GROUPS, "kExtend", "LOCK_OWNER_ = ?"),
    without("the look at held groups ignores the owner", GROUPS, "kHeld", "LOCK_OWNER_ = ?"),
    Mutant(
        "a group of another owner is passed on",
        PASS_ON,
        " && lock->second.owner == owner",
        " && (lock->second.owner == owner || true)",
    ),
    Mutant(
        "a group is passed on while a claim of it is under way",
        PASS_ON,
        "lock->second.claimed == named.second->claimed",
        "true",
    ),
    Mutant(
        "a late end ends a later holding of the group",
        PASS_ON,
        "lock->second.began == named.second->began",
        "true",
    ),
    Mutant("a group ends without a look at who waits", PASS_ON, "if (!waiting.empty()) {", "if (false) {"),
    Mutant(
        "an outcome counts without its group",
        OUTCOMES,
        "held_groups(transaction, owner, groups).size() == groups.size()",
        "true",
    ),
    Mutant(
        "a due timer arrives locked whoever holds its group",
        DUE,
        "schema::exclusive_group(placed.job, context.exclusive_over).empty() &&",
        "",
    ),
    Mutant("a job that somebody has is taken along", SAME_INSTANCE, " AND LOCK_EXP_TIME_ IS NULL\n        AND EXCLUSIVE_", "\n        AND EXCLUSIVE_"),
    Mutant("what meets a limit is taken along", SAME_INSTANCE, "limits.meets(job) ||", "", "void drop_unwanted"),
    Mutant(
        "more of a group is taken along than its holder may have",
        SAME_INSTANCE,
        "schema::may_claim_of_group(group->second, 1) == 0",
        "false",
    ),
    Mutant(
        "what is suspended is taken along",
        SAME_INSTANCE,
        "    drop_suspended(transaction, besides);\n",
        "    (void)drop_suspended;\n",
    ),
    Mutant(
        "what is taken along does not count in its group",
        SAME_INSTANCE,
        "    count_in_groups(transaction, search.claim, search.context.exclusive_over, found);\n",
        "    (void)count_in_groups;\n",
    ),
    Mutant(
        "a group that another node has just taken counts as ours",
        GROUPS,
        "lock != locks.end() && lock->second.owner == claim.owner",
        "lock != locks.end()",
    ),
    Mutant(
        "a job waits for a group that is being changed",
        JOIN,
        "known.contains(group) ? Place::waits : Place::stays",
        "known.empty() ? Place::stays : Place::waits",
    ),
    Mutant(
        "a claim waits for a group that is being changed",
        GROUPS,
        "read_locks(transaction, skip_locked, names)",
        "locks_for_update(transaction, names)",
    ),
    Mutant("a group ends before its chain is written", ORDER, " || is_any_under_way(group->second)", ""),
    Mutant(
        "a chain goes on although its lock is lost",
        ORDER,
        "!group->second.waiting.empty() && !is_lost(*former)",
        "!group->second.waiting.empty()",
    ),
    Mutant(
        "a chain goes on behind a failure",
        "executor/async_executor.cpp",
        "outcome.transition.reason != schema::TransitionReason::completed ||",
        "",
    ),
    Mutant(
        "what has its order is written before a refused one",
        "executor/job_completion.cpp",
        "!waits_behind_refused(*next) && ",
        "",
    ),
    Mutant(
        "what has its order is written beside",
        "executor/job_completion.cpp",
        "in_order_.push_back(std::move(outcome));",
        "waiting_.push_back(std::move(outcome));",
    ),
    Mutant("a hand-off asks for no group", PRODUCER, "!schema::may_exclude(job) && ", ""),
    Mutant("a waiting job counts as held", TABLE, "!schema::waits_for_exclusive(job) && ", ""),
    Mutant("a job that waits for a limit counts as held", TABLE, " && !schema::waits_for_limit(job)", ""),
    Mutant("a due timer arrives locked whatever limit it meets", DUE, "!limits->meets(placed.job) && ", ""),
    Mutant("a group with jobs that run counts as idle", "persistence/limits/limit_rows.cpp", "slots.loads.contains(group)", "false"),
    Mutant("a slot counts whoever holds the job", "persistence/limits/limit_slots.cpp", "|| holder->second != row.owner", ""),
    Mutant(
        "a node whose lease was over does not look at its locks",
        "executor/node_presence.cpp",
        "if (!had_lease || !answer.is_held) {",
        "if (false) {",
    ),
    Mutant(
        "locks are reset right after an outage",
        "executor/expired_lock_reset.cpp",
        " || is_waiting_after_outage()",
        "",
    ),
    Mutant("only the first node by name looks for expired locks", "executor/loop/shared_looks.hpp", "++waited_ < share_", "share_ > 1"),
    Mutant("a key that somebody has counts as new", KEYS, "{on_existing} REV_ = 2", "{on_existing} REV_ = 1"),
    Mutant("a completed job keeps its key", OUTCOMES, "    free_keys_of(transaction, jobs);\n", ""),
    Mutant("a dead letter keeps its key", MOVE, "    free_keys_of_dead(transaction, written);\n", ""),
    Mutant("the end of a job frees another's key", KEYS, " AND JOB_ID_ IN (...){still_open}", " AND (JOB_ID_ IN (...) OR 1 = 1){still_open}"),
    Mutant("the end of a job frees a key of a period", KEYS, '" AND UNTIL_ IS NULL"', '""'),
    Mutant(
        "a running job is replaced",
        "persistence/rows/key_rows.cpp",
        "!is_locked(row, now) && ",
        "",
    ),
    Mutant("a job with a key is handed over", PRODUCER, " && !wants_key(job)", ""),
    Mutant("a claim that commits late has begun late", GROUPS, "WHEN BEGAN_ > ? THEN ?", "WHEN BEGAN_ > ? AND 1 = 0 THEN ?"),
    Mutant(
        "a limit over all nodes does not count what runs",
        LIMIT,
        "*group.concurrent - load.running",
        "std::int64_t{*group.concurrent}",
    ),
    Mutant(
        "a limit of a node does not count what runs",
        LIMIT,
        "*group.per_node - load.here",
        "std::int64_t{*group.per_node}",
    ),
    Mutant(
        "a rate is never used up",
        LIMIT,
        "room = std::min(room, starts_left(*group.rate, load.used_until, now));",
        "",
    ),
    Mutant("starts do not use a rate up", JOIN_LIMITS, "    use_rates(transaction, claim.now, rooms);\n", ""),
    Mutant("nodes that claim do not lock a limit", "persistence/limits/limit_slots.cpp", "dialect.for_update, groups", '"", groups'),
    Mutant(
        "a job that waits for a limit is taken though it waits no more",
        LIMITED,
        "    std::erase_if(rows.jobs, is_changed);\n",
        "",
    ),
    Mutant("a job that waits for a limit counts as held", TABLE, " && !schema::waits_for_limit(job)", ""),
    Mutant("a job whose stop is requested starts", RUNNER, "!held.stop.stop_requested() && ", ""),
    Mutant("a job whose lock has ended starts", RUNNER, "now < held.lock_until.load() && ", ""),
    Mutant(
        "a transactional handler starts in a transaction that began after the end of its lock",
        RUNNER,
        "!is_ours(*held, use_.clock.steady_now())",
        "false",
    ),
    Mutant(
        "the end of an earlier run forgets the next one",
        HELD,
        " && found->second->job.revision == job.revision",
        "",
        "HeldJobs::forget",
    ),
    Mutant(
        "a renewal of an earlier run prolongs the next one",
        HELD,
        " && found->second->job.revision == fence.revision",
        "",
        "HeldJobs::extended",
    ),
]
