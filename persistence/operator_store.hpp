#pragma once

#include "persistence/job_filter.hpp"
#include "persistence/suspension.hpp"
#include "persistence/transactions.hpp"
#include "persistence/unique_keys.hpp"
#include "schema/job.hpp"
#include "schema/job_fields.hpp"
#include "schema/time.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace jobstrand::persistence {

/// When each of several jobs is due.
class DueDates final {
public:
    /// All jobs are due at once.
    DueDates() = default;

    // Implicit on purpose: mostly all are due at the same time.
    DueDates(std::optional<schema::TimePoint> of_all) : of_all_(of_all) {}
    DueDates(std::nullopt_t) {}
    DueDates(schema::TimePoint of_all) : of_all_(of_all) {}

    /// Each job has its own, in the order in which the jobs are named.
    explicit DueDates(std::vector<schema::TimePoint> of_each) : of_each_(std::move(of_each)) {}

    /// Returns the due date of the job with this index, which must exist if each has its own.
    [[nodiscard]] std::optional<schema::TimePoint> of(std::size_t index) const {
        return of_each_.empty() ? of_all_ : std::optional(of_each_.at(index));
    }

    /// What all have; nullopt: at once, or each has its own.
    [[nodiscard]] std::optional<schema::TimePoint> of_all() const { return of_all_; }

private:
    std::optional<schema::TimePoint> of_all_ = {};
    std::vector<schema::TimePoint> of_each_ = {};
};

/// A job of a group that its holder has locked.
struct HeldSibling {
    std::string id = {};
    std::optional<schema::TimePoint> since = {};  ///< It runs, as its node has told.

    bool operator==(const HeldSibling&) const = default;
};

/// Who has the exclusive jobs of an instance, or of a hierarchy.
struct GroupHold {
    std::string group = {};       ///< The instance, or the root of the hierarchy.
    std::string lock_owner = {};  ///< Empty: nobody any more.
    std::optional<schema::TimePoint> until = {};

    /// Others than the job that was asked about; those that are known to run first. A few, where
    /// they were found.
    std::vector<HeldSibling> siblings = {};

    bool operator==(const GroupHold&) const = default;
};

/// The jobs of one handler type in one place.
struct TypeCount {
    std::string handler_type;
    std::int64_t jobs = 0;
    std::int64_t locked = 0;                       ///< 0 where nothing is ever locked.
    std::optional<schema::TimePoint> oldest = {};  ///< When the first of them was created.

    bool operator==(const TypeCount&) const = default;
};

/// The executable jobs of one handler type that one lock owner has; those that wait for an
/// exclusive job are schema::kWaitingOwner's, those for a limit schema::kLimitedOwner's.
struct OwnerCount {
    std::string handler_type;
    std::string lock_owner;
    std::int64_t jobs = 0;

    bool operator==(const OwnerCount&) const = default;
};

/// Pairs of handler type and lock owner that are told at most.
inline constexpr std::size_t kOwnersCounted = 10'000;

/// Handler types that are told apart at most: those with the most jobs.
inline constexpr std::size_t kTypesCounted = 1'000;

/// Changes to a job that is not running; what is not named stays.
using JobChanges = std::vector<schema::JobChange>;

/// What is changed about many jobs of a place.
struct ManyChanges {
    JobChanges fields = {};
    /// Timers move to it, and what could run waits for it among them.
    std::optional<schema::TimePoint> due_date = {};
};

/// Where a list of the newest dead letters goes on: behind this one.
struct DeadLetterMark {
    std::optional<schema::TimePoint> failed_time = {};
    std::string id;
};

/// What a dead letter tells of its end.
struct DeadLetterFailure {
    std::string id = {};
    std::string handler_type = {};
    std::string message = {};
    std::optional<schema::TimePoint> failed_time = {};  ///< nullopt: it does not say.

    bool operator==(const DeadLetterFailure&) const = default;
};

/// A job with all that is stored of it, to be kept elsewhere and brought back.
struct JobCopy {
    schema::Job job = {};      ///< With its payload.
    std::string details = {};  ///< The stack trace or output of the last failure, or empty.

    /// Whether it has its unique key, and until when whatever becomes of it; a dead letter has it
    /// only for a period.
    bool has_key = true;
    std::optional<schema::TimePoint> key_until = {};

    bool is_suspended_alone = false;  ///< By itself, not only with what it belongs to.

    /// Left out where nothing of it is suspended, among the dead letters too.
    bool must_be_suspended = false;

    bool operator==(const JobCopy&) const = default;
};

/// A part of a list that is in another order than that of ids.
struct SortedPart {
    schema::JobMember by = &schema::Job::id;  ///< Then by id. Without a value comes last.
    bool is_descending = false;
    std::size_t skipped = 0;
    std::size_t limit = 100;

