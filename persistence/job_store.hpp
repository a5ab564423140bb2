#pragma once

#include "persistence/job_filter.hpp"
#include "schema/job.hpp"
#include "schema/job_change.hpp"
#include "schema/job_transition.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace jobstrand::persistence {

class Transaction;

/// Who takes jobs, and until when the others must leave them alone.
struct LockClaim {
    std::string_view owner;
    schema::TimePoint until;
};

/// The right to write about a locked job: it holds while the row has this revision and this owner
/// (I3).
struct Fence {
    std::string id;
    int revision = 0;

    bool operator==(const Fence&) const = default;
};

/// What became of a run: the job as it was acquired, and where the state machine sends it. The job
/// is shared with whoever holds it, because a copy of its texts for each run would cost more than
/// the run of a short job.
struct Outcome {
    std::shared_ptr<const schema::Job> job;  ///< Never null.
    schema::Transition transition;
};

/// The answer to a write about a job. Only `done` changed something.
enum class Answer {
    done,
    lost_lock,  ///< Owner or revision no longer match: somebody else has the job now. Not an error.
    not_found,
    locked,  ///< A node holds a live lock on it.
};

/// Where the ids of new jobs come from.
enum class IdOrigin {
    given,  ///< From outside: they are looked for in all places, since a key sees its own table
            ///< only.
    made,   ///< A fresh UUID each, which no row can have: nothing is looked for, which nearly
            ///< doubles the rate of inserts on MariaDB (docs/performance.md).
};

/// Of each priority, the last id that was claimed.
using PriorityPositions = std::map<std::int64_t, std::string>;

/// Whole instances and definitions can be suspended, and the turns of series, by their key or by
/// their group.
enum class SuspensionScope { instance, definition, series, timer_group };

struct Suspension {
    SuspensionScope scope = SuspensionScope::instance;
    std::string id;
    schema::TimePoint since;
};

/// One line of `instance ls`.
struct InstanceSummary {
    std::string id;
    bool suspended = false;
    std::map<schema::JobPlace, std::int64_t> jobs;  ///< Only places that hold some.
};

/// Timers that are due at `now`, and those that would be within `ahead` of it (R118); where `from`
/// is given, only those that are not due before it.
struct DueWindow {
    // Implicit on purpose: mostly nothing fires ahead of its time.
    DueWindow(
        schema::TimePoint now_at,
        schema::Duration window = {},
        std::optional<schema::TimePoint> earliest = {}
    )
        : now(now_at), ahead(window), from(earliest) {}

    schema::TimePoint now;
    schema::Duration ahead;
    std::optional<schema::TimePoint> from;

    bool operator==(const DueWindow&) const = default;
};

/// Changes to a job that is not running; what is not named stays.
using JobChanges = std::vector<schema::JobChange>;

/// How jobs are stored and moved: one named operation per move. Written once, over Connection, for
/// every database; the conformance suite in test/conformance says what each one promises.
///
/// Every operation without a Transaction parameter is one or more transactions of its own, tried
/// again on transient errors (see TransactionRunner), and throws DbError when the database does not
/// let it. Every move is one short transaction, touches the tables in the order of JobPlace and the
/// rows in primary-key order, clears the lock and raises REV_. `now` is always the database's time
/// (I6).
///
/// A plain INSERT can take an id that stands in another place already. What meets such a twin on
/// its own way, a due timer or a suspended job, becomes a dead letter and says so; for what an
/// operator moves, the answer is DbError duplicate_key.
///
/// Thread safety: safe.
class JobStore {
public:
    virtual ~JobStore() = default;

    /// Runs `work` in a transaction and commits it: an app's own rows and its jobs together.
    /// Conflicts run the whole work again, so it must be repeatable. Throws what `work` throws
    /// (after a rollback), or DbError; kind in_doubt when the commit went unanswered and
    /// `was_committed` is empty, else that decides.
    virtual void in_transaction(
        const std::function<void(Transaction&)>& work,
        const std::function<bool(Transaction&)>& was_committed
    ) = 0;

    /// What the database's clock shows now, to the millisecond; nullopt: it has none of its own
    /// (SQLite), and the machine's counts.
    [[nodiscard]] virtual std::optional<schema::TimePoint> database_now() = 0;

    // Enqueueing.

