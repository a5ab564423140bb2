#include "tools/service/api/readiness.hpp"

#include "persistence/node_store.hpp"
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
        parts_.log.write(schema::LogLevel::warn, "not ready", {{"error", error.what()}});
        return come_again("the database does not answer as it should; the log says why");
    }
    return {.status = 200, .body = "{\"status\":\"ready\"}\n"};
}

}  // namespace jobstrand::service
