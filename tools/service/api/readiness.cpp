#include "tools/service/api/readiness.hpp"

#include "persistence/executor_store.hpp"
#include "persistence/node_store.hpp"
#include "persistence/sql/db_error.hpp"
#include "tools/service/http/problem.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <exception>
#include <string>
#include <utility>
#include <vector>

namespace jobstrand::service {

namespace {

using std::chrono::steady_clock;

/// How long an answer counts, and how long it is repeated while nobody knows a newer one.
constexpr std::chrono::seconds kFresh{1};
constexpr std::chrono::seconds kStale{5};

}  // namespace

Response Readiness::answer() {
    if (is_stopping_) {
        return come_again("the service stops");
    }
    std::unique_lock lock(mutex_);
    const auto age = steady_clock::now() - asked_at_;
    if (last_ && age < kFresh) {
        return *last_;
    }
    // One asks; else a database that does not answer would hold all threads of the pool.
    if (is_asking_) {
        return last_ && age < kStale ? *last_ : come_again("the database has not answered yet");
    }
    is_asking_ = true;
    lock.unlock();
    Response response = ask();
    lock.lock();
    is_asking_ = false;
    asked_at_ = steady_clock::now();
    last_ = std::move(response);
    return *last_;
}

Response Readiness::ask() {
    // Defended catch: whatever keeps the database from answering is an answer.
    try {
        const std::vector<persistence::Node> nodes = parts_.engine.node_store().nodes();
        const schema::TimePoint now = parts_.engine.clock().now();
        const bool has_lease = std::ranges::any_of(nodes, [&](const persistence::Node& node) {
            return node.identity.node == parts_.engine.lock_owner() && node.lease_until > now;
        });
        // What was read just now has ended any other outage. Only who runs jobs writes again and
        // again, and so finds out when this one ends.
        if (runs_jobs_ &&
            parts_.engine.executor_store().back_since() == schema::SteadyPoint::max()) {
            return come_again(
                "the database takes no writes: it is read-only, or its disk is full; the log says "
                "which"
            );
        }
        if (runs_jobs_ && !has_lease) {
            return come_again("this node does not hold its lease");
        }
        if (const std::string why = parts_.engine.standstill(); !why.empty()) {
            return come_again("this node does not get on: " + why);
        }
        if (const auto refused = parts_.engine.refused(); refused.outcomes > 0) {
            return come_again(fmt::format(
                "the database refuses what became of {} jobs of the types {}; the log says why",
                refused.outcomes,
                fmt::join(refused.types, ", ")
            ));
        }
    } catch (const std::exception& error) {
        // The store says once that the database is away.
        const auto* const of_database = dynamic_cast<const persistence::DbError*>(&error);
        const bool is_told = of_database != nullptr && of_database->is_outage();
        parts_.log.write(
            is_told ? schema::LogLevel::debug : schema::LogLevel::warn,
            "not ready",
            {{"error", error.what()}}
        );
        return come_again("the database does not answer as it should; the log says why");
    }
    return {.status = 200, .body = "{\"status\":\"ready\"}\n"};
}

}  // namespace jobstrand::service
