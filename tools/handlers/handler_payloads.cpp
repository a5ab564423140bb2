#include "tools/handlers/handler_payloads.hpp"

#include "tools/text/json_text.hpp"

#include <algorithm>
#include <utility>

namespace jobstrand::cli {

using schema::ParseError;

std::string need_of_command(std::string_view payload) {
    const auto command = parse_command_payload(payload);
    return command ? need_named(command.value().command) : std::string();
}

std::string need_named(std::string_view command) {
    return "[commands." + std::string(command) + "]";
}

schema::ParseResult<CommandPayload> parse_command_payload(std::string_view payload) {
    const auto members = members_of(payload);
    if (!members) {
        return ParseError{"the payload of a command job: " + members.error().message};
    }
    CommandPayload command;
    for (const JsonMember& member : members.value()) {
        if (member.name == "command") {
            const auto name = string_of(member.value);
            if (!name) {
                return ParseError{"command in the payload " + name.error().message};
            }
            command.command = name.value();
        } else if (member.name == "args") {
            const auto arguments = strings_of(member.value);
            if (!arguments) {
                return ParseError{"args in the payload " + arguments.error().message};
            }
            command.arguments = arguments.value();
        }
    }
    if (command.command.empty()) {
        return ParseError{"the payload of a command job needs \"command\": \"NAME\""};
    }
    // Programs get their arguments as C strings, which end at the first NUL.
    const bool has_nul = std::any_of(
        command.arguments.begin(),
        command.arguments.end(),
        [](const std::string& argument) { return argument.find('\0') != std::string::npos; }
    );
    if (has_nul) {
        return ParseError{"args in the payload must not have NUL in them"};
    }
    return command;
}

std::optional<std::string> handed_on(std::string_view printed, std::string_view command) {
    const auto members = members_of(printed);
    if (!members) {
        return std::nullopt;
    }
    std::string payload = "{\"command\":" + json_string(command);
    for (const JsonMember& member : members.value()) {
        if (member.name != "command") {
            payload += ',' + json_string(member.name) + ':';
            payload += member.value;
        }
    }
    payload += '}';
    return parse_command_payload(payload) ? std::optional(std::move(payload)) : std::nullopt;
}

schema::ParseResult<std::string> target_named_in(std::string_view payload) {
    const auto members = members_of(payload);
    if (!members) {
        return ParseError{"the payload of an http job: " + members.error().message};
    }
    for (const JsonMember& member : members.value()) {
        if (member.name == "target") {
            const auto name = string_of(member.value);
            return name ? name : ParseError{"target in the payload " + name.error().message};
        }
    }
    return ParseError{"the payload of an http job needs \"target\": \"NAME\""};
}

std::string need_of_http(std::string_view payload) {
    const auto name = target_named_in(payload);
    return name ? need_of_target(name.value()) : std::string();
}

std::string need_of_target(std::string_view name) {
    return "[targets." + std::string(name) + "]";
}

}  // namespace jobstrand::cli
