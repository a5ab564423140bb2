#include "tools/program/server.hpp"

#include "persistence/drivers/password_file.hpp"
#include "persistence/sql/db_error.hpp"
#include "tools/process/exit_code.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace jobstrand::cli {

namespace {

[[noreturn]] void refuse(const std::string& message) {
    throw CliError(ExitCode::wrong_usage, message);
}

[[nodiscard]] std::optional<std::string>
variable_of(const Environment& environment, std::string_view name) {
    const auto found = environment.find(name);
    const bool is_set = found != environment.end() && !found->second.empty();
    return is_set ? std::optional(found->second) : std::nullopt;
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
        throw CliError(ExitCode::failed, fmt::format("--token-file: {}", error.what()));
    }
    if (!std::ranges::all_of(token, [](char c) { return c > ' ' && c < '\x7f'; })) {
        throw CliError(
            ExitCode::failed, fmt::format("--token-file: the first line of {} is no token", file)
        );
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
    const auto set = variable_of(environment, "JOBSTRAND_SERVER");
    if (!options.server && !set) {
        return std::nullopt;
    }
    if (!options.server && variable_of(environment, "JOBSTRAND_DB")) {
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
        options.token_file ? options.token_file : variable_of(environment, "JOBSTRAND_TOKEN_FILE");
    if (file) {
        server.token = token_in(*file);
    }
    return server;
}

}  // namespace jobstrand::cli
