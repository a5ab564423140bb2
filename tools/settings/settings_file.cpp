#include "tools/settings/settings_file.hpp"

#include "executor/executor_settings.hpp"
#include "persistence/drivers/database_url.hpp"
#include "schema/job_failure.hpp"
#include "schema/text/utf8.hpp"
#include "tools/access/access_rights.hpp"
#include "tools/process/input.hpp"
#include "tools/settings/setting_entries.hpp"
#include "tools/settings/settings_tables.hpp"
#include "tools/text/terminal_text.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <toml++/toml.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>

namespace jobstrand::cli {

namespace {

[[nodiscard]] bool may_read(const std::string& file) {
    return ::faccessat(AT_FDCWD, file.c_str(), R_OK, AT_EACCESS) == 0;
}

[[nodiscard]] bool is_package_meant(const ConfigChoice& choice) {
    return !choice.option && !choice.variable && !choice.is_database_named;
}

/// A configuration file is written by hand; more is something else.
constexpr std::size_t kMaxBytes = std::size_t{1} << 20U;

/// Of one name. The parser calls itself for each part, so a longer one could exhaust the stack.
constexpr std::ptrdiff_t kMaxDots = 32;

/// Of one line, texts included: a text of several lines can end in the middle of one, so that what
/// looks like a text there is a name.
constexpr std::ptrdiff_t kMaxDotsAnywhere = 500;

[[nodiscard]] int line_of(const toml::node& node) {
    return static_cast<int>(node.source().begin.line);
}

/// A list of texts as one text; nothing for other lists.
[[nodiscard]] std::optional<SettingValue> joined(const toml::array& list) {
    std::vector<std::string> texts;
    for (const toml::node& item : list) {
        if (!item.is_string()) {
            return std::nullopt;
        }
        texts.push_back(item.as_string()->get());
    }
    return fmt::format("{}", fmt::join(texts, ","));
}

[[nodiscard]] std::optional<SettingValue> value_of(const toml::node& node) {
    if (const auto* flag = node.as_boolean()) {
        return flag->get();
    }
    if (const auto* number = node.as_integer()) {
        return number->get();
    }
    if (const auto* number = node.as_floating_point()) {
        return number->get();
    }
    if (const auto* text = node.as_string()) {
        return text->get();
    }
    const auto* list = node.as_array();
    return list == nullptr ? std::nullopt : joined(*list);
}

/// Dots outside of texts. A quoted text ends on its line, or the parser refuses the line.
[[nodiscard]] std::ptrdiff_t dots_in(std::string_view line) {
    std::ptrdiff_t dots = 0;
    char quote = 0;
    for (std::size_t i = 0; i < line.size(); ++i) {
        const char c = line[i];
        if (quote != 0) {
            i += quote == '"' && c == '\\' ? 1U : 0U;
            quote = c == quote ? '\0' : quote;
        } else if (c == '"' || c == '\'') {
            quote = c;
        } else {
            dots += c == '.' ? 1 : 0;
        }
    }
    return dots;
}

/// The first line that the parser must not see; 0: there is none.
[[nodiscard]] int line_with_too_many_dots(std::string_view text) {
    int number = 1;
    for (std::size_t start = 0; start < text.size(); ++number) {
        const std::size_t end = std::min(text.find('\n', start), text.size());
        const std::string_view line = text.substr(start, end - start);
        if (dots_in(line) > kMaxDots || std::ranges::count(line, '.') > kMaxDotsAnywhere) {
            return number;
        }
        start = end + 1;
    }
    return 0;
}

/// Reads a document, top down.
class Reading {
public:
    explicit Reading(const std::string& file_name) : file_name_(file_name) {}

    [[nodiscard]] SettingsFile run(std::string_view text) {
        if (const int line = line_with_too_many_dots(text); line != 0) {
            add_problem(line, fmt::format("a name has at most {} parts", kMaxDots));
            return finish();
        }
        try {
            read(toml::parse(text, file_name_));
        } catch (const toml::parse_error& error) {
            add_problem(
                static_cast<int>(error.source().begin.line), std::string(error.description())
            );
        }
        return finish();
    }

private:
    void read(const toml::table& document) {
        std::vector<SettingEntry> entries;
        const toml::node* engines = nullptr;
        int line_of_spread = 1;
        for (const auto& [key, node] : document) {
            const auto kind = std::ranges::find(table_kinds(), key.str(), &TableKind::name);
            if (kind != table_kinds().end()) {
                kind->read(node, file_.settings, problems_);
            } else if (key.str() == kEnginesName) {
                engines = &node;
            } else {
                line_of_spread = key.str() == kSpreadOverName ? line_of(node) : line_of_spread;
                read_entry(std::string(key.str()), node, entries);
            }
        }
        apply(std::move(entries), file_.settings, {});
        if (engines != nullptr) {
            read_engines(*engines);
        }
        check_spread(line_of_spread);
    }

