#include "persistence/jobs/job_candidates.hpp"

#include "persistence/rows/job_row.hpp"
#include "persistence/sql/dialect.hpp"
#include "schema/limits.hpp"
#include "schema/tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace jobstrand::persistence {

namespace {

using schema::Job;
using schema::JobPlace;

constexpr std::string_view kOldest = R"sql(
    SELECT {columns}
    FROM ACT_RU_JOB {by_id}
    WHERE ID_ > ? AND LOCK_EXP_TIME_ IS NULL AND {served}
    ORDER BY ID_
    LIMIT ?
    {skip_locked})sql";

constexpr std::string_view kNextPriority = R"sql(
    SELECT PRIORITY_
    FROM ACT_RU_JOB {by_priority}
    WHERE PRIORITY_ <= ? AND HANDLER_TYPE_ IS NOT NULL
    ORDER BY PRIORITY_ DESC
    LIMIT 1)sql";

// One priority: not less by the first condition, nor more by the second.
constexpr std::string_view kOldestOfPriority = R"sql(
    SELECT {columns}
    FROM ACT_RU_JOB {by_priority}
    WHERE {behind_in_priority} AND PRIORITY_ <= ?
        AND LOCK_EXP_TIME_ IS NULL AND {served}
    ORDER BY PRIORITY_, ID_
    LIMIT ?
    {skip_locked})sql";

constexpr std::string_view kServed =
    "HANDLER_TYPE_ IN (...) AND (NEEDS_ IS NULL OR NEEDS_ IN (...))";
constexpr std::string_view kServedWithoutNeeds = "HANDLER_TYPE_ IN (...) AND NEEDS_ IS NULL";

/// How many priorities one transaction looks at, two short statements each.
constexpr int kPrioritiesPerPage = 1000;

std::optional<std::int64_t> next_priority(Transaction& transaction, std::int64_t highest) {
    const std::string sql = fmt::format(
        kNextPriority,
        fmt::arg("by_priority", by_index(transaction.dialect(), schema::kPriorityIndex.index.name))
    );
    std::optional<std::int64_t> found;
    transaction.query({.sql = sql, .columns = 1}, {highest}, [&](const Row& row) {
        found = row.integer(0);
    });
    return found;
}

/// The statement of one page, prepared once and run for one priority after the other.
class PriorityCandidates final {
public:
    PriorityCandidates(Transaction& transaction, const ServedJobs& served)
        : transaction_(transaction), statement_(condition_of(served)) {
        const Dialect& dialect = transaction.dialect();
        statement_.sql = fmt::format(
            kOldestOfPriority,
            fmt::arg("columns", columns_of(JobPlace::executable)),
            fmt::arg(
                "by_priority", by_index(transaction.dialect(), schema::kPriorityIndex.index.name)
            ),
            fmt::arg("behind_in_priority", dialect.behind_in_priority),
            fmt::arg("served", statement_.sql),
            fmt::arg("skip_locked", dialect.skip_locked)
        );
        const std::vector<Value> position(3);
        statement_.parameters.insert(
            statement_.parameters.begin(), position.begin(), position.end()
        );
        statement_.parameters.emplace_back();
    }

    void append(
        std::vector<Job>& jobs,
        std::size_t limit,
        std::int64_t priority,
        std::string_view after
    ) {
        std::vector<Value>& parameters = statement_.parameters;
        parameters[0] = priority;
        parameters[1] = after;
        parameters[2] = priority;
        parameters.back() = static_cast<std::int64_t>(limit - jobs.size());
        transaction_.query(
            {.sql = statement_.sql, .columns = fields_of(JobPlace::executable).size()},
            parameters,
            append_to(jobs, JobPlace::executable)
        );
    }

private:
    Transaction& transaction_;
    BoundStatement statement_;
};

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
    return condition;
}

std::vector<Job> oldest_candidates(
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
        fmt::arg("served", page.sql),
        fmt::arg("skip_locked", dialect.skip_locked)
    );
    page.parameters.insert(page.parameters.begin(), Value{after});
    page.parameters.emplace_back(static_cast<std::int64_t>(limit));
    std::vector<Job> candidates;
    candidates.reserve(std::min(limit, schema::limits::kJobsPerTransaction));
    transaction.query(
        {.sql = page.sql, .columns = fields_of(JobPlace::executable).size()},
        page.parameters,
        append_to(candidates, JobPlace::executable)
    );
    return candidates;
}

PriorityPage most_important_candidates(
    Transaction& transaction,
    const ServedJobs& served,
    std::size_t limit,
    const PriorityPositions& behind,
    std::int64_t highest
) {
    PriorityPage page{.jobs = {}, .rest = highest};
    page.jobs.reserve(std::min(limit, schema::limits::kJobsPerTransaction));
    PriorityCandidates candidates(transaction, served);
    for (int i = 0; i < kPrioritiesPerPage && page.rest && page.jobs.size() < limit; ++i) {
        const auto priority = next_priority(transaction, *page.rest);
        if (!priority) {
            page.rest.reset();
            break;
        }
        const auto position = behind.find(*priority);
        candidates.append(
            page.jobs, limit, *priority, position == behind.end() ? "" : position->second
        );
        const bool is_lowest = *priority == std::numeric_limits<std::int64_t>::min();
        page.rest = is_lowest ? std::nullopt : std::optional(*priority - 1);
    }
    return page;
}

}  // namespace jobstrand::persistence
