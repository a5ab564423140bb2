#include "persistence/rows/job_row.hpp"
#include "persistence/rows/move_jobs.hpp"
#include "persistence/sql/dialect.hpp"
#include "persistence/sql/id_lists.hpp"

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
#include <vector>

namespace jobstrand::persistence {

namespace {

using schema::Job;
using schema::JobPlace;
using schema::PlacedJob;

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
