#include "tools/settings/settings_text.hpp"

#include "persistence/drivers/database_url.hpp"
#include "schema/text/time_text.hpp"
#include "tools/settings/setting_table.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <iterator>

namespace jobstrand::cli {

namespace {

/// A TOML basic string.
[[nodiscard]] std::string toml_text(std::string_view text) {
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') {
            out += '\\';
            out += c;
        } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
            fmt::format_to(std::back_inserter(out), "\\u{:04X}", static_cast<unsigned char>(c));
        } else {
            out += c;
        }
    }
    return out + '"';
}

[[nodiscard]] std::string shown_url(const std::string& text) {
    const auto url = persistence::parse_database_url(text);
    return url ? persistence::without_password(url.value()) : text;
}

/// As it is shown to people, without secrets.
[[nodiscard]] std::string shown(const Setting& setting, const std::string& text) {
    if (setting.name == "db") {
        return shown_url(text);
    }
    return setting.name == "passwordCommand" ? persistence::without_arguments(text) : text;
}

[[nodiscard]] std::string toml_value(const Settings& settings, const Setting& setting) {
    const std::string text = text_of(settings, setting);
    const bool is_bare = setting.unit == Unit::flag || setting.unit == Unit::count;
    return is_bare ? text : toml_text(shown(setting, text));
}

/// The value of a variable may be a secret.
[[nodiscard]] std::string_view shown_secret(std::string_view value) {
    return value.empty() ? "" : "***";
}

void append_command(std::string& out, const std::string& name, const CommandSettings& command) {
    auto end = std::back_inserter(out);
    fmt::format_to(end, "\n[commands.{}]\n", toml_text(name));
    fmt::format_to(end, "program = {}\n", toml_text(command.program));
    std::string arguments;
    for (const std::string& argument : command.arguments) {
        arguments += (arguments.empty() ? "" : ", ") + toml_text(argument);
    }
    fmt::format_to(end, "args = [{}]\n", arguments);
    const std::string limit = schema::format_duration(command.time_limit);
    fmt::format_to(end, "timeLimit = {}\n", toml_text(limit));
    if (!command.working_directory.empty()) {
        fmt::format_to(end, "workingDirectory = {}\n", toml_text(command.working_directory));
    }
    for (const auto& [variable, value] : command.environment) {
        fmt::format_to(
            end, "environment.{} = {}\n", toml_text(variable), toml_text(shown_secret(value))
        );
    }
}

void append_target(std::string& out, const std::string& name, const TargetSettings& target) {
    auto end = std::back_inserter(out);
    fmt::format_to(end, "\n[targets.{}]\n", toml_text(name));
    fmt::format_to(end, "url = {}\n", toml_text(target.url));
    if (!target.secret_file.empty()) {
        fmt::format_to(end, "secretFile = {}\n", toml_text(target.secret_file));
    }
    if (!target.ca_file.empty()) {
        fmt::format_to(end, "caFile = {}\n", toml_text(target.ca_file));
    }
    const std::string limit = schema::format_duration(target.time_limit);
    fmt::format_to(end, "timeLimit = {}\n", toml_text(limit));
    fmt::format_to(end, "calls = {}\n", target.calls);
    fmt::format_to(end, "retryStatuses = [{}]\n", fmt::join(target.retry_statuses, ", "));
    fmt::format_to(end, "waitsUseRetries = {}\n", target.waits_use_retries);
    if (target.call_back_within) {
        const std::string within = schema::format_duration(*target.call_back_within);
        fmt::format_to(end, "callbackWithin = {}\n", toml_text(within));
    }
    for (const auto& [header, value] : target.headers) {
        fmt::format_to(end, "headers.{} = {}\n", toml_text(header), toml_text(shown_secret(value)));
    }
}

void append_definition(std::string& out, const schema::JobDefinition& definition) {
    auto end = std::back_inserter(out);
    fmt::format_to(end, "\n[definitions.{}]\n", toml_text(text_of(definition.name)));
    if (!definition.priority.empty()) {
        fmt::format_to(end, "priority = {}\n", toml_text(definition.priority));
    }
    if (!definition.retry_cycle.empty()) {
        fmt::format_to(end, "retryCycle = {}\n", toml_text(definition.retry_cycle));
    }
    if (definition.exclusive) {
        fmt::format_to(end, "exclusive = {}\n", *definition.exclusive);
    }
}

