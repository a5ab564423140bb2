#pragma once

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
/// docs/databases.md, and in its driver.hpp.
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

}  // namespace jobstrand::persistence
