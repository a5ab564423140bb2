#pragma once

#include "tools/settings/settings.hpp"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace jobstrand::cli {

/// The configuration file of the package's service.
inline constexpr const char* kPackageConfig = "/etc/jobstrand/jobstrand.toml";

/// What says which configuration file is meant.
struct ConfigChoice {
    std::optional<std::string> option = {};    ///< --config
    std::optional<std::string> variable = {};  ///< JOBSTRAND_CONFIG
    bool is_database_named = false;            ///< By --db or JOBSTRAND_DB.
    std::string of_package = kPackageConfig;
};

/// The file that is named, else that of the package where no database is named either, and this
/// user may read it; nullopt: there is none.
[[nodiscard]] std::optional<std::string> chosen_config_file(const ConfigChoice& choice);

/// Whether that of the package would be the one, and is only kept from this user.
[[nodiscard]] bool is_package_config_kept(const ConfigChoice& choice);

/// What a configuration file says.
struct SettingsFile {
    Settings settings;

    /// The tables [engines.NAME]: engines of the same service with databases of their own. What a
    /// table does not say is as at the top of the file, but for `db`, which it must say, the
    /// password, `lockOwner` and `httpListen`.
    std::map<std::string, Settings, std::less<>> engines;

    /// Every mistake in the file, one sentence each with its line number; empty: none. Settings
    /// with a mistake keep their default.
    std::vector<std::string> problems;

    /// What is accepted but has no effect here.
    std::vector<std::string> remarks;
};

/// Reads the text of a configuration file; `file_name` is for the messages.
[[nodiscard]] SettingsFile read_settings(std::string_view toml, const std::string& file_name);

/// Reads the file itself. A file that cannot be read is a problem like any other.
[[nodiscard]] SettingsFile read_settings_file(const std::string& path);

/// The configured database URL with the configured source of its password as an option. Only this
/// URL gets it: one that is named otherwise may be another server's, which must not get the
/// password. Empty: no URL is configured.
[[nodiscard]] std::string url_with_password_source(const Settings& settings);

}  // namespace jobstrand::cli
