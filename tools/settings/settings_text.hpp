#pragma once

#include "tools/settings/settings.hpp"

#include <string>

namespace jobstrand::cli {

/// The settings as a configuration file that could be read again; the password of the database URL
/// is replaced by `***`.
[[nodiscard]] std::string settings_as_toml(const Settings& settings);

/// The same as one JSON object on one line: the settings under their names, durations as ISO 8601,
/// and `commands`.
[[nodiscard]] std::string settings_as_json(const Settings& settings);

/// The Markdown tables of docs/configuration.md: every setting with its aliases, meaning, unit, our
/// default, Flowable's and Camunda's, and the names that are known but not supported yet.
[[nodiscard]] std::string settings_as_markdown();

}  // namespace jobstrand::cli
