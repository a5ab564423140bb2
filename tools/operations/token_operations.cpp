#include "schema/text/time_text.hpp"
#include "tools/access/token_file.hpp"
#include "tools/operations/nouns.hpp"
#include "tools/output/record.hpp"
#include "tools/output/record_writer.hpp"
#include "tools/parameters/option_values.hpp"
#include "tools/process/exit_code.hpp"
#include "tools/session/session.hpp"
#include "tools/text/terminal_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// `token ...`: who may use the HTTP service. The file is the one of --file, else httpTokenFile.
namespace jobstrand::cli {

namespace {

struct TokenFileOptions {
    std::optional<std::string> file;
};

struct TokenMakeOptions {
    TokenFileOptions in;
    std::string name;
    std::string role;

    // What restricts it: lists with commas, and a time.
    std::optional<std::string> topics;
    std::optional<std::string> tenants;
    std::optional<std::string> engines;
    std::optional<std::string> expires;
};

struct TokenRevokeOptions {
    TokenFileOptions in;
    std::vector<std::string> names;
};

using service::TokenEntry;
using service::TokenFileTurn;

const std::vector<TableColumn>& token_columns() {
    static const std::vector<TableColumn> columns{
        {.field = "name", .heading = "NAME", .width_max = 64},
        {.field = "role", .heading = "ROLE"},
        {.field = "topics", .heading = "TOPICS", .is_optional = true, .rank = 1},
        {.field = "tenants", .heading = "TENANTS", .is_optional = true, .rank = 1},
        {.field = "engines", .heading = "ENGINES", .is_optional = true, .rank = 2},
        {.field = "expires", .heading = "EXPIRES", .is_optional = true},
        {.field = "created", .heading = "CREATED"},
    };
    return columns;
}

[[nodiscard]] std::string file_of(Session& session, const TokenFileOptions& options) {
    std::string file = options.file ? *options.file : session.settings().http.token_file;
    if (file.empty()) {
        throw WrongUsage(
            "no token file: pass --file FILE, or put httpTokenFile into the configuration file"
        );
    }
    return file;
}

[[nodiscard]] service::Role role_of(const std::string& name) {
    const auto role = service::role_named(name);
    if (!role) {
        throw WrongUsage("--role must be read, worker or admin, not {}", quoted_if_needed(name));
    }
    return *role;
}

/// Empty: the option was not given, and restricts nothing.
[[nodiscard]] std::vector<std::string>
names_in(std::string_view option, const std::optional<std::string>& list) {
    std::vector<std::string> names;
    if (!list) {
        return names;
    }
    std::istringstream text(*list + ',');
    for (std::string name; std::getline(text, name, ',');) {
        if (name.empty()) {
            throw WrongUsage("{} must be names with commas between them", option);
        }
        names.push_back(std::move(name));
    }
    return names;
}

/// A scope that would mean nothing to the role is a mistake.
[[nodiscard]] service::Scope token_scope_of(const TokenMakeOptions& options, service::Role role) {
    service::Scope scope{
        .topics = names_in("--topics", options.topics),
        .tenants = names_in("--tenants", options.tenants),
        .engines = names_in("--engines", options.engines)};
    if (!scope.topics.empty() && role != service::Role::worker) {
        throw WrongUsage(
            "--topics is for the role worker, who works on jobs of these types: a token with "
            "the role {} is restricted by --tenants",
            name_of(role)
        );
    }
    if (const std::string problem = service::problem_of_topics(scope.topics); !problem.empty()) {
        throw WrongUsage("--topics: " + problem);
    }
    return scope;
}

[[nodiscard]] std::optional<schema::TimePoint>
expiry_of(Session& session, const TokenMakeOptions& options) {
    if (!options.expires) {
        return std::nullopt;
    }
    const schema::TimePoint time = time_without_database(
        session, "--expires", *options.expires, timers::Toward::ahead, timers::Zone::utc()
    );
    if (time <= session.clock().now()) {
        throw WrongUsage("--expires must be a time that is still to come");
    }
    return time;
}

[[nodiscard]] RecordField
names_field(std::string_view name, const std::vector<std::string>& names) {
    RecordField field = texts_field(name, names);
    field.text = fmt::format("{}", fmt::join(names, ","));
    return field;
}

[[nodiscard]] auto find_token(std::vector<TokenEntry>& tokens, const std::string& name) {
    return std::ranges::find(tokens, name, &TokenEntry::name);
}

void report(Session& session, const TokenEntry& entry, const std::string& token) {
    if (session.format() == OutputFormat::table || session.format() == OutputFormat::name) {
        session.streams().out << token << '\n';
    } else {
        write_record(
            session.streams().out,
            session.format(),
            {text_field("name", entry.name),
             text_field("role", name_of(entry.role)),
             text_field("token", token)}
        );
    }
    session.tell("keep the token: it is shown this once, and the file has its hash only");
}

/// Prints the token, which is stored nowhere: the file keeps its hash.
[[nodiscard]] ExitCode make_token(Session& session, const TokenMakeOptions& options) {
    if (const std::string rule = service::problem_of_token_name(options.name); !rule.empty()) {
        throw WrongUsage("a token has " + rule);
    }
    const service::Role role = role_of(options.role);
    const service::Scope scope = token_scope_of(options, role);
    const auto expires = expiry_of(session, options);
    TokenFileTurn turn(file_of(session, options.in), TokenFileTurn::Missing::is_made);
    std::vector<TokenEntry>& tokens = turn.tokens();
    if (find_token(tokens, options.name) != tokens.end()) {
        throw Refused("there is a token {} already: revoke it, or take another", options.name);
    }
    const std::string token = service::new_token();
    tokens.push_back({
        .name = options.name,
        .role = role,
        .hash = service::hash_of(token),
        .created = schema::format_instant(session.clock().now()),
        .scope = scope,
        .expires = expires,
    });
    turn.write();
    report(session, tokens.back(), token);
    return ExitCode::done;
}

[[nodiscard]] ExitCode list_tokens(Session& session, const TokenFileOptions& options) {
    RecordWriter writer(session.streams().out, session.format(), token_columns(), session.style());
    for (const TokenEntry& token : service::read_tokens(file_of(session, options))) {
        writer.add({
            text_field("name", token.name),
            text_field("role", name_of(token.role)),
            names_field("topics", token.scope.topics),
            names_field("tenants", token.scope.tenants),
            names_field("engines", token.scope.engines),
            time_field("expires", token.expires),
            text_field("created", token.created),
        });
    }
    writer.finish();
    return ExitCode::done;
}

/// All or none of those that are named.
[[nodiscard]] ExitCode revoke_tokens(Session& session, const TokenRevokeOptions& options) {
    TokenFileTurn turn(file_of(session, options.in), TokenFileTurn::Missing::fails);
    std::vector<TokenEntry>& tokens = turn.tokens();
    for (const std::string& name : options.names) {
        const auto found = find_token(tokens, name);
        if (found == tokens.end()) {
            throw NotFound("there is no token {}; none was revoked", quoted_if_needed(name));
        }
        tokens.erase(found);
    }
    turn.write();
    return ExitCode::done;
}

[[nodiscard]] Parameters<TokenFileOptions> token_file() {
    return {
        {"--file",
         &TokenFileOptions::file,
         "The token file, in place of httpTokenFile",
         {.unit = "FILE", .may_be_empty = true}},
    };
}

[[nodiscard]] Parameters<TokenMakeOptions> token_making() {
    using Options = TokenMakeOptions;
    const auto rules = [](const char* unit, bool is_required = false) {
        return ParameterRules{.unit = unit, .is_required = is_required, .may_be_empty = true};
    };
    return joined(
        Parameters<Options>{
            {"name", &Options::name, "What it is called in the file", rules("NAME", true)},
            {"--role",
             &Options::role,
             "read (look), worker (enqueue too) or admin (everything)",
             rules("ROLE", true)},
            {"--topics",
             &Options::topics,
             "For jobs of these types only: mail,invoice.*",
             rules("TOPICS")},
            {"--tenants",
             &Options::tenants,
             "For jobs of these tenants only: acme,umbra",
             rules("TENANTS")},
            {"--engines",
             &Options::engines,
             "For these engines of the configuration only: main",
             rules("NAMES")},
            {"--expires",
             &Options::expires,
             "Until when it is good: P30D, or a time",
             rules("TIME")},
        },
        of_part(token_file(), &Options::in)
    );
}

}  // namespace

OperationNoun token_noun() {
    using Revoking = TokenRevokeOptions;
    const Parameters<Revoking> names{
        {"names",
         &Revoking::names,
         "Their names",
         {.unit = "NAME", .is_required = true, .is_raw = true}}};
    return {
        .name = "token",
        .summary = "Tokens: who may use the HTTP service",
        .examples =
            "  jobstrand token make shop --role worker --file tokens\n"
            "  jobstrand token ls --file tokens",
        .operations =
            {
                local_operation(
                    {.words = "token make",
                     .summary =
                         "Make a token and print it; the file, which is made if need be, has its "
                         "hash",
                     .examples =
                         "  jobstrand token make shop --role worker --file tokens\n"
                         "  jobstrand token make ops --role admin\n"
                         "  jobstrand token make mailer --role worker --topics mail,invoice.* "
                         "--tenants acme --expires P30D"},
                    token_making(),
                    make_token
                ),
                local_operation(
                    {.words = "token ls",
                     .summary = "List the tokens of the file",
                     .examples = "  jobstrand token ls --file tokens"},
                    token_file(),
                    list_tokens
                ),
                local_operation(
                    {.words = "token revoke",
                     .summary =
                         "Take tokens out of the file; a running service lets them in for 2 s at "
                         "most",
                     .examples = "  jobstrand token revoke shop --file tokens"},
                    joined(names, of_part(token_file(), &Revoking::in)),
                    revoke_tokens
                ),
            },
    };
}

}  // namespace jobstrand::cli
