#include "tools/program/run_on_server.hpp"

#include "persistence/drivers/password.hpp"
#include "persistence/sql/db_error.hpp"
#include "schema/text/time_text.hpp"
#include "schema/text/utf8.hpp"
#include "tools/calls/http_client.hpp"
#include "tools/operations/top.hpp"
#include "tools/parameters/bulk_changes.hpp"
#include "tools/process/exit_code.hpp"
#include "tools/surface/verb_call.hpp"
#include "tools/text/json_text.hpp"
#include "tools/text/terminal_text.hpp"

#include <boost/asio/error.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/http/field.hpp>
#include <boost/beast/http/verb.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace jobstrand::cli {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using namespace std::chrono_literals;
using boost::system::error_code;

namespace {

[[noreturn]] void refuse(const std::string& message) {
    throw WrongUsage(message);
}

[[nodiscard]] bool names_database(const GlobalOptions& options) {
    return options.database_url || options.config_file || options.engine;
}

[[nodiscard]] HttpUrl url_of(std::string_view source, const std::string& text) {
    const std::string_view name = source;
    if (text.find('@') != std::string::npos) {
        refuse(fmt::format("{} must not have a user or a password in it: use --token-file", name));
    }
    const auto parsed = parse_http_url(text);
    if (!parsed) {
        refuse(fmt::format("{} {}", name, parsed.error().message));
    }
    HttpUrl url = parsed.value();
    if (url.target.find('?') != std::string::npos) {
        refuse(fmt::format("{} must not have a query (?...)", name));
    }
    while (url.target.ends_with('/')) {
        url.target.pop_back();
    }
    return url;
}

[[nodiscard]] std::string token_in(const std::string& file) {
    std::string token;
    // Defended catch: the reader of a password knows nothing of tokens.
    try {
        token = persistence::password_in_file(file);
    } catch (const persistence::DbError& error) {
        throw Failed("--token-file: {}", error.what());
    }
    if (!std::ranges::all_of(token, [](char c) { return c > ' ' && c < '\x7f'; })) {
        throw Failed("--token-file: the first line of {} is no token", file);
    }
    return token;
}

}  // namespace

std::optional<Server>
server_meant(const GlobalOptions& options, const Environment& environment, bool is_over_network) {
    if (options.server && names_database(options)) {
        refuse("--server has its own database and settings: leave --db, --config, --engine out");
    }
    if (!options.server && (names_database(options) || !is_over_network)) {
        return std::nullopt;
    }
    const auto set = variable(environment, "JOBSTRAND_SERVER");
    if (!options.server && !set) {
        return std::nullopt;
    }
    if (!options.server && variable(environment, "JOBSTRAND_DB")) {
        refuse("JOBSTRAND_SERVER and JOBSTRAND_DB are both set: say --server or --db");
    }
    if (!is_over_network) {
        refuse("no service does this for others: leave --server out");
    }
    Server server{
        .url =
            options.server ? url_of("--server", *options.server) : url_of("JOBSTRAND_SERVER", *set),
        .token = {},
    };
    const auto file =
        options.token_file ? options.token_file : variable(environment, "JOBSTRAND_TOKEN_FILE");
    if (file) {
        server.token = token_in(*file);
    }
    return server;
}

namespace {

/// What a server has answered.
struct ServerReply {
    int status = 0;
    std::string content_type = {};
    std::string body = {};
};

/// For an address, for a connection, and for a whole request.
constexpr std::chrono::seconds kReach = 30s;

/// For the whole answer: verbs about many jobs take their time.
constexpr std::chrono::seconds kAnswer = 3600s;

/// More than the output of any verb, with all its escapes.
constexpr std::size_t kBodyBytes = std::size_t{512} * 1024 * 1024;

/// One request on a connection of its own, step by step.
class Exchange final {
public:
    Exchange(const Server& server, std::optional<std::chrono::milliseconds> limit)
        : server_(server),
          end_(limit ? Clock::now() + *limit : Clock::time_point::max()),
          tls_(asio::ssl::context::tls_client),
          resolver_(io_) {
        if (server_.url.is_tls) {
            tls_.set_verify_mode(asio::ssl::verify_peer);
            tls_.set_default_verify_paths();
        }
        wire_ = wire_to(server_.url, io_, tls_);
    }

