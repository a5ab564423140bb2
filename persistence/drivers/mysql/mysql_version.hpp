#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace jobstrand::persistence {

/// What a server says about itself, read from the text of its function VERSION().
struct MysqlVersion {
    bool is_mariadb = false;
    int major = 0;
    int minor = 0;
    int patch = 0;

    bool operator==(const MysqlVersion&) const = default;
};

/// nullopt: not a version.
[[nodiscard]] std::optional<MysqlVersion> parse_mysql_version(std::string_view text);

/// Why this program does not work with a server of this version, as one sentence; nullopt: it does.
/// MariaDB 10.6 and MySQL 8.0.1 are the first that know SKIP LOCKED.
[[nodiscard]] std::optional<std::string> mysql_version_refusal(std::string_view text);

/// Whether MySQL or MariaDB themselves, or a distribution of theirs, write a version so: `9.7.4`,
/// `8.0.46-0ubuntu0.22.04.1`, `10.11.19-MariaDB-0+deb12u1`. Other engines add a name of their own.
[[nodiscard]] bool is_mysqls_own_version(std::string_view text);

}  // namespace jobstrand::persistence
