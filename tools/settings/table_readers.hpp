#pragma once

#include "deadletter/dead_letter_policies.hpp"
#include "schema/time.hpp"
#include "tools/settings/setting_entries.hpp"
#include "tools/settings/setting_table.hpp"
#include "tools/settings/settings.hpp"

#include <toml++/toml.h>

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace jobstrand::cli {

/// The mistakes in one table [KIND.NAME], and how its keys are read.
class TableKeys final {
public:
    /// `kind`: such as `commands`.
    explicit TableKeys(std::string_view kind) : kind_(kind) {}

    /// The table that is being read from now on.
    void enter(std::string_view name) { name_ = name; }

    void add_problem(const toml::node& node, const std::string& text);

    /// What a key that no such table has should have been.
    void
    refuse(const std::string& key, const toml::node& node, std::span<const std::string_view> keys);

    /// Milliseconds, or an ISO 8601 duration, 1 ms to 24 h; nullopt, with a problem: anything else.
    [[nodiscard]] std::optional<schema::Duration>
    time_limit(std::string_view key, const toml::node& node);

    /// The same within other bounds.
    [[nodiscard]] std::optional<schema::Duration> duration(
        std::string_view key,
        const toml::node& node,
        schema::Duration least,
        schema::Duration most
    );

    /// nullopt, with a problem: it is not one.
    [[nodiscard]] std::optional<std::string>
    absolute_path(std::string_view key, const toml::node& node);

    [[nodiscard]] const std::vector<LineMessage>& problems() const { return problems_; }

private:
    const std::string kind_;
    std::string name_;
    std::vector<LineMessage> problems_;
};

/// Programs and headers get texts as C strings, which end at the first NUL.
[[nodiscard]] bool has_nul(std::string_view text);

// The tables of a configuration file that are no single settings: each has a reader of its own,
// which keeps what is wrong with it.

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
