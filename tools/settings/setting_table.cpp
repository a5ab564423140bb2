#include "tools/settings/setting_table.hpp"

#include "schema/text/time_text.hpp"
#include "tools/text/terminal_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <ranges>

namespace jobstrand::cli {

namespace {

using schema::Duration;
using schema::Overloaded;
using Refusal = std::optional<std::string>;

[[nodiscard]] std::string range_of(const Setting& setting) {
    return fmt::format("{} to {}", setting.least, setting.most);
}

[[nodiscard]] std::string duration_range_of(const Setting& setting) {
    return fmt::format(
        "{} to {}",
        schema::format_duration(Duration(setting.least)),
        schema::format_duration(Duration(setting.most))
    );
}

[[nodiscard]] bool is_in_range(const Setting& setting, std::int64_t value) {
    return value >= setting.least && value <= setting.most;
}

[[nodiscard]] std::optional<bool> flag_of(const SettingValue& value) {
    if (const bool* flag = std::get_if<bool>(&value)) {
        return *flag;
    }
    const std::string* text = std::get_if<std::string>(&value);
    if (text != nullptr && (*text == "true" || *text == "false")) {
        return *text == "true";
    }
    return std::nullopt;
}

/// Nothing for what is no duration, or one too long to count.
[[nodiscard]] std::optional<Duration> duration_of(const SettingValue& value, Unit unit) {
    if (const std::int64_t* number = std::get_if<std::int64_t>(&value)) {
        const std::int64_t factor = unit == Unit::seconds ? 1000 : 1;
        if (*number > Duration::max().count() / factor || *number < 0) {
            return std::nullopt;
        }
        return Duration(*number * factor);
    }
    const std::string* text = std::get_if<std::string>(&value);
    if (text == nullptr || !text->starts_with('P')) {
        return std::nullopt;
    }
    const auto parsed = schema::parse_duration(*text);
    return parsed ? std::optional(parsed.value()) : std::nullopt;
}

/// Reads the value as the kind of field that it is for.
class Assignment {
public:
    Assignment(Settings& settings, const Setting& setting, Unit unit, const SettingValue& value)
        : settings_(settings), setting_(setting), unit_(unit), value_(value) {}

    [[nodiscard]] Refusal run() const {
        return std::visit(
            Overloaded{
                [this](std::monostate) { return check_only(); },
                [this](const auto& field) { return store(field(settings_)); },
            },
            setting_.field
        );
    }

private:
    [[nodiscard]] Refusal check_only() const {
        switch (unit_) {
            case Unit::flag: {
                bool ignored = false;
                return store(ignored);
            }
            case Unit::text: {
                std::string ignored;
                return store(ignored);
            }
            case Unit::count: {
                std::size_t ignored = 0;
                return store(ignored);
            }
            case Unit::milliseconds:
            case Unit::seconds: {
                Duration ignored{0};
                return store(ignored);
            }
        }
        return std::nullopt;
    }

    [[nodiscard]] Refusal store(bool& field) const {
        const std::optional<bool> flag = flag_of(value_);
        if (!flag) {
            return "must be true or false";
        }
        field = *flag;
        return std::nullopt;
    }

    template <std::integral Number>
    [[nodiscard]] Refusal store(Number& field) const {
        const std::int64_t* number = std::get_if<std::int64_t>(&value_);
        if (number == nullptr || !is_in_range(setting_, *number)) {
            return "must be a whole number, " + range_of(setting_);
        }
        field = static_cast<Number>(*number);
        return std::nullopt;
    }

    [[nodiscard]] Refusal store(Duration& field) const {
        const std::optional<Duration> duration = duration_of(value_, unit_);
        if (!duration || !is_in_range(setting_, duration->count())) {
            return fmt::format(
                "must be {} or an ISO 8601 duration such as \"PT10S\", {}",
                unit_ == Unit::seconds ? "seconds" : "milliseconds",
                duration_range_of(setting_)
            );
        }
        field = *duration;
        return std::nullopt;
    }

