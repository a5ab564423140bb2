#include "persistence/drivers/database_url.hpp"
#include "tools/handlers/command_handler.hpp"
#include "tools/operations/nouns.hpp"
#include "tools/settings/setting_table.hpp"
#include "tools/settings/settings_text.hpp"
#include "tools/text/terminal_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>

namespace jobstrand::cli {

namespace {

/// What a service tells those who may only look: a command line may have secrets.
void hide_from_clients(Settings& settings) {
    for (auto& [name, command] : settings.commands) {
        command.arguments.resize(command.arguments.empty() ? 0 : 1);
        std::ranges::fill(command.arguments, "***");
    }
}

ExitCode show_config(Session& session, const NoParameters&) {
    Settings settings = session.settings();
    if (session.is_for_client()) {
        hide_from_clients(settings);
    }
    settings.database_url = session.is_for_client()
                                ? persistence::without_password(session.engine().database())
                                : session.given_database_url();
    settings.password_file.clear();  // They stand in the URL that they are for.
    settings.password_command.clear();
    const OutputFormat format = session.format();
    if (format == OutputFormat::json || format == OutputFormat::jsonl) {
        session.streams().out << settings_as_json(settings) << '\n';
    } else {
        session.streams().out << settings_as_toml(settings);
    }
    return ExitCode::done;
}

/// Those that have a value stand in the answer.
std::vector<DescribedField> described_settings() {
    std::vector<DescribedField> all;
    for (const Setting* const setting : all_settings()) {
        JsonType type;
        if (setting->unit == Unit::flag || setting->unit == Unit::count) {
            type.name = setting->unit == Unit::flag ? "boolean" : "integer";
        }
        all.push_back({setting->name, setting->meaning, type, false});
    }
    for (const std::string_view table : {"commands", "targets", "definitions", "requeues"}) {
        all.push_back({table, "As the configuration file has them", {.name = "object"}, false});
    }
    return all;
}

ExitCode print_config_docs(Session& session, const NoParameters&) {
    session.streams().out << settings_as_markdown();
    return ExitCode::done;
}

/// Files and folders, once each.
std::set<std::string> what_others_may_write(Session& session) {
    std::set<std::string> open;
    const auto look = [&open](const std::string& path) {
        for (const std::string& one : open_to_others(path)) {
            open.insert(one);
        }
    };
    if (const auto file = session.config_file()) {
        look(*file);
    }
    for (const auto& [name, command] : session.settings().commands) {
        look(command.program);
    }
    return open;
}

ExitCode check_config(Session& session, const NoParameters&) {
    if (!session.config_file()) {
        session.streams().out << "no configuration file: --config names none, JOBSTRAND_CONFIG is "
                                 "not set, and that of the package is not there, or not for this "
                                 "user; the defaults apply\n";
    }
    for (const std::string& remark : session.remarks()) {
        session.streams().out << remark << '\n';
    }
    const auto obstacles = obstacles_to_handlers(session.settings());
    for (const std::string& obstacle : obstacles) {
        session.streams().out << obstacle << '\n';
    }
    const std::set<std::string> open = what_others_may_write(session);
    for (const std::string& path : open) {
        session.streams().out << fmt::format(
            "{0}: every user of this machine may write it, and decides by that what the service "
            "runs: chmod o-w {0}\n",
            quoted_if_needed(path)
        );
    }
    if (!obstacles.empty() || !open.empty()) {
        return ExitCode::check_found;
    }
    session.streams().out << "the configuration is in order\n";
    return ExitCode::done;
}

}  // namespace

OperationNoun config_noun() {
    return {
        .name = "config",
        .summary = "The configuration file",
        .examples =
            "  jobstrand config check --config jobstrand.toml\n"
            "  jobstrand config show",
        .operations =
            {
                writing_operation<NoParameters>(
                    {.words = "config show",
                     .summary =
                         "Print the settings that apply, as a configuration file without passwords",
                     .examples = "  jobstrand config show --config jobstrand.toml\n"
                                 "  jobstrand config show -o json",
                     .role = service::Role::read,
                     .path = "GET /api/v1/settings"},
                    {},
                    {DescribedResult::Kind::record, described_settings()},
                    show_config
                ),
                local_operation<NoParameters>(
                    {.words = "config docs",
                     .summary = "Print the table of all settings in Markdown",
                     .examples = "  jobstrand config docs"},
                    {},
                    print_config_docs
                ),
                local_operation<NoParameters>(
                    {.words = "config check",
                     .summary = "List every mistake in the configuration file (exit code 2 if "
                                "there is one), "
                                "programs and secrets that cannot be used here, and what others "
                                "may change "
                                "(exit code 6)",
                     .examples = "  jobstrand config check --config jobstrand.toml"},
                    {},
                    check_config
                ),
            },
    };
}

}  // namespace jobstrand::cli
