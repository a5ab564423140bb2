#pragma once

#include "persistence/run_store.hpp"
#include "schema/paging.hpp"
#include "tools/access/scope.hpp"

#include <cstddef>
#include <optional>
#include <string>

namespace jobstrand::service {

/// The last runs that succeeded, as the scope of a token leaves them: what it leaves out is not
/// there.
///
/// Thread safety: safe. The store must outlive it, and the scope.
class SeenRuns final {
public:
    SeenRuns(persistence::RunStore& store, const Scope& scope) : store_(store), scope_(scope) {}

    /// The latest first, behind a run's id; empty: from the latest one on.
    [[nodiscard]] schema::Page<persistence::EndedRun>
    list(const persistence::EndedRunFilter& filter, std::string behind, std::size_t limit);

    [[nodiscard]] std::optional<persistence::EndedRun> last_of(const std::string& job);

private:
    [[nodiscard]] bool is_seen(const persistence::EndedRun& run) const;

    persistence::RunStore& store_;
    const Scope& scope_;
};

}  // namespace jobstrand::service
