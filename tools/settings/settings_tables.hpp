#pragma once

#include "tools/settings/setting_entries.hpp"
#include "tools/settings/settings.hpp"

#include <nlohmann/json_fwd.hpp>
#include <toml++/toml.h>

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace jobstrand::cli {

/// Tables as they are shown to people, without secrets, by their names.
using ShownTables = std::vector<std::pair<std::string, nlohmann::ordered_json>>;

/// A name at the top of the configuration file that is no single setting: tables [KIND.NAME], or
/// one table [KIND].
struct TableKind {
    std::string_view name;

    /// Tables with a mistake are left out.
    void (*read)(const toml::node& node, Settings& into, std::vector<LineMessage>& problems);

    ShownTables (*shown)(const Settings& settings);

    /// One table [KIND] at most, whose name does not count.
    bool is_one = false;
};

/// Whether it is a text, and has no characters.
[[nodiscard]] bool is_empty_text(const nlohmann::ordered_json& value);

/// But for [engines.NAME], which hold settings.
[[nodiscard]] std::span<const TableKind> table_kinds();

}  // namespace jobstrand::cli
