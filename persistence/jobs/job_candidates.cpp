#include "persistence/jobs/job_candidates.hpp"

#include "persistence/sql/db_error.hpp"
#include "persistence/sql/dialect.hpp"
#include "schema/limits.hpp"
#include "schema/tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
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

/// A priority that is no integer, which only SQLite stores, counts as the next lower one.
std::int64_t priority_in(const Row& row) {
    // Defended catch: one such row must not stop the acquisition of all others.
    try {
        return row.integer(0);
    } catch (const DbError& error) {
        if (error.kind() != DbErrorKind::unreadable) {
            throw;
        }
        // The greatest number with a fraction that an integer can follow is 2^63.
        constexpr double kEnd = 9'223'372'036'854'775'808.0;
        const double number = std::floor(row.real(0));
        return number < -kEnd || number >= kEnd ? std::numeric_limits<std::int64_t>::min()
                                                : static_cast<std::int64_t>(number);
    }
}

std::optional<std::int64_t> next_priority(Transaction& transaction, std::int64_t highest) {
    const std::string sql = fmt::format(
        kNextPriority,
        fmt::arg("by_priority", by_index(transaction.dialect(), schema::kPriorityIndex.index.name))
    );
    std::optional<std::int64_t> found;
    transaction.query({.sql = sql, .columns = 1}, {highest}, [&](const Row& row) {
        found = priority_in(row);
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

    void append(JobRows& rows, std::size_t limit, std::int64_t priority, std::string_view after) {
        std::vector<Value>& parameters = statement_.parameters;
        parameters[0] = priority;
        parameters[1] = after;
        parameters[2] = priority;
        parameters.back() = static_cast<std::int64_t>(limit - rows.jobs.size());
        transaction_.query(
            {.sql = statement_.sql, .columns = fields_of(JobPlace::executable).size()},
            parameters,
            append_to(rows, JobPlace::executable)
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

PriorityPage most_important_candidates(
    Transaction& transaction,
    const ServedJobs& served,
    std::size_t limit,
    const PriorityPositions& behind,
    std::int64_t highest
) {
    PriorityPage page{.rows = {}, .rest = highest};
    page.rows.jobs.reserve(std::min(limit, schema::limits::kJobsPerTransaction));
    PriorityCandidates candidates(transaction, served);
    for (int i = 0; i < kPrioritiesPerPage && page.rest && page.rows.jobs.size() < limit; ++i) {
        const auto priority = next_priority(transaction, *page.rest);
        if (!priority) {
            page.rest.reset();
            break;
        }
        const auto position = behind.find(*priority);
        candidates.append(
            page.rows, limit, *priority, position == behind.end() ? "" : position->second
        );
        const bool is_lowest = *priority == std::numeric_limits<std::int64_t>::min();
        page.rest = is_lowest ? std::nullopt : std::optional(*priority - 1);
    }
    return page;
}

}  // namespace jobstrand::persistence
