#include "tools/jobstrand/commands/token/tokens.hpp"

#include "schema/text/iso8601.hpp"
#include "tools/jobstrand/output/printable.hpp"
#include "tools/jobstrand/output/record_writer.hpp"
#include "tools/service/access/token_file.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace jobstrand::cli {

namespace {

using service::TokenEntry;
using service::TokenFileTurn;

const std::vector<TableColumn>& token_columns() {
    static const std::vector<TableColumn> columns{
        {.field = "name", .heading = "NAME", .width_max = 64},
        {.field = "role", .heading = "ROLE"},
        {.field = "created", .heading = "CREATED"},
    };
    return columns;
}

[[nodiscard]] std::string file_of(Session& session, const TokenFileOptions& options) {
    std::string file = options.file ? *options.file : session.settings().http.token_file;
    if (file.empty()) {
        throw CliError(
            ExitCode::wrong_usage,
            "no token file: pass --file FILE, or put httpTokenFile into the configuration file"
        );
    }
    return file;
}

[[nodiscard]] service::Role role_of(const std::string& name) {
    const auto role = service::role_named(name);
    if (!role) {
        throw CliError(
            ExitCode::wrong_usage,
            fmt::format("--role must be read, worker or admin, not {}", quoted_if_needed(name))
        );
    }
    return *role;
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

}  // namespace

ExitCode make_token(Session& session, const TokenMakeOptions& options) {
    if (const std::string rule = service::problem_of_token_name(options.name); !rule.empty()) {
        throw CliError(ExitCode::wrong_usage, "a token has " + rule);
    }
    const service::Role role = role_of(options.role);
    TokenFileTurn turn(file_of(session, options.in), TokenFileTurn::Missing::is_made);
    std::vector<TokenEntry>& tokens = turn.tokens();
    if (find_token(tokens, options.name) != tokens.end()) {
        throw CliError(
            ExitCode::refused,
            fmt::format("there is a token {} already: revoke it, or take another", options.name)
        );
    }
    const std::string token = service::new_token();
    tokens.push_back({
        .name = options.name,
        .role = role,
        .hash = service::hash_of(token),
        .created = schema::format_instant(session.clock().now()),
    });
    turn.write();
    report(session, tokens.back(), token);
    return ExitCode::done;
}

ExitCode list_tokens(Session& session, const TokenFileOptions& options) {
    RecordWriter writer(session.streams().out, session.format(), token_columns(), session.style());
    for (const TokenEntry& token : service::read_tokens(file_of(session, options))) {
        writer.add({
            text_field("name", token.name),
            text_field("role", name_of(token.role)),
            text_field("created", token.created),
        });
    }
    writer.finish();
    return ExitCode::done;
}

ExitCode revoke_tokens(Session& session, const TokenRevokeOptions& options) {
    TokenFileTurn turn(file_of(session, options.in), TokenFileTurn::Missing::fails);
    std::vector<TokenEntry>& tokens = turn.tokens();
    for (const std::string& name : options.names) {
        const auto found = find_token(tokens, name);
        if (found == tokens.end()) {
            throw CliError(
                ExitCode::not_found,
                fmt::format("there is no token {}; none was revoked", quoted_if_needed(name))
            );
        }
        tokens.erase(found);
    }
    turn.write();
    return ExitCode::done;
}

}  // namespace jobstrand::cli
