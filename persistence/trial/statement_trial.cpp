#include "persistence/trial/statement_trial.hpp"

#include "persistence/sql/db_error.hpp"
#include "persistence/sql/session_pool.hpp"
#include "persistence/trial/rolled_back_connection.hpp"
#include "persistence/trial/trial_stage.hpp"
#include "persistence/trial/trials.hpp"

#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <optional>

namespace jobstrand::persistence {

namespace {

/// What the database says about a statement, and not about the state in which it is, about its
/// user, or about rows of others that are odd.
bool is_refusal(const DbError& error) {
    return !error.is_transient() && !error.is_outage() &&
           error.kind() != DbErrorKind::access_denied && error.kind() != DbErrorKind::unreadable;
}

/// One that meets others, such as nodes that start as well, is begun anew.
constexpr int kTries = 3;

/// nullopt: nothing of it is refused, as far as others have let it come.
std::optional<DbError> refusal_of(
    const Trial& trial,
    Connection& connection,
    const schema::SeriesSchedule& schedule,
    const TriedSettings& settings
) {
    for (int tries = 1;; ++tries) {
        Transaction transaction(connection);
        SessionPool pool(
            [&transaction](SessionPool::Access) {
                return std::make_unique<RolledBackConnection>(transaction);
            },
            {.writers = 1, .readers = 0},
            std::chrono::seconds(1)
        );
        // What a failed one has in memory is no concern of the next.
        TrialStage stage({pool, schedule, settings});
        try {
            trial.run(stage);
            return std::nullopt;
        } catch (const DbError& error) {
            if (is_refusal(error)) {
                return error;
            }
            if (error.is_outage() || error.kind() == DbErrorKind::access_denied) {
                throw;
            }
            if (error.kind() != DbErrorKind::conflict || tries == kTries) {
                return std::nullopt;
            }
        }
    }
}

}  // namespace

std::vector<RefusedActivity> refused_activities(
    Connection& connection,
    const schema::SeriesSchedule& schedule,
    const TriedSettings& settings
) {
    std::vector<RefusedActivity> refused;
    for (const Trial& trial : trials()) {
        if (const auto error = refusal_of(trial, connection, schedule, settings)) {
            refused.push_back({.activity = trial.activity, .reason = error->what()});
        }
    }
    return refused;
}

void require_statements(
    Connection& connection,
    const schema::SeriesSchedule& schedule,
    const TriedSettings& settings
) {
    const auto refused = refused_activities(connection, schedule, settings);
    if (refused.empty()) {
        return;
    }
    std::string all;
    for (const RefusedActivity& one : refused) {
        all += fmt::format("{} to {}: {}", all.empty() ? "" : ";", one.activity, one.reason);
    }
    throw DbError(
        DbErrorKind::other,
        fmt::format("this database refuses statements without which no job can be run here:{}", all)
    );
}

}  // namespace jobstrand::persistence
