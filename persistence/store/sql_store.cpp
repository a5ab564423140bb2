#include "persistence/store/sql_store.hpp"

#include "persistence/sql/database_now.hpp"

#include <memory>
#include <utility>

namespace jobstrand::persistence {

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
          .exclusive_over = exclusive_over} {}

void SqlStore::add_definitions(std::vector<schema::JobDefinition> definitions) {
    definitions_.configure(std::move(definitions));
}

std::optional<schema::TimePoint> SqlStore::database_now() {
    return persistence::database_now(runner_);
}

}  // namespace jobstrand::persistence
