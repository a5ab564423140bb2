#include "persistence/sql/database_now.hpp"

#include "persistence/sql/dialect.hpp"

#include <fmt/format.h>

#include <string>
#include <string_view>

namespace jobstrand::persistence {

namespace {

constexpr std::string_view kNow = "SELECT {now}";

}  // namespace

std::optional<schema::TimePoint> database_now(TransactionRunner& runner) {
    std::optional<schema::TimePoint> now;
    runner.read([&](Connection& connection) {
        const Dialect& dialect = connection.dialect();
        if (dialect.has_own_clock()) {
            const std::string sql = fmt::format(kNow, fmt::arg("now", dialect.now));
            connection.query({.sql = sql, .columns = 1}, {}, [&](const Row& row) {
                now = row.time(0);
            });
        }
    });
    return now;
}

}  // namespace jobstrand::persistence
