#include "persistence/rows/job_row.hpp"
#include "persistence/rows/move_jobs.hpp"
#include "persistence/sql/dialect.hpp"
#include "persistence/sql/id_lists.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace jobstrand::persistence {

namespace {

using schema::Job;
using schema::JobPlace;
using schema::PlacedJob;

constexpr std::string_view kCopy = R"sql(
    INSERT INTO {to} ({columns}, LOCK_OWNER_, LOCK_EXP_TIME_, REV_)
    SELECT {columns}, ?, ?, COALESCE(REV_, 1) + 1
    FROM {from} {by_id}
    WHERE ID_ IN (...))sql";

constexpr std::array<std::string_view, 3> kChanged{"LOCK_OWNER_", "LOCK_EXP_TIME_", "REV_"};

/// The columns that both have and that stay as they are.
std::string shared_columns(JobPlace from, JobPlace to) {
    std::string columns;
    const auto theirs = fields_of(to);
    for (const RowField& field : fields_of(from)) {
        const auto is_it = [&](const RowField& other) { return other.column == field.column; };
        if (std::ranges::count(kChanged, field.column) == 0 && std::ranges::any_of(theirs, is_it)) {
            columns += columns.empty() ? "" : ", ";
            columns += field.column;
        }
    }
    return columns;
}

}  // namespace

bool is_copied_by(const Job& row, const schema::Transition& transition, JobPlace from) {
    return from == JobPlace::timer &&
           (transition.to == JobPlace::executable || transition.to == JobPlace::external_worker) &&
           !transition.failure && !transition.outcome && row.series.empty() &&
           transition.due_date == row.due_date && transition.retries == row.retries &&
           transition.attempts == row.attempts && transition.failed_time == row.failed_time &&
           transition.suspended_from == row.suspended_from;
}

void copy_rows(Transaction& transaction, JobPlace from, std::span<const PlacedJob* const> jobs) {
    const PlacedJob& first = *jobs.front();
    const std::string sql = fmt::format(
        kCopy,
        fmt::arg("to", schema::table_of(first.place)),
        fmt::arg("columns", shared_columns(from, first.place)),
        fmt::arg("from", schema::table_of(from)),
        fmt::arg("by_id", transaction.dialect().by_id)
    );
    // All locks of a move are of one claim.
    std::vector<std::string_view> locked;
    std::vector<std::string_view> free;
    const Job* claimed = &first.job;
    for (const PlacedJob* placed : jobs) {
        const bool is_free = placed->job.lock_owner.empty();
        (is_free ? free : locked).emplace_back(placed->job.id);
        claimed = is_free ? claimed : &placed->job;
    }
    const auto copy = [&](const Job& job, std::span<const std::string_view> ids) {
        const std::vector<Value> lock{
            text_or_null(job.lock_owner), time_or_null(job.lock_expiration)};
        for (const auto& [text, parameters] : cut_id_list(sql, {.before = lock, .ids = ids})) {
            transaction.execute(text, parameters);
        }
    };
    copy(*claimed, locked);
    copy({}, free);
}

}  // namespace jobstrand::persistence
