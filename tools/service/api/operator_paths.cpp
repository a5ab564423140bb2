#include "tools/service/api/operator_paths.hpp"

#include "deadletter/job_search.hpp"
#include "schema/time.hpp"
#include "timers/zone/spoken_time.hpp"
#include "tools/access/narrowed_store.hpp"
#include "tools/parameters/field_options.hpp"
#include "tools/parameters/listing.hpp"
#include "tools/parameters/where_text.hpp"
#include "tools/records/job_json.hpp"
#include "tools/records/runs_json.hpp"
#include "tools/records/stats_json.hpp"
#include "tools/text/http_address.hpp"
#include "tools/text/json_text.hpp"
#include "tools/text/terminal_text.hpp"
#include "tools/text/typing_errors.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <variant>

namespace jobstrand::service {

using cli::TypedCondition;
using deadletter::PlaceCount;
using persistence::FieldCondition;

namespace {

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
            return fmt::format("must be one of {}", fmt::join(cli::fields_without(), ", "));
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

/// What stands behind the question mark of a list: `place`, `limit`, `after`, `locked`, and the
/// filters of `job ls` under the names of its options without the dashes (`type`,
/// `created-before`). Times are as the command line reads them, in UTC; `now` is the database's.
///
/// The place `done` is none of jobs: then the query names no place.
///
/// Throws std::invalid_argument, which names what is wrong, and for an unknown name all that there
/// are.
[[nodiscard]] deadletter::JobQuery job_query_of(const Request& request, schema::TimePoint now) {
    QueryReading reading(now);
    for (const auto& [name, value] : query_items_of(request)) {
        if (const std::string problem = reading.read(name, value); !problem.empty()) {
            throw std::invalid_argument(fmt::format("{} {}", cli::printable(name), problem));
        }
    }
    if (const std::string problem = reading.problem(); !problem.empty()) {
        throw std::invalid_argument(problem);
    }
    return reading.result();
}

[[nodiscard]] Response json_response(std::string body) {
    return {.status = 200, .body = std::move(body) + '\n'};
}

[[nodiscard]] std::string list_of(const std::vector<std::string>& items) {
    return fmt::format("[{}]", fmt::join(items, ","));
}

/// Jobs that are sorted by their type, which costs three times as much as to count them.
constexpr std::size_t kUnservedSoon = 2'000;

/// Where not all were counted, what is known of all takes its place.
void complete(std::vector<PlaceCount>& counts, const std::vector<PlaceCount>& known) {
    for (PlaceCount& count : counts) {
        const auto whole = std::ranges::find(known, count.place, &PlaceCount::place);
        if (count.looked_at && whole != known.end() && whole->jobs >= count.jobs) {
            count = *whole;
        }
    }
}

struct Stats {
    std::vector<PlaceCount> counts;
    cli::Record record;
};

[[nodiscard]] Stats stats_of(const ApiParts& api, const Scope& scope, bool is_soon) {
    NarrowedStore store(api.engine.store(), scope);
    auto counts = deadletter::JobSearch(store).count_places(
        is_soon ? std::optional(deadletter::kRowsSoon) : std::nullopt,
        scope.is_narrow() ? deadletter::Shown::some : deadletter::Shown::every
    );
    std::vector<persistence::UnservedJobs> unserved;
    if (!scope.is_narrow()) {
        const std::size_t most = is_soon ? kUnservedSoon : persistence::kAllRows;
        unserved = api.engine.served_store().unserved(api.engine.clock().now(), most);
        if (api.last_counts && std::ranges::any_of(counts, [](const PlaceCount& count) {
                return count.looked_at.has_value();
            })) {
            complete(counts, api.last_counts());
        }
    }
    cli::Record record = cli::record_of(counts, unserved);
    if (is_soon) {
        std::ranges::move(cli::record_of_bounds(counts), std::back_inserter(record));
    }
    return {.counts = std::move(counts), .record = std::move(record)};
}

/// `soon=true` or nothing; nullopt: something else.
[[nodiscard]] std::optional<bool> soon_in(const Request& request) {
    bool is_soon = false;
    for (const auto& [name, value] :
         query_items(request.query()).value_or(std::vector<QueryItem>{{"", ""}})) {
        if (name != "soon" || (value != "true" && value != "false")) {
            return std::nullopt;
        }
        is_soon = value == "true";
    }
    return is_soon;
}

/// Not what needs no bound, because its first rows are the page, nor what is for a narrow token:
/// where its page ends would name a job that the token may not see.
[[nodiscard]] bool is_bound_list(const deadletter::JobQuery& query, const Scope& scope) {
    const bool is_read_at_once = query.filter.is_empty() && !query.order;
    return query.rows && !query.filter.asks_payload() && !is_read_at_once && !scope.is_narrow();
}

[[nodiscard]] Response
list_done(const ApiParts& api, const Scope& scope, const deadletter::JobQuery& query) {
    const auto filter = cli::done_filter_of(query.filter);
    if (!filter) {
        return problem(400, "place=done goes with type, tenant, instance, after and limit");
    }
    const auto page =
        SeenRuns(api.engine.run_store(), scope).list(*filter, query.after, query.limit);
    std::vector<std::string> items;
    for (const FinishedRun& run : page.items) {
        items.push_back(json_of(cli::record_of(cli::done_fields(), run)));
    }
    const std::string after = page.has_more ? cli::json_string(page.items.back().id) : "null";
    return json_response(fmt::format(R"({{"items":{},"after":{}}})", list_of(items), after));
}

}  // namespace

Response list_jobs(const ApiParts& api, const Request& request) {
    deadletter::JobQuery asked = job_query_of(request, api.engine.clock().now());
    if (asked.places.empty()) {
        return list_done(api, request.scope, asked);
    }
    NarrowedStore store(api.engine.store(), request.scope);
    asked.patience = deadletter::kPatience;
    const deadletter::JobSearch search(store);
    const bool is_bound = is_bound_list(asked, request.scope);
    const deadletter::JobPage page = is_bound ? search.list_soon(asked) : search.list(asked);
    std::vector<std::string> items;
    for (const schema::PlacedJob& placed : page.items) {
        items.push_back(json_of(cli::record_of(placed)));
    }
    const schema::JobMember by = asked.order ? asked.order->by : &schema::Job::id;
    const schema::Job* const last = page.has_more       ? &page.items.back().job
                                    : page.looked_until ? &*page.looked_until
                                                        : nullptr;
    std::string answer = fmt::format(
        R"({{"items":{},"after":{})",
        list_of(items),
        last == nullptr ? "null" : cli::json_string(cli::mark_behind(*last, by))
    );
    if (asked.rows) {
        const bool is_of_some = is_bound && page.is_partial;
        answer += R"(,"lookedAt":)" + (is_of_some ? std::to_string(*asked.rows) : "null");
    }
    if (page.is_partial && !is_bound) {
        answer += R"(,"partial":true)";
    }
    return json_response(answer + "}");
}

SoonCounts soon_counts(const ApiParts& api, const Scope& scope) {
    Stats stats = stats_of(api, scope, true);
    return {.json = json_of(stats.record), .places = std::move(stats.counts)};
}

Response show_stats(const ApiParts& api, const Request& request) {
    const auto is_soon = soon_in(request);
    if (!is_soon) {
        return problem(400, "stats takes soon=true, and nothing else");
    }
    const schema::TimePoint now = api.engine.clock().now();
    persistence::NodeStore& nodes = api.engine.node_store();
    cli::Record record = stats_of(api, request.scope, *is_soon).record;
    if (!request.scope.is_narrow()) {
        std::ranges::move(
            cli::record_of(
                nodes.runs_of_last_minute(now),
                deadletter::external_topics(api.engine.watch_store(), nodes, now)
            ),
            std::back_inserter(record)
        );
    }
    return json_response(json_of(record));
}

Response wake_node(const ApiParts& api, const Request& /*request*/) {
    api.engine.wake();
    return {.status = 204, .body = {}};
}

}  // namespace jobstrand::service