    /// Inserts jobs in the caller's transaction, each into its place; nothing is visible before the
    /// commit. A job of a suspended instance or definition goes to the suspended place instead.
    /// Returns the jobs as they were stored. Throws DbError duplicate_key when an id exists.
    virtual std::vector<schema::PlacedJob> insert(
        Transaction& transaction,
        std::vector<schema::PlacedJob> jobs,
        IdOrigin ids = IdOrigin::given
    ) = 0;

    /// The same in a transaction of its own: all or none, however many.
    virtual std::vector<schema::PlacedJob>
    insert(std::vector<schema::PlacedJob> jobs, IdOrigin ids = IdOrigin::given) = 0;

    // What an executor does with jobs.

    /// Whether acquire would find a job; one cheap statement without a transaction, for idle polls.
    [[nodiscard]] virtual bool has_acquirable(std::span<const std::string> handler_types) = 0;

    /// Locks up to `limit` free executable jobs of the given handler types, oldest id first, and
    /// returns them with the lock and the raised revision. Jobs of suspended instances are moved to
    /// the suspended place instead. Two callers never get the same job. It looks at ids behind
    /// `after` only, which spares it the rows that a caller has claimed before and still runs.
    /// Empty: nothing to do there.
    [[nodiscard]] virtual std::vector<schema::Job> acquire(
        const LockClaim& claim,
        std::span<const std::string> handler_types,
        std::size_t limit,
        std::string_view after = {}
    ) = 0;

    /// The same in strict priority order: the highest first, and within one the oldest id (R014,
    /// R045). Of each priority it looks at ids behind its position only. Needs the index
    /// schema::kPriorityIndex, without which it is slow, and on MySQL an error.
    [[nodiscard]] virtual std::vector<schema::Job> acquire_by_priority(
        const LockClaim& claim,
        std::span<const std::string> handler_types,
        std::size_t limit,
        const PriorityPositions& behind = {}
    ) = 0;

    /// Locks one executable job by id, whatever its handler type, for a run by hand (R006).
    struct AcquiredOne {
        Answer answer = Answer::not_found;  ///< done, not_found, locked.
        schema::Job job;
    };
    [[nodiscard]] virtual AcquiredOne
    acquire_one(std::string_view id, const LockClaim& claim, schema::TimePoint now) = 0;

    /// Writes what became of runs, all in one transaction; the fence decides for each job. Answers
    /// are in the order of the outcomes: done or lost_lock.
    [[nodiscard]] virtual std::vector<Answer>
    apply(std::string_view owner, std::span<const Outcome> outcomes) = 0;

    /// The same for one outcome in the caller's transaction (a transactional handler's).
    [[nodiscard]] virtual Answer
    apply(Transaction& transaction, std::string_view owner, const Outcome& outcome) = 0;

    /// Whether a job still stands in the executable place under this fence.
    [[nodiscard]] virtual bool
    is_held(Transaction& transaction, std::string_view owner, const Fence& fence) = 0;

    /// Moves the expiry of held locks; REV_ stays. Returns the ids whose lock is lost.
    [[nodiscard]] virtual std::vector<std::string>
    extend_locks(const LockClaim& claim, std::span<const Fence> fences) = 0;

    /// Frees locked jobs that were not run (I5). Jobs that are no longer ours are left alone.
    virtual void release(std::string_view owner, std::span<const Fence> fences) = 0;

    /// A part of a place: `rows` rows after the id `after` (exclusive; empty: from the start).
    struct LockSearch {
        schema::TimePoint now;
        std::string_view after = {};
        std::size_t rows = 20'000;
        std::size_t page = 500;  ///< Locks freed in one transaction.
    };
    struct LockReset {
        std::int64_t freed = 0;
        std::string end;  ///< The last id that was looked at; empty: there is nothing behind it.
    };

    /// Frees the jobs in a part of a place (executable, external worker, timer) whose lock expired
    /// before `now`; one that is renewed meanwhile stays. The cost depends on `rows`, not on the
    /// length of the table. Of timers it looks at the first due ones: nobody locks others. Turns of
    /// a series that is not to be recovered are deleted instead.
    [[nodiscard]] virtual LockReset
    reset_expired_locks(schema::JobPlace place, const LockSearch& search) = 0;

    // Timers.

    /// The earliest due date of a free timer; nullopt: there is none.
    [[nodiscard]] virtual std::optional<schema::TimePoint> next_due() = 0;

