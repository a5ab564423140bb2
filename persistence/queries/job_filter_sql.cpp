#include "persistence/queries/job_filter_sql.hpp"

#include "persistence/rows/engine_columns.hpp"
#include "persistence/sql/dialect.hpp"
#include "persistence/sql/statement_text.hpp"
#include "schema/concurrency.hpp"
#include "schema/limits.hpp"
#include "schema/text/utf8.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string_view>
#include <variant>

namespace jobstrand::persistence {

namespace {

constexpr std::string_view kEveryJob = "1 = 1";
constexpr std::string_view kNoJob = "1 = 0";
constexpr std::string_view kIsFailed =
    "(COALESCE(EXCEPTION_MSG_, '') <> '' OR EXCEPTION_STACK_ID_ IS NOT NULL)";
constexpr std::string_view kIsNotFailed =
    "COALESCE(EXCEPTION_MSG_, '') = '' AND EXCEPTION_STACK_ID_ IS NULL";
constexpr std::string_view kIsLocked =
    "LOCK_EXP_TIME_ IS NOT NULL AND COALESCE(LOCK_OWNER_, '') NOT IN (?, ?)";
constexpr std::string_view kIsFree = "(LOCK_EXP_TIME_ IS NULL OR LOCK_OWNER_ IN (?, ?))";
constexpr std::string_view kHasKnownPayload =
    "(COALESCE(HANDLER_CFG_, '') <> '' OR CUSTOM_VALUES_ID_ IS NULL)";

/// Each looks into all payloads that are read.
constexpr std::size_t kPayloadConditions = 20;

using Match = FieldCondition::Match;

std::string list_of(std::string_view column, const FieldCondition::Texts& texts) {
    std::string marks;
    for (std::size_t i = 0; i < texts.size(); ++i) {
        marks += i == 0 ? "?" : ", ?";
    }
    return texts.empty() ? "1 = 0" : fmt::format("{} IN ({})", column, marks);
}

[[nodiscard]] bool is_beginning(std::string_view text) {
    return text.ends_with('*');
}

std::string
alike(std::string_view column, const FieldCondition::Texts& texts, const Dialect& dialect) {
    std::string any = "1 = 0";
    for (const std::string& text : texts) {
        any += is_beginning(text) ? fmt::format(" OR {}({}, ?) = 1", dialect.position_in, column)
                                  : fmt::format(" OR {} = ?", column);
    }
    return fmt::format("({})", any);
}

std::string is_absent_in(std::string_view column, const schema::JobMember& member) {
    if (member == schema::JobMember{&schema::Job::scope_type}) {
        // To whoever asks in Flowable's words our mark is no scope.
        return fmt::format("COALESCE({}, '') IN ('', 'jobstrand')", column);
    }
    const bool is_text = std::holds_alternative<std::string schema::Job::*>(member);
    return fmt::format(fmt::runtime(is_text ? "COALESCE({}, '') = ''" : "{} IS NULL"), column);
}

std::string is_end_of(std::string_view column, std::string_view text, const Dialect& dialect) {
    const std::size_t length = schema::count_characters(text).value_or(text.size());
    const std::string end = fmt::format(fmt::runtime(dialect.last_characters), column, length);
    return fmt::format("{} = ?", end);
}

std::string text_of(const FieldCondition& asked, std::string_view column, const Dialect& dialect) {
    switch (asked.match) {
        case Match::equal:
            return fmt::format("{} = ?", column);
        case Match::part:
            return fmt::format("{}({}, ?) > 0", dialect.position_in, column);
        case Match::start:
            return fmt::format("{}({}, ?) = 1", dialect.position_in, column);
        case Match::end:
            return is_end_of(column, std::get<std::string>(asked.value), dialect);
        case Match::one_of:
            return list_of(column, std::get<FieldCondition::Texts>(asked.value));
        case Match::like_one_of:
            return alike(column, std::get<FieldCondition::Texts>(asked.value), dialect);
        case Match::absent:
            return is_absent_in(column, asked.member);
        case Match::before:
            return fmt::format("{} < ?", column);
        case Match::after:
        case Match::above:
            return fmt::format("{} > ?", column);
        case Match::not_below:
            return fmt::format("{} >= ?", column);
        case Match::not_above:
            return fmt::format("{} <= ?", column);
    }
    return {};
}

void add_values(std::vector<Value>& parameters, const FieldCondition& asked) {
    if (asked.match == Match::absent) {
        return;
    }
    if (const auto* const texts = std::get_if<FieldCondition::Texts>(&asked.value)) {
        const bool may_be_beginnings = asked.match == Match::like_one_of;
        for (const std::string_view text : *texts) {
            const bool is_cut = may_be_beginnings && is_beginning(text);
            parameters.emplace_back(text.substr(0, text.size() - (is_cut ? 1 : 0)));
        }
    } else if (const auto* const time = std::get_if<schema::TimePoint>(&asked.value)) {
        parameters.emplace_back(*time);
    } else if (const auto* const number = std::get_if<std::int64_t>(&asked.value)) {
        parameters.emplace_back(*number);
    } else {
        parameters.emplace_back(std::string_view(std::get<std::string>(asked.value)));
    }
}

[[nodiscard]] bool counts_in_list(std::string_view member) {
    return member.find_first_not_of("0123456789") == std::string_view::npos;
}

void add_lock_owners(std::vector<Value>& parameters) {
    parameters.emplace_back(schema::kWaitingOwner);
    parameters.emplace_back(schema::kLimitedOwner);
}

/// Whether no job can have such a text there, by which the database must not even be asked.
[[nodiscard]] bool cannot_be(const FieldCondition& asked, const Dialect& dialect) {
    const auto* const text = std::get_if<std::string>(&asked.value);
    const bool is_id = schema::field_of(asked.member).column.kind == schema::ColumnKind::id;
    return is_id && text != nullptr && dialect.can_hold_id != nullptr &&
           !dialect.can_hold_id(*text);
}

void add_field(
    Condition& condition,
    const FieldCondition& asked,
    schema::JobPlace place,
    const Dialect& dialect
) {
    const schema::JobField& field = schema::field_of(asked.member);
    if (!field.is_in(place) || cannot_be(asked, dialect)) {
        condition.sql += kNoJob;
        return;
    }
    condition.sql += text_of(asked, expression_for(field.column.name, dialect), dialect);
    add_values(condition.parameters, asked);
}

void add_locked(Condition& condition, bool is_locked, schema::JobPlace place) {
    if (schema::has_lock(place)) {
        condition.sql += is_locked ? kIsLocked : kIsFree;
        add_lock_owners(condition.parameters);
    } else {
        condition.sql += is_locked ? kNoJob : kEveryJob;
    }
}

/// Writes terms, whose parameters come in the order of their marks.
class TermWriter {
public:
    TermWriter(Condition& condition, schema::JobPlace place, const Dialect& dialect)
        : condition_(condition), place_(place), dialect_(dialect) {}