[[nodiscard]] nlohmann::ordered_json json_of(const schema::JobDefinition& definition) {
    nlohmann::ordered_json json = nlohmann::ordered_json::object();
    if (!definition.priority.empty()) {
        json["priority"] = definition.priority;
    }
    if (!definition.retry_cycle.empty()) {
        json["retryCycle"] = definition.retry_cycle;
    }
    if (definition.exclusive) {
        json["exclusive"] = *definition.exclusive;
    }
    return json;
}

[[nodiscard]] std::string toml_list(const std::vector<std::string>& texts) {
    std::string list;
    for (const std::string& text : texts) {
        list += (list.empty() ? "" : ", ") + toml_text(text);
    }
    return fmt::format("[{}]", list);
}

void append_flowable(std::string& out, const FlowableSettings& flowable) {
    auto end = std::back_inserter(out);
    fmt::format_to(end, "\n[flowable]\nengines = {}\n", toml_list(flowable.engines));
    if (!flowable.user.empty()) {
        fmt::format_to(end, "user = {}\n", toml_text(flowable.user));
        fmt::format_to(end, "passwordFile = {}\n", toml_text(flowable.password_file));
    }
    if (!flowable.ca_file.empty()) {
        fmt::format_to(end, "caFile = {}\n", toml_text(flowable.ca_file));
    }
    const std::string limit = schema::format_duration(flowable.time_limit);
    fmt::format_to(end, "timeLimit = {}\n", toml_text(limit));
    fmt::format_to(end, "calls = {}\n", flowable.calls);
    fmt::format_to(end, "handlerTypes = {}\n", toml_list(flowable.handler_types));
}

[[nodiscard]] nlohmann::ordered_json json_of(const FlowableSettings& flowable) {
    return {
        {"engines", flowable.engines},
        {"user", flowable.user},
        {"passwordFile", flowable.password_file},
        {"caFile", flowable.ca_file},
        {"timeLimit", schema::format_duration(flowable.time_limit)},
        {"calls", flowable.calls},
        {"handlerTypes", flowable.handler_types},
    };
}

[[nodiscard]] nlohmann::ordered_json json_of(const deadletter::RequeueRule& rule) {
    nlohmann::ordered_json json = nlohmann::ordered_json::object();
    const auto add = [&](const char* key, const std::string& text) {
        if (!text.empty()) {
            json[key] = text;
        }
    };
    add("handlerType", rule.handler_type);
    add("errorClass", rule.error_class);
    add("message", rule.message);
    add("wait", schema::format_duration(rule.wait));
    add("until", schema::format_duration(rule.until));
    json["retries"] = rule.retries;
    add("spread", schema::format_duration(rule.spread));
    add("windowStart", rule.window_start);
    add("windowEnd", rule.window_end);
    return json;
}

void append_requeue(std::string& out, const deadletter::RequeueRule& rule) {
    auto end = std::back_inserter(out);
    fmt::format_to(end, "\n[requeues.{}]\n", toml_text(rule.name));
    const nlohmann::ordered_json values = json_of(rule);
    for (const auto& [key, value] : values.items()) {
        const std::string text =
            value.is_string() ? toml_text(value.get<std::string>()) : value.dump();
        fmt::format_to(end, "{} = {}\n", key, text);
    }
}

[[nodiscard]] nlohmann::ordered_json json_value(const Setting& setting, const std::string& text) {
    if (setting.unit == Unit::flag || setting.unit == Unit::count) {
        return nlohmann::ordered_json::parse(text);
    }
    return shown(setting, text);
}

[[nodiscard]] nlohmann::ordered_json json_of(const CommandSettings& command) {
    nlohmann::ordered_json environment = nlohmann::ordered_json::object();
    for (const auto& [variable, value] : command.environment) {
        environment[variable] = shown_secret(value);
    }
    return {
        {"program", command.program},
        {"args", command.arguments},
        {"timeLimit", schema::format_duration(command.time_limit)},
        {"workingDirectory", command.working_directory},
        {"environment", environment},
    };
}

