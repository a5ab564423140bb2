#include "tools/handlers/http_payload.hpp"

#include "tools/text/json_text.hpp"
#include "tools/text/json_values.hpp"

namespace jobstrand::cli {

using schema::ParseError;

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
