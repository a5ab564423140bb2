#pragma once

#include "deadletter/policies/dead_letter_policies.hpp"
#include "tools/settings/setting_table.hpp"
#include "tools/settings/settings.hpp"
#include "tools/settings/table_keys.hpp"

#include <toml++/toml.h>

#include <string>
#include <vector>

/// The tables of a configuration file that are no single settings: each has a reader of its own,
/// which keeps what is wrong with it.
namespace jobstrand::cli {

/// Reads the tables [commands.NAME]: the programs that `command` jobs may run.
class CommandTables {
public:
    /// Commands with a mistake are left out.
    [[nodiscard]] Commands read(const toml::node& commands);

    [[nodiscard]] const std::vector<LineMessage>& problems() const { return keys_.problems(); }

private:
    void read_command(const std::string& name, const toml::table& table, Commands& commands);
    void read_key(const std::string& key, const toml::node& node, CommandSettings& command);
    void read_arguments(const toml::node& node, CommandSettings& command);
    void read_environment(const toml::node& node, CommandSettings& command);

    TableKeys keys_{kCommandsName};
};

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

/// Reads the tables [definitions.NAME]: what is set for definitions, their elements and types.
class DefinitionTables {
public:
    /// Those with a mistake are left out.
    [[nodiscard]] Definitions read(const toml::node& definitions);

    [[nodiscard]] const std::vector<LineMessage>& problems() const { return keys_.problems(); }

private:
    void
    read_definition(const std::string& name, const toml::table& table, Definitions& definitions);
    void
    read_key(const std::string& key, const toml::node& node, schema::JobDefinition& definition);

    TableKeys keys_{kDefinitionsName};
};

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

/// Reads the table [flowable]: the engines whose jobs the service runs.
class FlowableTable final {
public:
    [[nodiscard]] FlowableSettings read(const toml::node& node);

    [[nodiscard]] const std::vector<LineMessage>& problems() const { return keys_.problems(); }

private:
    void read_key(const std::string& key, const toml::node& node, FlowableSettings& flowable);
    void read_engines(const toml::node& node, FlowableSettings& flowable);
    void read_calls(const toml::node& node, FlowableSettings& flowable);
    [[nodiscard]] std::vector<std::string> texts(const std::string& key, const toml::node& node);

    TableKeys keys_{"flowable"};
};

}  // namespace jobstrand::cli
