#include "tools/parameters/field_options.hpp"

#include "schema/text/name_list.hpp"
#include "tools/parameters/option_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace jobstrand::cli {

namespace {

using schema::FieldOption;
using schema::Job;
using schema::JobChange;
using schema::JobField;

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
            throw CliError(
                ExitCode::wrong_usage, fmt::format("{} {}", option(), list.error().message)
            );
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

}  // namespace jobstrand::cli
