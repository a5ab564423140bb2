#include "tools/program/run_on_server.hpp"

#include "schema/text/utf8.hpp"
#include "tools/operations/top/top.hpp"
#include "tools/parameters/bulk_selection.hpp"
#include "tools/program/server_exchange.hpp"
#include "tools/surface/verb_call.hpp"
#include "tools/text/json_text.hpp"
#include "tools/text/member_values.hpp"
#include "tools/text/terminal_text.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace jobstrand::cli {

namespace {

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

[[nodiscard]] VerbAnswer
ask_server(const Server& server, const TypedVerb& verb, const VerbCall& call) {
    const ServerReply reply =
        post_to(server, verb_path(verb.words), kVerbAnswerType, json_of(call));
    if (reply.status != 200 || reply.content_type != kVerbAnswerType) {
        refuse_reply(server, reply);
    }
    const auto answer = parse_verb_answer(reply.body);
    if (!answer) {
        refuse_reply(server, {.status = reply.status});
    }
    return answer.value();
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

}  // namespace jobstrand::cli
