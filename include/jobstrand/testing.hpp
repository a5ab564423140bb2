#pragma once

#include <jobstrand/engine.hpp>

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace jobstrand {

/// How a run ended.
enum class RunEnd {
    succeeded,
    failed,       ///< It waits for its next attempt.
    dead,         ///< It failed for good: a dead letter.
    interrupted,  ///< It waits, and no retry is used.
    lost,         ///< Its node was killed, or its lock was another's: nothing of it was written.
};

/// A run that the test engine has made.
struct TestRun {
    StoredJob job;  ///< As it was when it was run.
    RunEnd end = RunEnd::succeeded;
    std::string message;  ///< Of the failure.
    TimePoint at;
    std::string node = {};  ///< TestNode::name().
};

/// When the clock of a test begins that does not say it.
inline constexpr TimePoint kTestStart = std::chrono::sys_days(std::chrono::year{2030} / 1 / 1);

/// A node of a test engine: an Engine whose process the test kills, or lets stand still.
///
/// While it lives it renews its lease and its locks, however far the clock is turned. Once it is
/// killed or frozen they end by the clock: after EngineOptions::node_lease another node takes its
/// jobs, if there is one, and after EngineOptions::lock_time whoever looks for expired locks.
///
///     TestNode& other = test.add_node();
///     other.engine().add_handler("charge", charge);
///     test.node().acquire(1);
///     test.node().kill();
///     test.run_for(1min);  // `other` has run it.
class TestNode final {
public:
    ~TestNode();

    TestNode(const TestNode&) = delete;
    TestNode& operator=(const TestNode&) = delete;

    /// It has handlers of its own. That of a dead node still enqueues, as a process without a node.
    [[nodiscard]] Engine& engine();

    /// The lock owner of its jobs: EngineOptions::lock_owner, or `test-engine`, `test-engine-2`.
    [[nodiscard]] const std::string& name() const;

    /// Takes up to so many jobs that can run now, as a node does ahead of its threads, and runs
    /// none of them; they run first when jobs run again. Returns how many it took.
    std::size_t acquire(std::size_t jobs);

    /// The process dies: what it holds in memory is gone, and its locks and its lease stay. In a
    /// handler that this node runs it does not return, and nothing of that run is written.
    void kill();

    /// The process stands still, which it does not notice. What a handler returns that it runs is
    /// written when it is thawed, if its lock is still its own; only a transactional one commits.
    void freeze();
    void thaw();

    [[nodiscard]] bool is_alive() const;  ///< Neither killed nor frozen.

private:
    friend class TestEngine;
    class Parts;
    explicit TestNode(std::unique_ptr<Parts> parts);
    void leave_the_living();

    const std::unique_ptr<Parts> parts_;
};

/// An engine for tests: no threads, no waiting, and a clock that stands until the test turns it. It
/// has a private SQLite database that is gone when the test ends.
///
///     jobstrand::TestEngine test;
///     Orders orders(test.engine());  // The app adds its handlers.
///     orders.place("A17");
///     test.run_until_idle();
///     assert(test.runs().size() == 1);
///
/// The app gets a real Engine, which stores jobs as always. It may call start() and stop(), but
/// jobs run only in run_until_idle() and run_for(), in this thread, one after the other: due timers
/// first, the earliest before others, then by id, which is the order in which they were enqueued;
/// or in the order of EngineOptions, whose index it makes. Of several nodes each runs one in turn.
///
/// Ask engine().now() for the time, not the machine: the clock of the test is that of all its nodes
/// and of their database, which may be one of a server.
///
/// Thread safety: none.
class TestEngine {
public:
    /// `options.database_url` may name another database than a private one; it is not emptied. The
    /// clock begins at `start`, 1970 or later.
    explicit TestEngine(EngineOptions options = silent(), TimePoint start = kTestStart);
    ~TestEngine();

    TestEngine(const TestEngine&) = delete;
    TestEngine& operator=(const TestEngine&) = delete;

    /// That of the first node.
    [[nodiscard]] Engine& engine();

    /// The file of the private database, for connections of the app's own; empty: it is not
    /// private.
    [[nodiscard]] const std::string& database_path() const;

    // Nodes.

    /// The first one.
    [[nodiscard]] TestNode& node();

    /// Another one on the same database, whatever `options.database_url` says. It lives as long as
    /// this object.
    TestNode& add_node(EngineOptions options = silent());

    // The clock.

    [[nodiscard]] TimePoint now() const;
    void set_time(TimePoint now);

    /// Turns the clock and runs no jobs. What would have run in between is late then.
    void advance(Duration by);

    // Running.

    /// Runs what is due, and what comes of it, until nothing is due; returns how many runs there
    /// were. A retry waits for its time: turn the clock. Throws std::logic_error after `limit`
    /// runs: jobs that enqueue each other for ever.
    std::size_t run_until_idle(std::size_t limit = 10'000);

    /// Runs jobs while time passes: stops the clock at every due date on the way, so that timers,
    /// retries and series run exactly when they should, and where locks and leases end.
    std::size_t run_for(Duration time, std::size_t limit = 10'000);

    // What happened.

    /// Jobs that wait to be run, now or later, in the order of their ids: what was enqueued and has
    /// not run.
    [[nodiscard]] std::vector<StoredJob> waiting();
    [[nodiscard]] std::vector<StoredJob> dead_letters();

    /// Returns all runs so far, in order.
    [[nodiscard]] const std::vector<TestRun>& runs() const;

    /// Options that log nothing.
    [[nodiscard]] static EngineOptions silent();

private:
    friend class TestNode;
    class Parts;
    std::unique_ptr<Parts> parts_;
};

}  // namespace jobstrand
