#include "tools/settings/setting_table.hpp"

#include <algorithm>

namespace jobstrand::cli {

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
                return {.setting = setting, .unit = alias.unit};
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
