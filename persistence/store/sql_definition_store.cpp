#include "persistence/definitions/definition_rows.hpp"
#include "persistence/store/sql_store.hpp"

#include <utility>

namespace jobstrand::persistence {

void SqlStore::add_definitions(std::vector<schema::JobDefinition> definitions) {
    definitions_.configure(std::move(definitions));
}

KnownDefinitions SqlStore::known_definitions(Transaction* transaction, schema::SteadyPoint now) {
    return persistence::known_definitions(context_, transaction, now);
}

void SqlStore::record_definitions(
    Transaction* transaction,
    std::span<const schema::JobDefinitionName> names
) {
    persistence::record_definitions(context_, transaction, names);
}

std::vector<schema::JobDefinition>
SqlStore::definitions(const DefinitionFilter& filter, std::string_view behind, std::size_t limit) {
    return list_definitions(context_, filter, behind, limit);
}

std::optional<schema::JobDefinition> SqlStore::find_definition(const schema::JobDefinitionName& name
) {
    return persistence::find_definition(context_, name);
}

schema::JobDefinition
SqlStore::change_definition(const schema::JobDefinitionName& name, const DefinitionChange& change) {
    return persistence::change_definition(context_, name, change);
}

bool SqlStore::remove_definition(const schema::JobDefinitionName& name) {
    return persistence::remove_definition(context_, name);
}

OverrideStep SqlStore::override_priorities(
    const schema::JobDefinitionName& name,
    std::int64_t priority,
    const OverridePosition& from,
    schema::TimePoint now
) {
    return persistence::override_priorities(context_, name, priority, from, now);
}

}  // namespace jobstrand::persistence
