#include "persistence/store/sql_definition_store.hpp"

#include "persistence/definitions/definition_rows.hpp"

namespace jobstrand::persistence {

std::vector<schema::JobDefinition> SqlDefinitionStore::definitions(
    const DefinitionFilter& filter,
    std::string_view behind,
    std::size_t limit
) {
    return list_definitions(context_, filter, behind, limit);
}

std::optional<schema::JobDefinition> SqlDefinitionStore::find_definition(
    const schema::JobDefinitionName& name
) {
    return persistence::find_definition(context_, name);
}

schema::JobDefinition SqlDefinitionStore::change_definition(
    const schema::JobDefinitionName& name,
    const DefinitionChange& change
) {
    return persistence::change_definition(context_, name, change);
}

bool SqlDefinitionStore::remove_definition(const schema::JobDefinitionName& name) {
    return persistence::remove_definition(context_, name);
}

OverrideStep SqlDefinitionStore::override_priorities(
    const schema::JobDefinitionName& name,
    std::int64_t priority,
    const OverridePosition& from,
    schema::TimePoint now
) {
    return persistence::override_priorities(context_, name, priority, from, now);
}

}  // namespace jobstrand::persistence
