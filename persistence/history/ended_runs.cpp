#include "persistence/history/history_rows.hpp"
#include "persistence/history/sql_history_store.hpp"
#include "persistence/sql/dialect.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <utility>

namespace jobstrand::persistence {

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

EndedRun run_in(const Row& row) {
    return {
        .id = std::string(row.text(0)),
        .ended = row.time(1).value_or(schema::TimePoint{}),
        .job = std::string(row.text(2)),
        .handler_type = std::string(row.text(3)),
        .tenant = std::string(row.text(4)),
        .instance = std::string(row.text(5)),
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

void append_run(std::vector<Value>& values, const EndedRun& run, const Dialect& dialect) {
    values.insert(
        values.end(),
        {std::string_view(run.id),
         storable(run.ended, dialect),
         std::string_view(run.job),
         std::string_view(run.handler_type),
         text_or_null(run.tenant),
         text_or_null(run.instance),
         std::string_view(run.node),
         std::int64_t{run.attempt},
         milliseconds_or_null(run.waited),
         milliseconds_or_null(run.duration),
         text_or_null(run.message)}
    );
}

/// The one that has these rows in the order of the list.
std::string index_for(const EndedRunFilter& filter, const Dialect& dialect) {
    if (!filter.job.empty()) {
        return by_index(dialect, "JS_IDX_ENDED_RUN_JOB");
    }
    return filter.handler_types.size() == 1 ? by_index(dialect, "JS_IDX_ENDED_RUN_TYPE")
                                            : std::string(dialect.by_id);
}

}  // namespace

void SqlRunStore::add_runs(std::span<const EndedRun> runs) {
    std::vector<EndedRun> named(runs.begin(), runs.end());
    for (EndedRun& run : named) {
        run.id = book_.next_id(run.ended);
    }
    const auto write = [&](Transaction& transaction) {
        NewRows rows{.table = "JS_ENDED_RUN", .columns = kRunColumns};
        for (const EndedRun& run : named) {
            append_run(rows.values, run, transaction.dialect());
        }
        insert_all(transaction, rows);
    };
    runner_.run(write, {});  // A commit in doubt is left as it is.
}

std::vector<EndedRun>
SqlRunStore::ended_runs(const EndedRunFilter& filter, std::string_view behind, std::size_t limit) {
    HistoryConditions conditions;
    conditions.add_equal("JOB_ID_", filter.job);
    if (!behind.empty()) {
        conditions.add("ID_ < ?", behind);
    }
    conditions.add_one_of("HANDLER_TYPE_", filter.handler_types);
    conditions.add_one_of("TENANT_ID_", filter.tenants);
    conditions.add_one_of("PROC_INST_ID_", filter.instances);
    std::vector<EndedRun> runs;
    runner_.read([&](Connection& connection) {
        runs.clear();
        const std::string sql = fmt::format(
            kListRuns,
            fmt::arg("columns", fmt::join(kRunColumns, ", ")),
            fmt::arg("index", index_for(filter, connection.dialect())),
            fmt::arg("conditions", conditions.text())
        );
        std::vector<Value> parameters = conditions.parameters();
        parameters.emplace_back(static_cast<std::int64_t>(limit));
        connection.query(
            {.sql = sql, .columns = kRunColumns.size()},
            parameters,
            [&](const Row& row) { runs.push_back(run_in(row)); }
        );
    });
    return runs;
}

}  // namespace jobstrand::persistence
