#pragma once

#include "deadletter/policies/dead_letter_policies.hpp"
#include "tools/settings/setting_table.hpp"
#include "tools/settings/table_keys.hpp"

#include <toml++/toml.h>

#include <string>
#include <vector>

namespace jobstrand::cli {

/// Reads the tables [requeues.NAME]: which dead letters come back by themselves.
class RequeueTables {
public:
    /// By name. Those with a mistake are left out.
    [[nodiscard]] std::vector<deadletter::RequeueRule> read(const toml::node& requeues);

    [[nodiscard]] const std::vector<LineMessage>& problems() const { return keys_.problems(); }

private:
    void read_rule(deadletter::RequeueRule& rule, const toml::table& table);
    void read_key(const std::string& key, const toml::node& node, deadletter::RequeueRule& rule);

    TableKeys keys_{kRequeuesName};
};

}  // namespace jobstrand::cli
