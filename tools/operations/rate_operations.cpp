#include "persistence/run_store.hpp"
#include "schema/throughput.hpp"
#include "tools/operations/nouns.hpp"
#include "tools/records/stats_json.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace jobstrand::cli {

namespace {

using namespace std::chrono_literals;
using persistence::SpanSearch;
using persistence::SpanSums;
using schema::RunSums;

/// For so long the short spans are shown.
constexpr schema::Duration kShortSpansShown = 10min;

/// For so long there are minutes, less what may have been forgotten.
constexpr schema::Duration kMostShown = 24h;

struct RateOptions {
    std::optional<schema::Duration> last;
    std::optional<std::string> type;
};

void read_last(RateOptions& options, const std::string& text, const ParameterReading& reading) {
    options.last = read_duration(text, reading);
    if (*options.last <= 0s || *options.last > kMostShown) {
        refuse_parameter(reading, " must be more than 0, and at most 24h");
    }
}

[[nodiscard]] Parameters<RateOptions> last_parameter() {
    return {
        {"--last",
         {read_last, ParameterKind::duration},
         "How far back, at most 24h [1h]; up to 10m in spans of a second, else of a minute",
         {.unit = "DURATION"}},
    };
}

[[nodiscard]] Parameters<RateOptions> rate_parameters() {
    return joined(
        last_parameter(),
        {{"--type", &RateOptions::type, "Only of this handler type", {.unit = "TEXT"}}}
    );
}

/// Minutes are written when they are over: what is under way is taken from the short spans.
struct RateSearch {
    SpanSearch written;
    std::optional<SpanSearch> under_way = {};
};

[[nodiscard]] RateSearch search_for(schema::TimePoint now, const RateOptions& options) {
    const schema::Duration last = options.last.value_or(1h);
    SpanSearch search{
        .length = schema::kShortSpan, .from = now - last, .handler_type = options.type};
    if (last <= kShortSpansShown) {
        return {.written = search};
    }
    SpanSearch under_way = search;
    under_way.from = now - now.time_since_epoch() % schema::kLongSpan;
    search.length = schema::kLongSpan;
    search.until = under_way.from;
    return {.written = search, .under_way = under_way};
}

[[nodiscard]] std::vector<RatePoint> list_rates(Session& session, const RateOptions& options) {
    const RateSearch search = search_for(session.database_now(), options);
    persistence::ThroughputStore& store = session.engine().throughput_store();
    std::vector<RatePoint> points;
    for (SpanSums& span : store.throughput(search.written)) {
        points.push_back({std::move(span), search.written.length});
    }
    if (search.under_way) {
        SpanSums minute{.at = search.under_way->from};
        for (const SpanSums& span : store.throughput(*search.under_way)) {
            minute.sums.merge(span.sums);
        }
        if (minute.sums != RunSums()) {
            points.push_back({std::move(minute), search.written.length});
        }
    }
    return points;
}

[[nodiscard]] std::vector<TypeRates> list_type_rates(Session& session, const RateOptions& options) {
    const RateSearch search = search_for(session.database_now(), options);
    persistence::ThroughputStore& store = session.engine().throughput_store();
    schema::Throughput all = store.throughput_by_type(search.written);
    if (search.under_way) {
        all.merge(store.throughput_by_type(*search.under_way));
    }
    std::vector<TypeRates> rates;
    for (const auto& [type, sums] : all.types()) {
        rates.push_back({type, sums});
    }
    return rates;
}

}  // namespace

OperationNoun rate_noun() {
    return {
        .name = "rate",
        .summary = "Rates: what all nodes have begun, completed and failed, over the last day",
        .examples =
            "  jobstrand rate ls --last 10m --type mail\n"
            "  jobstrand rate types --last 24h",
        .operations =
            {
                list_operation<RateOptions>(
                    {.words = "rate ls",
                     .summary = "List what was run span by span, the oldest first",
                     .examples = "  jobstrand rate ls\n"
                                 "  jobstrand rate ls --last 10m --type mail -o json",
                     .role = service::Role::read,
                     .path = "GET /api/v1/rates"},
                    rate_parameters(),
                    rate_fields(),
                    list_rates
                ),
                list_operation<RateOptions>(
                    {.words = "rate types",
                     .summary = "List what was run by handler type",
                     .examples = "  jobstrand rate types --last 24h",
                     .role = service::Role::read,
                     .path = "GET /api/v1/rates/types"},
                    last_parameter(),
                    type_rates_fields(),
                    list_type_rates
                ),
            },
    };
}

}  // namespace jobstrand::cli
