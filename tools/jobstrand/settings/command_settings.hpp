#pragma once

#include "tools/jobstrand/settings/setting_entries.hpp"
#include "tools/jobstrand/settings/settings.hpp"

#include <toml++/toml.h>

#include <string>
#include <vector>

namespace jobstrand::cli {

/// Reads the tables [commands.NAME]: the programs that `command` jobs may run.
class CommandTables {
public:
    /// Commands with a mistake are left out.
    [[nodiscard]] Commands read(const toml::node& commands);

    [[nodiscard]] const std::vector<LineMessage>& problems() const { return problems_; }

private:
    void read_command(const std::string& name, const toml::table& table, Commands& commands);
    void read_key(const std::string& key, const toml::node& node, CommandSettings& command);
    void read_program(const toml::node& node, CommandSettings& command);
    void read_arguments(const toml::node& node, CommandSettings& command);
    void read_time_limit(const toml::node& node, CommandSettings& command);
    void read_working_directory(const toml::node& node, CommandSettings& command);
    void read_environment(const toml::node& node, CommandSettings& command);
    void add_problem(const toml::node& node, const std::string& text);

    std::string command_;  ///< The name of the one that is being read.
    std::vector<LineMessage> problems_;
};

}  // namespace jobstrand::cli
