#pragma once

#include <map>
#include <string>

namespace jobstrand::persistence {

/// Where a database is: `sqlite:PATH`, `mysql://user:password@host:port/database`,
/// `postgresql://user:password@host:port/database`, each with options as `?key=value&...`.
/// Durations in options are ISO 8601 or milliseconds. The options of each database stand in
/// docs/databases.md, and in its driver.hpp.
struct DatabaseUrl {
    std::string scheme;  ///< Tells which database it is; see Driver.
    std::string path;    ///< That of a file. Empty: a server has the database.
    std::string user;
    std::string password;
    std::string host;
    int port = 0;
    std::string database;
    std::map<std::string, std::string, std::less<>> options;
};

/// The URL for logs and messages: the password is replaced by `***`.
[[nodiscard]] std::string without_password(const DatabaseUrl& url);

}  // namespace jobstrand::persistence
