#include "persistence/nodes/sql_node_store.hpp"
#include "persistence/sql/dialect.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace jobstrand::persistence {

namespace {

constexpr std::string_view kForgetRuns = R"sql(
    DELETE FROM JS_RUN
    WHERE NODE_ = ?)sql";

constexpr std::string_view kInsertRun = R"sql(
    INSERT INTO JS_RUN (NODE_, ID_, REV_, SINCE_)
    VALUES (?, ?, ?, ?))sql";

constexpr std::string_view kForgetRates = R"sql(
    DELETE FROM JS_RATE
    WHERE NODE_ = ?)sql";

constexpr std::string_view kInsertRate = R"sql(
    INSERT INTO JS_RATE (NODE_, HANDLER_TYPE_, RUNS_, FAILED_, SPAN_)
    VALUES (?, ?, ?, ?, ?))sql";

constexpr std::string_view kSetStandstill = R"sql(
    UPDATE JS_NODE
    SET STANDSTILL_ = ?
    WHERE NODE_ = ? AND STANDSTILL_ <> ?)sql";

constexpr std::string_view kForgetAsked = R"sql(
    DELETE FROM JS_ASKED
    WHERE NODE_ = ?)sql";

constexpr std::string_view kInsertAsked = R"sql(
    {insert_if_absent} INTO JS_ASKED (NODE_, HANDLER_TYPE_, WORKER_, LAST_)
    VALUES (?, ?, ?, ?)
    {if_absent})sql";

constexpr std::string_view kAsked = R"sql(
    SELECT HANDLER_TYPE_, WORKER_, MAX(LAST_)
    FROM JS_NODE
    JOIN JS_ASKED ON JS_ASKED.NODE_ = JS_NODE.NODE_
    WHERE LEASE_EXP_TIME_ >= ? AND LAST_ >= ?
    GROUP BY HANDLER_TYPE_, WORKER_
    ORDER BY HANDLER_TYPE_, WORKER_)sql";

constexpr std::string_view kRunningSince = R"sql(
    SELECT SINCE_
    FROM JS_RUN
    WHERE NODE_ = ? AND ID_ = ? AND REV_ = ?)sql";

constexpr std::string_view kRates = R"sql(
    SELECT HANDLER_TYPE_, RUNS_, FAILED_, SPAN_
    FROM JS_NODE
    JOIN JS_RATE ON JS_RATE.NODE_ = JS_NODE.NODE_
    WHERE LEASE_EXP_TIME_ >= ?
    ORDER BY HANDLER_TYPE_)sql";

/// The span in which the runs of both would have ended at the sum of their rates.
[[nodiscard]] schema::Duration span_of_both(const TypeRuns& one, const TypeRuns& other) {
    const auto rate = [](const TypeRuns& runs) {
        return static_cast<double>(runs.runs) / static_cast<double>(runs.span.count());
    };
    const double both = rate(one) + rate(other);
    if (one.span == other.span || both <= 0) {
        return std::max(one.span, other.span);
    }
    const double span = static_cast<double>(one.runs + other.runs) / both;
    return schema::Duration(std::max<std::int64_t>(1, std::llround(span)));
}

void add(TypeRuns& sum, const TypeRuns& runs) {
    sum.span = sum.runs == 0 ? runs.span : span_of_both(sum, runs);
    sum.runs += runs.runs;
    sum.failed += runs.failed;
}

}  // namespace

// The row of the node comes first, as for whoever ends its lease.
void replace_work(Transaction& transaction, std::string_view node, const NodeWork& work) {
    const std::string_view standstill = work.standstill;
    transaction.execute(kSetStandstill, {standstill, node, standstill});
    transaction.execute(kForgetRuns, {node});
    for (const LongRun& run : work.runs) {
        transaction.execute(kInsertRun, {node, std::string_view(run.id), run.revision, run.since});
    }
    transaction.execute(kForgetRates, {node});
    for (const TypeRuns& type : work.last_minute) {
        const std::int64_t span = type.span.count();
        transaction.execute(
            kInsertRate, {node, std::string_view(type.handler_type), type.runs, type.failed, span}
        );
    }
}

