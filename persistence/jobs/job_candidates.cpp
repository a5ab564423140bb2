#include "persistence/jobs/job_candidates.hpp"

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

constexpr std::string_view kServed =
    "HANDLER_TYPE_ IN (...) AND (NEEDS_ IS NULL OR NEEDS_ IN (...))";
constexpr std::string_view kServedWithoutNeeds = "HANDLER_TYPE_ IN (...) AND NEEDS_ IS NULL";

// Nodes without a range go without this condition.
constexpr std::string_view kInRange = " AND PRIORITY_ BETWEEN ? AND ?";

}  // namespace

BoundStatement condition_of(const ServedJobs& served) {
    // Lists of one statement are never cut: the page is one SELECT.
    BoundStatement condition{.sql = {}, .parameters = {}};
    const auto append = [&](std::span<const std::string> texts) {
        const std::size_t size = padded_list_size(texts.size());
        for (std::size_t i = 0; i < size; ++i) {
            condition.parameters.emplace_back(std::string_view(texts[std::min(i, texts.size() - 1)])
            );
        }
        return size;
    };
    const std::size_t types = append(served.types);
    if (served.needs.empty()) {
        condition.sql = with_list_size(kServedWithoutNeeds, types);
    } else {
        const std::size_t split = kServed.find(" AND ");
        condition.sql = with_list_size(kServed.substr(0, split), types) +
                        with_list_size(kServed.substr(split), append(served.needs));
    }
    if (!served.priorities.is_all()) {
        condition.sql += kInRange;
        condition.parameters.emplace_back(served.priorities.least);
        condition.parameters.emplace_back(served.priorities.most);
    }
    return condition;
}

JobRows oldest_candidates(
    Transaction& transaction,
    const ServedJobs& served,
    std::size_t limit,
    std::string_view after
) {
    const Dialect& dialect = transaction.dialect();
    BoundStatement page = condition_of(served);
    page.sql = fmt::format(
        kOldest,
        fmt::arg("columns", columns_of(JobPlace::executable)),
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
