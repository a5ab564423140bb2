#include "tools/jobstrand/commands/job/field_options.hpp"
#include "tools/jobstrand/commands/job/job_filter_options.hpp"
#include "tools/jobstrand/commands/option_values.hpp"
#include "tools/jobstrand/exit_code.hpp"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <vector>

namespace jobstrand::cli {

namespace {

using persistence::FieldCondition;
using Match = FieldCondition::Match;

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
    }
}

/// Due dates lie ahead, as a rule; all else that has a time has happened.
[[nodiscard]] timers::Toward direction_of(const schema::JobField& field) {
    return field.is_about(&schema::Job::due_date) ? timers::Toward::ahead : timers::Toward::behind;
}

[[nodiscard]] FieldCondition condition_of(Session& session, const TypedCondition& typed) {
    FieldCondition condition{.member = typed.field->member, .match = typed.match, .value = {}};
    if (typed.field->filter_by == schema::FieldFilter::period) {
        condition.value = time_of(session, typed.option, *typed.text, direction_of(*typed.field));
    } else {
        condition.value = not_empty(typed.option, *typed.text);
    }
    return condition;
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

std::vector<TypedCondition> filter_conditions() {
    std::vector<TypedCondition> conditions;
    for (const TypedField& typed : fields_with(&schema::JobField::filter)) {
        append(conditions, typed);
    }
    return conditions;
}

persistence::JobFilter filter_of(Session& session, const JobFilterOptions& options) {
    persistence::JobFilter filter;
    for (const TypedCondition& typed : options.fields) {
        if (typed.text) {
            filter.fields.push_back(condition_of(session, typed));
        }
    }
    filter.locked = one_of({"--locked", options.locked}, {"--free", options.free});
    filter.failed = one_of(
        {"--with-exception", options.with_exception},
        {"--without-exception", options.without_exception}
    );
    return filter;
}

}  // namespace jobstrand::cli