    /// nullptr: there is no such engine in the file.
    [[nodiscard]] const Settings* settings_of(const std::string& engine) const {
        if (const auto found = file_.engines.find(engine); found != file_.engines.end()) {
            return &found->second;
        }
        const bool is_first =
            engine == service::kFirstEngine && !file_.settings.database_url.empty();
        return is_first ? &file_.settings : nullptr;
    }

    void check_spread(int line) {
        const std::vector<std::string>& names = file_.settings.spread_over;
        const auto refuse = [&](std::string_view why) {
            add_problem(line, fmt::format("{} {}", kSpreadOverName, why));
        };
        if (names.size() == 1) {
            refuse("needs two engines at least");
        }
        const Settings* first = nullptr;
        for (auto name = names.begin(); name != names.end(); ++name) {
            const Settings* const engine = settings_of(*name);
            if (engine == nullptr) {
                refuse(fmt::format("names {0}, but there is no [engines.{0}]", printable(*name)));
            } else if (std::find(names.begin(), name, *name) != name) {
                refuse(fmt::format("names {} twice", printable(*name)));
            } else if (first != nullptr && engine->http.token_file != first->http.token_file) {
                // Who may enqueue at one address may do so at all.
                refuse(fmt::format(
                    "needs one httpTokenFile for all its engines, and {} has another than {}",
                    printable(*name),
                    printable(names.front())
                ));
            } else if (first != nullptr && engine->http.hidden_members != first->http.hidden_members) {
                // A job is shown at all addresses, by the rule of the one that was asked.
                refuse(fmt::format(
                    "needs the same httpHiddenMembers for all its engines, and {} has others than "
                    "{}",
                    printable(*name),
                    printable(names.front())
                ));
            }
            first = first == nullptr ? engine : first;
        }
    }

    void read_entry(std::string name, const toml::node& node, std::vector<SettingEntry>& entries) {
        if (auto value = value_of(node)) {
            entries.push_back({std::move(name), std::move(*value), line_of(node)});
        } else {
            add_problem(line_of(node), misplaced(name, node));
        }
    }

    void apply(std::vector<SettingEntry> entries, Settings& settings, const std::string& table) {
        // The parser hands out keys in alphabetical order.
        std::ranges::sort(entries, {}, &SettingEntry::line);
        SettingEntries applied(settings);
        applied.apply(entries);
        for (const LineMessage& problem : applied.problems()) {
            add_problem(problem.line, table + problem.text);
        }
        for (const LineMessage& remark : applied.remarks()) {
            remarks_.push_back({remark.line, table + remark.text});
        }
        if (!settings.retry_time_cycle.empty()) {
            settings.executor.retry.cycle =
                schema::parse_retry_cycle(settings.retry_time_cycle).value();
        }
    }

    void read_engines(const toml::node& node) {
        const toml::table* tables = node.as_table();
        if (tables == nullptr) {
            add_problem(line_of(node), "engines must be tables: [engines.NAME]");
            return;
        }
        for (const auto& [key, engine] : *tables) {
            if (const toml::table* table = engine.as_table()) {
                read_engine(std::string(key.str()), *table);
            } else {
                add_problem(line_of(engine), "engines must be tables: [engines.NAME]");
            }
        }
    }

    void read_engine(const std::string& name, const toml::table& table) {
        Settings settings = file_.settings;
        settings.database_url.clear();
        settings.password_file.clear();
        settings.password_command.clear();
        settings.executor.lock_owner.clear();
        settings.http.listen.clear();
        std::vector<SettingEntry> entries;
        const std::string place = fmt::format("[engines.{}] ", printable(name));
        for (const auto& [key, node] : table) {
            if (key.str() == kSpreadOverName) {
                add_problem(
                    line_of(node),
                    fmt::format("{}{} stands at the top of the file", place, kSpreadOverName)
                );
                continue;
            }
            read_entry(std::string(key.str()), node, entries);
        }
        apply(std::move(entries), settings, place);
        if (settings.database_url.empty()) {
            add_problem(line_of(table), place + "needs db = \"URL\"");
        }
        file_.engines.emplace(name, std::move(settings));
    }

