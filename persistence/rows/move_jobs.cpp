#include "persistence/rows/move_jobs.hpp"

#include "persistence/rows/engine_columns.hpp"
#include "persistence/rows/job_rows.hpp"
#include "persistence/rows/key_rows.hpp"
#include "persistence/rows/suspended_scopes.hpp"
#include "persistence/sql/db_error.hpp"
#include "persistence/sql/dialect.hpp"
#include "persistence/sql/many_rows.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace jobstrand::persistence {

using schema::Job;
using schema::JobPlace;
using schema::PlacedJob;
using schema::Transition;

namespace {

PlacedJob changed(Job&& job, const Transition& transition) {
    job.lock_owner.clear();
    job.lock_expiration.reset();
    job.due_date = transition.due_date;
    job.retries = transition.retries;
    job.attempts = transition.attempts;
    job.suspended_from = transition.suspended_from;
    job.needs.clear();
    job.lost_starts = 0;
    job.failed_time = transition.failed_time;
    if (transition.failure) {
        job.exception_message = transition.failure->message;
    }
    if (transition.outcome) {
        job.type = schema::kMessageType;
        job.handler_type = schema::kWorkerOutcomeType;
        job.payload = *transition.outcome;
        job.candidate_users.clear();  // It is the app's now.
        job.candidate_groups.clear();
    }
    return {.place = transition.to.value(), .job = std::move(job)};
}

/// A dead letter does not keep its unique key: nobody may look at it for ever.
void free_keys_of_dead(Transaction& transaction, std::span<const PlacedJob* const> jobs) {
    std::vector<const Job*> dead;
    for (const PlacedJob* placed : jobs) {
        if (placed->place == JobPlace::dead_letter) {
            dead.push_back(&placed->job);
        }
    }
    free_keys_of(transaction, dead);
}

void count_moves(Transaction& transaction, JobPlace from, std::span<const PlacedJob* const> jobs) {
    ExecutionCounts counts(transaction);
    for (const PlacedJob* placed : jobs) {
        counts.leaves(from, placed->job);
        counts.enters(placed->place, placed->job);
    }
    counts.write();
}

bool is_for_anybody(const PlacedJob* placed) {
    return placed->place == JobPlace::executable && placed->job.lock_owner.empty();
}

void sort_by_id(std::vector<const PlacedJob*>& jobs) {
    std::ranges::sort(jobs, {}, [](const PlacedJob* job) { return std::string_view(job->job.id); });
}

void copy_placed(Transaction& transaction, JobPlace from, std::span<const PlacedJob* const> jobs) {
    if (std::ranges::any_of(jobs, is_for_anybody)) {
        transaction.announce_jobs();
    }
    std::map<JobPlace, std::vector<const PlacedJob*>> by_place;
    for (const PlacedJob* placed : jobs) {
        by_place[placed->place].push_back(placed);
    }
    for (const auto& [place, rows] : by_place) {
        copy_rows(transaction, from, rows);
    }
}

}  // namespace

PlacedJob moved(Job row, const Transition& transition) {
    ++row.revision;
    return changed(std::move(row), transition);
}

PlacedJob redirected(PlacedJob placed, const Transition& transition) {
    return changed(std::move(placed.job), transition);
}

PlacedJob diverted(PlacedJob placed) {
    const Transition transition = schema::suspended(placed.job, placed.place);
    return redirected(std::move(placed), transition);
}

void divert_suspended(Transaction& transaction, std::span<PlacedJob> jobs) {
    std::vector<const Job*> candidates;
    for (const PlacedJob& placed : jobs) {
        if (schema::can_be_suspended(placed.place)) {
            candidates.push_back(&placed.job);
        }
    }
    const SuspendedScopes suspended = find_suspended(transaction, candidates);
    for (PlacedJob& placed : jobs) {
        if (schema::can_be_suspended(placed.place) && suspended.contain(placed.job)) {
            placed = diverted(std::move(placed));
        }
    }
}

void insert_placed(Transaction& transaction, std::span<const PlacedJob* const> jobs) {
    if (std::ranges::any_of(jobs, is_for_anybody)) {
        transaction.announce_jobs();
    }
    std::map<JobPlace, std::vector<const Job*>> by_place;
    for (const PlacedJob* placed : jobs) {
        by_place[placed->place].push_back(&placed->job);
    }
    for (const auto& [place, rows] : by_place) {
        insert_rows(transaction, place, rows);
    }
}

