#include "tools/jobstrand/settings/command_settings.hpp"

#include "schema/text/iso8601.hpp"
#include "tools/jobstrand/output/printable.hpp"
#include "tools/jobstrand/settings/nearest_name.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <array>
#include <chrono>
#include <optional>

namespace jobstrand::cli {

namespace {

using namespace std::chrono_literals;
using schema::Duration;

constexpr Duration kShortestLimit = 1ms;
constexpr Duration kLongestLimit = 24h;

/// Names of variables that the handler sets itself.
constexpr std::string_view kReservedPrefix = "JOBSTRAND_";

constexpr std::array<std::string_view, 5> kKeys{
    "program",
    "args",
    "timeLimit",
    "workingDirectory",
    "environment"};

/// Programs get texts as C strings, which end at the first NUL.
[[nodiscard]] bool has_nul(std::string_view text) {
    return text.find('\0') != std::string_view::npos;
}

[[nodiscard]] std::optional<std::string> absolute_path(const toml::node& node) {
    const auto* text = node.as_string();
    if (text == nullptr || !text->get().starts_with('/') || has_nul(text->get())) {
        return std::nullopt;
    }
    return text->get();
}

[[nodiscard]] std::optional<Duration> limit_of(const toml::node& node) {
    if (const auto* number = node.as_integer()) {
        return Duration(number->get());
    }
    const auto* text = node.as_string();
    if (text == nullptr || !text->get().starts_with('P')) {
        return std::nullopt;
    }
    const auto parsed = schema::parse_duration(text->get());
    return parsed ? std::optional(parsed.value()) : std::nullopt;
}

}  // namespace

Commands CommandTables::read(const toml::node& node) {
    Commands commands;
    const toml::table* tables = node.as_table();
    if (tables == nullptr) {
        add_problem(node, "commands must be tables: [commands.NAME]");
        return commands;
    }
    for (const auto& [name, command] : *tables) {
        command_ = name.str();
        if (const toml::table* table = command.as_table()) {
            read_command(command_, *table, commands);
        } else {
            add_problem(command, "must be a table: [commands.NAME]");
        }
    }
    return commands;
}

void CommandTables::read_command(
    const std::string& name,
    const toml::table& table,
    Commands& commands
) {
    const std::size_t problems_before = problems_.size();
    CommandSettings command;
    for (const auto& [key, node] : table) {
        read_key(std::string(key.str()), node, command);
    }
    if (!table.contains("program")) {
        add_problem(table, "needs program = \"/path/to/program\"");
    }
    if (problems_.size() == problems_before) {
        commands.emplace(name, std::move(command));
    }
}

void CommandTables::read_key(
    const std::string& key,
    const toml::node& node,
    CommandSettings& command
) {
    if (key == "program") {
        read_program(node, command);
    } else if (key == "args") {
        read_arguments(node, command);
    } else if (key == "timeLimit") {
        read_time_limit(node, command);
    } else if (key == "workingDirectory") {
        read_working_directory(node, command);
    } else if (key == "environment") {
        read_environment(node, command);
    } else if (find_setting(key).setting != nullptr) {
        add_problem(node, fmt::format("{} belongs at the top of the file, before any table", key));
    } else {
        add_problem(
            node,
            fmt::format(
                "there is no key {}; did you mean {}?", printable(key), nearest_name(key, kKeys)
            )
        );
    }
}

void CommandTables::read_program(const toml::node& node, CommandSettings& command) {
    if (const auto path = absolute_path(node)) {
        command.program = *path;
    } else {
        add_problem(node, "program must be an absolute path");
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
        add_problem(node, "args must be a list of texts without NUL");
    }
}

void CommandTables::read_time_limit(const toml::node& node, CommandSettings& command) {
    const auto limit = limit_of(node);
    if (!limit || *limit < kShortestLimit || *limit > kLongestLimit) {
        add_problem(
            node,
            fmt::format(
                "timeLimit must be milliseconds or an ISO 8601 duration such as \"PT60S\", {} to "
                "{}",
                schema::format_duration(kShortestLimit),
                schema::format_duration(kLongestLimit)
            )
        );
        return;
    }
    command.time_limit = *limit;
}

void CommandTables::read_working_directory(const toml::node& node, CommandSettings& command) {
    if (const auto path = absolute_path(node)) {
        command.working_directory = *path;
    } else {
        add_problem(node, "workingDirectory must be an absolute path");
    }
}

void CommandTables::read_environment(const toml::node& node, CommandSettings& command) {
    const toml::table* variables = node.as_table();
    if (variables == nullptr) {
        add_problem(node, "environment must be a table of texts");
        return;
    }
    for (const auto& [key, value] : *variables) {
        const std::string name(key.str());
        const auto* text = value.as_string();
        if (name.empty() || has_nul(name) || name.find('=') != std::string::npos) {
            add_problem(value, "environment has a name that no variable can have");
        } else if (name.starts_with(kReservedPrefix)) {
            add_problem(value, fmt::format("{} is set by Jobstrand itself", name));
        } else if (text == nullptr || has_nul(text->get())) {
            add_problem(value, fmt::format("environment.{} must be a text without NUL", name));
        } else {
            command.environment.emplace(name, text->get());
        }
    }
}

void CommandTables::add_problem(const toml::node& node, const std::string& text) {
    const std::string where = command_.empty() ? "" : fmt::format("[commands.{}] ", command_);
    problems_.push_back({static_cast<int>(node.source().begin.line), printable(where) + text});
}

}  // namespace jobstrand::cli
