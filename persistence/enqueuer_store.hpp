#pragma once

#include "persistence/unique_keys.hpp"
#include "schema/job.hpp"
#include "schema/job_definition.hpp"
#include "schema/series.hpp"
#include "schema/time.hpp"

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace jobstrand::persistence {

class Transaction;
struct StoreContext;

/// Where the ids of new jobs come from.
enum class IdOrigin {
    /// From outside: they are looked for in all places, since a key sees its own table only.
    given,
    /// A fresh UUID each, which no row can have: nothing is looked for, which nearly doubles the
    /// rate of inserts on MariaDB (docs/performance.md).
    made,
};

/// A series and the job that is its first turn. The job needs a handler type and an id; if it has a
/// due date, that is the first turn's. The series needs its texts and options; what it has counted
/// is ignored. Empty in the series, these come from the job: key (its id), handler type, `repeat`,
/// retries (unless they were set).
struct NewSeries {
    schema::Series series;
    schema::Job first_turn;

    /// The series is paused by itself before its first turn is stored, which so waits (R145).
    bool starts_paused = false;
};

/// How old what an enqueuer goes by may be: what others change counts after this time.
inline constexpr std::chrono::seconds kDefinitionsAge{5};

/// The job definitions as a store has last read them; never null.
using KnownDefinitions = std::shared_ptr<const schema::JobDefinitions>;

/// What an enqueuer needs of the store. Jobs and an app's own rows commit together through
/// in_transaction(). See Transactions for what holds for all roles.
class EnqueuerStore final {
public:
    explicit EnqueuerStore(const StoreContext& context) : context_(context) {}

    /// See Transactions.
    void in_transaction(
        const std::function<void(Transaction&)>& work,
        const std::function<bool(Transaction&)>& was_committed
    );

    /// Inserts jobs in the caller's transaction, each into its place; nothing is visible before the
    /// commit. A job of a suspended instance or definition goes to the suspended place instead.
    /// Returns the jobs as they were stored. Throws DbError duplicate_key when an id exists.
    std::vector<schema::PlacedJob> insert(
        Transaction& transaction,
        std::vector<schema::PlacedJob> jobs,
        IdOrigin ids = IdOrigin::given
    );

    /// Inserts all jobs or none, however many, in a transaction of its own.
    std::vector<schema::PlacedJob>
    insert(std::vector<schema::PlacedJob> jobs, IdOrigin ids = IdOrigin::given);

    /// Takes the unique keys of new jobs in the caller's transaction, which then inserts those
    /// whose answer says `is_added`. Keys that were left over, because a job ended where nobody
    /// knew of its key, count as free. A job that has to make room is deleted.
    ///
    /// The list is as if its jobs came one after the other; of those with one key at most one is
    /// added, and all get its id. Throws KeyHeld when a key cannot be had; then nothing was
    /// written. Two transactions that want one key wait for each other.
    [[nodiscard]] std::vector<schema::Enqueued>
    take_keys(Transaction& transaction, std::span<const KeyWish> wishes, schema::TimePoint now);

    /// Returns who has a key, or had it last; nullopt: nobody that is remembered.
    [[nodiscard]] std::optional<KeyOwner> key_owner(std::string_view key);

    /// Jobs that this transaction has inserted locked, as their rows are now: an app may have
    /// changed or deleted them since. Those that are gone, were moved, or lost their lock are left
    /// out, and so are those that cannot be read any more. Those that are exclusive jobs of an
    /// instance now are freed and left out.
    [[nodiscard]] std::vector<schema::Job>
    read_again(Transaction& transaction, std::vector<schema::Job> inserted);

    /// Stores series with their first turns in the caller's transaction; nothing is visible before
    /// the commit. Returns the first turns as they were stored: in the timer place, or suspended.
    ///
    /// Texts that cannot be read, unknown calendars, and values that no column holds are refused
    /// with std::invalid_argument, one sentence that says what is wrong. Throws DbError
    /// duplicate_key when a key or an id exists.
    std::vector<schema::PlacedJob>
    create(Transaction& transaction, std::vector<NewSeries> series, schema::TimePoint now);

    /// Creates all series or none, in a transaction of its own.
    std::vector<schema::PlacedJob> create(std::vector<NewSeries> series, schema::TimePoint now);

    /// The job definitions as they are, or were up to kDefinitionsAge ago: most often it asks
    /// nothing. In the caller's transaction, if there is one.
    [[nodiscard]] KnownDefinitions
    known_definitions(Transaction* transaction, schema::SteadyPoint now);

    /// Makes a row that says nothing of each that has none, up to kMostJobDefinitions in all. In
    /// the caller's transaction, if there is one.
    void
    record_definitions(Transaction* transaction, std::span<const schema::JobDefinitionName> names);

    /// Whether a job with this id stands in any place: how a commit in doubt is decided.
    [[nodiscard]] bool is_stored(std::string_view id);

private:
    const StoreContext& context_;
};

}  // namespace jobstrand::persistence
