#include "deadletter/admin/external_topics.hpp"

#include <map>
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

}  // namespace jobstrand::deadletter
