#pragma once

#include "tools/settings/settings.hpp"

#include <string>

namespace jobstrand::cli {

/// The configured database URL with the configured source of its password as an option. Only this
/// URL gets it: one that is named otherwise may be another server's, which must not get the
/// password. Empty: no URL is configured.
[[nodiscard]] std::string url_with_password_source(const Settings& settings);

}  // namespace jobstrand::cli