    /// Behind where a job stands that has this value and this id, whether it is still there or not;
    /// nullopt: from the start.
    std::optional<schema::Job> behind = {};
};

/// What an operator sees of jobs and does with them, and what is suspended. See Transactions for
/// what holds for all roles.
///
/// A series, or a group of them, is paused and resumed in the same way: by its key or name. A group
/// needs no series yet, and new series in a paused group start paused. A paused series keeps its
/// waiting turn in the suspended place; on resume its misfire instruction says what becomes of the
/// turns that were missed (R127, R144-R147).
class OperatorStore {
public:
    virtual ~OperatorStore() = default;

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

    /// Jobs of one place in another order. The due dates of timers and the times of death of dead
    /// letters have an index; by all else what the filter matches is sorted, which is for people.
    /// Long payloads are not fetched. Precondition: no ids in the filter.
    [[nodiscard]] virtual std::vector<schema::Job>
    list_in_order(schema::JobPlace place, const JobFilter& filter, const SortedPart& part) = 0;

    /// Where such a list would go on behind `part.limit` rows, if it had all jobs of the place: a
    /// job of which the id and what it is sorted by are set. nullopt: there are no more, those
    /// without a value left out. So a question can be kept to rows that an index leads to.
    /// Precondition: it is sorted by the id or a time.
    [[nodiscard]] virtual std::optional<schema::Job>
    mark_ahead(schema::JobPlace place, const SortedPart& part) = 0;

    /// The ids of the jobs in id order: what a bulk operation needs.
    [[nodiscard]] virtual std::vector<std::string> list_ids(
        schema::JobPlace place,
        const JobFilter& filter,
        std::string_view after,
        std::size_t limit
    ) = 0;

    [[nodiscard]] virtual std::int64_t count(schema::JobPlace place, const JobFilter& filter) = 0;

    /// The jobs by handler type, the most frequent first. Precondition: no ids in the filter.
    [[nodiscard]] virtual std::vector<TypeCount>
    count_types(schema::JobPlace place, const JobFilter& filter) = 0;

    /// Counts executable jobs by handler type and lock owner, the largest counts of a type first.
    /// Reads the executable jobs up to an id; empty: all of them.
    [[nodiscard]] virtual std::vector<OwnerCount> count_lock_owners(std::string_view up_to) = 0;

    /// Dead letters, the latest first; those that do not say when they became ones come last, in
    /// descending order of their ids. nullopt: from the start. Long payloads are not fetched.
    /// Precondition: no ids in the filter.
    [[nodiscard]] virtual std::vector<schema::Job> newest_dead_letters(
        const JobFilter& filter,
        const std::optional<DeadLetterMark>& behind,
        std::size_t limit
    ) = 0;

    /// What these tell of their ends, in the same order.
    [[nodiscard]] virtual std::vector<DeadLetterFailure> newest_failures(
        const JobFilter& filter,
        const std::optional<DeadLetterMark>& behind,
        std::size_t limit
    ) = 0;

    /// What dead letters tell of their ends, in id order, after the id `after` (exclusive; empty:
    /// from the start): for whoever looks at all of them.
    [[nodiscard]] virtual std::vector<DeadLetterFailure>
    list_failures(const JobFilter& filter, std::string_view after, std::size_t limit) = 0;

    /// The stored stack trace or output of the last failure; empty: none.
    [[nodiscard]] virtual std::string exception_details(const schema::Job& job) = 0;

    /// Changes jobs of a place, page by page; answers are in the order of the ids. Locked jobs stay
    /// as they are, here and below. Retries of 0 make a dead letter of a job, with all that is
    /// changed (see schema::given_up); its series goes on. A due date is of no meaning in the
    /// suspended place and for dead letters: std::invalid_argument.
    [[nodiscard]] virtual std::vector<JobAnswer> change_all(
        schema::JobPlace place,
        std::span<const std::string> ids,
        const ManyChanges& changes,
        schema::TimePoint now
    ) = 0;

    /// Changes one job.
    [[nodiscard]] JobAnswer change(
        schema::JobPlace place,
        std::string_view id,
        const JobChanges& changes,
        schema::TimePoint now
    ) {
        const std::string one(id);
        return change_all(place, std::span(&one, 1), {.fields = changes}, now).front();
    }

    /// Deletes jobs with their byte arrays; the series of a waiting turn ends. Answers are in the
    /// order of the ids.
    [[nodiscard]] virtual std::vector<JobAnswer>
    remove(schema::JobPlace place, std::span<const std::string> ids, schema::TimePoint now) = 0;

