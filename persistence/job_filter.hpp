#pragma once

#include "schema/job_fields.hpp"
#include "schema/time.hpp"

#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace jobstrand::persistence {

/// One thing that is asked of a field of a job. Jobs of a place without such a column never match.
struct FieldCondition {
    enum class Match { equal, part, before, after };

    schema::JobMember member;
    Match match = Match::equal;
    std::variant<std::string, schema::TimePoint> value;  ///< A time for `before` and `after`.

    bool operator==(const FieldCondition&) const = default;
};

[[nodiscard]] inline FieldCondition equals(std::string schema::Job::*member, std::string text) {
    return {member, FieldCondition::Match::equal, std::move(text)};
}

/// Case counts.
[[nodiscard]] inline FieldCondition contains(std::string schema::Job::*member, std::string part) {
    return {member, FieldCondition::Match::part, std::move(part)};
}

using TimeMember = std::optional<schema::TimePoint> schema::Job::*;

[[nodiscard]] inline FieldCondition is_before(TimeMember member, schema::TimePoint time) {
    return {member, FieldCondition::Match::before, time};
}

[[nodiscard]] inline FieldCondition is_after(TimeMember member, schema::TimePoint time) {
    return {member, FieldCondition::Match::after, time};
}

/// Which jobs an operator means. All that is set must match; nothing set matches every job.
struct JobFilter {
    std::vector<std::string> ids = {};
    std::vector<FieldCondition> fields = {};
    /// Only in places that have locks; elsewhere nothing is locked.
    std::optional<bool> locked = {};

    [[nodiscard]] bool is_empty() const { return *this == JobFilter{}; }
    bool operator==(const JobFilter&) const = default;
};

}  // namespace jobstrand::persistence
