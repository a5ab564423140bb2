#pragma once

#include "executor/handler_registry.hpp"
#include "persistence/served_jobs.hpp"
#include "schema/served_scope.hpp"

#include <memory>
#include <mutex>
#include <set>
#include <string>

namespace jobstrand::executor {

/// Which jobs this node takes now (I7): those of its handlers, within its scope. Every look is a
/// whole that does not change any more.
///
/// Thread safety: safe.
class ServedHere final {
public:
    ServedHere(
        const HandlerRegistry& handlers,
        schema::ServedScope scope,
        persistence::Fetching fetching = {}
    );

    [[nodiscard]] std::shared_ptr<const persistence::ServedJobs> now() const;

    /// Handlers have come or gone.
    void look_at_handlers();

    void limit_to(schema::ServedScope scope);

    /// Nor those of these handler types, for now. false: they were left out already.
    bool leave_out(std::set<std::string> types);

private:
    void look(schema::ServedScope scope);

    const HandlerRegistry& handlers_;
    const persistence::Fetching fetching_;
    mutable std::mutex mutex_;
    std::shared_ptr<const persistence::ServedJobs> now_;  ///< Guarded by mutex_.
    std::set<std::string> left_out_;                      ///< Likewise.
};

}  // namespace jobstrand::executor
