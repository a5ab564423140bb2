#pragma once

#include "tools/settings/setting_table.hpp"
#include "tools/settings/settings.hpp"
#include "tools/settings/table_keys.hpp"

#include <toml++/toml.h>

#include <string>
#include <vector>

namespace jobstrand::cli {

/// Reads the tables [commands.NAME]: the programs that `command` jobs may run.
class CommandTables {
public:
    /// Commands with a mistake are left out.
    [[nodiscard]] Commands read(const toml::node& commands);

    [[nodiscard]] const std::vector<LineMessage>& problems() const { return keys_.problems(); }

private:
    void read_command(const std::string& name, const toml::table& table, Commands& commands);
    void read_key(const std::string& key, const toml::node& node, CommandSettings& command);
    void read_arguments(const toml::node& node, CommandSettings& command);
    void read_environment(const toml::node& node, CommandSettings& command);

    TableKeys keys_{kCommandsName};
};

}  // namespace jobstrand::cli