    [[nodiscard]] Refusal store(std::string& field) const {
        const std::string* text = std::get_if<std::string>(&value_);
        if (text == nullptr) {
            return "must be a text";
        }
        if (static_cast<std::uint64_t>(setting_.most) < text->size()) {
            return fmt::format("must have at most {} characters", setting_.most);
        }
        if (setting_.problem_of_text != nullptr) {
            if (std::string problem = setting_.problem_of_text(*text); !problem.empty()) {
                return problem;
            }
        }
        field = *text;
        return std::nullopt;
    }

    [[nodiscard]] Refusal store(std::vector<std::string>& field) const {
        std::string text;
        if (const Refusal refusal = store(text)) {
            return refusal;
        }
        field.clear();
        if (!text.empty()) {
            for (const auto part : std::views::split(text, ',')) {
                field.emplace_back(part.begin(), part.end());
            }
        }
        return std::nullopt;
    }

    [[nodiscard]] Refusal store(schema::LogLevel& field) const {
        return store_named(field, log_level_named(name()), "must be debug, info, warn or error");
    }

    [[nodiscard]] Refusal store(schema::JobLogLevel& field) const {
        return store_named(
            field, schema::job_log_level_of(name()), "must be none, failures or full"
        );
    }

    [[nodiscard]] Refusal store(schema::LockGranularity& field) const {
        return store_named(field, schema::lock_granularity_of(name()), "must be row or page");
    }

    [[nodiscard]] Refusal store(LogFormat& field) const {
        return store_named(field, log_format_named(name()), "must be text or json");
    }

    template <typename Value>
    [[nodiscard]] static Refusal
    store_named(Value& field, std::optional<Value> value, const char* refusal) {
        if (!value) {
            return refusal;
        }
        field = *value;
        return std::nullopt;
    }

    [[nodiscard]] std::string_view name() const {
        const std::string* text = std::get_if<std::string>(&value_);
        return text == nullptr ? std::string_view{} : std::string_view(*text);
    }

