#include "persistence/batches/batch_page.hpp"

#include "persistence/rows/job_row.hpp"
#include "persistence/rows/readable_columns.hpp"
#include "persistence/sql/dialect.hpp"

#include <fmt/format.h>

#include <array>

namespace jobstrand::persistence {

namespace {

using schema::Batch;
using schema::JobPlace;

constexpr std::string_view kPage = R"sql(
    SELECT ID_, CASE WHEN {plain} THEN 1 ELSE 0 END, REPEAT_{more}
    FROM {table} {by_id}
    WHERE ID_ > ? AND {meant}
    ORDER BY ID_
    LIMIT ?
    {for_update})sql";

/// What a cause is found by.
constexpr std::string_view kFailureColumns = ", HANDLER_TYPE_, EXCEPTION_MSG_, FAILED_TIME_";
constexpr std::size_t kOwnColumns = 3;
constexpr std::size_t kAllColumns = 6;

constexpr std::array<RowField, 1> kTimeOfDeath{
    {{.column = "FAILED_TIME_", .member = &schema::Job::failed_time}}};

[[nodiscard]] DeadLetterFailure failure_in(const Row& row) {
    DeadLetterFailure failure{
        .id = std::string(row.text(0)),
        .handler_type = std::string(row.text(3)),
        .message = std::string(row.text(4)),
    };
    // An odd time of somebody else's SQL reads as none: the message counts.
    (void)read_columns(kTimeOfDeath, [&](std::size_t) { failure.failed_time = row.time(5); });
    return failure;
}

/// Dead letters have left their series to itself.
[[nodiscard]] bool carries_series_on(const Batch& batch, const Row& row) {
    return batch.order.place != JobPlace::dead_letter && !row.text(2).empty();
}

}  // namespace

Condition condition_of(const JobFilter& filter, const Batch& batch, const Dialect& dialect) {
    Condition meant = condition_of(filter, batch.order.place, dialect);
    meant.sql += " AND ID_ <= ?";
    meant.parameters.emplace_back(std::string_view(batch.until));
    if (batch.until_time) {
        meant.sql += " AND (FAILED_TIME_ IS NULL OR FAILED_TIME_ <= ?)";
        meant.parameters.emplace_back(*batch.until_time);
    }
    return meant;
}

BatchPage read_page(
    Transaction& transaction,
    const Batch& batch,
    const Condition& meant,
    const BatchStep& step,
    std::string_view plain
) {
    const Dialect& dialect = transaction.dialect();
    const bool asks_cause = !batch.order.cause.empty();
    const std::string sql = fmt::format(
        kPage,
        fmt::arg("plain", plain),
        fmt::arg("more", asks_cause ? kFailureColumns : ""),
        fmt::arg("table", schema::table_of(batch.order.place)),
        fmt::arg("by_id", dialect.by_id),
        fmt::arg("meant", meant.sql),
        fmt::arg("for_update", dialect.for_update)
    );
    std::vector<Value> parameters{std::string_view(batch.cursor)};
    parameters.insert(parameters.end(), meant.parameters.begin(), meant.parameters.end());
    parameters.emplace_back(static_cast<std::int64_t>(step.jobs));
    BatchPage page;
    const RowReader read = [&](const Row& row) {
        ++page.rows;
        page.last = row.text(0);
        if (asks_cause && !step.is_meant(failure_in(row))) {
            ++page.others;
        } else if (row.integer(1) == 1) {
            page.plain.emplace_back(row.text(0));
        } else if (carries_series_on(batch, row)) {
            page.carriers.emplace_back(row.text(0));
        } else {
            page.ids.emplace_back(row.text(0));
        }
    };
    transaction.query(
        {.sql = sql, .columns = asks_cause ? kAllColumns : kOwnColumns}, parameters, read
    );
    return page;
}

}  // namespace jobstrand::persistence
