#pragma once

#include "schema/log.hpp"
#include "schema/time.hpp"
#include "tools/service/http/message.hpp"

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace jobstrand::service {

/// How fast what waits becomes more or less, as seen by somebody who looks again and again.
class BacklogTrend final {
public:
    /// What was seen before that does not count.
    static constexpr schema::Duration kWindow = std::chrono::minutes(1);

    /// Nothing is said of less.
    static constexpr schema::Duration kLeast = std::chrono::seconds(5);

    /// So many jobs waited then; a time that is not later than the last one counts for nothing.
    void note(schema::TimePoint time, std::int64_t jobs);

    /// By so many jobs it grows in a second, in tenths; negative: it shrinks. nullopt: nobody has
    /// looked for long enough.
    [[nodiscard]] std::optional<double> growth() const;

private:
    struct Seen {
        schema::TimePoint time;
        std::int64_t jobs = 0;
    };

    std::deque<Seen> seen_;
};

/// A node as those who watch are told of it.
struct WatchedNode {
    std::string name;
    std::string state;
    std::string json;  ///< As `node ls -o json` prints it.
};

/// What is watched as a whole: an event of this name tells it whenever it has changed.
struct WatchedPart {
    std::string name;
    std::string json;  ///< One line.
};

/// What can be watched. All throw what the database throws.
class ChangeSource {
public:
    virtual ~ChangeSource() = default;

    /// Jobs that the scope does not leave out: how many stand where, and what their runs tell.
    /// `trend` is what those who may see them have seen so far.
    [[nodiscard]] virtual std::vector<WatchedPart>
    jobs(const Scope& scope, BacklogTrend& trend) = 0;

    /// By name, and then those that were lost.
    [[nodiscard]] virtual std::vector<WatchedNode> nodes() = 0;

    /// What nodes and workers do, and have done.
    [[nodiscard]] virtual std::vector<WatchedPart> work() = 0;
};

/// Tells those who watch how many jobs stand where, which nodes live, and what they do, whenever
/// that has changed; who may see some jobs only hears of these, and of no nodes. It is looked once
/// for all who may see the same, and not at all while nobody watches; and because looking is work
/// for the database, a hundredth of the time is spent on counts, and another on what is done.
///
/// Thread safety: safe, but for turn().
class ChangeFeed final {
public:
    /// Who may watch at once.
    static constexpr std::size_t kWatchers = 100;

    /// Between two looks there is a hundred times what the last one took, and at least kShortRest,
    /// but no more than kLongRest, so that what is told is no older than two seconds; unless that
    /// were more than a twentieth of the time.
    static constexpr std::chrono::milliseconds kShortRest{1000};
    static constexpr std::chrono::milliseconds kLongRest{1500};
    static constexpr int kRest = 100;
    static constexpr int kLeastRest = 20;

    /// How often they hear that it is still there.
    static constexpr std::chrono::seconds kHeartbeat{15};

    using Now = std::function<schema::SteadyPoint()>;

    /// The source and the log must outlive it.
    ChangeFeed(ChangeSource& source, schema::Log& log, Now now = std::chrono::steady_clock::now);
    ~ChangeFeed();

    ChangeFeed(const ChangeFeed&) = delete;
    ChangeFeed& operator=(const ChangeFeed&) = delete;

    /// From now on it takes its turns in a thread of its own.
    void start();

    /// false: too many watch already, or it ends. A watcher first hears all as it is.
    [[nodiscard]] bool add(std::shared_ptr<ResponseStream> watcher);

    /// Nobody watches any more: all streams end.
    void finish();

    /// Ends its thread.
    void stop();

    /// Does what is due, and says when something will be: latest possible, when nobody watches.
    schema::SteadyPoint turn();

private:
    using Watchers = std::vector<std::shared_ptr<ResponseStream>>;

    /// Those who may see the same jobs.
    struct View {
        Scope scope = {};
        Watchers watchers = {};
        Watchers fresh = {};  ///< They have heard nothing yet.
        BacklogTrend trend = {};
        std::map<std::string, std::string> told = {};  ///< Parts, as they are; empty: nobody knows.

        [[nodiscard]] bool is_watched() const { return !watchers.empty() || !fresh.empty(); }
    };

    void run();
    void welcome();
    [[nodiscard]] View& view_of(const Scope& scope);
    [[nodiscard]] bool is_watched() const;
    void look();
    void greet();
    [[nodiscard]] schema::SteadyPoint rested_since(schema::SteadyPoint began) const;
    void look_at_jobs();
    void look_at_work();
    [[nodiscard]] std::string part_changes(View& view, std::vector<WatchedPart> parts);
    [[nodiscard]] std::string node_changes(const std::vector<WatchedNode>& before);
    [[nodiscard]] std::string nodes_there();
    [[nodiscard]] std::string everything(const View& view);
    [[nodiscard]] std::string node_event(std::string_view change, const WatchedNode& node);
    void forget_who_left();

    ChangeSource& source_;
    schema::Log& log_;
    const Now now_;

    std::mutex mutex_;
    std::condition_variable something_;
    Watchers fresh_;             ///< Guarded by mutex_.
    std::size_t count_ = 0;      ///< Likewise: of all who watch.
    bool is_finishing_ = false;  ///< Likewise.
    bool is_stopping_ = false;   ///< Likewise.

    // Of turn() only.
    std::vector<View> views_;         ///< The first is of those who may see all.
    std::vector<WatchedNode> nodes_;  ///< As they were told last.
    std::uint64_t last_id_ = 0;
    schema::SteadyPoint next_look_{};
    schema::SteadyPoint next_work_{};
    schema::SteadyPoint next_beat_{};
    bool is_failing_ = false;

    std::thread thread_;
};

}  // namespace jobstrand::service
