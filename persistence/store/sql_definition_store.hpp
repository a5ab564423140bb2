#pragma once

#include "persistence/definition_store.hpp"
#include "persistence/rows/store_context.hpp"

namespace jobstrand::persistence {

/// The role of the store that knows job definitions: it only forwards to definitions/. The context
/// must outlive it.
class SqlDefinitionStore final : public DefinitionStore {
public:
    explicit SqlDefinitionStore(const StoreContext& context) : context_(context) {}

    [[nodiscard]] std::vector<schema::JobDefinition> definitions(
        const DefinitionFilter& filter,
        std::string_view behind,
        std::size_t limit
    ) override;
    [[nodiscard]] std::optional<schema::JobDefinition> find_definition(
        const schema::JobDefinitionName& name
    ) override;
    schema::JobDefinition change_definition(
        const schema::JobDefinitionName& name,
        const DefinitionChange& change
    ) override;
    [[nodiscard]] bool remove_definition(const schema::JobDefinitionName& name) override;
    [[nodiscard]] OverrideStep override_priorities(
        const schema::JobDefinitionName& name,
        std::int64_t priority,
        const OverridePosition& from,
        schema::TimePoint now
    ) override;

private:
    const StoreContext& context_;
};

}  // namespace jobstrand::persistence
