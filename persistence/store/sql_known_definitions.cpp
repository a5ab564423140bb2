#include "persistence/definitions/definition_rows.hpp"
#include "persistence/store/sql_store.hpp"

#include <utility>

// What enqueuers ask of job definitions.
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

}  // namespace jobstrand::persistence
