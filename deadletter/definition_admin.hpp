#pragma once

#include "deadletter/bulk_change.hpp"
#include "persistence/definition_store.hpp"
#include "persistence/operator_store.hpp"
#include "schema/clock.hpp"
#include "schema/job_definition.hpp"
#include "schema/paging.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace jobstrand::deadletter {

/// What is changed about a job definition; what is not named stays.
struct DefinitionSettings {
    std::optional<std::string> priority = {};     ///< Empty: it says none any more.
    std::optional<std::string> retry_cycle = {};  ///< Likewise.
    std::optional<std::string> category = {};     ///< Likewise.
    std::optional<std::optional<bool>> exclusive = {};
    std::optional<std::optional<std::int64_t>> override_priority = {};

    bool operator==(const DefinitionSettings&) const = default;
};

/// Which job definitions an operator wants to see.
struct DefinitionQuery {
    persistence::DefinitionFilter filter = {};
    std::string after = {};  ///< The name of the last one seen; empty: from the start.
    std::size_t limit = 100;
};

/// What an operator does with job definitions. New jobs go by a change at once in this process, in
/// others after persistence::kDefinitionsAge; jobs that are there stay as they are.
///
/// Thread safety: as that of the store, which must outlive it, as the clock must. All of it throws
/// DbError.
class DefinitionAdmin final {
public:
    /// Both faces of one store.
    DefinitionAdmin(
        persistence::DefinitionStore& store,
        persistence::OperatorStore& jobs,
        const schema::Clock& clock
    )
        : store_(store), jobs_(jobs), clock_(clock) {}

    /// Throws std::invalid_argument when `after` is no name.
    [[nodiscard]] schema::Page<schema::JobDefinition> list(const DefinitionQuery& query);

    /// nullopt: nothing is known of it.
    [[nodiscard]] std::optional<schema::JobDefinition> find(const schema::JobDefinitionName& name);

    /// Makes it if there is none. Throws std::invalid_argument, one sentence that says what is
    /// wrong; then nothing was changed.
    schema::JobDefinition
    set(const schema::JobDefinitionName& name, const DefinitionSettings& settings);

    /// Gives the jobs that are there, wherever they stand, the priority that overrides theirs, page
    /// by page (R026); those that a node holds stay as they are. Does nothing when there is none.
    /// An operation that was interrupted is begun again. The watch is told of each page, and may
    /// stop it there.
    BulkCounts cascade(const schema::JobDefinition& definition, const BulkWatch& watch);

    /// The jobs that a definition is about, wherever they stand: what cascade() looks at.
    [[nodiscard]] static persistence::JobFilter jobs_of(const schema::JobDefinitionName& name);

    /// What new jobs got from them they keep.
    void remove(const std::vector<std::string>& names, const BulkWatch& watch);

private:
    [[nodiscard]] std::int64_t count_jobs(const schema::JobDefinitionName& name);

    persistence::DefinitionStore& store_;
    persistence::OperatorStore& jobs_;
    const schema::Clock& clock_;
};

}  // namespace jobstrand::deadletter
