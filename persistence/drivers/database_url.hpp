#pragma once

#include "schema/text/parsing.hpp"
#include "schema/time.hpp"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace jobstrand::persistence {

/// Where a server listens.
struct ServerPlace {
    std::string host;
    int port = 0;

    bool operator==(const ServerPlace&) const = default;
};

/// Where a database is: `sqlite:PATH`, `mysql://user:password@host:port/database`,
/// `postgresql://user:password@host:port/database`, each with options as `?key=value&...`; a server
/// has no host where the option `socket` names a Unix socket.
/// Several hosts, of which one is the right one, stand behind each other with commas:
/// `host:port,host:port`; see Hosts.
/// Durations in options are ISO 8601 or milliseconds. The options of each database stand in
/// docs/databases.md, and in the source of its driver.
struct DatabaseUrl {
    std::string scheme;  ///< Tells which database it is; see Driver.
    std::string path;    ///< That of a file. Empty: a server has the database.
    std::string user;
    std::string password;
    std::string host;
    int port = 0;
    std::vector<ServerPlace> further_hosts = {};  ///< Those behind the first one.
    std::string database;
    std::map<std::string, std::string, std::less<>> options;
};

/// The URL for logs and messages: the password is replaced by `***`, and so is what the command
/// that prints it is given.
[[nodiscard]] std::string without_password(const DatabaseUrl& url);

/// A command without what it is given, which may be a secret.
[[nodiscard]] std::string without_arguments(const std::string& command);

/// The text of a URL with one more option.
[[nodiscard]] std::string
with_option(std::string url, std::string_view key, std::string_view value);

/// Options that all servers have: the way to one, and what is shown there.
inline constexpr std::string_view kSocketOption = "socket";
inline constexpr std::string_view kSslOption = "ssl";
inline constexpr std::string_view kSslCaOption = "ssl_ca";
inline constexpr std::string_view kSslCertOption = "ssl_cert";
inline constexpr std::string_view kSslKeyOption = "ssl_key";
inline constexpr std::string_view kServerPublicKeyOption = "server_public_key";
inline constexpr std::string_view kPasswordFileOption = "password_file";
inline constexpr std::string_view kPasswordCommandOption = "password_command";

/// Which of several servers is the right one, in the words of PostgreSQL's client library.
inline constexpr std::string_view kTargetOption = "target_session_attrs";
inline constexpr std::string_view kReadWrite = "read-write";

/// Whether the server proves who it is before it is told anything: by a certificate that is valid
/// and names its host (`ssl=verify`), or that ssl_ca names or has signed (`verify-ca`).
[[nodiscard]] bool server_is_verified(const DatabaseUrl& url);

/// The value of an option that url_option_error accepted.
[[nodiscard]] std::string_view
option_text(const DatabaseUrl& url, std::string_view key, std::string_view otherwise);
[[nodiscard]] schema::Duration
option_duration(const DatabaseUrl& url, std::string_view key, schema::Duration otherwise);

/// A URL of one of the databases that this program knows. Percent-escapes are decoded. Unknown
/// schemes and unknown options are errors that name the known ones.
[[nodiscard]] schema::ParseResult<DatabaseUrl> parse_database_url(std::string_view text);

/// The same; throws std::invalid_argument for what is none.
[[nodiscard]] DatabaseUrl required_database_url(std::string_view text);

}  // namespace jobstrand::persistence