void move_rows(
    Transaction& transaction,
    JobPlace from,
    std::span<const PlacedJob> jobs,
    const std::vector<bool>& are_copies
) {
    std::vector<const PlacedJob*> written;
    std::vector<const PlacedJob*> copied;
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        const bool is_copy = !are_copies.empty() && are_copies[i];
        (is_copy ? copied : written).push_back(&jobs[i]);
    }
    sort_by_id(written);
    sort_by_id(copied);
    count_moves(transaction, from, written);
    insert_placed(transaction, written);
    free_keys_of_dead(transaction, written);
    copy_placed(transaction, from, copied);
    written.insert(written.end(), copied.begin(), copied.end());
    sort_by_id(written);
    const std::vector<std::string_view> ids = ids_of(written);
    const std::int64_t deleted = delete_rows(transaction, from, ids);
    if (deleted != static_cast<std::int64_t>(ids.size())) {
        // Never seen where row locks work; the cluster databases with local locks are why it is
        // tested.
        throw DbError(
            DbErrorKind::conflict,
            fmt::format(
                "{} of {} jobs left {} while they were being moved",
                static_cast<std::int64_t>(ids.size()) - deleted,
                ids.size(),
                schema::table_of(from)
            )
        );
    }
}

namespace {

constexpr std::string_view kCopy = R"sql(
    INSERT INTO {to} ({columns}, {changed}, REV_)
    SELECT {columns}, {values}, COALESCE(REV_, 1) + 1
    FROM {from} {by_id}
    WHERE ID_ IN (...))sql";

constexpr std::array<std::string_view, 2> kLockColumns{"LOCK_OWNER_", "LOCK_EXP_TIME_"};
constexpr std::array<std::string_view, 4> kLockAndLifeColumns{
    "LOCK_OWNER_",
    "LOCK_EXP_TIME_",
    "RETRIES_",
    "DUEDATE_"};

/// A timer falls due with the date and the attempts that it has; a dead letter gets others.
std::span<const std::string_view> changed_from(JobPlace from) {
    return from == JobPlace::dead_letter ? std::span<const std::string_view>(kLockAndLifeColumns)
                                         : kLockColumns;
}

/// What is set in the copy of this job: a value for each of the changed columns.
struct Changes {
    std::string_view owner;
    std::optional<schema::TimePoint> until;
    int retries = 0;
    std::optional<schema::TimePoint> due_date;

    auto operator<=>(const Changes&) const = default;

    [[nodiscard]] std::vector<Value> values_from(JobPlace from) const {
        std::vector<Value> values{text_or_null(owner), time_or_null(until)};
        if (from == JobPlace::dead_letter) {
            values.emplace_back(std::int64_t{retries});
            values.push_back(time_or_null(due_date));
        }
        return values;
    }
};

Changes changes_of(const Job& job, JobPlace from) {
    Changes changes{.owner = job.lock_owner, .until = job.lock_expiration, .due_date = {}};
    if (from == JobPlace::dead_letter) {
        changes.retries = job.retries;
        changes.due_date = job.due_date;
    }
    return changes;
}

std::string listed(std::span<const std::string_view> columns) {
    return fmt::format("{}", fmt::join(columns, ", "));
}

/// The columns that both have and that stay as they are.
std::string shared_columns(JobPlace from, JobPlace to) {
    std::vector<std::string_view> columns;
    const auto changed = changed_from(from);
    const auto theirs = fields_of(to);
    for (const RowField& field : fields_of(from)) {
        const auto is_it = [&](const RowField& other) { return other.column == field.column; };
        if (field.column != "REV_" && std::ranges::count(changed, field.column) == 0 &&
            std::ranges::any_of(theirs, is_it)) {
            columns.push_back(field.column);
        }
    }
    return listed(columns);
}

std::string copy_statement(JobPlace from, JobPlace to, const Dialect& dialect) {
    const auto changed = changed_from(from);
    const std::vector<std::string_view> values(changed.size(), "?");
    return fmt::format(
        kCopy,
        fmt::arg("to", schema::table_of(to)),
        fmt::arg("columns", shared_columns(from, to)),
        fmt::arg("changed", listed(changed)),
        fmt::arg("values", listed(values)),
        fmt::arg("from", schema::table_of(from)),
        fmt::arg("by_id", dialect.by_id)
    );
}

/// Whether it has the attempts and the due date that the copy gets.
bool has_life_of(const schema::Transition& transition, const Job& row, JobPlace from) {
    return from == JobPlace::dead_letter ||
           (transition.due_date == row.due_date && transition.retries == row.retries);
}

}  // namespace

bool is_copied_by(const Job& row, const schema::Transition& transition, JobPlace from) {
    return (from == JobPlace::timer || from == JobPlace::dead_letter) && transition.to &&
           *transition.to != JobPlace::dead_letter && *transition.to != JobPlace::suspended &&
           !transition.failure && !transition.outcome && row.series.empty() &&
           has_life_of(transition, row, from) && transition.attempts == row.attempts;
}

void copy_rows(Transaction& transaction, JobPlace from, std::span<const PlacedJob* const> jobs) {
    const std::string sql = copy_statement(from, jobs.front()->place, transaction.dialect());
    std::map<Changes, std::vector<std::string_view>> ids_by_changes;
    for (const PlacedJob* placed : jobs) {
        ids_by_changes[changes_of(placed->job, from)].emplace_back(placed->job.id);
    }
    for (const auto& [changes, ids] : ids_by_changes) {
        const IdListParameters list{.before = changes.values_from(from), .ids = ids};
        execute_for_ids(transaction, sql, list);
    }
}

}  // namespace jobstrand::persistence
