#include "tools/program/run_on_server.hpp"

#include "schema/text/iso8601.hpp"
#include "schema/text/utf8.hpp"
#include "tools/operations/top/top.hpp"
#include "tools/parameters/bulk_selection.hpp"
#include "tools/program/server_exchange.hpp"
#include "tools/surface/verb_call.hpp"
#include "tools/text/json_text.hpp"
#include "tools/text/member_values.hpp"
#include "tools/text/terminal_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace jobstrand::cli {

namespace {

using namespace std::chrono_literals;

/// Of one input; services take less unless they are told so (httpMaxBodyBytes).
constexpr std::size_t kMostInput = std::size_t{256} * 1024 * 1024;

/// All of a file or of stdin, which JSON has to hold.
[[nodiscard]] std::string
content_to_send(const Session& session, std::string_view option, const std::string& file) {
    Input input = session.input(option, file);
    std::string content = input.next_bytes(kMostInput + 1);
    const auto refuse = [&](const char* why) {
        throw CliError(ExitCode::wrong_usage, fmt::format("{}: {} {}", option, input.name(), why));
    };
    if (content.size() > kMostInput) {
        refuse("is longer than 256 MiB: send it in parts");
    }
    if (!schema::count_characters(content)) {
        refuse("is no text in UTF-8, and cannot be sent to a server");
    }
    return content;
}

[[nodiscard]] VerbCall call_of(Session& session, const TypedVerb& verb) {
    VerbCall call{
        .arguments = verb.arguments,
        .user = session.user(),
        .columns = session.style().columns,
        .is_coloured = session.style().is_coloured,
        .are_errors_coloured = session.streams().err_is_coloured,
        .can_be_asked = session.streams().in_is_terminal,
    };
    call.arguments.insert(call.arguments.begin(), {"-o", session.format_name()});
    if (!session.reason().empty()) {
        call.arguments.insert(call.arguments.begin(), {"--reason", session.reason()});
    }
    for (const TypedVerb::File& file : verb.files) {
        call.files.insert_or_assign(file.name, content_to_send(session, file.option, file.name));
    }
    if (verb.reads_input) {
        call.input = content_to_send(session, "stdin", "-");
    }
    return call;
}

/// `detail` of problem details; empty: the body is something else.
[[nodiscard]] std::string detail_in(const ServerReply& reply) {
    std::string detail;
    const auto members = members_of(reply.body);
    if (members && reply.content_type.starts_with("application/problem+json")) {
        for (const JsonMember& member : members.value()) {
            if (member.name == "detail" && !read_text(member.value, detail).empty()) {
                return "";
            }
        }
    }
    return printable(detail);
}

[[nodiscard]] std::string advice_for(int status, bool has_token, std::string_view detail) {
    switch (status) {
        case 401:
            if (detail.starts_with("this token has expired")) {
                return ": `jobstrand token make` there makes another";
            }
            return has_token ? ": the token is not one of the service's: `jobstrand token ls` there"
                             : ": name the file of your token with --token-file";
        case 403:
            return ": `jobstrand token make NAME --role ROLE` there makes one that may";
        case 404:
            return ": is the service as new as this program?";
        case 413:
            return ", or let the service take more (httpMaxBodyBytes)";
        default:
            return "";
    }
}

[[noreturn]] void refuse_reply(const Server& server, const ServerReply& reply) {
    const std::string detail = detail_in(reply);
    throw CliError(
        ExitCode::failed,
        detail.empty() ? fmt::format(
                             "what {} answers (status {}) is not from a Jobstrand service",
                             server.url.authority,
                             reply.status
                         )
                       : fmt::format(
                             "the server {} answers {}: {}{}",
                             server.url.authority,
                             reply.status,
                             detail,
                             advice_for(reply.status, !server.token.empty(), detail)
                         )
    );
}

/// Its errors, as the message of one that is made of them here.
[[nodiscard]] std::string said_in(const VerbAnswer& answer) {
    constexpr std::string_view start = "jobstrand: ";
    std::string text = answer.errors;
    text.erase(0, text.starts_with(start) ? start.size() : 0);
    text.erase(std::min(text.find_last_not_of('\n') + 1, text.size()));
    return text;
}

[[nodiscard]] VerbAnswer ask_server(
    const Server& server,
    const TypedVerb& verb,
    const VerbCall& call,
    std::optional<schema::Duration> limit = {}
) {
    const ServerReply reply =
        post_to(server, verb_path(verb.words), kVerbAnswerType, json_of(call), limit);
    if (reply.status != 200 || reply.content_type != kVerbAnswerType) {
        refuse_reply(server, reply);
    }
    const auto answer = parse_verb_answer(reply.body);
    if (!answer) {
        refuse_reply(server, {.status = reply.status});
    }
    return answer.value();
}

/// Asks for a verb about a lock. One that is not the owner's is refused, or not found.
[[nodiscard]] VerbAnswer ask_about_lock(
    const Server& server,
    Session& session,
    const std::string& verb,
    const persistence::NamedLockClaim& claim
) {
    VerbCall call{
        .arguments = {"-o", "json", "--owner", std::string(claim.owner)}, .user = session.user()};
    if (verb != "release") {
        call.arguments.insert(
            call.arguments.end(), {"--duration", schema::format_duration(claim.time)}
        );
    }
    call.arguments.insert(call.arguments.end(), {"--", std::string(claim.name)});
    // A service that says nothing must neither keep us from a signal nor cost the lock: there is
    // time for another try.
    const auto limit = std::clamp<schema::Duration>(claim.time / 4, 250ms, 5s);
    VerbAnswer answer = ask_server(server, {.words = "lock " + verb}, call, limit);
    const bool is_answer = answer.exit_code == ExitCode::done ||
                           answer.exit_code == ExitCode::refused ||
                           answer.exit_code == ExitCode::not_found;
    if (!is_answer) {
        throw CliError(answer.exit_code, said_in(answer));
    }
    return answer;
}

[[nodiscard]] LockTry
try_lock(const Server& server, Session& session, const persistence::NamedLockClaim& claim) {
    const VerbAnswer answer = ask_about_lock(server, session, "acquire", claim);
    if (answer.exit_code != ExitCode::done) {
        return {.why_not = said_in(answer)};
    }
    const auto members = members_of(answer.output);
    if (members) {
        for (const JsonMember& member : members.value()) {
            std::int64_t token = 0;
            if (member.name == "token" &&
                read_whole_number(member.value, 1, std::numeric_limits<std::int64_t>::max(), token)
                    .empty()) {
                return {.token = token};
            }
        }
    }
    refuse_reply(server, {.status = 200});
}

/// What was typed of it for the terminal; a service shows it once.
[[nodiscard]] TopOptions top_options_in(const std::vector<std::string>& arguments) {
    TopOptions options;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        options.once |= arguments[i] == "--once";
        if (arguments[i] == "--interval" && i + 1 < arguments.size()) {
            options.interval = arguments[i + 1];
        }
    }
    return options;
}

}  // namespace

