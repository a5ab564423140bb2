#include "tools/program/reload.hpp"

#include "tools/session/service_handlers.hpp"
#include "tools/settings/setting_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <exception>
#include <string>
#include <vector>

namespace jobstrand::cli {

namespace {

using schema::LogLevel;

/// The settings whose values differ, in the order of the documentation.
[[nodiscard]] std::vector<std::string_view> changes(const Settings& from, const Settings& to) {
    std::vector<std::string_view> names;
    for (const Setting* setting : all_settings()) {
        if (text_of(from, *setting) != text_of(to, *setting)) {
            names.push_back(setting->name);
        }
    }
    if (from.commands != to.commands) {
        names.push_back(kCommandsName);
    }
    if (from.targets != to.targets) {
        names.push_back(kTargetsName);
    }
    if (from.flowable != to.flowable) {
        names.push_back(kFlowableName);
    }
    return names;
}

}  // namespace

void Reload::run() {
    // Defended catch: a service goes on with the settings that it has.
    try {
        take_over(session_.settings_anew());
    } catch (const std::exception& error) {
        session_.log().write(
            LogLevel::error,
            "the configuration file is not taken over: what counted before still counts",
            {{"error", error.what()}}
        );
    }
}

void Reload::take_over(const Settings& anew) {
    if (engine_ != nullptr) {
        take_over_scope(anew);
        take_over_handlers(anew);
    }
    session_.set_log_level(anew.log_level);
    running_.log_level = anew.log_level;
    session_.log().write(LogLevel::info, "the configuration file was read again", {});
    print_what_waits(anew);
}

void Reload::take_over_handlers(const Settings& anew) {
    for (const std::string& obstacle : obstacles_to_handlers(anew)) {
        session_.log().write(
            LogLevel::warn, "these jobs are not taken here", {{"obstacle", obstacle}}
        );
    }
    replace_configured_handlers(
        engine_->handlers(),
        {.clock = engine_->clock(),
         .log = session_.log(),
         .guardian = session_.guardian(),
         .http_client = session_.http_client(),
         .path = session_.path(),
         .store = engine_->store(),
         .jobs = engine_->executor_store(),
         .instances = engine_->engine_store(),
         .batches = engine_->batch_store(),
         .counts = &session_.handler_counts()},
        anew
    );
    engine_->serve_anew();
    running_.commands = anew.commands;
    running_.targets = anew.targets;
}

void Reload::take_over_scope(const Settings& anew) {
    if (anew.executor.scope == running_.executor.scope) {
        return;
    }
    engine_->limit_to(anew.executor.scope);
    running_.executor.scope = anew.executor.scope;
}

void Reload::print_what_waits(const Settings& anew) {
    const auto names = changes(running_, anew);
    if (!names.empty()) {
        session_.log().write(
            LogLevel::warn,
            "these settings count when the service is started again",
            {{"settings", fmt::format("{}", fmt::join(names, ", "))}}
        );
    }
}

}  // namespace jobstrand::cli
