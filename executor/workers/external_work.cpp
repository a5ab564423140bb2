#include "executor/workers/external_work.hpp"

#include "schema/text/time_text.hpp"

#include <algorithm>
#include <chrono>

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

namespace {

constexpr schema::Duration kShortest = std::chrono::milliseconds(100);
constexpr schema::Duration kLongest = std::chrono::hours(24 * 30);

}  // namespace

ExternalLimits::ExternalLimits(std::span<const std::string> texts) {
    for (const std::string& text : texts) {
        if (problem_of(text).empty()) {
            const std::size_t mark = text.rfind('=');
            limits_[text.substr(0, mark)] =
                schema::parse_duration(std::string_view(text).substr(mark + 1)).value();
        }
    }
}

std::string ExternalLimits::problem_of(std::string_view text) {
    const std::size_t mark = text.rfind('=');
    if (mark == std::string_view::npos || mark == 0) {
        return "must be handler types with times, such as \"mail=PT30S\"";
    }
    const auto limit = schema::parse_duration(text.substr(mark + 1));
    if (!limit) {
        return limit.error().message;
    }
    return limit.value() < kShortest || limit.value() > kLongest ? "must be PT0.1S to P30D"
                                                                 : std::string();
}

std::optional<schema::Duration> ExternalLimits::of(std::string_view handler_type) const {
    if (const auto found = limits_.find(handler_type); found != limits_.end()) {
        return found->second;
    }
    // The longest beginning counts.
    for (std::string_view start = handler_type;; start.remove_suffix(1)) {
        if (const auto found = limits_.find(std::string(start) + '*'); found != limits_.end()) {
            return found->second;
        }
        if (start.empty()) {
            return std::nullopt;
        }
    }
}

std::vector<std::string> ExternalLimits::names() const {
    std::vector<std::string> names;
    for (const auto& [name, limit] : limits_) {
        names.push_back(name);
    }
    return names;
}

void ExternalDeadlines::begun(std::span<const schema::Job> jobs, schema::TimePoint now) {
    if (!limits_.are_any()) {
        return;
    }
    bool is_earlier = false;
    {
        const std::lock_guard lock(mutex_);
        for (const schema::Job& job : jobs) {
            const auto limit = limits_.of(job.handler_type);
            const auto known = entries_.find(job.id);
            const bool is_known =
                known != entries_.end() && known->second.held.revision == job.revision;
            if (!limit || is_known) {
                continue;
            }
            forget(job.id);
            if (entries_.size() >= kMostHeld) {
                continue;
            }
            const schema::TimePoint deadline = now + *limit;
            is_earlier = is_earlier || order_.empty() || deadline < order_.begin()->first;
            order_.emplace(deadline, job.id);
            entries_[job.id] = {
                .held = {job.id, job.revision, job.lock_owner, *limit}, .deadline = deadline};
        }
    }
    if (is_earlier && wake_) {
        wake_();
    }
}

void ExternalDeadlines::ended(const std::string& job) {
    if (limits_.are_any()) {
        const std::lock_guard lock(mutex_);
        forget(job);
    }
}

void ExternalDeadlines::forget(const std::string& job) {
    if (const auto found = entries_.find(job); found != entries_.end()) {
        order_.erase({found->second.deadline, job});
        entries_.erase(found);
    }
}

std::vector<ExternalDeadlines::Held> ExternalDeadlines::take_late(schema::TimePoint now) {
    std::vector<Held> late;
    const std::lock_guard lock(mutex_);
    while (!order_.empty() && order_.begin()->first <= now) {
        const auto entry = entries_.extract(order_.begin()->second);
        late.push_back(std::move(entry.mapped().held));
        order_.erase(order_.begin());
    }
    return late;
}

std::optional<schema::TimePoint> ExternalDeadlines::next() {
    const std::lock_guard lock(mutex_);
    return order_.empty() ? std::nullopt : std::optional(order_.begin()->first);
}

}  // namespace jobstrand::executor
