#include "tools/settings/table_readers.hpp"

#include <fmt/format.h>

#include <array>

namespace jobstrand::cli {

namespace {

/// Names of variables that the handler sets itself.
constexpr std::string_view kReservedPrefix = "JOBSTRAND_";

constexpr std::array<std::string_view, 5> kKeys{
    "program",
    "args",
    "timeLimit",
    "workingDirectory",
    "environment"};

}  // namespace

Commands CommandTables::read(const toml::node& node) {
    Commands commands;
    const toml::table* tables = node.as_table();
    if (tables == nullptr) {
        keys_.add_problem(node, "commands must be tables: [commands.NAME]");
        return commands;
    }
    for (const auto& [name, command] : *tables) {
        keys_.enter(name.str());
        if (const toml::table* table = command.as_table()) {
            read_command(std::string(name.str()), *table, commands);
        } else {
            keys_.add_problem(command, "must be a table: [commands.NAME]");
        }
    }
    return commands;
}

void CommandTables::read_command(
    const std::string& name,
    const toml::table& table,
    Commands& commands
) {
    const std::size_t problems_before = problems().size();
    CommandSettings command;
    for (const auto& [key, node] : table) {
        read_key(std::string(key.str()), node, command);
    }
    if (!table.contains("program")) {
        keys_.add_problem(table, "needs program = \"/path/to/program\"");
    }
    if (problems().size() == problems_before) {
        commands.emplace(name, std::move(command));
    }
}

void CommandTables::read_key(
    const std::string& key,
    const toml::node& node,
    CommandSettings& command
) {
    if (key == "program") {
        command.program = keys_.absolute_path(key, node).value_or("");
    } else if (key == "args") {
        read_arguments(node, command);
    } else if (key == "timeLimit") {
        command.time_limit = keys_.time_limit(key, node).value_or(command.time_limit);
    } else if (key == "workingDirectory") {
        command.working_directory = keys_.absolute_path(key, node).value_or("");
    } else if (key == "environment") {
        read_environment(node, command);
    } else {
        keys_.refuse(key, node, kKeys);
    }
}

void CommandTables::read_arguments(const toml::node& node, CommandSettings& command) {
    const toml::array* list = node.as_array();
    for (std::size_t i = 0; list != nullptr && i < list->size(); ++i) {
        const auto* text = list->get(i)->as_string();
        if (text == nullptr || has_nul(text->get())) {
            list = nullptr;
            break;
        }
        command.arguments.push_back(text->get());
    }
    if (list == nullptr) {
        keys_.add_problem(node, "args must be a list of texts without NUL");
    }
}

void CommandTables::read_environment(const toml::node& node, CommandSettings& command) {
    const toml::table* variables = node.as_table();
    if (variables == nullptr) {
        keys_.add_problem(node, "environment must be a table of texts");
        return;
    }
    for (const auto& [key, value] : *variables) {
        const std::string name(key.str());
        const auto* text = value.as_string();
        if (name.empty() || has_nul(name) || name.find('=') != std::string::npos) {
            keys_.add_problem(value, "environment has a name that no variable can have");
        } else if (name.starts_with(kReservedPrefix)) {
            keys_.add_problem(value, fmt::format("{} is set by Jobstrand itself", name));
        } else if (text == nullptr || has_nul(text->get())) {
            keys_.add_problem(
                value, fmt::format("environment.{} must be a text without NUL", name)
            );
        } else {
            command.environment.emplace(name, text->get());
        }
    }
}

}  // namespace jobstrand::cli
