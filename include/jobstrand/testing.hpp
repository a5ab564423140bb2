#pragma once

#include <jobstrand/engine.hpp>

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
};

/// A run that the test engine has made.
struct TestRun {
    StoredJob job;  ///< As it was when it was run.
    RunEnd end = RunEnd::succeeded;
    std::string message;  ///< Of the failure.
    TimePoint at;
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
/// first, then by id, which is the order in which they were enqueued.
///
/// Ask engine().now() for the time, not the machine: the clock begins at 2030-01-01 00:00 UTC.
///
/// Thread safety: none.
class TestEngine final {
public:
    /// `options.database_url` may name another database than a private one; it is not emptied.
    explicit TestEngine(EngineOptions options = silent());
    ~TestEngine();

    TestEngine(const TestEngine&) = delete;
    TestEngine& operator=(const TestEngine&) = delete;

    [[nodiscard]] Engine& engine();

    /// The file of the private database, for connections of the app's own; empty: it is not
    /// private.
    [[nodiscard]] const std::string& database_path() const;

    // The clock.

    [[nodiscard]] TimePoint now() const;
    void set_time(TimePoint now);

    /// Turns the clock and runs nothing. What would have run in between is late then.
    void advance(Duration by);

    // Running.

    /// Runs what is due, and what comes of it, until nothing is due; returns how many runs there
    /// were. A retry waits for its time: turn the clock. Throws std::logic_error after `limit`
    /// runs: jobs that enqueue each other for ever.
    std::size_t run_until_idle(std::size_t limit = 10'000);

    /// Runs jobs while time passes: stops the clock at every due date on the way, so that timers,
    /// retries and series run exactly when they should.
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
    class Parts;
    std::unique_ptr<Parts> parts_;
};

}  // namespace jobstrand
