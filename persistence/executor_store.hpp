#pragma once

#include "persistence/claim_request.hpp"
#include "persistence/outcome.hpp"
#include "persistence/transactions.hpp"
#include "persistence/unique_keys.hpp"
#include "schema/acquisition.hpp"
#include "schema/job.hpp"
#include "schema/time.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace jobstrand::persistence {

/// A group of exclusive jobs of which its holder holds none any more.
struct GroupEnd {
    std::string group;  ///< See schema::exclusive_group.

    /// Jobs of it that the holder knows that it has claimed, since it holds the group. When the
    /// database knows of more, a claim is under way whose jobs have not arrived yet.
    std::int64_t claimed = 0;

    /// The earliest lock expiry that one of them was claimed with. It tells this time of holding
    /// the group from a later one, so that an end that is told late ends nothing else.
    schema::TimePoint began = {};

    bool operator==(const GroupEnd&) const = default;
};

/// What became of groups that ended.
struct GroupsPassedOn {
    /// The jobs that waited and are now locked for the holder, which keeps their groups.
    std::vector<schema::Job> jobs;

    /// Groups of which more are under way: their end is told again when those have ended.
    std::vector<GroupEnd> busy;

    /// Groups that there was no time to look at: to be told again at once.
    std::vector<GroupEnd> rest;
};

/// What one look at all tables tells a node that has nothing to do.
struct IdleView {
    schema::TimePoint at = {};  ///< As of when.

    /// See ExecutorStore::has_acquirable.
    bool has_acquirable = false;

    /// See TimerStore::next_due, without `from`; nullopt: there is none.
    std::optional<schema::TimePoint> next_due = {};
    /// false: something stands first among the timers that TimerStore::next_due has to see to.
    bool are_timers_sound = true;

    bool has_executable = false;  ///< Any executable job, whoever serves or holds it.
    bool has_locks = false;       ///< Something else that a lock may be on, or be left over of one.
    bool has_limits = false;      ///< A limit, or a job that waits for one.
    bool has_leftovers = false;   ///< A unique key, or a group of limited jobs.

    /// When the first lease of a node ends that is not renewed; nullopt: nobody knows.
    std::optional<schema::TimePoint> first_lease_end = {};
};

struct AcquiredJob {
    JobAnswer answer = JobAnswer::not_found;
    schema::Job job;  ///< When done.
};

struct LimitedJobs {
    std::vector<schema::Job> jobs;
    std::string end;  ///< The last group that was looked at; empty: there is none behind it.
    /// How long until the rate of one of these groups lets more start; nullopt: no rate is in the
    /// way.
    std::optional<schema::Duration> until_next = {};
};

/// A part of a place: `rows` rows after the id `after` (exclusive; empty: from the start).
struct LockSearch {
    schema::TimePoint now;
    std::string_view after = {};
    std::size_t rows = 20'000;
    std::size_t page = 500;  ///< Locks freed in one transaction.
    /// Only locks of these nodes, in the whole table; empty: of all.
    std::span<const std::string> owners = {};
};

struct LockReset {
    std::int64_t freed = 0;
    std::string end;         ///< The last id that was looked at; empty: there is nothing behind it.
    std::string first = {};  ///< The first one; empty: none, or it looked at timers or owners.
};

/// What an executor needs of the store: jobs to run, their locks, and where to write what became of
/// them. A transactional handler's work goes through in_transaction(). See Transactions for what
/// holds for all roles.
class ExecutorStore : public Transactions {
public:
    /// Whether acquire would find a job behind `after`, and before `before`, if that is not empty;
    /// one cheap statement without a transaction, for idle polls.
    [[nodiscard]] virtual bool has_acquirable(
        const ServedJobs& served,
        std::string_view after = {},
        std::string_view before = {}
    ) = 0;

    /// Looks, from the start, at all tables in which a node may find something to do. It is one
    /// statement, so that an idle node asks nothing else.
    [[nodiscard]] virtual IdleView look_around(const ServedJobs& served, schema::TimePoint now) = 0;

    /// Locks up to `limit` free executable jobs that are served, oldest id first, and returns them
    /// with the lock and the raised revision. Jobs of suspended instances are moved to
    /// the suspended place instead. Two callers never get the same job. It looks at ids behind
    /// `after` only, which spares it the rows that a caller has claimed before and still runs.
    /// Empty: nothing to do there.
    [[nodiscard]] virtual std::vector<schema::Job> acquire(
        const LockClaim& claim,
        const ServedJobs& served,
        PageLimit limit,
        std::string_view after = {}
    ) = 0;

    /// Acquires in another order (R014, R045 to R050). Precondition: `order` is any. Looks only
    /// behind the position of each index range. Needs schema::index_of(order). Where priorities
    /// age, it looks at the 1,000 highest that there are.
    [[nodiscard]] virtual std::vector<schema::Job> acquire_in_order(
        const LockClaim& claim,
        const ServedJobs& served,
        const schema::AcquisitionOrder& order,
        PageLimit limit,
        const RangePositions& behind = {}
    ) = 0;

    // Two exclusive jobs of one group (schema::exclusive_group) are never locked by two owners
    // (I4). Who acquires one holds its group, and runs what it holds of it one after the other.
    // What others meet of it waits in the table, where no acquisition reads it again, until the
    // holder has told that it holds none any more.

    /// Tells that the owner holds no job of these groups any more. Of the jobs that wait for each
    /// it locks some that are served, payloads of so many bytes together, and frees those that are
    /// not. A group without any is free.
    [[nodiscard]] virtual GroupsPassedOn pass_on(
        const LockClaim& claim,
        const ServedJobs& served,
        std::size_t most_bytes,
        std::span<const GroupEnd> groups
    ) = 0;

