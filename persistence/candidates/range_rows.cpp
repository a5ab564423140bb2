#include "persistence/candidates/range_rows.hpp"

#include "persistence/candidates/served_condition.hpp"
#include "persistence/sql/db_error.hpp"
#include "persistence/sql/dialect.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

namespace jobstrand::persistence {

namespace {

using schema::Job;
using schema::JobPlace;

// Where an index must be taken for its order, that names columns which the condition fixes:
// PostgreSQL would else take the order of the key as good enough, and read other ranges on the way.
constexpr std::string_view kNextOfRange = R"sql(
    SELECT {columns}
    FROM ACT_RU_JOB {by_order}
    WHERE {in_range} AND LOCK_EXP_TIME_ IS NULL AND {served}
    ORDER BY {order}
    LIMIT ?
    {skip_locked})sql";

constexpr std::string_view kNextPriority = R"sql(
    SELECT PRIORITY_
    FROM ACT_RU_JOB {by_order}
    WHERE PRIORITY_ <= ? AND HANDLER_TYPE_ IS NOT NULL
    ORDER BY PRIORITY_ DESC
    LIMIT 1)sql";

// From one tenant to the next along the index, so that their jobs are not read.
constexpr std::string_view kTenants = R"sql(
    WITH RECURSIVE T (TENANT_, NUMBER_) AS (
        SELECT (
            SELECT TENANT_ID_
            FROM ACT_RU_JOB {by_order}
            WHERE TENANT_ID_ >= '' AND HANDLER_TYPE_ IS NOT NULL
            ORDER BY TENANT_ID_
            LIMIT 1
        ), 1
        UNION ALL
        SELECT (
            SELECT TENANT_ID_
            FROM ACT_RU_JOB {by_order}
            WHERE TENANT_ID_ > T.TENANT_ AND HANDLER_TYPE_ IS NOT NULL
            ORDER BY TENANT_ID_
            LIMIT 1
        ), NUMBER_ + 1
        FROM T
        WHERE T.TENANT_ IS NOT NULL AND NUMBER_ < ?
    )
    SELECT TENANT_
    FROM T
    WHERE TENANT_ IS NOT NULL)sql";

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

}  // namespace

/// Which rows stand in a range behind a position, and how they are ordered.
struct RangeRows::Condition {
    std::string sql;
    std::vector<Value> parameters;
    std::string_view order;
};

RangeRows::RangeRows(
    Transaction& transaction,
    const ServedJobs& served,
    const schema::AcquisitionOrder& order
)
    : transaction_(transaction),
      is_by_priority_(order.by_priority),
      by_order_(by_index(transaction.dialect(), schema::index_of(order).index.name)),
      served_(persistence::condition_of(served, transaction.dialect())) {}

RangeRows::Condition RangeRows::condition_of(const IndexRange& range, const RangePosition* behind)
    const {
    const Dialect& dialect = transaction_.dialect();
    const std::string_view id = behind != nullptr ? std::string_view(behind->id) : "";
    if (range.kind == IndexRange::Kind::by_id) {
        // One priority: not less by the first condition, nor more by the second.
        return {
            .sql = fmt::format("{} AND PRIORITY_ <= ?", dialect.behind_in_priority),
            .parameters = {range.priority, id, range.priority},
            .order = "PRIORITY_, ID_",
        };
    }
    if (range.kind == IndexRange::Kind::of_tenant) {
        return {
            .sql = fmt::format("TENANT_ID_ = ? AND {}", ids_behind(id)),
            .parameters = {std::string_view(range.tenant), id},
            .order = "TENANT_ID_, ID_",
        };
    }
    if (range.kind == IndexRange::Kind::no_tenant) {
        return {
            .sql = fmt::format("TENANT_ID_ IS NULL AND {}", ids_behind(id)),
            .parameters = {id},
            .order = dialect.orders_by_null ? "TENANT_ID_, ID_" : "ID_",
        };
    }
    Condition condition{.sql = {}, .parameters = {}, .order = "DUEDATE_, ID_"};
    if (is_by_priority_) {
        condition.sql = "PRIORITY_ = ? AND ";
        condition.parameters.emplace_back(range.priority);
    }
    if (range.kind == IndexRange::Kind::immediate) {
        condition.sql += fmt::format("DUEDATE_ IS NULL AND {}", ids_behind(id));
        condition.parameters.emplace_back(id);
        condition.order = dialect.orders_by_null ? "DUEDATE_, ID_" : "ID_";
    } else if (behind == nullptr || !behind->due_date) {
        condition.sql += dialect.has_due;
    } else {
        condition.sql += dialect.behind_due;
        const std::vector<Value> position{*behind->due_date, *behind->due_date, id};
        condition.parameters.insert(condition.parameters.end(), position.begin(), position.end());
    }
    return condition;
}

