#include "tools/settings/setting_entries.hpp"

#include "persistence/drivers/database_url.hpp"
#include "tools/settings/settings_file.hpp"
#include "tools/text/terminal_text.hpp"
#include "tools/text/typing_errors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace jobstrand::cli {

namespace {

/// The value that the text of a preset stands for.
[[nodiscard]] SettingValue preset_value(const Setting& setting, std::string_view text) {
    if (setting.unit != Unit::count) {
        return std::string(text);
    }
    std::int64_t number = 0;
    std::from_chars(text.data(), text.data() + text.size(), number);
    return number;
}

[[nodiscard]] bool is_value(const SettingValue& value, std::string_view text) {
    if (const std::string* own = std::get_if<std::string>(&value)) {
        return *own == text;
    }
    return text_of(value) == text;
}

}  // namespace

void SettingEntries::apply(const std::vector<SettingEntry>& entries) {
    for (const SettingEntry& entry : entries) {
        if (entry.name == kPresetName) {
            apply_preset(entry);
        }
    }
    for (const SettingEntry& entry : entries) {
        if (entry.name != kPresetName) {
            apply_entry(entry);
        }
    }
    lower_core_pool();
    check_together(entries);
    check_password(entries);
}

void SettingEntries::apply_preset(const SettingEntry& entry) {
    const std::string* name = std::get_if<std::string>(&entry.value);
    if (name == nullptr || (*name != kFlowablePreset && *name != kCamundaPreset)) {
        problems_.push_back(
            {entry.line,
             fmt::format(
                 "preset must be \"{}\" or \"{}\", not {}",
                 kFlowablePreset,
                 kCamundaPreset,
                 text_of(entry.value)
             )}
        );
        return;
    }
    for (const Setting* setting : all_settings()) {
        const std::string_view text =
            *name == kFlowablePreset ? setting->flowable : setting->camunda;
        if (!text.empty()) {
            (void)assign(settings_, *setting, setting->unit, preset_value(*setting, text));
        }
    }
}

void SettingEntries::apply_entry(const SettingEntry& entry) {
    if (const NamedSetting named = find_setting(entry.name); named.setting != nullptr) {
        apply_known(entry, named);
    } else if (const AbsentSetting* absent = find_absent_setting(entry.name)) {
        apply_absent(entry, *absent);
    } else {
        problems_.push_back(
            {entry.line,
             fmt::format(
                 "there is no setting {}; did you mean {}?",
                 printable(entry.name),
                 nearest_name(entry.name, known_names())
             )}
        );
    }
}

void SettingEntries::apply_absent(const SettingEntry& entry, const AbsentSetting& absent) {
    if (absent.only_value == "*") {
        remarks_.push_back(
            {entry.line, fmt::format("{} has no effect here: {}", absent.name, absent.reason)}
        );
    } else if (!is_value(entry.value, absent.only_value)) {
        problems_.push_back(
            {entry.line,
             fmt::format(
                 "{} is known, but only its value {} is supported: {}",
                 absent.name,
                 absent.only_value.empty() ? "\"\"" : absent.only_value,
                 absent.reason
             )}
        );
    }
}

void SettingEntries::apply_known(const SettingEntry& entry, const NamedSetting& named) {
    const Setting& setting = *named.setting;
    Settings changed = settings_;
    if (const auto refusal = assign(changed, setting, named.unit, entry.value)) {
        // The value of `db` may hold a password.
        const std::string value = setting.name == "db" ? "..." : text_of(entry.value);
        problems_.push_back({entry.line, fmt::format("{} = {}: {}", entry.name, value, *refusal)});
        return;
    }
    if (std::holds_alternative<std::monostate>(setting.field)) {
        remarks_.push_back({entry.line, fmt::format("{}: {}", entry.name, setting.meaning)});
    }
    const std::string text = text_of(changed, setting);
    const auto [earlier, is_first] = given_.try_emplace(&setting, Given{entry.name, text});
    if (!is_first && earlier->second.text != text) {
        problems_.push_back(
            {entry.line,
             fmt::format(
                 "{} and {} are two names of one setting, but have different values",
                 earlier->second.name,
                 entry.name
             )}
        );
        return;
    }
    settings_ = std::move(changed);
}

