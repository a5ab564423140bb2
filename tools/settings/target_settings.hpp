#pragma once

#include "tools/settings/setting_table.hpp"
#include "tools/settings/settings.hpp"
#include "tools/settings/table_keys.hpp"

#include <toml++/toml.h>

#include <string>
#include <vector>

namespace jobstrand::cli {

/// Reads the tables [targets.NAME]: the apps that `http` jobs may call.
class TargetTables {
public:
    /// Targets with a mistake are left out.
    [[nodiscard]] Targets read(const toml::node& targets);

    [[nodiscard]] const std::vector<LineMessage>& problems() const { return keys_.problems(); }

private:
    void read_target(const std::string& name, const toml::table& table, Targets& targets);
    void read_key(const std::string& key, const toml::node& node, TargetSettings& target);
    void read_url(const toml::node& node, TargetSettings& target);
    void read_calls(const toml::node& node, TargetSettings& target);
    void read_statuses(const toml::node& node, TargetSettings& target);
    void read_headers(const toml::node& node, TargetSettings& target);

    TableKeys keys_{kTargetsName};
};

}  // namespace jobstrand::cli
