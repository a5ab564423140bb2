#pragma once

#include "schema/job_fields.hpp"
#include "schema/time.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace jobstrand::persistence {

/// One thing that is asked of a field of a job. Jobs of a place without such a column never match.
struct FieldCondition {
    enum class Match {
        equal,
        part,
        start,
        end,
        one_of,
        like_one_of,  ///< As one_of; a text that ends in * is the beginning.
        absent,       ///< Without a value; a text is empty.
        before,       ///< A time; of a number, it is less.
        after,        ///< A time.
        above,        ///< A number.
        not_below,    ///< A number.
        not_above,    ///< A number.
    };
    using Texts = std::vector<std::string>;

    schema::JobMember member;
    Match match = Match::equal;
    std::variant<std::string, schema::TimePoint, std::int64_t, Texts> value = {};

    bool operator==(const FieldCondition&) const = default;
};

[[nodiscard]] inline FieldCondition equals(std::string schema::Job::*member, std::string text) {
    return {member, FieldCondition::Match::equal, std::move(text)};
}

/// Case counts.
[[nodiscard]] inline FieldCondition contains(std::string schema::Job::*member, std::string part) {
    return {member, FieldCondition::Match::part, std::move(part)};
}

[[nodiscard]] inline FieldCondition
starts_with(std::string schema::Job::*member, std::string start) {
    return {member, FieldCondition::Match::start, std::move(start)};
}

/// Precondition: the end is not empty, and UTF-8.
[[nodiscard]] inline FieldCondition ends_with(std::string schema::Job::*member, std::string end) {
    return {member, FieldCondition::Match::end, std::move(end)};
}

/// Matches nothing without texts.
[[nodiscard]] inline FieldCondition
is_one_of(std::string schema::Job::*member, std::vector<std::string> texts) {
    return {member, FieldCondition::Match::one_of, std::move(texts)};
}

[[nodiscard]] inline FieldCondition
is_like_one_of(std::string schema::Job::*member, std::vector<std::string> texts) {
    return {member, FieldCondition::Match::like_one_of, std::move(texts)};
}

[[nodiscard]] inline FieldCondition is_absent(const schema::JobMember& member) {
    return {member, FieldCondition::Match::absent};
}

[[nodiscard]] inline FieldCondition is_above(int schema::Job::*member, std::int64_t number) {
    return {member, FieldCondition::Match::above, number};
}

[[nodiscard]] inline FieldCondition is_not_above(int schema::Job::*member, std::int64_t number) {
    return {member, FieldCondition::Match::not_above, number};
}

using TimeMember = std::optional<schema::TimePoint> schema::Job::*;

[[nodiscard]] inline FieldCondition is_before(TimeMember member, schema::TimePoint time) {
    return {member, FieldCondition::Match::before, time};
}

[[nodiscard]] inline FieldCondition is_after(TimeMember member, schema::TimePoint time) {
    return {member, FieldCondition::Match::after, time};
}

/// One thing that is asked of a part of the payload: of the text, number or truth value that stands
/// at a path. What the job does not have there never matches, nor does a payload that is no JSON.
struct PayloadCondition {
    using Match = FieldCondition::Match;

    std::vector<std::string> path;  ///< Names of members, and places in lists: `items`, `0`.
    Match match =
        Match::equal;  ///< A text: equal, start; a number: before, above, not_...; absent.
    std::variant<std::string, double> value = {};

    bool operator==(const PayloadCondition&) const = default;
};

/// What is asked of jobs with AND, OR and NOT. What a job does not have is unknown to no part of
/// it: `negated` matches whatever its part does not match.
struct JobTerm {
    enum class Kind { all, any, negated, field, payload, locked, failed };

    Kind kind = Kind::all;
    std::vector<JobTerm> parts = {};  ///< Of all, any, negated (one).
    std::variant<std::monostate, FieldCondition, PayloadCondition> leaf = {};

    bool operator==(const JobTerm&) const = default;
};

/// Whether the term or any part of it is of this kind.
[[nodiscard]] inline bool has_kind(const JobTerm& term, JobTerm::Kind kind) {
    return term.kind == kind || std::ranges::any_of(term.parts, [&](const JobTerm& part) {
               return has_kind(part, kind);
           });
}

/// Which jobs an operator means. All that is set must match; nothing set matches every job.
struct JobFilter {
    std::vector<std::string> ids = {};
    std::vector<FieldCondition> fields = {};
    /// Only in places that have locks; elsewhere nothing is locked.
    std::optional<bool> locked = {};
    /// Whether a failure is stored with it: a message, or details.
    std::optional<bool> failed = {};
    /// Leaves out what belongs to an engine of Flowable that shares the tables.
    bool only_ours = false;
    /// All of them must match. With one that asks for a part of the payload, jobs whose payload is
    /// too long for the table of the jobs (limits::kInlinePayloadLength) never match.
    std::vector<JobTerm> where = {};
    /// Jobs behind this id are not looked at; empty: all are.
    std::string up_to = {};

    [[nodiscard]] bool is_empty() const { return *this == JobFilter{}; }
    [[nodiscard]] bool asks_payload() const {
        return std::ranges::any_of(where, [](const JobTerm& term) {
            return has_kind(term, JobTerm::Kind::payload);
        });
    }
    bool operator==(const JobFilter&) const = default;
};

}  // namespace jobstrand::persistence
