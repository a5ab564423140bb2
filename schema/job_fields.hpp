#pragma once

#include "schema/job.hpp"
#include "schema/tables.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

/// The fields of a job, each listed once: from this list come the columns of the job tables, the
/// rows, the checks, the JSON, and the options of the commands. Who adds a member to Job adds a
/// field here.
namespace jobstrand::schema {

/// One alternative for each type that a member can have, so that no visitor forgets one.
using JobMember = std::variant<
    std::string Job::*,
    int Job::*,
    std::int64_t Job::*,
    bool Job::*,
    std::optional<TimePoint> Job::*>;

/// Stands for a rank behind all others. Equal ranks are in column order.
inline constexpr int kLast = 1'000;

/// An option of a command that is about one field.
struct FieldOption {
    std::string_view flags = {};    ///< `--type,--handler`; empty: there is no option.
    std::string_view meaning = {};  ///< For `--help`.
    /// What stands behind it, for `--help`; empty: nothing does, and to give the option says the
    /// opposite of what a new job has.
    std::string_view unit = {};
    int rank = kLast;  ///< Its place in `--help`.
    /// The least number that may be typed here, if it differs from the field's.
    std::optional<std::int64_t> least = {};

    [[nodiscard]] constexpr bool is_there() const { return !flags.empty(); }
};

/// How jobs can be asked for by a field, with its `filter` option.
enum class FieldFilter {
    equal,   ///< A text that is the same.
    part,    ///< A text that holds this one; case counts.
    period,  ///< A time: two options, whose flags end in `-before` and `-after`.
    range,   ///< A number: two options, whose flags end in `-min` and `-max`, both inclusive.
};

/// What the program knows of one field.
struct JobField {
    Column column = {};
    JobMember member = {};
    std::string_view name = {};  ///< In JSON, and in sentences about it.

    bool (*is_in)(JobPlace) = [](JobPlace) { return true; };  ///< Whose tables have the column.

    int json_rank = 0;         ///< Where it stands in a job in JSON; 0: it is not shown.
    bool is_settable = false;  ///< May be said of a new job.
    bool must_be_given = false;

    /// Of a text, or of each name of a list; 0: what the column takes.
    std::size_t most_characters = 0;
    /// The bounds of a number that comes from outside.
    std::int64_t least = std::numeric_limits<std::int64_t>::min();
    std::int64_t most = std::numeric_limits<std::int64_t>::max();

    FieldOption add = {};     ///< Of `job add`.
    FieldOption change = {};  ///< Of `job set`.
    FieldOption filter = {};  ///< Of the verbs that choose jobs.
    FieldFilter filter_by = FieldFilter::equal;

    /// Whether the text is a list of names (see schema/text/column_text.hpp).
    [[nodiscard]] constexpr bool is_list() const { return column.kind == ColumnKind::names; }
    [[nodiscard]] bool is_about(const JobMember& other) const { return member == other; }
};

/// Returns all fields in column order: Flowable's first, then ours.
[[nodiscard]] std::span<const JobField> job_fields();

/// The field of a member, such as `&Job::priority`.
[[nodiscard]] const JobField& field_of(const JobMember& member);

/// A new value for one member of a job.
template <typename Value>
struct MemberChange {
    Value Job::*member;
    Value value;

    bool operator==(const MemberChange&) const = default;
};

using JobChange = std::variant<
    MemberChange<std::string>,
    MemberChange<int>,
    MemberChange<std::int64_t>,
    MemberChange<bool>,
    MemberChange<std::optional<TimePoint>>>;

/// `set_to(&Job::retries, 5)`.
template <typename Value>
[[nodiscard]] JobChange set_to(Value Job::*member, std::type_identity_t<Value> value) {
    return MemberChange<Value>{member, std::move(value)};
}

[[nodiscard]] inline JobMember member_of(const JobChange& change) {
    return std::visit([](const auto& one) { return JobMember(one.member); }, change);
}

inline void carry_out(const JobChange& change, Job& job) {
    std::visit([&job](const auto& one) { job.*one.member = one.value; }, change);
}

}  // namespace jobstrand::schema
