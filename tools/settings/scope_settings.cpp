#include "tools/settings/setting_table.hpp"

namespace jobstrand::cli {

namespace {

template <auto Member>
[[nodiscard]] auto& in_scope(Settings& settings) {
    return settings.executor.scope.*Member;
}

template <auto Member>
[[nodiscard]] auto& in_priorities(Settings& settings) {
    return settings.executor.scope.priorities.*Member;
}

/// A hundred names of 255 characters.
constexpr std::int64_t kListLength = 25'600;

constexpr std::array kScopeSettings{
    Setting{
        .name = "priorityRangeMin",
        .field = &in_priorities<&schema::PriorityRange::least>,
        .least = schema::PriorityRange{}.least,
        .meaning = "Jobs of a lower priority are left to other processes. "
                   "`jobstrand stats` tells of jobs that no process takes.",
        .aliases = {{{"jobExecutorPriorityRangeMin"}}},
    },
    Setting{
        .name = "priorityRangeMax",
        .field = &in_priorities<&schema::PriorityRange::most>,
        .least = schema::PriorityRange{}.least,
        .meaning = "Likewise those of a higher one.",
        .aliases = {{{"jobExecutorPriorityRangeMax"}}},
    },
    Setting{
        .name = "enabledJobCategories",
        .unit = Unit::text,
        .field = &in_scope<&schema::ServedScope::categories>,
        .most = kListLength,
        .meaning =
            "Only jobs of these categories are taken, and all others left to other "
            "processes: a list such as `[\"mail\", \"\"]`, in which the empty name stands for "
            "jobs without a category. Nothing: all. A name cannot have a comma.",
    },
    Setting{
        .name = "enabledTenants",
        .unit = Unit::text,
        .field = &in_scope<&schema::ServedScope::tenants>,
        .most = kListLength,
        .meaning = "The same with tenants.",
        .aliases = {{{"asyncExecutorTenantId", Unit::text}}},
    },
    Setting{
        .name = "enabledDefinitions",
        .unit = Unit::text,
        .field = &in_scope<&schema::ServedScope::definitions>,
        .most = kListLength,
        .meaning = "The same with process definitions, by their ids. This is how a process is "
                   "aware of deployments: list the definitions whose code it has, and the empty "
                   "name.",
    },
};

}  // namespace

std::span<const Setting> scope_settings() {
    return kScopeSettings;
}

}  // namespace jobstrand::cli