ExitCode run_on_server(const Server& server, Session& session, const TypedVerb& verb) {
    VerbCall call = call_of(session, verb);
    const TopOptions top = top_options_in(verb.arguments);
    if (verb.words == "top" && goes_on(session, top)) {
        show_again(session, top, [&](std::optional<std::size_t> columns) {
            call.columns = columns;
            const VerbAnswer answer = ask_server(server, verb, call);
            return answer.output + answer.errors;
        });
        return ExitCode::done;
    }
    VerbAnswer answer = ask_server(server, verb, call);
    if (!answer.question.empty()) {
        confirm(session, false, printable(answer.question));
        call.arguments.insert(call.arguments.begin(), "--yes");
        answer = ask_server(server, verb, call);
    }
    session.streams().out << answer.output;
    session.streams().out.flush();
    session.streams().err << answer.errors << std::flush;
    return answer.exit_code;
}

LockCalls locks_of(const Server& server, Session& session) {
    return {
        .acquire = [&](const auto& claim) { return try_lock(server, session, claim); },
        .renew =
            [&](const auto& claim) {
                return ask_about_lock(server, session, "renew", claim).exit_code == ExitCode::done;
            },
        .release =
            [&](const auto& claim) {
                return ask_about_lock(server, session, "release", claim).exit_code ==
                       ExitCode::done;
            },
    };
}

}  // namespace jobstrand::cli
