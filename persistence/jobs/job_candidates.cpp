#include "persistence/jobs/job_candidates.hpp"

#include "persistence/jobs/served_condition.hpp"
#include "persistence/sql/dialect.hpp"
#include "schema/limits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace jobstrand::persistence {

namespace {

using schema::JobPlace;

constexpr std::string_view kOldest = R"sql(
    SELECT {columns}
    FROM ACT_RU_JOB {by_id}
    WHERE {behind} AND LOCK_EXP_TIME_ IS NULL AND {served}
    ORDER BY ID_
    LIMIT ?
    {skip_locked})sql";

}  // namespace

JobRows oldest_candidates(
    Transaction& transaction,
    const ServedJobs& served,
    std::size_t limit,
    std::string_view after
) {
    const Dialect& dialect = transaction.dialect();
    BoundStatement page = condition_of(served, dialect);
    page.sql = fmt::format(
        kOldest,
        fmt::arg("columns", selected_of(JobPlace::executable, dialect)),
        fmt::arg("by_id", dialect.by_id),
        fmt::arg("behind", ids_behind(after)),
        fmt::arg("served", page.sql),
        fmt::arg("skip_locked", dialect.skip_locked)
    );
    page.parameters.insert(page.parameters.begin(), Value{after});
    page.parameters.emplace_back(static_cast<std::int64_t>(limit));
    JobRows candidates;
    candidates.jobs.reserve(std::min(limit, schema::limits::kJobsPerTransaction));
    transaction.query(
        {.sql = page.sql, .columns = fields_of(JobPlace::executable).size()},
        page.parameters,
        append_to(candidates, JobPlace::executable)
    );
    return candidates;
}

}  // namespace jobstrand::persistence
