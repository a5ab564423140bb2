#include "tools/service/api/watch_paths.hpp"

#include "deadletter/overview.hpp"
#include "persistence/watch_store.hpp"
#include "tools/output/record.hpp"
#include "tools/records/runs_json.hpp"
#include "tools/records/stats_json.hpp"
#include "tools/service/api/operator_paths.hpp"
#include "tools/service/http/message.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace jobstrand::service {

namespace {

using namespace std::chrono_literals;
using cli::RecordField;
using persistence::WatchStore;
using schema::JobPlace;

/// Of the runs that have told something last, so many are looked at.
constexpr std::size_t kLooked = 500;

/// Of each list at most so many are told.
constexpr std::size_t kTold = 50;

/// Free jobs that are read for the one that waits the longest: ids begin with their time, mostly.
constexpr std::size_t kFreeJobsRead = 2'000;
constexpr std::size_t kFreeTypesRead = 100;

/// So far back the spans are told, and the sums by type.
constexpr schema::Duration kSpansTold = 10s;
constexpr schema::Duration kTypesTold = 1min;

template <typename Items, typename RecordOf>
[[nodiscard]] RecordField
list_field(std::string_view name, const Items& items, const RecordOf& record_of_item) {
    std::vector<std::string> objects;
    for (const auto& item : items) {
        if (objects.size() == kTold) {
            break;
        }
        objects.push_back(json_of(record_of_item(item)));
    }
    return {.name = name, .json = fmt::format("[{}]", fmt::join(objects, ",")), .text = {}};
}

[[nodiscard]] RecordField
number_or_null_field(std::string_view name, const std::optional<double>& number) {
    return number ? cli::decimal_field(name, *number) : cli::text_or_null_field(name, {});
}

/// How many jobs a node could run, and when there will be none, if all goes on as it does. Of more
/// than were counted nobody knows.
[[nodiscard]] std::string
backlog_json(const deadletter::PlaceCount& count, schema::TimePoint now, BacklogTrend& trend) {
    std::optional<double> jobs;
    std::optional<double> growth;
    std::optional<double> ends;
    if (!count.looked_at) {
        const std::int64_t free = count.jobs - count.locked.value_or(0);
        trend.note(count.as_of.value_or(now), free);
        jobs = static_cast<double>(free);
        growth = trend.growth();
    }
    if (growth && *growth < 0) {
        ends = std::ceil(*jobs / -*growth);
    }
    return json_of(cli::Record{
        number_or_null_field("jobs", jobs),
        number_or_null_field("growthPerSecond", growth),
        number_or_null_field("endsInSeconds", ends),
    });
}

struct LongestWait {
    JobPlace place = JobPlace::executable;
    std::string handler_type;
    schema::TimePoint since;
};

[[nodiscard]] std::optional<LongestWait>
longest_wait(WatchStore& watch, const std::vector<deadletter::ExternalTopic>& external) {
    std::optional<LongestWait> longest;
    const auto note = [&](JobPlace place, const std::string& type, const auto& since) {
        if (since && (!longest || *since < longest->since)) {
            longest = {.place = place, .handler_type = type, .since = *since};
        }
    };
    for (const persistence::FreeJobs& jobs :
         watch.free_by_type(JobPlace::executable, kFreeJobsRead, kFreeTypesRead)) {
        note(JobPlace::executable, jobs.handler_type, jobs.since);
    }
    for (const deadletter::ExternalTopic& topic : external) {
        note(JobPlace::external_worker, topic.topic, topic.waits_since);
    }
    return longest;
}

[[nodiscard]] RecordField oldest_field(const std::optional<LongestWait>& wait) {
    constexpr std::string_view kName = "oldest";
    if (!wait) {
        return cli::text_or_null_field(kName, {});
    }
    return cli::record_field(
        kName,
        {cli::text_field("place", name_of(wait->place)),
         cli::text_field("handlerType", wait->handler_type),
         cli::time_field("waitsSince", wait->since)}
    );
}

[[nodiscard]] cli::Record record_of_run(const persistence::RunningJob& run) {
    return {
        cli::text_field("id", run.id),
        cli::text_field("handlerType", run.handler_type),
        cli::text_field("node", run.node),
        cli::time_field("runsSince", run.since),
    };
}

[[nodiscard]] std::string rates_json(persistence::ThroughputStore& store, schema::TimePoint now) {
    using cli::RatePoint;
    using cli::TypeRates;
    std::vector<RatePoint> spans;
    for (auto& span : store.throughput({.length = schema::kShortSpan, .from = now - kSpansTold})) {
        spans.push_back({std::move(span), schema::kShortSpan});
    }
    const schema::Throughput sums =
        store.throughput_by_type({.length = schema::kShortSpan, .from = now - kTypesTold});
    std::vector<TypeRates> types;
    for (const auto& [type, of_type] : sums.types()) {
        types.push_back({type, of_type});
    }
    std::ranges::stable_sort(types, std::greater{}, [](const TypeRates& type) {
        return type.sums.completed + type.sums.failed;
    });
    return json_of(cli::Record{
        list_field(
            "spans",
            spans,
            [](const RatePoint& span) { return record_of(cli::rate_fields(), span); }
        ),
        list_field(
            "types",
            types,
            [](const TypeRates& type) { return record_of(cli::type_rates_fields(), type); }
        ),
    });
}

[[nodiscard]] std::string runs_json(persistence::RunNewsStore& store, const Scope& scope) {
    std::vector<std::string> told;
    for (const persistence::ToldRun& run : store.run_news({}, kLooked)) {
        if (told.size() < kTold && scope.serves(run.handler_type) && scope.sees(run.tenant)) {
            told.push_back(cli::told_json(run));
        }
    }
    return fmt::format(R"({{"runs":[{}]}})", fmt::join(told, ","));
}

}  // namespace

