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

/// What ChangeSource::runs() says of none.
constexpr std::string_view kNoRuns = R"({"runs":[]})";

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
    if (now >= next_look_) {
        look();
    }
    greet();
    if (now >= next_beat_) {
        for (const View& view : views_) {
            tell(view.watchers, kStillHere);
        }
        next_beat_ = now + kHeartbeat;
    }
    return std::min(next_look_, next_beat_);
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
        count_anew();
        is_failing_ = false;
    } catch (const std::exception& error) {
        for (View& view : views_) {
            view.stats.reset();
        }
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
}

void ChangeFeed::count_anew() {
    std::vector<WatchedNode> nodes = source_.nodes();
    std::vector<std::string> counts;
    for (const View& view : views_) {
        counts.push_back(view.is_watched() ? source_.stats(view.scope) : std::string());
    }
    const std::vector<WatchedNode> before = std::exchange(nodes_, std::move(nodes));
    for (std::size_t i = 0; i < views_.size(); ++i) {
        View& view = views_[i];
        if (view.is_watched()) {
            tell(view.watchers, changes(view, std::move(counts[i]), before));
        } else {
            view.stats.reset();
        }
    }
}

/// From what was told last to what is now.
std::string
ChangeFeed::changes(View& view, std::string stats, const std::vector<WatchedNode>& before) {
    const bool is_first = !view.stats.has_value();
    const bool have_counts_changed = view.stats != stats;
    view.stats = std::move(stats);
    const std::string news = run_changes(view);
    if (is_first) {
        return view.watchers.empty() ? std::string() : everything(view);
    }
    std::string told = view.scope.is_narrow() ? std::string() : node_changes(before);
    if (have_counts_changed) {
        told += event_text("stats", ++last_id_, *view.stats);
    }
    return told + news;
}

std::string ChangeFeed::run_changes(View& view) {
    std::string runs = source_.runs(view.scope);
    const bool is_news = runs != view.runs && !(view.runs.empty() && runs == kNoRuns);
    if (!is_news) {
        return {};
    }
    view.runs = std::move(runs);
    return event_text("runs", ++last_id_, view.runs);
}

std::string ChangeFeed::node_changes(const std::vector<WatchedNode>& before) {
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
    return told;
}

std::string ChangeFeed::everything(const View& view) {
    std::string told;
    if (!view.stats) {
        return told;
    }
    if (!view.scope.is_narrow()) {
        for (const WatchedNode& node : nodes_) {
            told += node_event("there", node);
        }
    }
    told += event_text("stats", ++last_id_, *view.stats);
    if (!view.runs.empty() && view.runs != kNoRuns) {
        told += event_text("runs", ++last_id_, view.runs);
    }
    return told;
}

std::string ChangeFeed::node_event(std::string_view change, const WatchedNode& node) {
    return event_text(
        "node", ++last_id_, fmt::format(R"({{"change":"{}","node":{}}})", change, node.json)
    );
}

}  // namespace jobstrand::service
