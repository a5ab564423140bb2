#include "persistence/nodes/node_work.hpp"

#include <array>

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
    INSERT INTO JS_RATE (NODE_, HANDLER_TYPE_, RUNS_)
    VALUES (?, ?, ?))sql";

constexpr std::string_view kRunningSince = R"sql(
    SELECT SINCE_
    FROM JS_RUN
    WHERE NODE_ = ? AND ID_ = ? AND REV_ = ?)sql";

constexpr std::string_view kRates = R"sql(
    SELECT HANDLER_TYPE_, RUNS_
    FROM JS_NODE
    JOIN JS_RATE ON JS_RATE.NODE_ = JS_NODE.NODE_
    WHERE LEASE_EXP_TIME_ >= ?
    ORDER BY HANDLER_TYPE_)sql";

}  // namespace

void replace_work(Transaction& transaction, std::string_view node, const NodeWork& work) {
    transaction.execute(kForgetRuns, {node});
    for (const LongRun& run : work.runs) {
        transaction.execute(kInsertRun, {node, std::string_view(run.id), run.revision, run.since});
    }
    transaction.execute(kForgetRates, {node});
    for (const TypeRuns& type : work.last_minute) {
        transaction.execute(kInsertRate, {node, std::string_view(type.handler_type), type.runs});
    }
}

std::optional<schema::TimePoint> running_since(const StoreContext& context, const RunName& run) {
    std::optional<schema::TimePoint> since;
    const std::array<Value, 3> parameters{run.node, run.job, run.revision};
    context.runner.read([&](Connection& connection) {
        since.reset();
        connection.query({.sql = kRunningSince, .columns = 1}, parameters, [&](const Row& row) {
            since = row.time(0);
        });
    });
    return since;
}

std::vector<TypeRuns> runs_of_last_minute(const StoreContext& context, schema::TimePoint now) {
    std::vector<TypeRuns> all;
    const Value since{now};
    context.runner.read([&](Connection& connection) {
        all.clear();
        connection.query({.sql = kRates, .columns = 2}, {&since, 1}, [&](const Row& row) {
            if (all.empty() || all.back().handler_type != row.text(0)) {
                all.push_back({.handler_type = std::string(row.text(0)), .runs = 0});
            }
            all.back().runs += row.integer(1);
        });
    });
    return all;
}

}  // namespace jobstrand::persistence
