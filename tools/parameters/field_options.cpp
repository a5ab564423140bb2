#include "tools/parameters/field_options.hpp"

#include "schema/text/column_text.hpp"
#include "tools/parameters/option_values.hpp"
#include "tools/parameters/where_text.hpp"
#include "tools/process/exit_code.hpp"
#include "tools/text/terminal_text.hpp"
#include "tools/text/typing_errors.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace jobstrand::cli {

using persistence::FieldCondition;
using schema::FieldOption;
using schema::Job;
using schema::JobChange;
using schema::JobField;

namespace {

/// Reads a text: a visitor for the types of members.
struct ReadMember {
    Session& session;
    const TypedField& typed;

    [[nodiscard]] std::string option() const { return name_of(*typed.option); }

    [[nodiscard]] std::int64_t number(std::int64_t least, std::int64_t most) const {
        const JobField& field = *typed.field;
        return whole_number(
            option(),
            *typed.text,
            std::max(least, typed.option->least.value_or(field.least)),
            std::min(most, field.most)
        );
    }

    [[nodiscard]] std::string names() const {
        const auto list = schema::joined_names(typed.texts);
        if (!list) {
            throw WrongUsage("{} {}", option(), list.error().message);
        }
        return list.value();
    }

    JobChange operator()(std::string Job::*member) const {
        if (typed.field->is_list()) {
            return set_to(member, names());
        }
        const bool is_payload = typed.field->is_about(&Job::payload);
        return set_to(
            member, is_payload ? payload_of(session, *typed.text) : not_empty(option(), *typed.text)
        );
    }
    JobChange operator()(int Job::*member) const {
        using Limits = std::numeric_limits<int>;
        return set_to(member, static_cast<int>(number(Limits::min(), Limits::max())));
    }
    JobChange operator()(std::int64_t Job::*member) const {
        using Limits = std::numeric_limits<std::int64_t>;
        return set_to(member, number(Limits::min(), Limits::max()));
    }
    JobChange operator()(bool Job::*member) const { return set_to(member, !(Job{}.*member)); }
    JobChange operator()(std::optional<schema::TimePoint> Job::*member) const {
        return set_to(member, time_of(session, option(), *typed.text, timers::Toward::ahead));
    }
};

[[nodiscard]] ParameterKind kind_of(const TypedField& typed) {
    const bool is_text = std::holds_alternative<std::string Job::*>(typed.field->member) ||
                         typed.field->is_about(&Job::due_date);
    return typed.field->is_list()       ? ParameterKind::repeated
           : typed.option->unit.empty() ? ParameterKind::flag
           : is_text                    ? ParameterKind::text
                                        : ParameterKind::number;
}

}  // namespace

TypedFields fields_with(FieldOption JobField::*kind) {
    TypedFields fields;
    for (const JobField& field : schema::job_fields()) {
        if ((field.*kind).is_there()) {
            fields.push_back({.field = &field, .option = &(field.*kind)});
        }
    }
    std::ranges::stable_sort(fields, {}, [](const TypedField& typed) {
        return typed.option->rank;
    });
    return fields;
}

Parameters<TypedFields> field_parameters(FieldOption JobField::*kind) {
    Parameters<TypedFields> all;
    const TypedFields fields = fields_with(kind);
    for (std::size_t i = 0; i < fields.size(); ++i) {
        const FieldOption& option = *fields[i].option;
        const auto keep = [i](TypedFields& typed, const auto& texts, const auto&...) {
            typed[i].texts.assign(texts.begin(), texts.end());
            typed[i].text = texts.back();
        };
        all.push_back(
            {std::string(option.flags),
             {kind_of(fields[i]), keep},
             std::string(option.meaning),
             {.unit = std::string(option.unit)}}
        );
    }
    return all;
}

std::string name_of(const FieldOption& option) {
    return std::string(option.flags.substr(0, option.flags.find(',')));
}

std::string names_of(const TypedFields& fields) {
    std::string names;
    for (std::size_t i = 0; i < fields.size(); ++i) {
        names += i == 0 ? "" : i + 1 == fields.size() ? " or " : ", ";
        names += name_of(*fields[i].option);
    }
    return names;
}

bool is_given(const TypedFields& fields, const schema::JobMember& member) {
    return std::ranges::any_of(fields, [&member](const TypedField& typed) {
        return typed.text && typed.field->is_about(member);
    });
}

JobChange change_of(Session& session, const TypedField& typed) {
    return std::visit(ReadMember{session, typed}, typed.field->member);
}

namespace {

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
        throw WrongUsage("{} may be given once", typed.option);
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
    throw WrongUsage(
        "--without must be one of {}, not {}",
        fmt::join(fields_without(), ", "),
        quoted_if_needed(name)
    );
}

struct TypedFlag {
    const char* name;
    bool is_given;
};

/// What a flag and its opposite say; nullopt: neither was given.
[[nodiscard]] std::optional<bool> one_of(const TypedFlag& yes, const TypedFlag& no) {
    if (yes.is_given && no.is_given) {
        throw WrongUsage("{} and {} exclude each other", yes.name, no.name);
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

std::vector<std::string_view> fields_without() {
    std::vector<std::string_view> names;
    for (const TypedField& typed : fields_with(&schema::JobField::filter)) {
        if (may_be_absent(*typed.field)) {
            names.push_back(bare_name(*typed.field));
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
            throw WrongUsage("--where is wrong " + with_mark(text, term.error()));
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
