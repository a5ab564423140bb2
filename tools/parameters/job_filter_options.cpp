#include "tools/parameters/job_filter_options.hpp"

#include "tools/parameters/field_options.hpp"
#include "tools/parameters/job_filter_options.hpp"
#include "tools/parameters/option_values.hpp"
#include "tools/parameters/where_text.hpp"
#include "tools/process/exit_code.hpp"
#include "tools/text/marked_text.hpp"
#include "tools/text/terminal_text.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace jobstrand::cli {

namespace {

using persistence::FieldCondition;
using Match = FieldCondition::Match;

constexpr const char* kFilters = "Filters (all given ones must match)";

/// They take any number of texts, which are read where all of them are there.
[[nodiscard]] Parameters<JobFilterOptions> condition_parameters() {
    Parameters<JobFilterOptions> all;
    const std::vector<TypedCondition> conditions = filter_conditions();
    for (std::size_t i = 0; i < conditions.size(); ++i) {
        const auto keep = [i](JobFilterOptions& options, const auto& texts, const auto&...) {
            options.fields[i].texts = texts;
        };
        all.push_back(
            {conditions[i].flags,
             {ParameterKind::repeated, keep},
             conditions[i].meaning,
             {.unit = std::string(conditions[i].field->filter.unit), .heading = kFilters}}
        );
    }
    return all;
}

constexpr std::int64_t kLeastNumber = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kMostNumber = std::numeric_limits<std::int64_t>::max();

void append_period(
    std::vector<TypedCondition>& conditions,
    const schema::JobField& field,
    Match match,
    const char* word
) {
    const std::string option = fmt::format("{}-{}", name_of(field.filter), word);
    conditions.push_back(
        {&field, match, option, option, fmt::format("{} {} a date", field.filter.meaning, word)}
    );
}

void append_range(std::vector<TypedCondition>& conditions, const schema::JobField& field) {
    const auto append_end = [&](Match match, const char* end, const char* meaning) {
        const std::string option = fmt::format("{}-{}", name_of(field.filter), end);
        conditions.push_back(
            {&field, match, option, option, fmt::format("{} {}", field.filter.meaning, meaning)}
        );
    };
    append_end(Match::not_below, "min", "at least");
    append_end(Match::not_above, "max", "at most");
}

void append(std::vector<TypedCondition>& conditions, const TypedField& typed) {
    const schema::JobField& field = *typed.field;
    const std::string flags(typed.option->flags);
    const std::string option = name_of(*typed.option);
    const std::string meaning(typed.option->meaning);
    switch (field.filter_by) {
        case schema::FieldFilter::equal:
            conditions.push_back({&field, Match::equal, flags, option, meaning});
            break;
        case schema::FieldFilter::part:
            conditions.push_back({&field, Match::part, flags, option, meaning});
            break;
        case schema::FieldFilter::period:
            append_period(conditions, field, Match::before, "before");
            append_period(conditions, field, Match::after, "after");
            break;
        case schema::FieldFilter::range:
            append_range(conditions, field);
            break;
    }
}

/// Due dates lie ahead, as a rule; all else that has a time has happened.
[[nodiscard]] timers::Toward direction_of(const schema::JobField& field) {
    return field.is_about(&schema::Job::due_date) ? timers::Toward::ahead : timers::Toward::behind;
}

[[nodiscard]] FieldCondition condition_of(Session& session, const TypedCondition& typed) {
    FieldCondition condition{.member = typed.field->member, .match = typed.match, .value = {}};
    const bool may_be_several = typed.match == Match::equal;
    if (typed.texts.size() > 1 && !may_be_several) {
        throw CliError(ExitCode::wrong_usage, fmt::format("{} may be given once", typed.option));
    }
    const std::string& text = typed.texts.front();
    switch (typed.field->filter_by) {
        case schema::FieldFilter::period:
            condition.value = time_of(session, typed.option, text, direction_of(*typed.field));
            return condition;
        case schema::FieldFilter::range:
            condition.value = whole_number(typed.option, text, kLeastNumber, kMostNumber);
            return condition;
        case schema::FieldFilter::equal:
        case schema::FieldFilter::part:
            break;
    }
    for (const std::string& one : typed.texts) {
        (void)not_empty(typed.option, one);
    }
    if (typed.texts.size() > 1) {
        condition.match = Match::one_of;
        condition.value = typed.texts;
    } else {
        condition.value = text;
    }
    return condition;
}

/// The field as --without names it: as its option, without dashes.
[[nodiscard]] std::string_view bare_name(const schema::JobField& field) {
    const std::string_view flags = field.filter.flags;
    const std::string_view first = flags.substr(0, flags.find(','));
    return first.substr(2);
}

/// What every job has cannot be absent.
[[nodiscard]] bool may_be_absent(const schema::JobField& field) {
    return field.filter.is_there() && !field.must_be_given &&
           (std::holds_alternative<std::string schema::Job::*>(field.member) ||
            std::holds_alternative<std::optional<schema::TimePoint> schema::Job::*>(field.member));
}

[[nodiscard]] FieldCondition absence_of(const std::string& name) {
    if (const auto member = field_without(name)) {
        return persistence::is_absent(*member);
    }
    throw CliError(
        ExitCode::wrong_usage,
        fmt::format(
            "--without must be one of {}, not {}", names_of_fields_without(), quoted_if_needed(name)
        )
    );
}

struct TypedFlag {
    const char* name;
    bool is_given;
};

/// What a flag and its opposite say; nullopt: neither was given.
[[nodiscard]] std::optional<bool> one_of(const TypedFlag& yes, const TypedFlag& no) {
    if (yes.is_given && no.is_given) {
        throw CliError(
            ExitCode::wrong_usage, fmt::format("{} and {} exclude each other", yes.name, no.name)
        );
    }
    return yes.is_given || no.is_given ? std::optional(yes.is_given) : std::nullopt;
}

}  // namespace