void RangeRows::append(
    JobRows& rows,
    const IndexRange& range,
    const RangePosition* behind,
    std::size_t limit
) {
    Condition condition = condition_of(range, behind);
    const std::string sql = fmt::format(
        kNextOfRange,
        fmt::arg("columns", selected_of(JobPlace::executable, transaction_.dialect())),
        fmt::arg("by_order", by_order_),
        fmt::arg("in_range", condition.sql),
        fmt::arg("served", served_.sql),
        fmt::arg("order", condition.order),
        fmt::arg("skip_locked", transaction_.dialect().skip_locked)
    );
    std::vector<Value>& parameters = condition.parameters;
    parameters.insert(parameters.end(), served_.parameters.begin(), served_.parameters.end());
    parameters.emplace_back(static_cast<std::int64_t>(limit));
    transaction_.query(
        {.sql = sql, .columns = fields_of(JobPlace::executable).size()},
        parameters,
        append_to(rows, JobPlace::executable)
    );
}

std::optional<std::int64_t> RangeRows::next_priority(std::int64_t highest) {
    const std::string sql = fmt::format(kNextPriority, fmt::arg("by_order", by_order_));
    std::optional<std::int64_t> found;
    transaction_.query({.sql = sql, .columns = 1}, {highest}, [&](const Row& row) {
        found = priority_in(row);
    });
    return found;
}

std::vector<std::string> RangeRows::tenants(std::int64_t most) {
    const std::string sql = fmt::format(kTenants, fmt::arg("by_order", by_order_));
    std::vector<std::string> found;
    transaction_.query({.sql = sql, .columns = 1}, {most}, [&](const Row& row) {
        found.emplace_back(row.text(0));
    });
    return found;
}

RangeReader::RangeReader(IndexRange range, const RangePositions& positions)
    : range_(std::move(range)) {
    if (const auto found = positions.find(range_); found != positions.end()) {
        position_ = found->second;
    }
}

bool RangeReader::has_next(RangeRows& source, std::size_t ahead, JobRows& page) {
    if (waiting_.empty() && !is_end_) {
        read(source, ahead, page);
    }
    return !waiting_.empty();
}

void RangeReader::read(RangeRows& source, std::size_t ahead, JobRows& page) {
    JobRows rows;
    source.append(rows, range_, position_ ? &*position_ : nullptr, ahead);
    // What could not be read tells no position: it is dealt with first, and then asked again.
    is_end_ = rows.jobs.size() < ahead;
    if (!rows.jobs.empty()) {
        position_ = position_of(rows.jobs.back());
    }
    for (Job& job : rows.jobs) {
        waiting_.push_back(std::move(job));
    }
    for (Job& job : rows.unreadable) {
        page.unreadable.push_back(std::move(job));
    }
    page.is_any_nameless = page.is_any_nameless || rows.is_any_nameless;
}

Job RangeReader::take_next() {
    Job job = std::move(waiting_.front());
    waiting_.pop_front();
    return job;
}

}  // namespace jobstrand::persistence
