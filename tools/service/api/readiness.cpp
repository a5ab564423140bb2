#include "tools/service/api/readiness.hpp"

#include "persistence/node_store.hpp"
#include "persistence/sql/db_error.hpp"
#include "tools/service/http/problem.hpp"

#include <algorithm>

namespace jobstrand::service {

namespace {

using std::chrono::steady_clock;

constexpr std::chrono::seconds kFresh{1};

}  // namespace

Response Readiness::answer() {
    if (is_stopping_) {
        return come_again("the service stops");
    }
    const std::unique_lock lock(mutex_);
    const auto now = steady_clock::now();
    if (!last_ || now - asked_at_ >= kFresh) {
        last_ = ask();
        asked_at_ = steady_clock::now();
    }
    return *last_;
}

Response Readiness::ask() {
    // Defended catch: a database that does not answer is an answer.
    try {
        const std::vector<persistence::Node> nodes = parts_.engine.node_store().nodes();
        const schema::TimePoint now = parts_.engine.clock().now();
        const bool has_lease = std::ranges::any_of(nodes, [&](const persistence::Node& node) {
            return node.identity.node == parts_.engine.lock_owner() && node.lease_until > now;
        });
        if (runs_jobs_ && !has_lease) {
            return come_again("this node does not hold its lease");
        }
    } catch (const persistence::DbError& error) {
        parts_.log.write(schema::LogLevel::warn, "not ready", {{"error", error.what()}});
        return come_again("the database does not answer as it should; the log says why");
    }
    return {.status = 200, .body = "{\"status\":\"ready\"}\n"};
}

}  // namespace jobstrand::service
