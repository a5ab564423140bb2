#include "tools/service/api/job_list_query.hpp"

#include "timers/zone/spoken_time.hpp"
#include "tools/parameters/job_filter_options.hpp"
#include "tools/parameters/job_order.hpp"
#include "tools/parameters/where_text.hpp"
#include "tools/records/done_json.hpp"
#include "tools/text/marked_text.hpp"
#include "tools/text/percent.hpp"
#include "tools/text/printable.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace jobstrand::service {

namespace {

using cli::TypedCondition;
using persistence::FieldCondition;

/// Jobs of one page.
constexpr std::size_t kPageMax = 10'000;

/// Jobs of a sorted list that were seen.
constexpr std::size_t kSkippedMax = 2'147'483'647;

constexpr std::string_view kAllPlaces = "all";

/// `--created-before` is `created-before` here.
[[nodiscard]] std::string_view name_of(const TypedCondition& condition) {
    return std::string_view(condition.option).substr(2);
}

/// Each returns what is wrong; empty: nothing.
class QueryReading {
public:
    explicit QueryReading(schema::TimePoint now) : now_(now) {}

    [[nodiscard]] std::string read(const std::string& name, const std::string& value) {
        if (value.empty()) {
            return "must not be empty";
        }
        if (name == "place") {
            return read_place(value);
        }
        if (name == "limit") {
            return read_limit(value);
        }
        if (name == "after") {
            query.after = value;
            return {};
        }
        if (name == "sort" || name == "order" || name == "skip") {
            return read_order(name, value);
        }
        if (name == "locked" || name == "free") {
            return read_word(query.filter.locked, value, name == "locked");
        }
        if (name == "with-exception" || name == "without-exception") {
            return read_word(query.filter.failed, value, name == "with-exception");
        }
        if (name == "without") {
            return read_absence(value);
        }
        if (name == "where") {
            return read_where(value);
        }
        if (name == "soon") {
            query.rows = value == "true" ? std::optional(deadletter::kRowsSoon) : std::nullopt;
            return value == "true" || value == "false" ? "" : "must be true or false";
        }
        return read_condition(name, value);
    }

    /// What does not go together; empty: all does.
    [[nodiscard]] std::string problem() const {
        if (!query.order) {
            return {};
        }
        if (!is_sorted_) {
            return "order and skip go with sort";
        }
        if (query.places.size() != 1 || (query.order->skipped > 0 && !query.after.empty())) {
            return "sort is for one place, and goes on with after or skip";
        }
        return !query.after.empty() && !behind() ? "with sort, after must be what a page has said"
                                                 : "";
    }

    /// What was read. Precondition: there is no problem.
    [[nodiscard]] deadletter::JobQuery result() {
        if (query.order && !query.after.empty()) {
            query.order->behind = behind();
            query.after.clear();
        }
        return std::move(query);
    }

    deadletter::JobQuery query{.places = {schema::JobPlace::executable}};

private:
    [[nodiscard]] std::optional<schema::Job> behind() const {
        return cli::job_marked(query.after, query.order->by);
    }

    [[nodiscard]] static std::string
    read_word(std::optional<bool>& word, const std::string& value, bool means) {
        word = (value == "true") == means;
        return value == "true" || value == "false" ? "" : "must be true or false";
    }

    [[nodiscard]] std::string read_order(const std::string& name, const std::string& value) {
        deadletter::JobOrder& order = query.order ? *query.order : query.order.emplace();
        if (name == "sort") {
            const auto by = cli::sort_named(value);
            order.by = by.value_or(order.by);
            is_sorted_ = true;
            return by ? "" : "must be " + cli::sort_names();
        }
        if (name == "order") {
            order.is_descending = value == "desc";
            return value == "asc" || value == "desc" ? "" : "must be asc or desc";
        }
        const char* const end = value.data() + value.size();
        const auto [stop, error] = std::from_chars(value.data(), end, order.skipped);
        const bool is_good = error == std::errc{} && stop == end && order.skipped <= kSkippedMax;
        return is_good ? "" : fmt::format("must be a whole number, 0 to {}", kSkippedMax);
    }

    [[nodiscard]] std::string read_place(const std::string& value) {
        if (value == kAllPlaces) {
            query.places = {schema::kJobPlaces.begin(), schema::kJobPlaces.end()};
            return {};
        }
        if (value == cli::kDonePlace) {
            query.places.clear();
            return {};
        }
        const auto place = schema::place_named(value);
        if (!place) {
            return "must be executable, timer, suspended, dead, external, all or done";
        }
        query.places = {*place};
        return {};
    }