    /// Unknown, which is NULL, comes out of no negation.
    void write(const JobTerm& term) {
        switch (term.kind) {
            case JobTerm::Kind::all:
                write_joined(term.parts, " AND ", kEveryJob);
                break;
            case JobTerm::Kind::any:
                write_joined(term.parts, " OR ", kNoJob);
                break;
            case JobTerm::Kind::negated:
                condition_.sql += '(';
                write(term.parts.front());
                condition_.sql += ") IS NOT TRUE";
                break;
            case JobTerm::Kind::field:
                write_field(std::get<FieldCondition>(term.leaf));
                break;
            case JobTerm::Kind::payload:
                write_payload(std::get<PayloadCondition>(term.leaf));
                break;
            case JobTerm::Kind::locked:
                add_locked(condition_, true, place_);
                break;
            case JobTerm::Kind::failed:
                condition_.sql += kIsFailed;
                break;
        }
    }

    [[nodiscard]] std::size_t leaves() const { return leaves_; }
    [[nodiscard]] std::size_t payload_leaves() const { return payload_leaves_; }

private:
    void
    write_joined(const std::vector<JobTerm>& parts, std::string_view word, std::string_view none) {
        if (parts.empty()) {
            condition_.sql += none;
            return;
        }
        std::string_view between = "(";
        for (const JobTerm& part : parts) {
            condition_.sql += between;
            between = word;
            write(part);
        }
        condition_.sql += ')';
    }

