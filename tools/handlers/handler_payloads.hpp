#pragma once

#include "schema/text/parsing.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace jobstrand::cli {

/// What the payload of a `command` job says: `{"command": "NAME", "args": ["..."]}`. Other members
/// are the program's own business; it gets the whole payload on stdin.
struct CommandPayload {
    std::string command;                 ///< The name of a table [commands.NAME].
    std::vector<std::string> arguments;  ///< Stand behind the configured ones.

    bool operator==(const CommandPayload&) const = default;
};

/// What a `command` job needs (see executor::HandlerRegistry::Needs): the table of the
/// configuration that its payload names, such as `[commands.backup]`; empty: the payload names
/// none.
[[nodiscard]] std::string need_of_command(std::string_view payload);

/// The same of a table.
[[nodiscard]] std::string need_named(std::string_view command);

[[nodiscard]] schema::ParseResult<CommandPayload> parse_command_payload(std::string_view payload);

/// The payload that a program hands on by printing it: a JSON object, whose `command` is `command`,
/// whatever the program says. Which program runs is not for the output of one to decide. nullopt:
/// it did not print a payload.
[[nodiscard]] std::optional<std::string>
handed_on(std::string_view printed, std::string_view command);

/// The app that the payload of an `http` job names: `{"target": "NAME", ...}`. The other members
/// are the app's own business; it gets the whole payload.
[[nodiscard]] schema::ParseResult<std::string> target_named_in(std::string_view payload);

/// What an `http` job needs (see executor::HandlerRegistry::Needs): the table of the configuration
/// that its payload names, such as `[targets.shop]`; empty: the payload names none.
[[nodiscard]] std::string need_of_http(std::string_view payload);

/// The same of a table.
[[nodiscard]] std::string need_of_target(std::string_view name);

}  // namespace jobstrand::cli