    /// Moves up to `limit` due timers to the executable place, earliest first. Where `claim` is
    /// given, jobs of these handler types arrive locked by it; they are returned, ready to run.
    ///
    /// A turn of a series (a timer with a REPEAT_) brings the next one with it, in the same
    /// transaction; its misfire instruction may also give it a later due date, or end its series.
    struct DueTimers {
        std::size_t moved = 0;            ///< All that are no longer due in the timer place.
        std::vector<schema::Job> locked;  ///< Those locked for the caller, in due order.
        std::optional<schema::TimePoint> end = {};  ///< The last due date, if any was found.
    };
    [[nodiscard]] virtual DueTimers move_due_timers(
        DueWindow window,
        std::size_t limit,
        const std::optional<LockClaim>& claim,
        std::span<const std::string> handler_types
    ) = 0;

    /// Makes a timer executable now, whatever its due date; its series goes on with the turn after
    /// it. done, not_found, locked.
    [[nodiscard]] virtual Answer fire_timer(std::string_view id, schema::TimePoint now) = 0;

    /// done, not_found, locked.
    [[nodiscard]] virtual Answer
    reschedule_timer(std::string_view id, schema::TimePoint due_date, schema::TimePoint now) = 0;

    // What an operator does.

    /// The job wherever it is, with a payload that was stored apart; nullopt: no such job.
    [[nodiscard]] virtual std::optional<schema::PlacedJob> find(std::string_view id) = 0;

    /// Jobs of one place in id order, after the id `after` (exclusive; empty: from the start). Long
    /// payloads are not fetched.
    [[nodiscard]] virtual std::vector<schema::Job> list(
        schema::JobPlace place,
        const JobFilter& filter,
        std::string_view after,
        std::size_t limit
    ) = 0;

    /// The ids of the same jobs: what a bulk operation needs.
    [[nodiscard]] virtual std::vector<std::string> list_ids(
        schema::JobPlace place,
        const JobFilter& filter,
        std::string_view after,
        std::size_t limit
    ) = 0;

    [[nodiscard]] virtual std::int64_t count(schema::JobPlace place, const JobFilter& filter) = 0;

    /// The stored stack trace or output of the last failure; empty: none.
    [[nodiscard]] virtual std::string exception_details(const schema::Job& job) = 0;

    /// done, not_found, or locked (a running job cannot be changed).
    [[nodiscard]] virtual Answer change(
        schema::JobPlace place,
        std::string_view id,
        const JobChanges& changes,
        schema::TimePoint now
    ) = 0;

    /// Deletes jobs with their byte arrays; the series of a waiting turn ends. Answers in the order
    /// of the ids: done, not_found, locked.
    [[nodiscard]] virtual std::vector<Answer>
    remove(schema::JobPlace place, std::span<const std::string> ids, schema::TimePoint now) = 0;

    /// Gives dead letters new attempts (see schema::requeued). Answers in the order of the ids:
    /// done or not_found; a dead letter that is already requeued is not found, so a second call
    /// does nothing.
    [[nodiscard]] virtual std::vector<Answer> requeue(
        std::span<const std::string> ids,
        int retries,
        std::optional<schema::TimePoint> due_date,
        schema::TimePoint now
    ) = 0;

    /// Suspends an instance or definition: its free jobs in the timer, executable and external
    /// places move to the suspended place; running ones finish, and when they fail their next
    /// attempt waits there too. New jobs of it are stored suspended. Returns how many moved;
    /// suspending twice moves nothing. Of a series, only the turn that carries it on is suspended
    /// (see SeriesStore).
    virtual std::int64_t
    suspend(SuspensionScope scope, std::string_view id, schema::TimePoint now) = 0;

    /// The inverse; a job whose instance and definition are both suspended waits for both. Returns
    /// how many moved back.
    virtual std::int64_t
    activate(SuspensionScope scope, std::string_view id, schema::TimePoint now) = 0;

    [[nodiscard]] virtual std::vector<Suspension> suspensions(SuspensionScope scope) = 0;

    /// Instances that have jobs or are suspended, in id order, after `after`.
    [[nodiscard]] virtual std::vector<InstanceSummary>
    instances(std::string_view after, std::size_t limit) = 0;
};

}  // namespace jobstrand::persistence
