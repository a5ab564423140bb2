#include "deadletter/overview.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <tuple>
#include <utility>

namespace jobstrand::deadletter {

namespace {

constexpr std::size_t kJobsRead = 10'000;

}  // namespace

std::vector<ExternalTopic> external_topics(
    persistence::WatchStore& watch,
    persistence::NodeStore& nodes,
    schema::TimePoint now
) {
    std::map<std::string, ExternalTopic, std::less<>> topics;
    for (const persistence::ExternalJobs& jobs : watch.external_by_type(now, kJobsRead)) {
        ExternalTopic& topic = topics[jobs.handler_type];
        topic.waiting = jobs.waiting;
        topic.locked = jobs.locked;
        topic.waits_since = jobs.since;
    }
    for (const persistence::AskedTopic& asked : nodes.asked_topics(now)) {
        ExternalTopic& topic = topics[asked.topic];
        ++topic.workers;
        if (!topic.last_asked || asked.last > *topic.last_asked) {
            topic.last_asked = asked.last;
            topic.last_worker = asked.worker;
        }
    }
    std::vector<ExternalTopic> list;
    for (auto& [name, topic] : topics) {
        topic.topic = name;
        list.push_back(std::move(topic));
    }
    return list;
}

namespace {

using namespace std::chrono_literals;

/// What is counted of things that could be many.
constexpr std::size_t kMostCounted = 100'000;
constexpr std::size_t kFreeJobsRead = 10'000;
constexpr std::size_t kTypes = 100;
constexpr std::size_t kLongRuns = 1'000;

using Types = std::map<std::string, TypeActivity, std::less<>>;

TypeActivity& of_type(Types& types, const std::string& name) {
    TypeActivity& type = types[name];
    type.handler_type = name;
    return type;
}

void keep_earliest(std::optional<schema::TimePoint>& earliest, schema::TimePoint time) {
    earliest = std::min(earliest.value_or(time), time);
}

/// For how long somebody has waited for it, or it has run.
schema::Duration slowness(const TypeActivity& type, schema::TimePoint now) {
    return std::max(now - type.waits_since.value_or(now), now - type.runs_since.value_or(now));
}

}  // namespace

Overview OverviewReader::read(std::optional<std::size_t> most) const {
    const schema::TimePoint now = clock_.now();
    return {
        .now = now,
        .places = JobSearch(stores_.jobs).count_places(most),
        .due_soon = stores_.watch.count_due(now + 1min, kMostCounted),
        .waiting = stores_.watch.count_waiting(kMostCounted),
        .nodes = stores_.nodes.nodes(),
        .types = types(now),
        .external = external_topics(stores_.watch, stores_.nodes, now),
    };
}

std::vector<TypeActivity> OverviewReader::types(schema::TimePoint now) const {
    Types types;
    for (const persistence::TypeRuns& runs : stores_.nodes.runs_of_last_minute(now)) {
        TypeActivity& type = of_type(types, runs.handler_type);
        const double seconds = std::chrono::duration<double>(runs.span).count();
        type.runs_last_minute = runs.runs;
        type.failed_last_minute = runs.failed;
        type.runs_per_second = static_cast<double>(runs.runs) / seconds;
        type.failed_per_second = static_cast<double>(runs.failed) / seconds;
    }
    const auto free =
        stores_.watch.free_by_type(schema::JobPlace::executable, kFreeJobsRead, kTypes);
    for (const persistence::FreeJobs& jobs : free) {
        TypeActivity& type = of_type(types, jobs.handler_type);
        type.free = jobs.jobs;
        type.waits_since = jobs.since;
    }
    for (const persistence::RunningJob& run : stores_.watch.longest_runs(now, kLongRuns)) {
        TypeActivity& type = of_type(types, run.handler_type);
        ++type.long_runs;
        keep_earliest(type.runs_since, run.since);
    }
    std::vector<TypeActivity> list;
    for (auto& [name, type] : types) {
        list.push_back(std::move(type));
    }
    std::ranges::stable_sort(list, std::greater{}, [&](const TypeActivity& type) {
        return std::pair(slowness(type, now), type.runs_last_minute);
    });
    return list;
}

}  // namespace jobstrand::deadletter
