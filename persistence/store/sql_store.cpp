#include "persistence/store/sql_store.hpp"

#include "persistence/sql/dialect.hpp"

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace jobstrand::persistence {

namespace {

constexpr std::string_view kNow = "SELECT {now}";

}  // namespace

SqlStore::SqlStore(
    SessionPool& pool,
    schema::Log& log,
    const schema::SeriesSchedule& schedule,
    RetryLimits limits,
    schema::ExclusiveOver exclusive_over,
    schema::HistoryRules history,
    OnIncident on_incident,
    const schema::Clock& clock,
    std::shared_ptr<schema::FreshIds> ids
)
    : runner_(pool, log, limits),
      ids_(ids == nullptr ? std::make_shared<schema::FreshIds>(clock) : std::move(ids)),
      history_(std::move(history), std::move(on_incident)),
      context_{
          .runner = runner_,
          .log = log,
          .schedule = schedule,
          .clock = clock,
          .ids = *ids_,
          .limits = limits_,
          .history = history_,
          .definitions = definitions_,
          .turns = turns_,
          .exclusive_over = exclusive_over} {}

void SqlStore::add_definitions(std::vector<schema::JobDefinition> definitions) {
    definitions_.configure(std::move(definitions));
}

std::optional<schema::TimePoint> SqlStore::database_now() {
    std::optional<schema::TimePoint> now;
    runner_.read([&](Connection& connection) {
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
