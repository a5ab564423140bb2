#pragma once

#include <optional>
#include <string>

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

}  // namespace jobstrand::cli
