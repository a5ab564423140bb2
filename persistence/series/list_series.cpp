#include "persistence/rows/store_context.hpp"
#include "persistence/series/series_table.hpp"
#include "persistence/series_store.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>

namespace jobstrand {

std::string_view name_of(SeriesState state) {
    switch (state) {
        case SeriesState::waiting:
            return "waiting";
        case SeriesState::running:
            return "running";
        case SeriesState::paused:
            return "paused";
        case SeriesState::ended:
            return "ended";
    }
    return {};
}

namespace persistence {

namespace {

using schema::SeriesState;

constexpr std::string_view kIsPaused = R"sql(EXISTS (
        SELECT 1
        FROM JS_SUSPENSION P
        WHERE (P.SCOPE_ = 'series' AND P.ID_ = S.ID_)
            OR (P.SCOPE_ = 'timer group' AND P.ID_ = S.GROUP_)))sql";

constexpr std::string_view kSelect = R"sql(
    SELECT {columns}, CASE WHEN {is_paused} THEN 1 ELSE 0 END
    FROM JS_SERIES S
    WHERE {condition}
    ORDER BY S.ID_
    LIMIT ?)sql";

constexpr std::string_view kCountGroups = R"sql(
    SELECT GROUP_, COUNT(*)
    FROM JS_SERIES
    WHERE STATE_ <> 'ended'
    GROUP BY GROUP_)sql";

constexpr std::array kConditions{
    SeriesCondition::waiting,
    SeriesCondition::running,
    SeriesCondition::paused,
    SeriesCondition::ended};

/// A condition and the parameters that it needs.
struct Where {
    std::string sql;
    std::vector<Value> parameters;
};

std::string sql_of(SeriesCondition condition) {
    switch (condition) {
        case SeriesCondition::waiting:  // As what cannot be read is shown.
            return fmt::format("S.STATE_ NOT IN ('running', 'ended') AND NOT {}", kIsPaused);
        case SeriesCondition::running:
            return fmt::format("S.STATE_ = 'running' AND NOT {}", kIsPaused);
        case SeriesCondition::paused:
            return fmt::format("S.STATE_ <> 'ended' AND {}", kIsPaused);
        case SeriesCondition::ended:
            return "S.STATE_ = 'ended'";
    }
    return {};
}

Where where(const SeriesFilter& filter, std::string_view after) {
    Where where{.sql = "S.ID_ > ?", .parameters = {after}};
    if (filter.group) {
        where.sql += " AND S.GROUP_ = ?";
        where.parameters.emplace_back(std::string_view(*filter.group));
    }
    if (filter.condition) {
        where.sql += " AND " + sql_of(*filter.condition);
    }
    return where;
}

SeriesCondition condition_of(SeriesState state, bool is_paused) {
    if (state == SeriesState::ended) {
        return SeriesCondition::ended;
    }
    if (is_paused) {
        return SeriesCondition::paused;
    }
    return state == SeriesState::running ? SeriesCondition::running : SeriesCondition::waiting;
}

std::vector<SeriesSummary>
select(TransactionRunner& runner, const Where& where, std::size_t limit) {
    const std::string sql = fmt::format(
        kSelect,
        fmt::arg("columns", series_columns("S.")),
        fmt::arg("is_paused", kIsPaused),
        fmt::arg("condition", where.sql)
    );
    std::vector<Value> parameters = where.parameters;
    parameters.emplace_back(static_cast<std::int64_t>(limit));
    const std::size_t columns = series_column_count();
    return runner.read([&](Connection& connection) {
        const Query query{.sql = sql, .columns = columns + 1};
        return all_rows(connection, query, parameters, [&](const Row& row) {
            auto [series, complaint] = read_series_row(row);
            const auto condition = condition_of(series.state, row.integer(columns) != 0);
            return SeriesSummary{
                .series = std::move(series),
                .condition = condition,
                .complaint = std::move(complaint)};
        });
    });
}

}  // namespace

std::optional<SeriesCondition> series_condition_named(std::string_view name) {
    for (const SeriesCondition condition : kConditions) {
        if (name_of(condition) == name) {
            return condition;
        }
    }
    return std::nullopt;
}

std::vector<SeriesSummary>
SeriesStore::list_series(const SeriesFilter& filter, std::string_view after, std::size_t limit) {
    return select(context_.runner, where(filter, after), limit);
}

std::map<std::string, std::int64_t> SeriesStore::count_groups() {
    return context_.runner.read([](Connection& connection) {
        std::map<std::string, std::int64_t> counts;
        connection.query({.sql = kCountGroups, .columns = 2}, {}, [&](const Row& row) {
            counts[std::string(row.text(0))] += row.integer(1);
        });
        return counts;
    });
}

std::optional<SeriesSummary> SeriesStore::find_series(std::string_view key) {
    std::vector<SeriesSummary> found = select(context_.runner, {"S.ID_ = ?", {key}}, 1);
    return found.empty() ? std::nullopt : std::optional(std::move(found.front()));
}

}  // namespace persistence

}  // namespace jobstrand