void replace_asked(
    Transaction& transaction,
    std::string_view node,
    std::span<const AskedTopic> asked
) {
    transaction.execute(kForgetAsked, {node});
    // Names that differ here may be one to the database.
    const Dialect& dialect = transaction.dialect();
    const std::string insert = fmt::format(
        kInsertAsked,
        fmt::arg("insert_if_absent", dialect.insert_if_absent),
        fmt::arg("if_absent", dialect.if_absent)
    );
    for (const AskedTopic& one : asked) {
        transaction.execute(
            insert, {node, std::string_view(one.topic), std::string_view(one.worker), one.last}
        );
    }
}

void SqlNodeStore::record_work(std::string_view node, const NodeWork& work) {
    context_.runner.run(
        [&](Transaction& transaction) { replace_work(transaction, node, work); },
        run_again,
        Commit::alone
    );
}

void SqlNodeStore::record_asked(std::string_view node, std::span<const AskedTopic> asked) {
    context_.runner.run(
        [&](Transaction& transaction) { replace_asked(transaction, node, asked); },
        run_again,
        Commit::alone
    );
}

std::vector<AskedTopic> SqlNodeStore::asked_topics(schema::TimePoint now) {
    const std::array<Value, 2> bounds{now, now - AskedTopic::kLasts};
    return context_.runner.read([&](Connection& connection) {
        return all_rows(connection, {.sql = kAsked, .columns = 3}, bounds, [&](const Row& row) {
            return AskedTopic{
                .topic = std::string(row.text(0)),
                .worker = std::string(row.text(1)),
                .last = row.time(2).value_or(now)};
        });
    });
}

std::optional<schema::TimePoint>
SqlNodeStore::running_since(std::string_view node, std::string_view job, std::int64_t revision) {
    const std::array<Value, 3> parameters{node, job, revision};
    return context_.runner.read([&](Connection& connection) {
        std::optional<schema::TimePoint> since;
        connection.query({.sql = kRunningSince, .columns = 1}, parameters, [&](const Row& row) {
            since = row.time(0);
        });
        return since;
    });
}

std::vector<TypeRuns> SqlNodeStore::runs_of_last_minute(schema::TimePoint now) {
    const Value since{now};
    return context_.runner.read([&](Connection& connection) {
        std::vector<TypeRuns> all;
        connection.query({.sql = kRates, .columns = 4}, {&since, 1}, [&](const Row& row) {
            const TypeRuns runs{
                .handler_type = std::string(row.text(0)),
                .runs = row.integer(1),
                .failed = row.integer(2),
                .span = schema::Duration(std::max<std::int64_t>(1, row.integer(3)))};
            if (all.empty() || all.back().handler_type != runs.handler_type) {
                all.push_back({.handler_type = runs.handler_type});
            }
            add(all.back(), runs);
        });
        return all;
    });
}

namespace {

constexpr std::string_view kSetNews = R"sql(
    INSERT INTO JS_RUN_NEWS
        (ID_, REV_, OWNER_, HANDLER_TYPE_, TENANT_ID_, TOLD_, PROGRESS_, NOTE_, LINES_)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, {bytes})
    {on_existing} {assignments})sql";

constexpr std::string_view kForgetNews = R"sql(
    DELETE FROM JS_RUN_NEWS
    WHERE ID_ = ? AND REV_ = ?)sql";

constexpr std::string_view kNews = R"sql(
    SELECT ID_, REV_, OWNER_, HANDLER_TYPE_, TENANT_ID_, TOLD_, PROGRESS_, NOTE_, {bytes_as_text}
    FROM (SELECT JS_RUN_NEWS.*, LINES_ AS BYTES_ FROM JS_RUN_NEWS {conditions}) N
    ORDER BY TOLD_ DESC, ID_ DESC
    LIMIT ?)sql";

constexpr std::string_view kLeftOver = R"sql(
    SELECT ID_, REV_
    FROM JS_RUN_NEWS
    WHERE TOLD_ < ?
        AND (SELECT 1 FROM ACT_RU_JOB J WHERE J.ID_ = JS_RUN_NEWS.ID_) IS NULL
        AND (SELECT 1 FROM ACT_RU_EXTERNAL_JOB E WHERE E.ID_ = JS_RUN_NEWS.ID_
            AND E.LOCK_OWNER_ = JS_RUN_NEWS.OWNER_ AND E.REV_ = JS_RUN_NEWS.REV_) IS NULL)sql";

