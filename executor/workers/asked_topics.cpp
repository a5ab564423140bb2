#include "executor/workers/asked_topics.hpp"

#include <algorithm>

namespace jobstrand::executor {

using persistence::AskedTopic;

void AskedTopics::add(
    const std::string& worker,
    std::span<const std::string> topics,
    schema::TimePoint now
) {
    const std::lock_guard lock(mutex_);
    for (const std::string& topic : topics) {
        last_[{topic, worker}] = now;
    }
    // Seldom, however many names somebody makes up.
    if (last_.size() > 2 * AskedTopic::kMost) {
        tidy(now);
    }
}

std::vector<AskedTopic> AskedTopics::latest(schema::TimePoint now) {
    const std::lock_guard lock(mutex_);
    tidy(now);
    std::vector<AskedTopic> all;
    for (const auto& [name, last] : last_) {
        all.push_back({.topic = name.first, .worker = name.second, .last = last});
    }
    return all;
}

void AskedTopics::tidy(schema::TimePoint now) {
    std::erase_if(last_, [now](const auto& entry) {
        return entry.second < now - AskedTopic::kLasts;
    });
    if (last_.size() <= AskedTopic::kMost) {
        return;
    }
    std::vector<decltype(last_)::iterator> oldest;
    for (auto entry = last_.begin(); entry != last_.end(); ++entry) {
        oldest.push_back(entry);
    }
    std::ranges::stable_sort(oldest, {}, [](const auto& entry) { return entry->second; });
    oldest.resize(last_.size() - AskedTopic::kMost);
    for (const auto entry : oldest) {
        last_.erase(entry);
    }
}

}  // namespace jobstrand::executor