namespace {

/// Where the later one of two settings was written; 1: neither.
int last_line_of(
    std::string_view one,
    std::string_view other,
    const std::vector<SettingEntry>& entries
) {
    int line = 1;
    for (const SettingEntry& entry : entries) {
        const Setting* const setting = find_setting(entry.name).setting;
        const bool is_meant =
            setting != nullptr && (setting->name == one || setting->name == other);
        line = is_meant ? entry.line : line;
    }
    return line;
}

/// The setting that makes the order another one than that of the ids, beside tenantsInTurn.
std::string_view name_of_order(const schema::AcquisitionOrder& order) {
    if (order.by_priority) {
        return "acquireByPriority";
    }
    if (order.timers_first) {
        return "preferTimerJobs";
    }
    return order.by_due_date ? "acquireByDueDate" : "priorityAging";
}

}  // namespace

// Only what was written can contradict maxPoolSize; a default or a preset gives way to it.
void SettingEntries::lower_core_pool() {
    executor::ExecutorSettings& pool = settings_.executor;
    if (!given_.contains(find_setting("corePoolSize").setting)) {
        pool.core_pool_size = std::min(pool.core_pool_size, pool.max_pool_size);
    }
}

void SettingEntries::check_together(const std::vector<SettingEntry>& entries) {
    const executor::ExecutorSettings& executor = settings_.executor;
    const schema::ServedScope& scope = executor.scope;
    const auto refuse = [&](std::string_view one, std::string_view other, std::string text) {
        problems_.push_back({last_line_of(one, other, entries), std::move(text)});
    };
    if (executor.core_pool_size > executor.max_pool_size) {
        refuse(
            "corePoolSize",
            "maxPoolSize",
            fmt::format(
                "corePoolSize ({}) must not be above maxPoolSize ({})",
                executor.core_pool_size,
                executor.max_pool_size
            )
        );
    }
    if (scope.priority_min > scope.priority_max) {
        refuse(
            "priorityRangeMin",
            "priorityRangeMax",
            fmt::format(
                "priorityRangeMin ({}) must not be above priorityRangeMax ({})",
                scope.priority_min,
                scope.priority_max
            )
        );
    }
    const schema::AcquisitionOrder turns{.tenants_in_turn = true};
    if (executor.order.tenants_in_turn && executor.order != turns) {
        refuse(
            "tenantsInTurn",
            name_of_order(executor.order),
            "tenantsInTurn goes with no other order: in each tenant's turn comes its oldest job"
        );
    }
    if (executor.instances_together && executor.order.is_any()) {
        refuse(
            "instancesTogether",
            executor.order.tenants_in_turn ? "tenantsInTurn" : name_of_order(executor.order),
            "instancesTogether goes with no other order: that would say which job comes next"
        );
    }
    if (executor.order.is_any() && executor.lock_granularity == schema::LockGranularity::page) {
        refuse(
            "lockGranularity",
            executor.order.tenants_in_turn ? "tenantsInTurn" : name_of_order(executor.order),
            "lockGranularity page goes with no order: pages are claimed in the order of the ids"
        );
    }
    if (executor.order.aging > schema::Duration{0} && !executor.order.by_priority) {
        refuse("priorityAging", "acquireByPriority", "priorityAging needs acquireByPriority");
    } else if (executor.order.ages() && executor.order.timers_first) {
        refuse(
            "priorityAging",
            "preferTimerJobs",
            "priorityAging and preferTimerJobs exclude each other: where all timers come first, "
            "nothing ages"
        );
    }
}

/// What a password setting makes of `db` may be no URL any more.
void SettingEntries::check_password(const std::vector<SettingEntry>& entries) {
    const std::string url = url_with_password_source(settings_);
    const auto parsed = persistence::parse_database_url(url);
    if (url == settings_.database_url || parsed) {
        return;
    }
    for (const SettingEntry& entry : entries) {
        if (entry.name == "passwordFile" || entry.name == "passwordCommand") {
            problems_.push_back(
                {entry.line, fmt::format("{} and db: {}", entry.name, parsed.error().message)}
            );
            return;
        }
    }
}

}  // namespace jobstrand::cli