    /// Makes dead letters of jobs (see schema::cancelled), also of those that a node runs: whatever
    /// their runs come to is discarded, and their handlers are told to stop (see
    /// ExecutorStore::not_held). A turn that runs passes its series on. Answers are in the order of
    /// the ids; never `locked`.
    [[nodiscard]] virtual std::vector<JobAnswer> cancel(
        schema::JobPlace place,
        std::span<const std::string> ids,
        std::string_view message,
        schema::TimePoint now
    ) = 0;

    /// Gives dead letters new attempts (see schema::requeued), and each its due date. Answers are
    /// in the order of the ids. A dead letter that is already requeued is not found, so a second
    /// call does nothing. One whose unique key another job has is `key_held`, and stays.
    [[nodiscard]] virtual std::vector<JobAnswer> requeue(
        std::span<const std::string> ids,
        int retries,
        const DueDates& due_dates,
        schema::TimePoint now
    ) = 0;

    /// Adds copies to the dead letters or to the suspended jobs, each as it was but for its
    /// revision, in one transaction. One whose id a job has already, in whatever place, or an
    /// earlier copy, is left out; among the suspended jobs also one of which nothing is suspended
    /// here, or whose unique key another job has. The answers say of each, in their order, whether
    /// it was added.
    ///
    /// Throws std::invalid_argument for a time that the database cannot hold; then none is added.
    [[nodiscard]] virtual std::vector<bool>
    restore(schema::JobPlace place, std::span<const JobCopy> copies) = 0;

    /// As remove(), of jobs that nobody has changed since they were read; others are not found.
    /// Their unique keys are free too, also those that are held for a period.
    [[nodiscard]] virtual std::vector<JobAnswer> remove_as_read(
        schema::JobPlace place,
        std::span<const schema::Job> jobs,
        schema::TimePoint now
    ) = 0;

    /// Returns who has a unique key, or had it last; nullopt: nobody that is remembered.
    [[nodiscard]] virtual std::optional<KeyOwner> key_owner(std::string_view key) = 0;

    /// Makes a timer executable now, whatever its due date; its series goes on with the turn after
    /// it.
    [[nodiscard]] virtual JobAnswer fire_timer(std::string_view id, schema::TimePoint now) = 0;

    [[nodiscard]] virtual JobAnswer
    reschedule_timer(std::string_view id, schema::TimePoint due_date, schema::TimePoint now) = 0;

    // What is suspended.

    /// Suspends an instance or definition: its free jobs in the timer, executable and external
    /// places move to the suspended place; running ones finish, and when they fail their next
    /// attempt waits there too. New jobs of it are stored suspended. Returns how many moved;
    /// suspending twice moves nothing. Of a series, only the turn that carries it on is suspended.
    virtual std::int64_t suspend(
        SuspensionScope scope,
        std::string_view id,
        schema::TimePoint now,
        const OnMoved& on_moved = {}
    ) = 0;

    /// The inverse; a job whose instance and definition are both suspended waits for both. Returns
    /// how many moved back.
    virtual std::int64_t activate(
        SuspensionScope scope,
        std::string_view id,
        schema::TimePoint now,
        const OnMoved& on_moved = {}
    ) = 0;

    /// Whether an instance, a definition or a job is one of a Flowable engine that has its tables
    /// here: only the engine suspends it, with its executions and tasks. Tenants are for all, and
    /// of one only our jobs are suspended.
    [[nodiscard]] virtual bool is_of_engine(SuspensionScope scope, std::string_view id) = 0;

    [[nodiscard]] virtual std::vector<Suspension> suspensions(SuspensionScope scope) = 0;

    /// What keeps a job with these fields in the suspended place, or would; empty: nothing.
    [[nodiscard]] virtual std::vector<Suspension> suspensions_of(const schema::Job& job) = 0;

    /// Instances or definitions that have jobs or are suspended, in id order, after `after`. For
    /// definitions there is no index: all jobs are read.
    [[nodiscard]] virtual std::vector<ScopeSummary>
    scopes(SuspensionScope scope, std::string_view after, std::size_t limit) = 0;

    /// Only those that are suspended: cheap, but for the counts of definitions.
    [[nodiscard]] virtual std::vector<ScopeSummary>
    suspended_scopes(SuspensionScope scope, std::string_view after, std::size_t limit) = 0;

    /// What a job waits for that waits for an exclusive one; nullopt: it does not.
    [[nodiscard]] virtual std::optional<AwaitedGroup> awaited_group(const schema::Job& job) = 0;

    /// Returns who holds the group of an exclusive job, or of one that waits for it; nullopt:
    /// nobody, and it does not wait. Reads by keys, and at most 10,000 rows of jobs besides.
    [[nodiscard]] virtual std::optional<GroupHold> group_hold(const schema::Job& job) = 0;
};

}  // namespace jobstrand::persistence