    /// Frees the groups whose holders are dead, because their locks expired before `now`, with the
    /// jobs that wait for them: groups of these owners, or of all if there are none. Returns how
    /// many jobs that were.
    [[nodiscard]] virtual std::int64_t
    reset_expired_groups(schema::TimePoint now, std::span<const std::string> owners = {}) = 0;

    // Of the jobs that meet a limit (schema::JobLimits) never more are locked than it
    // allows. The others wait in the table, where no acquisition reads them again, until somebody
    // who has seen that there is room takes them.

    /// Goes by the limits as they are now in the table; before the first time by none. Returns
    /// whether there are any.
    virtual bool refresh_limits() = 0;

    /// Whether any of these limits applies to the job. From memory; cheap.
    [[nodiscard]] virtual bool meets_limit(const schema::Job& job) = 0;

    /// Locks some of the jobs that wait for limits and now have room, of groups behind this one.
    [[nodiscard]] virtual LimitedJobs acquire_limited(
        const LockClaim& claim,
        const ServedJobs& served,
        PageLimit limit,
        std::string_view behind = {}
    ) = 0;

    /// Deletes what is left in the tables of some groups behind this one in which nothing runs or
    /// waits any more, and of whose rates nothing is used up: nobody may ever look at them again.
    /// Returns the last group that was looked at; empty: there is none behind it.
    [[nodiscard]] virtual std::string
    forget_idle_groups(std::string_view behind, schema::TimePoint now) = 0;

    /// Locks one executable job by id, whatever its handler type, for a run by hand (R006). Locked
    /// is also one whose group somebody holds. Limits do not count here, nor does it count for
    /// them.
    [[nodiscard]] virtual AcquiredJob
    acquire_one(std::string_view id, const LockClaim& claim, schema::TimePoint now) = 0;

    /// Writes what became of runs, all in one transaction; the fence decides for each job. Answers
    /// are in the order of the outcomes.
    [[nodiscard]] virtual std::vector<OutcomeAnswer>
    apply(std::string_view owner, std::span<const Outcome> outcomes) = 0;

    /// Writes one outcome in the caller's transaction (a transactional handler's).
    [[nodiscard]] virtual OutcomeAnswer
    apply(Transaction& transaction, std::string_view owner, const Outcome& outcome) = 0;

    /// Whether a job still stands in the executable place under this fence.
    [[nodiscard]] virtual bool
    is_held(Transaction& transaction, std::string_view owner, const Fence& fence) = 0;

    /// The ids among `fences`, which ascend, whose jobs are not held any more: their locks are
    /// lost, or an operator has taken them away. Reads their rows by their keys, and locks nothing.
    [[nodiscard]] virtual std::vector<std::string>
    not_held(std::string_view owner, std::span<const Fence> fences) = 0;

    /// Moves the expiry of held locks to the end of the claim, those that end later excepted; REV_
    /// stays. Returns the ids whose lock is lost. The locks of their groups go with them, and with
    /// a group all its jobs are lost.
    [[nodiscard]] virtual std::vector<std::string>
    extend_locks(const LockClaim& claim, std::span<const Fence> fences) = 0;

    /// The jobs that a claim has locked of which nobody could tell whether it was committed; none
    /// if it was not, or has not been yet. A page that it has claimed comes free instead. `now` is
    /// the time of the call.
    [[nodiscard]] virtual std::vector<schema::Job> take_up(const LockClaim& claim) = 0;

    /// Frees locked jobs that were not run (I5). Jobs that are no longer ours are left alone.
    virtual void release(std::string_view owner, std::span<const Fence> fences) = 0;

    // A process that dies tells nobody which jobs it had started. So from a reset of its lock on a
    // job has one lost start, whether it was started or only queued, and each further start of it
    // is counted before it begins. The count goes with the row: a job that ends or leaves its place
    // loses it.

    /// Counts a start of a job that has lost some, in a transaction of its own. If this start is
    /// lost too, nobody acquires the job before `next`. false: the lock is lost.
    [[nodiscard]] virtual bool
    count_start(std::string_view owner, const Fence& fence, schema::TimePoint next) = 0;

    /// These starts have ended although their locks were lost: no process has died of them.
    virtual void uncount_starts(std::span<const std::string> ids) = 0;

    /// Waits while the database is away, as far as this process has seen: what would run now might
    /// not be written before its lock ends. Until `until`, or a stop, at most.
    virtual void wait_for_database(const std::stop_token& stop, schema::SteadyPoint until) = 0;

    /// Since when it has been back from its last outage, which nobody could renew a lock in;
    /// SteadyPoint::max(): it is away; nullopt: it has never been.
    [[nodiscard]] virtual std::optional<schema::SteadyPoint> back_since() = 0;

    /// Frees the jobs in a part of a place (executable, external worker, timer) whose lock expired
    /// before `now`; one that is renewed meanwhile stays. The cost depends on `rows`, not on the
    /// length of the table. Of timers it looks at the first due ones: nobody locks others. Turns of
    /// a series that is not to be recovered are deleted instead.
    [[nodiscard]] virtual LockReset
    reset_expired_locks(schema::JobPlace place, const LockSearch& search) = 0;

    /// Forgets the unique keys in a part of them whose period is over.
    [[nodiscard]] virtual ExpiredKeys remove_expired_keys(const KeySearch& search) = 0;
};

}  // namespace jobstrand::persistence
