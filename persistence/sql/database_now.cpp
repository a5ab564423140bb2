#include "persistence/sql/database_now.hpp"

#include "persistence/sql/dialect.hpp"

#include <fmt/format.h>

#include <chrono>

namespace jobstrand::persistence {

namespace {

constexpr std::string_view kNow = "SELECT {now}";

/// Of a connection or a transaction.
template <typename Source>
std::optional<schema::TimePoint> ask(Source& source) {
    std::optional<schema::TimePoint> now;
    if (source.dialect().has_own_clock()) {
        const std::string sql = fmt::format(kNow, fmt::arg("now", source.dialect().now));
        source.query({.sql = sql, .columns = 1}, {}, [&](const Row& row) { now = row.time(0); });
    }
    return now;
}

}  // namespace

std::optional<schema::TimePoint> database_now(TransactionRunner& runner) {
    std::optional<schema::TimePoint> now;
    runner.read([&](Connection& connection) { now = ask(connection); });
    return now;
}

schema::TimePoint database_now(Transaction& transaction) {
    return ask(transaction)
        .value_or(std::chrono::floor<schema::Duration>(std::chrono::system_clock::now()));
}

}  // namespace jobstrand::persistence
