#pragma once

#include "schema/job.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace jobstrand::schema {

/// The priorities that a node takes (R053), both ends included.
struct PriorityRange {
    std::int64_t least = std::numeric_limits<std::int64_t>::min();
    std::int64_t most = std::numeric_limits<std::int64_t>::max();

    [[nodiscard]] constexpr bool contains(std::int64_t priority) const {
        return least <= priority && priority <= most;
    }
    [[nodiscard]] constexpr bool is_all() const { return *this == PriorityRange{}; }

    bool operator==(const PriorityRange&) const = default;
};

/// Which jobs of its handler types a node takes, and leaves all others to other nodes (I7): of
/// these priorities (R053), and of each field one of the listed values, where any are listed
/// (R100, R102; Flowable's enabledJobCategories). The empty value stands for jobs without one.
struct ServedScope {
    PriorityRange priorities = {};
    std::vector<std::string> categories = {};
    std::vector<std::string> tenants = {};
    std::vector<std::string> definitions = {};

    [[nodiscard]] bool contains(const Job& job) const;
    [[nodiscard]] bool is_all() const { return *this == ServedScope{}; }

    bool operator==(const ServedScope&) const = default;
};

/// One of its lists.
struct ScopeList {
    std::string Job::*field;
    std::vector<std::string> ServedScope::*values;
};

inline constexpr std::array kScopeLists{
    ScopeList{&Job::category, &ServedScope::categories},
    ScopeList{&Job::tenant_id, &ServedScope::tenants},
    ScopeList{&Job::process_definition_id, &ServedScope::definitions},
};

inline bool ServedScope::contains(const Job& job) const {
    return priorities.contains(job.priority) &&
           std::ranges::all_of(kScopeLists, [&](const ScopeList& list) {
               const std::vector<std::string>& values = this->*list.values;
               return values.empty() || std::ranges::count(values, job.*list.field) > 0;
           });
}

}  // namespace jobstrand::schema
