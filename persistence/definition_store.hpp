#pragma once

#include "schema/job.hpp"
#include "schema/job_definition.hpp"
#include "schema/time.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace jobstrand::persistence {

struct StoreContext;

/// Which job definitions; empty fields mean any.
struct DefinitionFilter {
    std::string definition = {};
    std::string element = {};
    std::string type = {};
};

/// Changes what a job definition says; called again when the transaction begins anew.
using DefinitionChange = std::function<void(schema::JobDefinition&)>;

/// How far the jobs that are there have been given another priority: up to this one.
struct OverridePosition {
    schema::JobPlace place = schema::JobPlace::timer;
    std::string after = {};
};

struct OverrideStep {
    std::int64_t changed = 0;
    std::optional<OverridePosition> next = {};  ///< nullopt: that was all.
};

/// Job definitions, for operators. Enqueuers of this store go by a change at once, those of others
/// after kDefinitionsAge.
class DefinitionStore final {
public:
    explicit DefinitionStore(const StoreContext& context) : context_(context) {}

    /// Lists definitions in the order of their ids (see schema::id_of), behind this one (empty:
    /// from the start).
    [[nodiscard]] std::vector<schema::JobDefinition>
    definitions(const DefinitionFilter& filter, std::string_view behind, std::size_t limit);

    /// nullopt: there is none of this name.
    [[nodiscard]] std::optional<schema::JobDefinition> find_definition(
        const schema::JobDefinitionName& name
    );

    /// Changes one, which is made if there is none; returns what it says then. Throws what `change`
    /// throws, and std::invalid_argument when there would be more than kMostJobDefinitions; then
    /// nothing was changed.
    schema::JobDefinition
    change_definition(const schema::JobDefinitionName& name, const DefinitionChange& change);

    /// false: there is none.
    [[nodiscard]] bool remove_definition(const schema::JobDefinitionName& name);

    /// Gives the next 1,000 jobs that this name is about, and that have another priority, this one,
    /// wherever they stand, in one transaction. Jobs that a node or a worker holds stay as they are
    /// (R027), and so do those that one takes at that moment. It waits for nobody. To be called
    /// until there is no next; who begins anew finds done what was done.
    [[nodiscard]] OverrideStep override_priorities(
        const schema::JobDefinitionName& name,
        std::int64_t priority,
        const OverridePosition& from,
        schema::TimePoint now
    );

private:
    const StoreContext& context_;
};

}  // namespace jobstrand::persistence
