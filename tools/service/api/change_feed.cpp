#include "tools/service/api/change_feed.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <iterator>
#include <utility>

namespace jobstrand::service {

void BacklogTrend::note(schema::TimePoint time, std::int64_t jobs) {
    if (!seen_.empty() && time <= seen_.back().time) {
        return;
    }
    seen_.push_back({.time = time, .jobs = jobs});
    while (seen_.front().time < time - kWindow) {
        seen_.pop_front();
    }
}

std::optional<double> BacklogTrend::growth() const {
    if (seen_.empty() || seen_.back().time - seen_.front().time < kLeast) {
        return std::nullopt;
    }
    const auto more = static_cast<double>(seen_.back().jobs - seen_.front().jobs);
    const std::chrono::duration<double> time = seen_.back().time - seen_.front().time;
    return std::round(more / time.count() * 10) / 10;
}

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
    : source_(source), log_(log), now_(std::move(now)), views_(1) {}

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
            return is_stopping_ || !fresh_.empty() || (is_finishing_ && is_watched());
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
    welcome();
    forget_who_left();
    if (!is_watched()) {
        return SteadyPoint::max();
    }
    const SteadyPoint now = now_();
    if (now >= std::min(next_look_, next_work_)) {
        look();
    }
    greet();
    if (now >= next_beat_) {
        for (const View& view : views_) {
            tell(view.watchers, kStillHere);
        }
        next_beat_ = now + kHeartbeat;
    }
    return std::min({next_look_, next_work_, next_beat_});
}

bool ChangeFeed::is_watched() const {
    return std::ranges::any_of(views_, &View::is_watched);
}

ChangeFeed::View& ChangeFeed::view_of(const Scope& scope) {
    const Scope seen{.topics = scope.topics, .tenants = scope.tenants};
    const auto known = std::ranges::find(views_, seen, &View::scope);
    return known != views_.end() ? *known : views_.emplace_back(View{.scope = seen});
}

/// Those who have come since the last turn, if it does not end.
void ChangeFeed::welcome() {
    const std::scoped_lock lock(mutex_);
    for (std::shared_ptr<ResponseStream>& one : fresh_) {
        View& view = view_of(one->asked_for().scope);
        (is_finishing_ ? view.watchers : view.fresh).push_back(std::move(one));
    }
    fresh_.clear();
    if (is_finishing_) {
        for (const View& view : views_) {
            for (const auto& watcher : view.watchers) {
                watcher->end();
            }
        }
    }
}

void ChangeFeed::forget_who_left() {
    std::size_t left = 0;
    for (View& view : views_) {
        left += std::erase_if(view.watchers, [](const auto& one) { return !one->is_heard(); });
    }
    views_.erase(
        std::remove_if(
            views_.begin() + 1, views_.end(), [](const View& view) { return !view.is_watched(); }
        ),
        views_.end()
    );
    const std::scoped_lock lock(mutex_);
    count_ -= left;
}

/// Newcomers hear all as it is.
void ChangeFeed::greet() {
    for (View& view : views_) {
        if (!view.fresh.empty()) {
            tell(view.fresh, kComeAgainAfter);
            tell(view.fresh, everything(view));
        }
        std::ranges::move(view.fresh, std::back_inserter(view.watchers));
        view.fresh.clear();
    }
}

void ChangeFeed::look() {
    const SteadyPoint began = now_();
    // Defended catch: those who watch go on to wait for a database that is away.
    try {
        if (began >= next_look_) {
            look_at_jobs();
            next_look_ = rested_since(began);
        }
        look_at_work();
        is_failing_ = false;
    } catch (const std::exception& error) {
        next_look_ = rested_since(began);
        next_work_ = next_look_;
        for (View& view : views_) {
            view.told.clear();
        }
        if (!std::exchange(is_failing_, true)) {
            log_.write(
                schema::LogLevel::warn,
                "those who watch are told nothing: the database does not answer as it should",
                {{"error", error.what()}}
            );
        }
    }
}

SteadyPoint ChangeFeed::rested_since(SteadyPoint began) const {
    const SteadyPoint ended = now_();
    const SteadyPoint::duration took = ended - began;
    const auto wanted = std::clamp<SteadyPoint::duration>(kRest * took, kShortRest, kLongRest);
    return ended + std::max(wanted, kLeastRest * took);
}

void ChangeFeed::look_at_jobs() {
    std::vector<WatchedNode> nodes = source_.nodes();
    std::vector<std::vector<WatchedPart>> parts;
    for (View& view : views_) {
        parts.push_back(
            view.is_watched() ? source_.jobs(view.scope, view.trend) : std::vector<WatchedPart>()
        );
    }
    const std::vector<WatchedNode> before = std::exchange(nodes_, std::move(nodes));
    for (std::size_t i = 0; i < views_.size(); ++i) {
        View& view = views_[i];
        if (!view.is_watched()) {
            view.told.clear();
            continue;
        }
        if (!view.scope.is_narrow() && !view.watchers.empty()) {
            tell(view.watchers, view.told.empty() ? nodes_there() : node_changes(before));
        }
        tell(view.watchers, part_changes(view, std::move(parts[i])));
    }
}

void ChangeFeed::look_at_work() {
    const SteadyPoint began = now_();
    if (began < next_work_) {
        return;
    }
    View& all = views_.front();
    if (all.is_watched()) {
        tell(all.watchers, part_changes(all, source_.work()));
    }
    next_work_ = rested_since(began);
}

/// From what was told last to what is now.
std::string ChangeFeed::part_changes(View& view, std::vector<WatchedPart> parts) {
    std::string told;
    for (WatchedPart& part : parts) {
        std::string& known = view.told[part.name];
        if (known != part.json) {
            known = std::move(part.json);
            told += view.watchers.empty() ? "" : event_text(part.name, ++last_id_, known);
        }
    }
    return told;
}

std::string ChangeFeed::node_changes(const std::vector<WatchedNode>& before) {
    std::string told;
    for (const WatchedNode& node : nodes_) {
        const WatchedNode* const known = node_named(before, node.name);
        if (known == nullptr) {
            told += node_event("joined", node);
        } else if (known->state != node.state) {
            told += node_event(node.state, node);
        } else if (known->json != node.json) {
            told += node_event("changed", node);
        }
    }
    for (const WatchedNode& node : before) {
        if (node_named(nodes_, node.name) == nullptr) {
            told += node_event("left", node);
        }
    }
    return told;
}

std::string ChangeFeed::nodes_there() {
    std::string told;
    for (const WatchedNode& node : nodes_) {
        told += node_event("there", node);
    }
    return told;
}

std::string ChangeFeed::everything(const View& view) {
    std::string told = view.told.empty() || view.scope.is_narrow() ? "" : nodes_there();
    for (const auto& [name, json] : view.told) {
        told += event_text(name, ++last_id_, json);
    }
    return told;
}

std::string ChangeFeed::node_event(std::string_view change, const WatchedNode& node) {
    return event_text(
        "node", ++last_id_, fmt::format(R"({{"change":"{}","node":{}}})", change, node.json)
    );
}

}  // namespace jobstrand::service
