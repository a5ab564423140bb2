#include "persistence/history/sql_history_store.hpp"

#include "persistence/sql/dialect.hpp"
#include "persistence/sql/many_rows.hpp"
#include "schema/uuid7.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>

namespace jobstrand::persistence {

schema::TimePoint storable(schema::TimePoint time, const Dialect& dialect) {
    return std::clamp(time, dialect.earliest_time, dialect.latest_time);
}

void HistoryConditions::add_equal(std::string_view column, std::string_view text) {
    if (!text.empty()) {
        add(fmt::format("{} = ?", column), text);
    }
}

void HistoryConditions::add_one_of(std::string_view column, const std::vector<std::string>& texts) {
    if (texts.size() < 2) {
        add_equal(column, texts.empty() ? std::string_view() : std::string_view(texts.front()));
        return;
    }
    std::string places;
    for (const std::string& text : texts) {
        places += places.empty() ? "?" : ", ?";
        parameters_.emplace_back(std::string_view(text));
    }
    add(fmt::format("{} IN ({})", column, places));
}

void HistoryConditions::add_period(
    std::string_view column,
    const std::optional<schema::TimePoint>& after,
    const std::optional<schema::TimePoint>& before
) {
    if (after) {
        add(fmt::format("{} >= ?", column), *after);
    }
    if (before) {
        add(fmt::format("{} < ?", column), *before);
    }
}

std::string HistoryConditions::text() const {
    return sql_.empty() ? "1 = 1" : fmt::format("{}", fmt::join(sql_, " AND "));
}

std::string first_id_of(schema::TimePoint time) {
    constexpr std::size_t kTimeLength = 13;  // Twelve digits of milliseconds, and a dash.
    const auto since_1970 = std::max(time, schema::TimePoint{});
    return schema::Uuid7Source(0).next(since_1970).substr(0, kTimeLength);
}

namespace {

constexpr std::string_view kListRuns = R"sql(
    SELECT {columns}
    FROM JS_ENDED_RUN {index}
    WHERE {conditions}
    ORDER BY ID_ DESC
    LIMIT ?)sql";

constexpr std::array<std::string_view, 11> kRunColumns{
    "ID_",
    "ENDED_",
    "JOB_ID_",
    "HANDLER_TYPE_",
    "TENANT_ID_",
    "PROC_INST_ID_",
    "NODE_",
    "ATTEMPT_",
    "WAITED_",
    "DURATION_",
    "MESSAGE_",
};

std::optional<schema::Duration> time_span_in(const Row& row, std::size_t column) {
    return row.is_null(column) ? std::nullopt
                               : std::optional(schema::Duration(row.integer(column)));
}

FinishedRun run_in(const Row& row) {
    return {
        .id = std::string(row.text(0)),
        .ended = row.time(1).value_or(schema::TimePoint{}),
        .job = std::string(row.text(2)),
        .handler_type = std::string(row.text(3)),
        .process_instance_id = std::string(row.text(5)),
        .tenant_id = std::string(row.text(4)),
        .node = std::string(row.text(6)),
        .attempt = static_cast<int>(row.integer(7)),
        .waited = time_span_in(row, 8),
        .duration = time_span_in(row, 9),
        .message = std::string(row.text(10)),
    };
}

Value milliseconds_or_null(const std::optional<schema::Duration>& time) {
    return time ? Value{std::int64_t{time->count()}} : Value{};
}

void append_run(std::vector<Value>& values, const FinishedRun& run, const Dialect& dialect) {
    values.insert(
        values.end(),
        {std::string_view(run.id),
         storable(run.ended, dialect),
         std::string_view(run.job),
         std::string_view(run.handler_type),
         text_or_null(run.tenant_id),
         text_or_null(run.process_instance_id),
         std::string_view(run.node),
         std::int64_t{run.attempt},
         milliseconds_or_null(run.waited),
         milliseconds_or_null(run.duration),
         text_or_null(run.message)}
    );
}

/// The one that has these rows in the order of the list.
std::string index_for(const FinishedRunQuery& filter, const Dialect& dialect) {
    if (!filter.job.empty()) {
        return by_index(dialect, "JS_IDX_ENDED_RUN_JOB");
    }
    return filter.handler_types.size() == 1 ? by_index(dialect, "JS_IDX_ENDED_RUN_TYPE")
                                            : std::string(dialect.by_id);
}

}  // namespace

void SqlRunStore::add_runs(std::span<const FinishedRun> runs) {
    std::vector<FinishedRun> named(runs.begin(), runs.end());
    for (FinishedRun& run : named) {
        run.id = book_.next_id(run.ended);
    }
    const auto write = [&](Transaction& transaction) {
        NewRows rows{.table = "JS_ENDED_RUN", .columns = kRunColumns};
        for (const FinishedRun& run : named) {
            append_run(rows.values, run, transaction.dialect());
        }
        insert_all(transaction, rows);
    };
    runner_.run(write, {});  // A commit in doubt is left as it is.
}

std::vector<FinishedRun> SqlRunStore::ended_runs(
    const FinishedRunQuery& filter,
    std::string_view behind,
    std::size_t limit
) {
    HistoryConditions conditions;
    conditions.add_equal("JOB_ID_", filter.job);
    if (!behind.empty()) {
        conditions.add("ID_ < ?", behind);
    }
    conditions.add_one_of("HANDLER_TYPE_", filter.handler_types);
    conditions.add_one_of("TENANT_ID_", filter.tenant_ids);
    conditions.add_one_of("PROC_INST_ID_", filter.process_instance_ids);
    return runner_.read([&](Connection& connection) {
        const std::string sql = fmt::format(
            kListRuns,
            fmt::arg("columns", fmt::join(kRunColumns, ", ")),
            fmt::arg("index", index_for(filter, connection.dialect())),
            fmt::arg("conditions", conditions.text())
        );
        std::vector<Value> parameters = conditions.parameters();
        parameters.emplace_back(static_cast<std::int64_t>(limit));
        return all_rows(
            connection, {.sql = sql, .columns = kRunColumns.size()}, parameters, run_in
        );
    });
}

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

/// Behind the last id that may be removed.
std::string end_of_removal(Connection& connection, const Past& past, const JobLogBounds& bounds) {
    std::string end = first_id_of(bounds.before);
    if (bounds.rows) {
        const std::string sql = about(kOneTooMany, past, connection.dialect());
        const std::string id = one_text(connection, sql, about(past, {*bounds.rows}));
        if (!id.empty()) {
            end = std::max(end, id + '~');  // Behind it, and before the next one.
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
    const std::vector<Value> parameters = about(past, {end, static_cast<std::int64_t>(page)});
    return all_texts(transaction, sql, parameters);
}

std::int64_t forget_lines(
    Transaction& transaction,
    std::string_view table,
    const std::vector<std::string>& ids
) {
    const std::vector<std::string_view> borrowed(ids.begin(), ids.end());
    const std::string sql = delete_from(transaction.dialect(), table, kForget, "TENANT_ID_");
    return execute_for_ids(transaction, sql, {.ids = borrowed});
}

bool is_any_before(Connection& connection, const Past& past, std::string_view end) {
    return has_row(connection, about(kAnyBefore, past, connection.dialect()), about(past, {end}));
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
    return runner.read([&](Connection& connection) {
        return all_texts(connection, kTypesWithMore, {runs});
    });
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