    [[nodiscard]] static std::string misplaced(const std::string& name, const toml::node& node) {
        if (node.is_table()) {
            return fmt::format(
                "there is no table [{}]; settings stand at the top of the file, and the only "
                "tables are [commands.NAME], [targets.NAME], [definitions.NAME], [requeues.NAME], "
                "[flowable] and [engines.NAME]",
                name
            );
        }
        return name + " has a value of a kind that no setting takes";
    }

    void add_problem(int line, std::string text) { problems_.push_back({line, std::move(text)}); }

    [[nodiscard]] SettingsFile finish() {
        if (!file_.settings.database_url.empty() && file_.engines.contains(service::kFirstEngine)) {
            add_problem(
                1,
                fmt::format(
                    "[engines.{0}]: {0} is the engine of the db at the top; give this one another "
                    "name, or leave that db out",
                    service::kFirstEngine
                )
            );
        }
        file_.problems = in_line_order(problems_);
        file_.remarks = in_line_order(remarks_);
        if (file_.problems.empty()) {
            validate(file_.settings, file_name_);
            for (const auto& [name, settings] : file_.engines) {
                validate(settings, fmt::format("{}: [engines.{}]", file_name_, name));
            }
        }
        return std::move(file_);
    }

    void validate(const Settings& settings, const std::string& place) {
        for (const std::string& problem : executor::validate(settings.executor)) {
            file_.problems.push_back(place + ": " + problem);
        }
        if (settings.http.certificate_file.empty() != settings.http.key_file.empty()) {
            file_.problems.push_back(
                place + ": httpCertificateFile and httpKeyFile need each other"
            );
        }
        const std::string& target = settings.executor.history.incident_target;
        if (!target.empty() && !settings.targets.contains(target)) {
            file_.problems.push_back(fmt::format(
                "{}: incidentTarget names {}, but there is no [targets.{}]", place, target, target
            ));
        }
    }

    [[nodiscard]] std::vector<std::string> in_line_order(std::vector<LineMessage> messages) const {
        std::stable_sort(messages.begin(), messages.end(), [](const auto& a, const auto& b) {
            return a.line < b.line;
        });
        std::vector<std::string> lines;
        for (const LineMessage& message : messages) {
            lines.push_back(fmt::format("{}:{}: {}", file_name_, message.line, message.text));
        }
        return lines;
    }

    const std::string& file_name_;
    SettingsFile file_;
    std::vector<LineMessage> problems_;
    std::vector<LineMessage> remarks_;
};

[[nodiscard]] SettingsFile unreadable(const std::string& path, std::string_view why) {
    SettingsFile file;
    file.problems.push_back(fmt::format("cannot read the configuration file {}: {}", path, why));
    return file;
}

}  // namespace

std::optional<std::string> chosen_config_file(const ConfigChoice& choice) {
    if (choice.option || choice.variable) {
        return choice.option ? choice.option : choice.variable;
    }
    const bool is_found = is_package_meant(choice) && may_read(choice.of_package);
    return is_found ? std::optional(choice.of_package) : std::nullopt;
}

bool is_package_config_kept(const ConfigChoice& choice) {
    return is_package_meant(choice) && !may_read(choice.of_package) && errno == EACCES;
}

SettingsFile read_settings(std::string_view toml, const std::string& file_name) {
    return Reading(file_name).run(toml);
}

SettingsFile read_settings_file(const std::string& path) {
    std::error_code unknown;
    if (std::filesystem::is_directory(path, unknown)) {
        return unreadable(path, "it is a folder; name the file in it");
    }
    std::string text;
    if (const std::string problem = read_bytes(path, kMaxBytes + 1, text); !problem.empty()) {
        return unreadable(path, problem);
    }
    if (text.size() > kMaxBytes) {
        return unreadable(path, "it is longer than 1 MiB");
    }
    if (schema::begins_as_utf16(text)) {
        return unreadable(path, "it is UTF-16: save it as UTF-8");
    }
    return read_settings(text, path);
}

std::string url_with_password_source(const Settings& settings) {
    std::string url = settings.database_url;
    if (!url.empty() && !settings.password_file.empty()) {
        url =
            persistence::with_option(url, persistence::kPasswordFileOption, settings.password_file);
    }
    if (!url.empty() && !settings.password_command.empty()) {
        url = persistence::with_option(
            url, persistence::kPasswordCommandOption, settings.password_command
        );
    }
    return url;
}

}  // namespace jobstrand::cli
