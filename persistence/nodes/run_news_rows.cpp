#include "persistence/nodes/sql_node_store.hpp"
#include "persistence/sql/dialect.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace jobstrand::persistence {

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
        AND NOT EXISTS (SELECT 1 FROM ACT_RU_JOB J WHERE J.ID_ = JS_RUN_NEWS.ID_)
        AND NOT EXISTS (SELECT 1 FROM ACT_RU_EXTERNAL_JOB E WHERE E.ID_ = JS_RUN_NEWS.ID_
            AND E.LOCK_OWNER_ = JS_RUN_NEWS.OWNER_ AND E.REV_ = JS_RUN_NEWS.REV_))sql";

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
    std::vector<ToldRun> runs;
    context_.runner.read([&](Connection& connection) {
        runs.clear();
        const Dialect& dialect = connection.dialect();
        const std::string sql = fmt::format(
            kNews,
            fmt::arg("bytes_as_text", dialect.bytes_as_text),
            fmt::arg(
                "conditions",
                jobs.empty() ? "" : fmt::format("WHERE ID_ IN ({})", places_for(jobs.size()))
            )
        );
        connection.query({.sql = sql, .columns = 9}, parameters, [&](const Row& row) {
            runs.push_back(told_run_in(row, dialect));
        });
    });
    return runs;
}

// They are looked for first, so that nothing of the jobs is locked.
void SqlRunNewsStore::forget_news(schema::TimePoint before) {
    const Value until{before};
    std::vector<ToldRun> left_over;
    context_.runner.read([&](Connection& connection) {
        left_over.clear();
        connection.query({.sql = kLeftOver, .columns = 2}, {&until, 1}, [&](const Row& row) {
            left_over.push_back({.job = std::string(row.text(0)), .revision = row.integer(1)});
        });
    });
    if (!left_over.empty()) {
        write_news({}, left_over);
    }
}

}  // namespace jobstrand::persistence