    [[nodiscard]] ServerReply run(const CallRequest& request) {
        Wire::Endpoints endpoints;
        require("cannot find", kReach, [&](const Wire::Done& done) {
            resolver_.async_resolve(
                server_.url.host,
                server_.url.port,
                [&endpoints, done](error_code error, const Wire::Endpoints& found) {
                    endpoints = found;
                    done(error);
                }
            );
        });
        require("cannot connect to", kReach, [&](const Wire::Done& done) {
            wire_->open(endpoints, done);
        });
        // Who refuses a request may answer before all of it is sent.
        const error_code sending =
            outcome_of(kReach, [&](const Wire::Done& done) { wire_->send(request, done); });
        Wire::Parser parser;
        parser.body_limit(kBodyBytes);
        const error_code receiving =
            outcome_of(kAnswer, [&](const Wire::Done& done) { wire_->receive(parser, done); });
        if (receiving) {
            fail("no answer from", sending ? sending : receiving);
        }
        return {
            .status = static_cast<int>(parser.get().result_int()),
            .content_type = std::string(parser.get()[http::field::content_type]),
            .body = std::move(parser.get().body()),
        };
    }

private:
    using Start = std::function<void(const Wire::Done&)>;
    using Clock = std::chrono::steady_clock;

    [[nodiscard]] error_code outcome_of(std::chrono::seconds limit, const Start& start) {
        std::optional<error_code> outcome;
        start([&outcome](error_code error) { outcome = error; });
        io_.restart();
        io_.run_until(std::min(Clock::now() + limit, end_));
        if (!outcome) {
            wire_->close();
            resolver_.cancel();
            io_.restart();
            io_.run();  // What was under way ends, and lets go of what is here.
            return asio::error::timed_out;
        }
        return *outcome;
    }

    void require(std::string_view what, std::chrono::seconds limit, const Start& start) {
        if (const error_code error = outcome_of(limit, start)) {
            fail(what, error);
        }
    }

    [[noreturn]] void fail(std::string_view what, error_code error) const {
        throw Failed(
            "{} the server {}: {}: does `jobstrand serve --http` run there?",
            what,
            server_.url.authority,
            error.message()
        );
    }

    const Server& server_;
    const Clock::time_point end_;
    asio::io_context io_{1};
    asio::ssl::context tls_;
    asio::ip::tcp::resolver resolver_;
    std::unique_ptr<Wire> wire_;
};

/// Sends JSON to a path below the server's URL and waits for the answer, for an hour at most, or no
/// longer than `limit` for all of it. With https the server has shown first, by a certificate that
/// this machine trusts (SSL_CERT_FILE), that it is the one that the URL names.
///
/// Throws CliError failed when there is no answer; the message says what to do.
[[nodiscard]] ServerReply post_to(
    const Server& server,
    std::string_view path,
    std::string_view accepted_type,
    std::string json,
    std::optional<std::chrono::milliseconds> limit = {}
) {
    const auto view_of = [](std::string_view text) {
        return boost::beast::string_view(text.data(), text.size());
    };
    CallRequest request(http::verb::post, server.url.target + std::string(path), 11);
    request.set(http::field::host, server.url.authority);
    request.set(http::field::user_agent, "jobstrand/" JOBSTRAND_VERSION);
    request.set(http::field::accept, view_of(accepted_type));
    request.set(http::field::content_type, "application/json");
    request.set(http::field::connection, "close");
    if (!server.token.empty()) {
        request.set(http::field::authorization, "Bearer " + server.token);
    }
    request.body() = std::move(json);
    request.prepare_payload();
    return Exchange(server, limit).run(request);
}

/// Of one input; services take less unless they are told so (httpMaxBodyBytes).
constexpr std::size_t kMostInput = std::size_t{256} * 1024 * 1024;

/// All of a file or of stdin, which JSON has to hold.
[[nodiscard]] std::string
content_to_send(const Session& session, std::string_view option, const std::string& file) {
    Input input = session.input(option, file);
    std::string content = input.next_bytes(kMostInput + 1);
    const auto refuse = [&](const char* why) {
        throw WrongUsage("{}: {} {}", option, input.name(), why);
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
    throw Failed(
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

/// JSON would hold something else in place of what is none.
void require_utf8(const std::vector<std::string>& arguments) {
    for (const std::string& argument : arguments) {
        if (!schema::count_characters(argument)) {
            refuse(printable(argument) + " is no text in UTF-8, and cannot be sent to a server");
        }
    }
}

[[nodiscard]] VerbAnswer ask_server(
    const Server& server,
    const TypedVerb& verb,
    const VerbCall& call,
    std::optional<schema::Duration> limit = {}
) {
    require_utf8(call.arguments);
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
