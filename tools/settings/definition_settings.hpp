#pragma once

#include "tools/settings/setting_table.hpp"
#include "tools/settings/settings.hpp"
#include "tools/settings/table_keys.hpp"

#include <toml++/toml.h>

#include <string>
#include <vector>

namespace jobstrand::cli {

/// Reads the tables [definitions.NAME]: what is set for definitions, their elements and types.
class DefinitionTables {
public:
    /// Those with a mistake are left out.
    [[nodiscard]] Definitions read(const toml::node& definitions);

    [[nodiscard]] const std::vector<LineMessage>& problems() const { return keys_.problems(); }

private:
    void
    read_definition(const std::string& name, const toml::table& table, Definitions& definitions);
    void
    read_key(const std::string& key, const toml::node& node, schema::JobDefinition& definition);

    TableKeys keys_{kDefinitionsName};
};

}  // namespace jobstrand::cli
