#include "persistence/candidates/job_candidates.hpp"

#include "persistence/candidates/served_condition.hpp"
#include "persistence/sql/dialect.hpp"
#include "persistence/sql/id_lists.hpp"
#include "schema/limits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace jobstrand::persistence {

namespace {

using schema::JobPlace;

constexpr std::string_view kOldest = R"sql(
    SELECT {columns}
    FROM ACT_RU_JOB {by_id}
    WHERE {between} AND LOCK_EXP_TIME_ IS NULL AND {served}
    ORDER BY ID_
    LIMIT ?
    {lock})sql";

constexpr std::string_view kJobsById = R"sql(
    SELECT {columns}
    FROM ACT_RU_JOB {by_id}
    WHERE ID_ IN (...)
    ORDER BY ID_)sql";

/// What is read of the oldest free jobs between two ids.
struct Selection {
    std::string_view columns;
    std::string_view lock;
    std::size_t limit;
    std::string_view after = {};
    std::string_view before = {};
};

BoundStatement
select_oldest(const Selection& selection, const ServedJobs& served, const Dialect& dialect) {
    BoundStatement page = ids_between(selection.after, selection.before);
    const BoundStatement ours = condition_of(served, dialect);
    page.sql = fmt::format(
        kOldest,
        fmt::arg("columns", selection.columns),
        fmt::arg("by_id", dialect.by_id),
        fmt::arg("between", page.sql),
        fmt::arg("served", ours.sql),
        fmt::arg("lock", selection.lock)
    );
    page.parameters.insert(page.parameters.end(), ours.parameters.begin(), ours.parameters.end());
    page.parameters.emplace_back(static_cast<std::int64_t>(selection.limit));
    return page;
}

JobRows read_oldest(
    Transaction& transaction,
    const ServedJobs& served,
    std::size_t limit,
    std::string_view lock,
    std::string_view after,
    std::string_view before
) {
    const Dialect& dialect = transaction.dialect();
    const Selection selection{
        .columns = selected_of(JobPlace::executable, dialect),
        .lock = lock,
        .limit = limit,
        .after = after,
        .before = before,
    };
    const BoundStatement page = select_oldest(selection, served, dialect);
    JobRows candidates;
    candidates.jobs.reserve(std::min(limit, schema::limits::kJobsPerTransaction));
    transaction.query(
        {.sql = page.sql, .columns = fields_of(JobPlace::executable).size()},
        page.parameters,
        append_to(candidates, JobPlace::executable)
    );
    return candidates;
}

/// An id that may be held has come with the revision that says so.
std::vector<std::string> oldest_ids_beside(
    Transaction& transaction,
    const ServedJobs& served,
    std::size_t limit,
    const ClaimedJobs& claimed
) {
    const Selection selection{
        .columns = "ID_, COALESCE(REV_, 1)",
        .lock = {},
        .limit = limit + claimed.size(),
    };
    const BoundStatement page = select_oldest(selection, served, transaction.dialect());
    std::vector<std::string> ids;
    transaction.query({.sql = page.sql, .columns = 2}, page.parameters, [&](const Row& row) {
        const bool is_held = is_named(claimed, row.text(0), row.integer(1));
        if (!is_held && ids.size() < limit) {
            ids.emplace_back(row.text(0));
        }
    });
    return ids;
}

}  // namespace

JobRows oldest_candidates(
    Transaction& transaction,
    const ServedJobs& served,
    std::size_t limit,
    std::string_view after,
    std::string_view before
) {
    return read_oldest(
        transaction, served, limit, transaction.dialect().skip_locked, after, before
    );
}

JobRows oldest_rows(
    Transaction& transaction,
    const ServedJobs& served,
    std::size_t limit,
    std::string_view after,
    std::string_view before
) {
    return read_oldest(transaction, served, limit, {}, after, before);
}

JobRows oldest_rows_beside(
    Transaction& transaction,
    const ServedJobs& served,
    std::size_t limit,
    const ClaimedJobs& claimed
) {
    const Dialect& dialect = transaction.dialect();
    const std::vector<std::string> ids = oldest_ids_beside(transaction, served, limit, claimed);
    const std::vector<std::string_view> list(ids.begin(), ids.end());
    const std::string sql = fmt::format(
        kJobsById,
        fmt::arg("columns", selected_of(JobPlace::executable, dialect)),
        fmt::arg("by_id", dialect.by_id)
    );
    JobRows rows;
    for (const auto& [text, parameters] : cut_id_list(sql, {.ids = list})) {
        transaction.query(
            {.sql = text, .columns = fields_of(JobPlace::executable).size()},
            parameters,
            append_to(rows, JobPlace::executable)
        );
    }
    return rows;
}

}  // namespace jobstrand::persistence