    [[nodiscard]] std::string read_limit(const std::string& value) {
        const char* const end = value.data() + value.size();
        const auto [stop, error] = std::from_chars(value.data(), end, query.limit);
        const bool is_good =
            error == std::errc{} && stop == end && query.limit >= 1 && query.limit <= kPageMax;
        return is_good ? "" : fmt::format("must be a whole number, 1 to {}", kPageMax);
    }

    [[nodiscard]] std::string read_condition(const std::string& name, const std::string& value) {
        const std::vector<TypedCondition> known = cli::filter_conditions();
        const auto found = std::ranges::find(known, name, name_of);
        if (found == known.end()) {
            std::string names =
                "place, limit, after, sort, order, skip, soon, locked, with-exception, without, "
                "where";
            for (const TypedCondition& condition : known) {
                names += fmt::format(", {}", name_of(condition));
            }
            return "is not known here; there are " + names;
        }
        FieldCondition condition{
            .member = found->field->member, .match = found->match, .value = value};
        if (found->field->filter_by == schema::FieldFilter::period) {
            const auto time = time_of(*found, value);
            if (!time) {
                return "must be a time, such as 2026-11-20T10:15:30Z or 2h ago";
            }
            condition.value = *time;
        } else if (found->field->filter_by == schema::FieldFilter::range) {
            const auto number = number_in(value);
            if (!number) {
                return "must be a whole number";
            }
            condition.value = *number;
        } else if (condition.match == FieldCondition::Match::equal) {
            return add_text(found->field->member, value);
        }
        query.filter.fields.push_back(std::move(condition));
        return {};
    }

    /// A text that is named again is one more of which one is enough.
    [[nodiscard]] std::string add_text(const schema::JobMember& member, const std::string& value) {
        for (FieldCondition& known : query.filter.fields) {
            if (known.member == member && known.match == FieldCondition::Match::one_of) {
                std::get<FieldCondition::Texts>(known.value).push_back(value);
                return {};
            }
        }
        query.filter.fields.push_back(
            {member, FieldCondition::Match::one_of, FieldCondition::Texts{value}}
        );
        return {};
    }

    [[nodiscard]] std::string read_absence(const std::string& name) {
        const auto member = cli::field_without(name);
        if (!member) {
            return "must be one of " + cli::names_of_fields_without();
        }
        query.filter.fields.push_back(persistence::is_absent(*member));
        return {};
    }

    [[nodiscard]] std::string read_where(const std::string& text) {
        const auto term = cli::parse_where(text, [&] { return now_; });
        if (!term) {
            return "is wrong " + cli::with_place(text, term.error());
        }
        query.filter.where.push_back(term.value());
        return {};
    }

    [[nodiscard]] static std::optional<std::int64_t> number_in(const std::string& text) {
        std::int64_t number = 0;
        const char* const end = text.data() + text.size();
        const auto [stop, error] = std::from_chars(text.data(), end, number);
        return error == std::errc{} && stop == end ? std::optional(number) : std::nullopt;
    }

    [[nodiscard]] std::optional<schema::TimePoint>
    time_of(const TypedCondition& condition, const std::string& text) const {
        const auto spoken = timers::parse_spoken_time(text);
        const bool is_ahead = condition.field->is_about(&schema::Job::due_date);
        return spoken ? spoken.value().at(
                            timers::Zone::utc(),
                            now_,
                            is_ahead ? timers::Toward::ahead : timers::Toward::behind
                        )
                      : std::nullopt;
    }

    const schema::TimePoint now_;
    bool is_sorted_ = false;
};

}  // namespace

schema::ParseResult<deadletter::JobQuery>
job_query_of(std::string_view query, schema::TimePoint now) {
    const auto items = query_items(query);
    if (!items) {
        return schema::ParseError{"the query has a bad escape, or is not UTF-8"};
    }
    QueryReading reading(now);
    for (const auto& [name, value] : *items) {
        if (const std::string problem = reading.read(name, value); !problem.empty()) {
            return schema::ParseError{fmt::format("{} {}", cli::printable(name), problem)};
        }
    }
    if (std::string problem = reading.problem(); !problem.empty()) {
        return schema::ParseError{std::move(problem)};
    }
    return reading.result();
}

}  // namespace jobstrand::service