const Parameters<JobFilterOptions>& job_filter_parameters() {
    static const Parameters<JobFilterOptions> all = [] {
        const auto keep_without = [](JobFilterOptions& options, const auto& texts, const auto&...) {
            options.without = texts;
        };
        const auto keep_where = [](JobFilterOptions& options, const auto& texts, const auto&...) {
            options.where = texts;
        };
        Parameters<JobFilterOptions> parameters = condition_parameters();
        parameters.push_back(
            {"--where",
             {ParameterKind::repeated, keep_where},
             "With AND, OR, NOT: 'type:mail OR payload.order:17'",
             {.unit = "TEXT", .heading = kFilters}}
        );
        parameters.push_back(
            {"--without",
             {ParameterKind::repeated, keep_without},
             "Without a value: tenant, due, ...",
             {.unit = "FIELD", .heading = kFilters}}
        );
        const ParameterRules flag{.heading = kFilters};
        const Parameters<JobFilterOptions> flags{
            {"--locked", &JobFilterOptions::locked, "Only jobs that a node holds", flag},
            {"--free", &JobFilterOptions::free, "Only jobs that no node holds", flag},
            {"--with-exception",
             &JobFilterOptions::with_exception,
             "Only jobs with a failure: of their last run",
             flag},
            {"--without-exception",
             &JobFilterOptions::without_exception,
             "Only jobs without one",
             flag},
        };
        return joined(parameters, flags);
    }();
    return all;
}

std::vector<TypedCondition> filter_conditions() {
    std::vector<TypedCondition> conditions;
    for (const TypedField& typed : fields_with(&schema::JobField::filter)) {
        append(conditions, typed);
    }
    return conditions;
}

std::optional<schema::JobMember> field_without(std::string_view name) {
    for (const TypedField& typed : fields_with(&schema::JobField::filter)) {
        if (may_be_absent(*typed.field) && bare_name(*typed.field) == name) {
            return typed.field->member;
        }
    }
    return std::nullopt;
}

std::string names_of_fields_without() {
    std::string names;
    for (const TypedField& typed : fields_with(&schema::JobField::filter)) {
        if (may_be_absent(*typed.field)) {
            names += fmt::format("{}{}", names.empty() ? "" : ", ", bare_name(*typed.field));
        }
    }
    return names;
}

persistence::JobFilter filter_of(Session& session, const JobFilterOptions& options) {
    persistence::JobFilter filter;
    for (const TypedCondition& typed : options.fields) {
        if (!typed.texts.empty()) {
            filter.fields.push_back(condition_of(session, typed));
        }
    }
    for (const std::string& name : options.without) {
        filter.fields.push_back(absence_of(name));
    }
    for (const std::string& text : options.where) {
        const auto term =
            parse_where(not_empty("--where", text), [&] { return session.database_now(); });
        if (!term) {
            throw CliError(
                ExitCode::wrong_usage, "--where is wrong " + with_mark(text, term.error())
            );
        }
        filter.where.push_back(term.value());
    }
    filter.locked = one_of({"--locked", options.locked}, {"--free", options.free});
    filter.failed = one_of(
        {"--with-exception", options.with_exception},
        {"--without-exception", options.without_exception}
    );
    return filter;
}

}  // namespace jobstrand::cli