    Settings& settings_;
    const Setting& setting_;
    const Unit unit_;
    const SettingValue& value_;
};

}  // namespace

std::optional<std::string>
assign(Settings& settings, const Setting& setting, Unit unit, const SettingValue& value) {
    return Assignment(settings, setting, unit, value).run();
}

std::string text_of(const Settings& settings, const Setting& setting) {
    // The accessors lead to the field for writing too; this one only reads.
    Settings copy = settings;
    return std::visit(
        Overloaded{
            [](std::monostate) { return std::string(); },
            [&copy](bool& (*field)(Settings&)) {
                return std::string(field(copy) ? "true" : "false");
            },
            [&copy](std::integral auto& (*field)(Settings&)) {
                return std::to_string(field(copy));
            },
            [&copy](Duration& (*field)(Settings&)) { return schema::format_duration(field(copy)); },
            [&copy](std::string& (*field)(Settings&)) { return field(copy); },
            [&copy](std::vector<std::string>& (*field)(Settings&)) {
                return fmt::format("{}", fmt::join(field(copy), ","));
            },
            [&copy](auto& (*field)(Settings&)) { return std::string(name_of(field(copy))); },
        },
        setting.field
    );
}

std::string legal_values_of(const Setting& setting) {
    switch (setting.unit) {
        case Unit::flag:
            return "true, false";
        case Unit::text:
            return "text";
        case Unit::count:
            return range_of(setting);
        case Unit::milliseconds:
            return "ms or ISO 8601, " + duration_range_of(setting);
        case Unit::seconds:
            return "s or ISO 8601, " + duration_range_of(setting);
    }
    return {};
}

std::string text_of(const SettingValue& value) {
    return std::visit(
        Overloaded{
            [](bool flag) { return std::string(flag ? "true" : "false"); },
            [](const std::string& text) { return '"' + printable(text) + '"'; },
            [](auto number) { return fmt::format("{}", number); },
        },
        value
    );
}

namespace {

constexpr std::string_view kAny = "*";

constexpr std::string_view kDeployments =
    "list the definitions whose code a process has in enabledDefinitions";
constexpr std::string_view kMetrics =
    "metrics are served at `/metrics`, not written to the database";
constexpr std::string_view kHistory = "history jobs are not there yet";
constexpr std::string_view kBackoff = "two nodes never conflict over a job, so none backs off";
constexpr std::string_view kGlobalLock = "acquisition needs no global lock";

constexpr std::array kAbsentSettings{
    AbsentSetting{"jobExecutorDeploymentAware", "false", kDeployments},
    AbsentSetting{"ensureJobDueDateNotNull", kAny, "jobs without a due date are found anyway"},
    AbsentSetting{"legacyJobRetryBehaviorEnabled", "false", "retries follow the current rules"},
    AbsentSetting{"reevaluateTimeCycleWhenDue", "false", "`series reschedule` changes a series"},
    AbsentSetting{"acquireTriggersWithinLock", kAny, kGlobalLock},
    AbsentSetting{"waitIncreaseFactor", "2", "the idle wait is a sixteenth of the idle time"},
    AbsentSetting{"backoffTimeInMillis", "0", kBackoff},
    AbsentSetting{"maxBackoff", "0", kBackoff},
    AbsentSetting{"backoffDecreaseThreshold", kAny, kBackoff},
    AbsentSetting{"hintJobExecutor", "true", "new jobs always wake the acquisition"},
    AbsentSetting{"globalAcquireLockEnabled", "false", kGlobalLock},
    AbsentSetting{"asyncExecutorGlobalAcquireLockEnabled", "false", kGlobalLock},
    AbsentSetting{"moveTimerExecutorPoolSize", kAny, "timers are moved by one thread, in pages"},
    AbsentSetting{"asyncExecutorMoveTimerExecutorPoolSize", kAny, "timers are moved in pages"},
    AbsentSetting{"unlockOwnedJobs", "true", "a stopping service always frees its jobs"},
    AbsentSetting{"asyncExecutorUnlockOwnedJobs", "true", "a stopping service frees its jobs"},
    AbsentSetting{"asyncExecutorMessageQueueMode", "false", "jobs are always taken from the table"},
    AbsentSetting{"jobExecutionScope", "all", "there is one scope"},
    AbsentSetting{"asyncHistoryExecutorActivate", "false", kHistory},
    AbsentSetting{"metricsEnabled", "false", kMetrics},
    AbsentSetting{"dbMetricsReporterActivate", "false", kMetrics},
};

}  // namespace

std::span<const AbsentSetting> absent_settings() {
    return kAbsentSettings;
}

std::vector<const Setting*> all_settings() {
    std::vector<const Setting*> all;
    for (const auto rows :
         {service_settings(),
          executor_settings(),
          order_settings(),
          scope_settings(),
          history_settings()}) {
        for (const Setting& setting : rows) {
            all.push_back(&setting);
        }
    }
    return all;
}

NamedSetting find_setting(std::string_view name) {
    for (const Setting* setting : all_settings()) {
        if (setting->name == name) {
            return {.setting = setting, .unit = setting->unit};
        }
        for (const Alias& alias : setting->aliases) {
            if (!alias.name.empty() && alias.name == name) {
                return {.setting = setting, .unit = alias.unit.value_or(setting->unit)};
            }
        }
    }
    return {};
}

const AbsentSetting* find_absent_setting(std::string_view name) {
    const auto rows = absent_settings();
    const auto found = std::find_if(rows.begin(), rows.end(), [name](const AbsentSetting& absent) {
        return absent.name == name;
    });
    return found == rows.end() ? nullptr : &*found;
}

std::vector<std::string_view> known_names() {
    std::vector<std::string_view> names{
        kPresetName, kCommandsName, kTargetsName, kDefinitionsName, kRequeuesName};
    for (const Setting* setting : all_settings()) {
        names.push_back(setting->name);
        for (const Alias& alias : setting->aliases) {
            if (!alias.name.empty()) {
                names.push_back(alias.name);
            }
        }
    }
    for (const AbsentSetting& absent : absent_settings()) {
        names.push_back(absent.name);
    }
    return names;
}

}  // namespace jobstrand::cli
