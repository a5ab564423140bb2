#include "persistence/history/history_rows.hpp"
#include "persistence/history/sql_history_store.hpp"
#include "persistence/sql/dialect.hpp"
#include "persistence/sql/id_lists.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>

namespace jobstrand::persistence {

namespace {

/// The latest line that is one too many.
constexpr std::string_view kOneTooMany = R"sql(
    SELECT ID_
    FROM {table} {index}
    WHERE {of_type}
    ORDER BY ID_ DESC
    LIMIT 1 OFFSET ?)sql";

constexpr std::string_view kOldestLines = R"sql(
    SELECT ID_
    FROM {table} {index}
    WHERE {of_type} AND ID_ < ?
    ORDER BY ID_
    LIMIT ?
    {skip_locked})sql";

constexpr std::string_view kAnyBefore = R"sql(
    SELECT ID_
    FROM {table} {index}
    WHERE {of_type} AND ID_ < ?
    LIMIT 1)sql";

constexpr std::string_view kTypesWithMore = R"sql(
    SELECT HANDLER_TYPE_
    FROM JS_ENDED_RUN
    GROUP BY HANDLER_TYPE_
    HAVING COUNT(*) > ?)sql";

constexpr std::string_view kForget = R"sql({delete_where} ID_ IN (...))sql";

/// The rows among which the oldest are removed: all of a table, or those of a handler type.
struct Past {
    std::string_view table;
    std::optional<std::string_view> type = {};
};

std::string about(std::string_view sql, const Past& past, const Dialect& dialect) {
    const bool is_all = !past.type;
    return fmt::format(
        fmt::runtime(sql),
        fmt::arg("table", past.table),
        fmt::arg(
            "index",
            is_all ? std::string(dialect.by_id) : by_index(dialect, "JS_IDX_ENDED_RUN_TYPE")
        ),
        fmt::arg("of_type", is_all ? "1 = 1" : "HANDLER_TYPE_ = ?"),
        fmt::arg("skip_locked", dialect.skip_locked)
    );
}

std::vector<Value> about(const Past& past, std::initializer_list<Value> parameters) {
    std::vector<Value> all(parameters);
    if (past.type) {
        all.insert(all.begin(), *past.type);
    }
    return all;
}

std::vector<std::string>
texts_asked(Connection& connection, const std::string& sql, std::span<const Value> parameters) {
    std::vector<std::string> texts;
    connection.query({.sql = sql, .columns = 1}, parameters, [&](const Row& row) {
        texts.emplace_back(row.text(0));
    });
    return texts;
}

/// Behind the last id that may be removed.
std::string end_of_removal(Connection& connection, const Past& past, const JobLogBounds& bounds) {
    std::string end = first_id_of(bounds.before);
    if (bounds.rows) {
        const auto found = texts_asked(
            connection, about(kOneTooMany, past, connection.dialect()), about(past, {*bounds.rows})
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
    const Past& past,
    std::string_view end,
    std::size_t page
) {
    const std::string sql = about(kOldestLines, past, transaction.dialect());
    std::vector<std::string> ids;
    transaction.query(
        {.sql = sql, .columns = 1},
        about(past, {end, static_cast<std::int64_t>(page)}),
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
    const std::string sql = fmt::format(
        kForget, fmt::arg("delete_where", delete_where(transaction.dialect(), table, "TENANT_ID_"))
    );
    return execute_for_ids(transaction, sql, {.ids = borrowed});
}

bool is_any_before(Connection& connection, const Past& past, std::string_view end) {
    const std::string sql = about(kAnyBefore, past, connection.dialect());
    return !texts_asked(connection, sql, about(past, {end})).empty();
}

JobLogCleaning clean(TransactionRunner& runner, const Past& past, const JobLogBounds& bounds) {
    std::string end;
    bool is_any = false;
    // Most often there is nothing to do, and then nothing is locked.
    runner.read([&](Connection& connection) {
        end = end_of_removal(connection, past, bounds);
        is_any = is_any_before(connection, past, end);
    });
    JobLogCleaning cleaning;
    if (!is_any) {
        return cleaning;
    }
    runner.run(
        [&](Transaction& transaction) {
            const auto ids = oldest_for_update(transaction, past, end, bounds.page);
            cleaning.removed = forget_lines(transaction, past.table, ids);
            cleaning.is_more = ids.size() == bounds.page;
        },
        run_again
    );
    return cleaning;
}

std::vector<std::string> types_with_more(TransactionRunner& runner, std::int64_t runs) {
    std::vector<std::string> types;
    runner.read([&](Connection& connection) {
        const Value most{runs};
        types = texts_asked(connection, std::string(kTypesWithMore), std::span(&most, 1));
    });
    return types;
}

}  // namespace

JobLogCleaning SqlHistoryStore::clean_job_log(const JobLogBounds& bounds) {
    return clean(runner_, {.table = "ACT_HI_JOB_LOG"}, bounds);
}

JobLogCleaning SqlHistoryStore::clean_incidents(const JobLogBounds& bounds) {
    return clean(runner_, {.table = "ACT_HI_INCIDENT"}, bounds);
}

JobLogCleaning SqlRunStore::clean_runs(const EndedRunBounds& bounds) {
    constexpr std::string_view kRuns = "JS_ENDED_RUN";
    JobLogCleaning all;
    const auto add = [&](const JobLogCleaning& part) {
        all.removed += part.removed;
        all.is_more = all.is_more || part.is_more;
    };
    if (bounds.before) {
        add(clean(runner_, {.table = kRuns}, {.before = *bounds.before, .page = bounds.page}));
    }
    if (bounds.of_type) {
        for (const std::string& type : types_with_more(runner_, *bounds.of_type)) {
            add(clean(
                runner_,
                {.table = kRuns, .type = type},
                {.rows = bounds.of_type, .page = bounds.page}
            ));
        }
    }
    return all;
}

}  // namespace jobstrand::persistence
