#include "persistence/nodes/node_work.hpp"

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
    std::vector<AskedTopic> all;
    const std::array<Value, 2> bounds{now, now - AskedTopic::kLasts};
    context_.runner.read([&](Connection& connection) {
        all.clear();
        connection.query({.sql = kAsked, .columns = 3}, bounds, [&](const Row& row) {
            all.push_back(
                {.topic = std::string(row.text(0)),
                 .worker = std::string(row.text(1)),
                 .last = row.time(2).value_or(now)}
            );
        });
    });
    return all;
}

std::optional<schema::TimePoint>
SqlNodeStore::running_since(std::string_view node, std::string_view job, std::int64_t revision) {
    std::optional<schema::TimePoint> since;
    const std::array<Value, 3> parameters{node, job, revision};
    context_.runner.read([&](Connection& connection) {
        since.reset();
        connection.query({.sql = kRunningSince, .columns = 1}, parameters, [&](const Row& row) {
            since = row.time(0);
        });
    });
    return since;
}

std::vector<TypeRuns> SqlNodeStore::runs_of_last_minute(schema::TimePoint now) {
    std::vector<TypeRuns> all;
    const Value since{now};
    context_.runner.read([&](Connection& connection) {
        all.clear();
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
    });
    return all;
}

}  // namespace jobstrand::persistence
