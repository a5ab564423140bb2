#include "persistence/history/history_operations.hpp"
#include "persistence/history/history_rows.hpp"
#include "persistence/sql/dialect.hpp"
#include "persistence/sql/id_lists.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

namespace jobstrand::persistence {

namespace {

/// The latest line that is one too many.
constexpr std::string_view kOneTooMany = R"sql(
    SELECT ID_
    FROM {table} {by_id}
    ORDER BY ID_ DESC
    LIMIT 1 OFFSET ?)sql";

constexpr std::string_view kOldestLines = R"sql(
    SELECT ID_
    FROM {table} {by_id}
    WHERE ID_ < ?
    ORDER BY ID_
    LIMIT ?
    {skip_locked})sql";

constexpr std::string_view kAnyBefore = R"sql(
    SELECT ID_
    FROM {table} {by_id}
    WHERE ID_ < ?
    LIMIT 1)sql";

constexpr std::string_view kForget = R"sql({delete_where} ID_ IN (...))sql";

std::vector<std::string>
ids_asked(Connection& connection, const std::string& sql, std::span<const Value> parameters) {
    std::vector<std::string> ids;
    connection.query({.sql = sql, .columns = 1}, parameters, [&](const Row& row) {
        ids.emplace_back(row.text(0));
    });
    return ids;
}

std::string about_table(std::string_view sql, std::string_view table, const Dialect& dialect) {
    return fmt::format(
        fmt::runtime(sql), fmt::arg("table", table), fmt::arg("by_id", dialect.by_id)
    );
}

/// Behind the last id that may be removed.
std::string
end_of_removal(Connection& connection, std::string_view table, const JobLogBounds& bounds) {
    std::string end = first_id_of(bounds.before);
    if (bounds.rows) {
        const Value rows{*bounds.rows};
        const auto found = ids_asked(
            connection, about_table(kOneTooMany, table, connection.dialect()), std::span(&rows, 1)
        );
        if (!found.empty()) {
            end = std::max(end, found.front() + '~');  // Behind it, and before the next one.
        }
    }
    return end;
}

/// Lines that another node is removing are left to it.
std::vector<std::string> oldest_for_update(
    Transaction& transaction,
    std::string_view table,
    std::string_view end,
    std::size_t page
) {
    const Dialect& dialect = transaction.dialect();
    const std::string sql = fmt::format(
        kOldestLines,
        fmt::arg("table", table),
        fmt::arg("by_id", dialect.by_id),
        fmt::arg("skip_locked", dialect.skip_locked)
    );
    std::vector<std::string> ids;
    transaction.query(
        {.sql = sql, .columns = 1},
        {end, static_cast<std::int64_t>(page)},
        [&](const Row& row) { ids.emplace_back(row.text(0)); }
    );
    return ids;
}

std::int64_t forget_lines(
    Transaction& transaction,
    std::string_view table,
    const std::vector<std::string>& ids
) {
    const std::vector<std::string_view> borrowed(ids.begin(), ids.end());
    const std::string sql =
        fmt::format(kForget, fmt::arg("delete_where", delete_where(transaction.dialect(), table)));
    std::int64_t removed = 0;
    for (const BoundStatement& part : cut_id_list(sql, {.ids = borrowed})) {
        removed += transaction.execute(part.sql, part.parameters);
    }
    return removed;
}

bool is_any_before(Connection& connection, std::string_view table, std::string_view end) {
    const Value parameter{end};
    const std::string sql = about_table(kAnyBefore, table, connection.dialect());
    return !ids_asked(connection, sql, std::span(&parameter, 1)).empty();
}

JobLogCleaning
clean_table(TransactionRunner& runner, std::string_view table, const JobLogBounds& bounds) {
    std::string end;
    bool is_any = false;
    // Most often there is nothing to do, and then nothing is locked.
    runner.read([&](Connection& connection) {
        end = end_of_removal(connection, table, bounds);
        is_any = is_any_before(connection, table, end);
    });
    JobLogCleaning cleaning;
    if (!is_any) {
        return cleaning;
    }
    runner.run(
        [&](Transaction& transaction) {
            const auto ids = oldest_for_update(transaction, table, end, bounds.page);
            cleaning.removed = forget_lines(transaction, table, ids);
            cleaning.is_more = ids.size() == bounds.page;
        },
        run_again
    );
    return cleaning;
}

}  // namespace

JobLogCleaning clean_job_log(TransactionRunner& runner, const JobLogBounds& bounds) {
    return clean_table(runner, "ACT_HI_JOB_LOG", bounds);
}

JobLogCleaning clean_incidents(TransactionRunner& runner, const JobLogBounds& bounds) {
    return clean_table(runner, "ACT_HI_INCIDENT", bounds);
}

}  // namespace jobstrand::persistence