[[nodiscard]] nlohmann::ordered_json json_of(const TargetSettings& target) {
    nlohmann::ordered_json headers = nlohmann::ordered_json::object();
    for (const auto& [header, value] : target.headers) {
        headers[header] = shown_secret(value);
    }
    const auto& within = target.call_back_within;
    return {
        {"url", target.url},
        {"secretFile", target.secret_file},
        {"caFile", target.ca_file},
        {"timeLimit", schema::format_duration(target.time_limit)},
        {"calls", target.calls},
        {"retryStatuses", target.retry_statuses},
        {"waitsUseRetries", target.waits_use_retries},
        {"callbackWithin", within ? schema::format_duration(*within) : ""},
        {"headers", headers},
    };
}

[[nodiscard]] std::string code(std::string_view text) {
    return text.empty() ? "" : fmt::format("`{}`", text);
}

[[nodiscard]] std::string aliases_of(const Setting& setting) {
    std::string text;
    for (const Alias& alias : setting.aliases) {
        if (alias.name.empty()) {
            continue;
        }
        text += (text.empty() ? "" : ", ") + code(alias.name);
        if (alias.unit == Unit::seconds && setting.unit != Unit::seconds) {
            text += " (s)";
        }
    }
    return text;
}

[[nodiscard]] std::string value_cell(std::string_view text) {
    return text.empty() ? "–" : code(text);
}

[[nodiscard]] std::string row_of(const Setting& setting) {
    return fmt::format(
        "| {} | {} | {} | {} | {} | {} | {} |\n",
        code(setting.name),
        aliases_of(setting),
        setting.meaning,
        legal_values_of(setting),
        value_cell(text_of(Settings{}, setting)),
        value_cell(setting.flowable),
        value_cell(setting.camunda)
    );
}

}  // namespace

std::string settings_as_toml(const Settings& settings) {
    std::string out;
    for (const Setting* setting : all_settings()) {
        if (!text_of(settings, *setting).empty()) {
            fmt::format_to(
                std::back_inserter(out), "{} = {}\n", setting->name, toml_value(settings, *setting)
            );
        }
    }
    for (const auto& [name, command] : settings.commands) {
        append_command(out, name, command);
    }
    for (const auto& [name, target] : settings.targets) {
        append_target(out, name, target);
    }
    for (const schema::JobDefinition& definition : settings.definitions) {
        append_definition(out, definition);
    }
    if (!settings.flowable.engines.empty()) {
        append_flowable(out, settings.flowable);
    }
    for (const deadletter::RequeueRule& rule : settings.policies.requeues) {
        append_requeue(out, rule);
    }
    return out;
}

std::string settings_as_json(const Settings& settings) {
    nlohmann::ordered_json out = nlohmann::ordered_json::object();
    for (const Setting* setting : all_settings()) {
        if (const std::string text = text_of(settings, *setting); !text.empty()) {
            out[std::string(setting->name)] = json_value(*setting, text);
        }
    }
    out["commands"] = nlohmann::ordered_json::object();
    for (const auto& [name, command] : settings.commands) {
        out["commands"][name] = json_of(command);
    }
    out["targets"] = nlohmann::ordered_json::object();
    for (const auto& [name, target] : settings.targets) {
        out["targets"][name] = json_of(target);
    }
    out["definitions"] = nlohmann::ordered_json::object();
    for (const schema::JobDefinition& definition : settings.definitions) {
        out["definitions"][text_of(definition.name)] = json_of(definition);
    }
    if (!settings.flowable.engines.empty()) {
        out["flowable"] = json_of(settings.flowable);
    }
    out["requeues"] = nlohmann::ordered_json::object();
    for (const deadletter::RequeueRule& rule : settings.policies.requeues) {
        out["requeues"][rule.name] = json_of(rule);
    }
    return out.dump();
}

std::string settings_as_markdown() {
    std::string out =
        "| name | also accepted as | meaning | values | default | flowable-6 | camunda-7 |\n"
        "|---|---|---|---|---|---|---|\n";
    for (const Setting* setting : all_settings()) {
        out += row_of(*setting);
    }
    out +=
        "\n| known, but not supported yet | only value | why |\n"
        "|---|---|---|\n";
    for (const AbsentSetting& absent : absent_settings()) {
        const std::string value = absent.only_value == "*"    ? "any, without effect"
                                  : absent.only_value.empty() ? "`\"\"`"
                                                              : code(absent.only_value);
        fmt::format_to(
            std::back_inserter(out), "| {} | {} | {} |\n", code(absent.name), value, absent.reason
        );
    }
    return out;
}

}  // namespace jobstrand::cli