constexpr std::array<std::string_view, 8> kSetColumns{
    "REV_",
    "OWNER_",
    "HANDLER_TYPE_",
    "TENANT_ID_",
    "TOLD_",
    "PROGRESS_",
    "NOTE_",
    "LINES_"};

/// PROGRESS_ counts millionths.
constexpr double kWhole = 1'000'000;

[[nodiscard]] std::string statement_that_sets(const Dialect& dialect) {
    std::string assignments;
    for (const std::string_view column : kSetColumns) {
        assignments += fmt::format(
            "{}{} = {}",
            assignments.empty() ? "" : ", ",
            column,
            fmt::format(fmt::runtime(dialect.new_value), column)
        );
    }
    return fmt::format(
        kSetNews,
        fmt::arg("bytes", dialect.bytes_parameter),
        fmt::arg("on_existing", on_existing(dialect, "ID_")),
        fmt::arg("assignments", assignments)
    );
}

[[nodiscard]] Value millionths(const std::optional<double>& progress) {
    return progress ? Value{static_cast<std::int64_t>(std::llround(*progress * kWhole))} : Value{};
}

[[nodiscard]] ToldRun told_run_in(const Row& row, const Dialect& dialect) {
    ToldRun run{
        .job = std::string(row.text(0)),
        .revision = row.integer(1),
        .owner = std::string(row.text(2)),
        .handler_type = std::string(row.text(3)),
        .tenant = std::string(row.text(4)),
        .told = row.time(5).value_or(schema::TimePoint{}),
        .news = {.note = std::string(row.text(7)), .lines = {}}};
    if (!row.is_null(6)) {
        run.news.progress = static_cast<double>(row.integer(6)) / kWhole;
    }
    if (!row.is_null(8)) {
        run.news.lines = dialect.text_of_bytes(row.text(8));
    }
    return run;
}

[[nodiscard]] std::string places_for(std::size_t count) {
    std::string places;
    for (std::size_t i = 0; i < count; ++i) {
        places += i == 0 ? "?" : ", ?";
    }
    return places;
}

}  // namespace

void SqlRunNewsStore::write_news(std::span<const ToldRun> told, std::span<const ToldRun> ended) {
    const auto write = [&](Transaction& transaction) {
        const Dialect& dialect = transaction.dialect();
        const std::string set = statement_that_sets(dialect);
        for (const ToldRun& run : told) {
            transaction.execute(
                set,
                {std::string_view(run.job),
                 run.revision,
                 std::string_view(run.owner),
                 std::string_view(run.handler_type),
                 std::string_view(run.tenant),
                 std::clamp(run.told, dialect.earliest_time, dialect.latest_time),
                 millionths(run.news.progress),
                 std::string_view(run.news.note),
                 std::string_view(run.news.lines)}
            );
        }
        for (const ToldRun& run : ended) {
            transaction.execute(kForgetNews, {std::string_view(run.job), run.revision});
        }
    };
    context_.runner.run(write, run_again);
}

std::vector<ToldRun>
SqlRunNewsStore::run_news(std::span<const std::string> jobs, std::size_t limit) {
    std::vector<Value> parameters;
    for (const std::string& job : jobs) {
        parameters.emplace_back(std::string_view(job));
    }
    parameters.emplace_back(static_cast<std::int64_t>(limit));
    return context_.runner.read([&](Connection& connection) {
        const Dialect& dialect = connection.dialect();
        const std::string sql = fmt::format(
            kNews,
            fmt::arg("bytes_as_text", dialect.bytes_as_text),
            fmt::arg(
                "conditions",
                jobs.empty() ? "" : fmt::format("WHERE ID_ IN ({})", places_for(jobs.size()))
            )
        );
        return all_rows(connection, {.sql = sql, .columns = 9}, parameters, [&](const Row& row) {
            return told_run_in(row, dialect);
        });
    });
}

// They are looked for first, so that nothing of the jobs is locked.
void SqlRunNewsStore::forget_news(schema::TimePoint before) {
    const std::vector<ToldRun> left_over = context_.runner.read([&](Connection& connection) {
        return all_rows(connection, {.sql = kLeftOver, .columns = 2}, {before}, [](const Row& row) {
            return ToldRun{.job = std::string(row.text(0)), .revision = row.integer(1)};
        });
    });
    if (!left_over.empty()) {
        write_news({}, left_over);
    }
}

}  // namespace jobstrand::persistence