    /// Where a place has no such column, nobody has a value.
    void write_field(const FieldCondition& asked) {
        ++leaves_;
        const bool is_there = schema::field_of(asked.member).is_in(place_);
        if (asked.match == Match::absent && !is_there) {
            condition_.sql += kEveryJob;
        } else {
            add_field(condition_, asked, place_, dialect_);
        }
    }

    /// What a payload that matches has in it as it stands, unless it has an escape. To look for
    /// that first is far cheaper than to read JSON.
    void write_first_look(const PayloadCondition& asked, std::string_view column) {
        const auto* const text = std::get_if<std::string>(&asked.value);
        const auto member = std::ranges::find_if_not(asked.path, counts_in_list);
        const std::string_view sought = text != nullptr              ? std::string_view(*text)
                                        : member != asked.path.end() ? std::string_view(*member)
                                                                     : std::string_view();
        if (asked.match != Match::absent && !sought.empty()) {
            condition_.sql += fmt::format(
                "({0}({1}, ?) > 0 OR {0}({1}, ?) > 0) AND ", dialect_.position_in, column
            );
            condition_.parameters.emplace_back(sought);
            condition_.parameters.emplace_back(std::string_view("\\"));
        }
    }

    void write_payload(const PayloadCondition& asked) {
        ++leaves_;
        ++payload_leaves_;
        const std::string_view column =
            schema::field_of(schema::JobMember{&schema::Job::payload}).column.name;
        write_first_look(asked, column);
        const bool is_number = std::holds_alternative<double>(asked.value);
        const bool is_absent = asked.match == Match::absent;
        const auto& at = is_absent   ? dialect_.json.kind_at
                         : is_number ? dialect_.json.number_at
                                     : dialect_.json.scalar_at;
        const std::string found = at(column);
        const auto path = std::make_shared<const std::string>(dialect_.json.path_of(asked.path));
        condition_.texts.push_back(path);
        condition_.sql += is_absent
                              ? fmt::format("COALESCE(LOWER({}), 'null') = 'null'", found)
                              : text_of({&schema::Job::payload, asked.match}, found, dialect_);
        condition_.parameters.insert(
            condition_.parameters.end(), count_placeholders(found), std::string_view(*path)
        );
        if (is_absent) {
            return;
        }
        if (is_number) {
            condition_.parameters.emplace_back(std::get<double>(asked.value));
        } else {
            condition_.parameters.emplace_back(std::string_view(std::get<std::string>(asked.value))
            );
        }
    }

    Condition& condition_;
    const schema::JobPlace place_;
    const Dialect& dialect_;
    std::size_t leaves_ = 0;
    std::size_t payload_leaves_ = 0;
};

/// No database takes a statement of any length, and each has other words for that.
void require_most(std::size_t count, std::size_t most, std::string_view what) {
    if (count > most) {
        throw std::invalid_argument(
            fmt::format("a filter has at most {} {}, not {}", most, what, count)
        );
    }
}

}  // namespace

Condition condition_of(const JobFilter& filter, schema::JobPlace place, const Dialect& dialect) {
    Condition condition{.sql = std::string(kEveryJob), .parameters = {}};
    for (const FieldCondition& asked : filter.fields) {
        condition.sql += " AND ";
        add_field(condition, asked, place, dialect);
    }
    TermWriter terms(condition, place, dialect);
    for (const JobTerm& term : filter.where) {
        condition.sql += " AND ";
        terms.write(term);
    }
    if (terms.payload_leaves() > 0) {
        condition.sql += fmt::format(" AND {}", kHasKnownPayload);
    }
    using schema::limits::kFilterConditions;
    require_most(filter.fields.size() + terms.leaves(), kFilterConditions, "conditions");
    require_most(terms.payload_leaves(), kPayloadConditions, "conditions on payloads");
    require_most(condition.parameters.size(), schema::limits::kFilterValues, "values");
    if (filter.locked) {
        condition.sql += " AND ";
        add_locked(condition, *filter.locked, place);
    }
    if (!filter.up_to.empty()) {
        condition.sql += " AND ID_ <= ?";
        condition.parameters.emplace_back(std::string_view(filter.up_to));
    }
    if (filter.failed) {
        condition.sql += fmt::format(" AND {}", *filter.failed ? kIsFailed : kIsNotFailed);
    }
    if (filter.only_ours) {
        condition.sql += fmt::format(" {}", and_ours(dialect));
    }
    return condition;
}

}  // namespace jobstrand::persistence
