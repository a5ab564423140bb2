#include "tools/service/api/change_feed.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <iterator>
#include <utility>

namespace jobstrand::service {

namespace {

using schema::SteadyPoint;

/// A page whose connection is lost comes again after two seconds.
constexpr std::string_view kComeAgainAfter = "retry: 2000\n\n";

constexpr std::string_view kStillHere = ": still here\n\n";

/// An event as pages read it with EventSource (HTML, server-sent events). The data is one line.
[[nodiscard]] std::string
event_text(std::string_view name, std::uint64_t id, std::string_view data) {
    return fmt::format("event: {}\nid: {}\ndata: {}\n\n", name, id, data);
}

[[nodiscard]] const WatchedNode*
node_named(const std::vector<WatchedNode>& nodes, const std::string& name) {
    const auto found = std::ranges::find(nodes, name, &WatchedNode::name);
    return found == nodes.end() ? nullptr : &*found;
}

void tell(const std::vector<std::shared_ptr<ResponseStream>>& watchers, std::string_view text) {
    if (text.empty()) {
        return;
    }
    for (const auto& watcher : watchers) {
        watcher->write(text);
    }
}

}  // namespace

ChangeFeed::ChangeFeed(ChangeSource& source, schema::Log& log, Now now)
    : source_(source), log_(log), now_(std::move(now)) {}

ChangeFeed::~ChangeFeed() {
    stop();
}

void ChangeFeed::start() {
    thread_ = std::thread([this] { run(); });
}

bool ChangeFeed::add(std::shared_ptr<ResponseStream> watcher) {
    const std::scoped_lock lock(mutex_);
    if (count_ >= kWatchers || is_finishing_ || is_stopping_) {
        return false;
    }
    ++count_;
    fresh_.push_back(std::move(watcher));
    something_.notify_one();
    return true;
}

void ChangeFeed::finish() {
    const std::scoped_lock lock(mutex_);
    is_finishing_ = true;
    something_.notify_one();
}

void ChangeFeed::stop() {
    {
        const std::scoped_lock lock(mutex_);
        is_stopping_ = true;
    }
    something_.notify_one();
    if (thread_.joinable()) {
        thread_.join();
    }
}

void ChangeFeed::run() {
    while (true) {
        const SteadyPoint next = turn();
        std::unique_lock lock(mutex_);
        const auto is_something = [this] {
            return is_stopping_ || !fresh_.empty() || (is_finishing_ && !watchers_.empty());
        };
        if (next == SteadyPoint::max()) {
            something_.wait(lock, is_something);
        } else {
            something_.wait_until(lock, next, is_something);
        }
        if (is_stopping_) {
            return;
        }
    }
}

SteadyPoint ChangeFeed::turn() {
    const Watchers fresh = newcomers();
    forget_who_left();
    if (watchers_.empty() && fresh.empty()) {
        return SteadyPoint::max();
    }
    const SteadyPoint now = now_();
    if (now >= next_look_) {
        tell(watchers_, look());
    }
    if (!fresh.empty()) {
        tell(fresh, kComeAgainAfter);
        tell(fresh, everything());
    }
    watchers_.insert(watchers_.end(), fresh.begin(), fresh.end());
    if (now >= next_beat_) {
        tell(watchers_, kStillHere);
        next_beat_ = now + kHeartbeat;
    }
    return std::min(next_look_, next_beat_);
}

ChangeFeed::Watchers ChangeFeed::newcomers() {
    const std::scoped_lock lock(mutex_);
    if (is_finishing_) {
        std::ranges::move(fresh_, std::back_inserter(watchers_));
        fresh_.clear();
        for (const auto& watcher : watchers_) {
            watcher->end();
        }
    }
    return std::exchange(fresh_, {});
}

void ChangeFeed::forget_who_left() {
    const auto left = std::erase_if(watchers_, [](const auto& one) { return !one->is_heard(); });
    const std::scoped_lock lock(mutex_);
    count_ -= left;
}

std::string ChangeFeed::look() {
    const SteadyPoint began = now_();
    std::string told;
    // Defended catch: those who watch go on to wait for a database that is away.
    try {
        std::vector<WatchedNode> nodes = source_.nodes();
        told = changes(source_.stats(), std::move(nodes));
        is_failing_ = false;
    } catch (const std::exception& error) {
        stats_.reset();
        if (!std::exchange(is_failing_, true)) {
            log_.write(
                schema::LogLevel::warn,
                "those who watch are told nothing: the database does not answer as it should",
                {{"error", error.what()}}
            );
        }
    }
    const SteadyPoint ended = now_();
    next_look_ = ended + std::max<SteadyPoint::duration>(kLook, kRest * (ended - began));
    return told;
}

/// From what was told last to what is now.
std::string ChangeFeed::changes(std::string stats, std::vector<WatchedNode> nodes) {
    const bool is_first = !stats_.has_value();
    const bool have_counts_changed = stats_ != stats;
    stats_ = std::move(stats);
    const std::vector<WatchedNode> before = std::exchange(nodes_, std::move(nodes));
    if (is_first) {
        return watchers_.empty() ? std::string() : everything();
    }
    std::string told;
    for (const WatchedNode& node : nodes_) {
        const WatchedNode* const known = node_named(before, node.name);
        if (known == nullptr) {
            told += node_event("joined", node);
        } else if (known->state != node.state) {
            told += node_event(node.state, node);
        }
    }
    for (const WatchedNode& node : before) {
        if (node_named(nodes_, node.name) == nullptr) {
            told += node_event("left", node);
        }
    }
    if (have_counts_changed) {
        told += event_text("stats", ++last_id_, *stats_);
    }
    return told;
}

std::string ChangeFeed::everything() {
    std::string told;
    if (stats_) {
        for (const WatchedNode& node : nodes_) {
            told += node_event("there", node);
        }
        told += event_text("stats", ++last_id_, *stats_);
    }
    return told;
}

std::string ChangeFeed::node_event(std::string_view change, const WatchedNode& node) {
    return event_text(
        "node", ++last_id_, fmt::format(R"({{"change":"{}","node":{}}})", change, node.json)
    );
}

}  // namespace jobstrand::service