std::vector<WatchedPart> EngineChanges::jobs(const Scope& scope, BacklogTrend& trend) {
    SoonCounts counts = soon_counts(api_, scope);
    std::vector<WatchedPart> parts{{"stats", std::move(counts.json)}};
    for (const deadletter::PlaceCount& count : counts.places) {
        if (count.place == JobPlace::executable) {
            parts.push_back({"backlog", backlog_json(count, api_.engine.clock().now(), trend)});
        }
    }
    parts.push_back({"runs", runs_json(api_.engine.run_news_store(), scope)});
    return parts;
}

std::vector<WatchedNode> EngineChanges::nodes() {
    persistence::NodeStore& store = api_.engine.node_store();
    std::vector<persistence::Node> nodes = store.nodes();
    std::vector<persistence::Node> lost = store.lost_nodes(api_.engine.clock().now());
    lost.resize(std::min(lost.size(), kTold));
    std::ranges::move(lost, std::back_inserter(nodes));
    std::vector<WatchedNode> watched;
    for (const persistence::Node& node : nodes) {
        watched.push_back(
            {.name = node.identity.node,
             .state = std::string(name_of(node.state)),
             .json = json_of(record_of(cli::node_fields(), node))}
        );
    }
    return watched;
}

std::vector<WatchedPart> EngineChanges::work() {
    const schema::TimePoint now = api_.engine.clock().now();
    WatchStore& watch = api_.engine.watch_store();
    const auto external = deadletter::external_topics(watch, api_.engine.node_store(), now);
    const auto record_of_topic = [](const deadletter::ExternalTopic& topic) {
        return cli::record_of(topic);
    };
    std::string work = json_of(cli::Record{
        oldest_field(longest_wait(watch, external)),
        list_field("running", watch.longest_runs(now, kTold), record_of_run),
        list_field("external", external, record_of_topic),
    });
    return {{"work", std::move(work)}, {"rates", rates_json(api_.engine.throughput_store(), now)}};
}

Handler watch_changes(ChangeFeed& feed) {
    return [&feed](Request request, const Answer& answer) {
        const auto stream = std::make_shared<ResponseStream>(std::move(request));
        if (!feed.add(stream)) {
            answer(come_again("too many watch already, or the service stops"));
            return;
        }
        // The header is nginx's: to gather what is meant to arrive at once would be in vain.
        answer(
            {.status = 200,
             .content_type = "text/event-stream",
             .headers = {{"X-Accel-Buffering", "no"}},
             .stream = stream}
        );
    };
}

}  // namespace jobstrand::service
