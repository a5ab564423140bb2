#include "tools/settings/settings_text.hpp"

#include "persistence/drivers/database_url.hpp"
#include "tools/settings/setting_table.hpp"
#include "tools/settings/settings_tables.hpp"

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

/// As it is shown to people.
[[nodiscard]] std::string without_secrets(const Setting& setting, const std::string& text) {
    if (setting.name == "db") {
        return shown_url(text);
    }
    return setting.name == "passwordCommand" ? persistence::without_arguments(text) : text;
}

[[nodiscard]] std::string toml_value(const Settings& settings, const Setting& setting) {
    const std::string text = text_of(settings, setting);
    const bool is_bare = setting.unit == Unit::flag || setting.unit == Unit::count;
    return is_bare ? text : toml_text(without_secrets(setting, text));
}

/// Of a table.
[[nodiscard]] std::string toml_of(const nlohmann::ordered_json& value) {
    if (value.is_array()) {
        std::string list;
        for (const auto& item : value) {
            list += (list.empty() ? "" : ", ") + toml_of(item);
        }
        return fmt::format("[{}]", list);
    }
    return value.is_string() ? toml_text(value.get<std::string>()) : value.dump();
}

/// What is empty is left out.
void append_table(std::string& out, const std::string& name, const nlohmann::ordered_json& table) {
    auto end = std::back_inserter(out);
    fmt::format_to(end, "\n[{}]\n", name);
    for (const auto& [key, value] : table.items()) {
        if (value.is_object()) {
            for (const auto& [inner, text] : value.items()) {
                fmt::format_to(end, "{}.{} = {}\n", key, toml_text(inner), toml_of(text));
            }
        } else if (!is_empty_text(value)) {
            fmt::format_to(end, "{} = {}\n", key, toml_of(value));
        }
    }
}

[[nodiscard]] nlohmann::ordered_json json_value(const Setting& setting, const std::string& text) {
    if (setting.unit == Unit::flag || setting.unit == Unit::count) {
        return nlohmann::ordered_json::parse(text);
    }
    return without_secrets(setting, text);
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
    for (const TableKind& kind : table_kinds()) {
        for (const auto& [name, table] : kind.shown(settings)) {
            const std::string of_kind = kind.is_one ? "" : '.' + toml_text(name);
            append_table(out, std::string(kind.name) + of_kind, table);
        }
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
    for (const TableKind& kind : table_kinds()) {
        const std::string of_kind(kind.name);
        const ShownTables tables = kind.shown(settings);
        if (!kind.is_one) {
            out[of_kind] = nlohmann::ordered_json::object();
        }
        for (const auto& [name, table] : tables) {
            (kind.is_one ? out[of_kind] : out[of_kind][name]) = table;
        }
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
