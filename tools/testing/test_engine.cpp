#include "schema/clock.hpp"
#include "schema/uuid7.hpp"
#include "tools/engine/conversions.hpp"
#include "tools/engine/engine_parts.hpp"
#include "tools/testing/deferred_commits.hpp"
#include "tools/testing/step_node.hpp"

#include <jobstrand/testing.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>

namespace jobstrand::test_kit {

/// A SQLite file in a folder of its own, which is removed with it. It is a file, because the engine
/// and the app have connections of their own to it; nothing waits for the disk.
class TemporaryDatabase final {
public:
    /// Throws std::system_error when there is no place for it.
    TemporaryDatabase() {
        const auto parent = std::filesystem::temp_directory_path();
        std::string name = (parent / "jobstrand-test-XXXXXX").string();
        if (::mkdtemp(name.data()) == nullptr) {
            throw std::system_error(errno, std::generic_category(), "cannot create " + name);
        }
        folder_ = name;
    }
    ~TemporaryDatabase() {
        std::error_code ignored;
        std::filesystem::remove_all(folder_, ignored);
    }

    TemporaryDatabase(const TemporaryDatabase&) = delete;
    TemporaryDatabase& operator=(const TemporaryDatabase&) = delete;

    [[nodiscard]] std::string path() const { return (folder_ / "jobs.db").string(); }
    [[nodiscard]] std::string url() const { return "sqlite:" + path() + "?synchronous=off"; }

private:
    std::filesystem::path folder_;
};

}  // namespace jobstrand::test_kit

namespace jobstrand {

namespace {

using test_kit::StepNode;

/// What a node that nobody watches leaves undone for so long.
constexpr Duration kChores = std::chrono::days(1);

/// Ends the handler of a node that was killed. No exception of std, so that nobody catches it who
/// means one.
struct Killed {};

RunEnd end_of(const schema::Transition& transition) {
    switch (transition.reason) {
        case schema::TransitionReason::retry:
            return RunEnd::failed;
        case schema::TransitionReason::retries_exhausted:
        case schema::TransitionReason::not_retryable:
            return RunEnd::dead;
        case schema::TransitionReason::interrupted:
        case schema::TransitionReason::released:
            return RunEnd::interrupted;
        default:
            return RunEnd::succeeded;
    }
}

TestRun run_of(StepNode::Step step, TimePoint at, const std::string& node) {
    const bool has_failure = step.transition.failure && !step.is_lost;
    return {
        .job = engine::stored_job_of(schema::Job(*step.job), schema::JobPlace::executable),
        .end = step.is_lost ? RunEnd::lost : end_of(step.transition),
        .message = has_failure ? step.transition.failure->message : "",
        .at = at,
        .node = node,
    };
}

}  // namespace

class TestNode::Parts {
public:
    Parts(TestEngine::Parts& all, Engine::Parts& parts, std::unique_ptr<Engine> face);

    [[nodiscard]] engine::Wiring& wiring() const { return inner.wiring(); }

    TestEngine::Parts& owner;
    const std::unique_ptr<Engine> engine;
    Engine::Parts& inner;  ///< Of the engine.
    StepNode steps;
};

class TestEngine::Parts {
public:
    Parts(EngineOptions options, TimePoint start)
        : clock(start), ids(std::make_shared<schema::FreshIds>(clock)) {
        if (start < TimePoint()) {
            throw std::logic_error("the clock of a test begins in 1970 or later");
        }
        if (options.database_url.empty()) {
            database.emplace();
            path = database->path();
            options.database_url = database->url();
        }
        database_url = options.database_url;
        if (!database || options.history.on_incident) {
            commits.forbid();
        }
        add_node(std::move(options));
    }

    TestNode& add_node(EngineOptions options) {
        if (!nodes.empty()) {
            commits.forbid();
        }
        options.database_url = database_url;
        options.create_indexes = true;
        if (options.lock_owner.empty()) {
            const std::string number = nodes.empty() ? "" : "-" + std::to_string(nodes.size() + 1);
            options.lock_owner = "test-engine" + number;
        }
        auto parts = std::make_unique<Engine::Parts>(
            options,
            Engine::Parts::ByHand{
                .clock = clock,
                .ids = ids,
                .decorate = database ? commits.decoration() : persistence::DecorateConnection()}
        );
        Engine::Parts& inner = *parts;
        std::unique_ptr<Engine> engine(new Engine(std::move(parts)));
        nodes.push_back(std::unique_ptr<TestNode>(
            new TestNode(std::make_unique<TestNode::Parts>(*this, inner, std::move(engine)))
        ));
        settle =
            std::max(settle, 2 * (options.lock_time + options.node_lease + options.reset_interval));
        somebody_died_or_came();
        return *nodes.back();
    }

    [[nodiscard]] Engine& engine() const { return nodes.front()->engine(); }
    [[nodiscard]] engine::Wiring& wiring() const { return nodes.front()->parts_->wiring(); }

    /// From now on locks and leases may end that nobody renews.
    void somebody_died_or_came() {
        if (nodes.size() > 1) {
            restless_until = std::max(restless_until, clock.now() + settle);
        }
    }

    [[nodiscard]] std::vector<StoredJob> jobs_in(std::span<const JobPlace> places) const {
        std::vector<StoredJob> jobs;
        for (const JobPlace place : places) {
            for (const StoredJob& listed : engine().list(place, {}, kMost)) {
                if (std::optional<StoredJob> whole = engine().find(listed.id)) {
                    jobs.push_back(std::move(*whole));
                }
            }
        }
        std::ranges::sort(jobs, {}, &StoredJob::id);
        return jobs;
    }

    /// Turns the clock to `to` or to where something may happen before to locks and leases.
    void turn_towards(TimePoint to) {
        TimePoint next = to;
        if (clock.now() < restless_until) {
            each_living([&](TestNode::Parts& node) {
                next = std::min(next, node.steps.next_look());
            });
        }
        clock.tick(next - clock.now());
    }

    /// What the nodes that live have done up to now. Nobody sees what one does alone, so it does
    /// that once a day.
    void live_on() {
        if (nodes.size() == 1 && clock.now() < next_chores) {
            nodes.front()->parts_->steps.live_on_alone();
            return;
        }
        live_on_in_the_open();
    }

    void live_on_in_the_open() {
        look_again();
        if (is_in_transaction()) {
            return;  // It would wait for itself; the next call does it.
        }
        each_living([](TestNode::Parts& node) { node.steps.live_on(); });
        each_living([](TestNode::Parts& node) { node.steps.look_after(); });
        next_chores = clock.now() + kChores;
    }

    void run_what_is_due(std::size_t& left) {
        for (bool goes_on = true; goes_on;) {
            goes_on = false;
            each_living([&](TestNode::Parts& node) { goes_on = run_next(node, left) || goes_on; });
        }
    }

    /// false: it has nothing to do.
    bool run_next(TestNode::Parts& node, std::size_t& left) {
        TestNode::Parts* const outer = std::exchange(innermost, &node);
        std::optional<StepNode::Step> step = node.steps.run_next();
        innermost = outer;
        if (!step) {
            return false;
        }
        if (left == 0) {
            throw std::logic_error(
                "jobs keep coming: they enqueue each other for ever, or the limit is too low"
            );
        }
        --left;
        record(node, std::move(*step));
        return true;
    }

    void record(const TestNode::Parts& node, StepNode::Step step) {
        look_again();
        runs.push_back(run_of(std::move(step), clock.now(), node.wiring().lock_owner()));
    }

    /// When a timer is due, or a limit lets a job start. Precondition: nothing is due.
    [[nodiscard]] std::optional<TimePoint> next_start() const {
        std::optional<TimePoint> next;
        each_living([&](TestNode::Parts& node) {
            if (const auto start = node.steps.next_start()) {
                next = std::min(next.value_or(*start), *start);
            }
        });
        return next;
    }

    /// Somebody else than a node may have changed something.
    void look_again() const {
        each_living([](TestNode::Parts& node) { node.steps.look_again(); });
    }

    /// Whatever a handler kills or adds meanwhile.
    template <typename Call>
    void each_living(const Call& call) const {
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            TestNode::Parts& node = *nodes[i]->parts_;
            if (node.steps.is_alive()) {
                call(node);
            }
        }
    }

    [[nodiscard]] bool is_in_transaction() const {
        return std::ranges::any_of(nodes, [](const auto& node) {
            return node->parts_->inner.would_wait_for_itself();
        });
    }

    static constexpr std::size_t kMost = 1'000'000;

    schema::ManualClock clock;
    const std::shared_ptr<schema::FreshIds> ids;
    std::optional<test_kit::TemporaryDatabase> database;
    std::string path;
    std::string database_url;
    test_kit::DeferredCommits commits;
    std::vector<std::unique_ptr<TestNode>> nodes;
    TestNode::Parts* innermost = nullptr;  ///< Whose handler runs, of those that run in each other.
    Duration settle{0};                    ///< So long locks and leases of the dead last at most.
    TimePoint restless_until{};
    TimePoint next_chores{};
    std::vector<TestRun> runs;
};

TestNode::Parts::Parts(TestEngine::Parts& all, Engine::Parts& parts, std::unique_ptr<Engine> face)
    : owner(all),
      engine(std::move(face)),
      inner(parts),
      steps(parts.wiring(), all.clock, parts.log(), parts.on_run(), all.commits) {}

TestNode::TestNode(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}

TestNode::~TestNode() = default;

Engine& TestNode::engine() {
    return *parts_->engine;
}

const std::string& TestNode::name() const {
    return parts_->wiring().lock_owner();
}

std::size_t TestNode::acquire(std::size_t jobs) {
    if (!is_alive()) {
        return 0;
    }
    parts_->owner.live_on_in_the_open();
    return parts_->steps.take(jobs);
}

void TestNode::kill() {
    if (parts_->steps.is_dead()) {
        return;
    }
    leave_the_living();
    parts_->steps.die();
    if (parts_->owner.innermost == parts_.get() && parts_->steps.is_running()) {
        throw Killed();
    }
}

void TestNode::freeze() {
    leave_the_living();
    parts_->steps.freeze();
}

void TestNode::thaw() {
    if (parts_->steps.is_dead() || is_alive()) {
        return;
    }
    for (test_kit::StepNode::Step& step : parts_->steps.thaw()) {
        parts_->owner.record(*parts_, std::move(step));
    }
    parts_->owner.somebody_died_or_came();
}

bool TestNode::is_alive() const {
    return parts_->steps.is_alive();
}

// Its lease and its locks end as late as if it had renewed them just now.
void TestNode::leave_the_living() {
    if (is_alive()) {
        parts_->owner.live_on_in_the_open();
    }
    parts_->owner.somebody_died_or_came();
}

TestEngine::TestEngine(EngineOptions options, TimePoint start)
    : parts_(std::make_unique<Parts>(std::move(options), start)) {}

TestEngine::~TestEngine() = default;

Engine& TestEngine::engine() {
    return parts_->engine();
}

const std::string& TestEngine::database_path() const {
    parts_->commits.forbid();  // Who asks looks there.
    return parts_->path;
}

TestNode& TestEngine::node() {
    return *parts_->nodes.front();
}

TestNode& TestEngine::add_node(EngineOptions options) {
    return parts_->add_node(std::move(options));
}

TimePoint TestEngine::now() const {
    return parts_->clock.now();
}

void TestEngine::set_time(TimePoint now) {
    advance(now - parts_->clock.now());
}

void TestEngine::advance(Duration by) {
    if (by < Duration{0}) {
        throw std::logic_error("the clock of a test goes forward only: begin another test engine");
    }
    const TimePoint end = now() + by;
    while (now() < end) {
        parts_->turn_towards(end);
        parts_->live_on_in_the_open();
    }
}

std::size_t TestEngine::run_until_idle(std::size_t limit) {
    std::size_t left = limit;
    test_kit::DeferredCommits::Period quiet(parts_->commits, true);
    parts_->live_on_in_the_open();
    parts_->run_what_is_due(left);
    parts_->live_on_in_the_open();
    quiet.end();
    return limit - left;
}

std::size_t TestEngine::run_for(Duration time, std::size_t limit) {
    const TimePoint end = now() + time;
    std::size_t left = limit;
    test_kit::DeferredCommits::Period quiet(parts_->commits, true);
    parts_->live_on_in_the_open();
    parts_->run_what_is_due(left);
    while (now() < end) {
        parts_->turn_towards(std::min(parts_->next_start().value_or(end), end));
        now() < end ? parts_->live_on() : parts_->live_on_in_the_open();
        parts_->run_what_is_due(left);
    }
    parts_->live_on_in_the_open();
    quiet.end();
    return limit - left;
}

std::vector<StoredJob> TestEngine::waiting() {
    constexpr std::array kPlaces{
        JobPlace::executable, JobPlace::timer, JobPlace::suspended, JobPlace::external_worker};
    return parts_->jobs_in(kPlaces);
}

std::vector<StoredJob> TestEngine::dead_letters() {
    constexpr std::array kPlaces{JobPlace::dead_letter};
    return parts_->jobs_in(kPlaces);
}

const std::vector<TestRun>& TestEngine::runs() const {
    return parts_->runs;
}

EngineOptions TestEngine::silent() {
    EngineOptions options;
    options.log = nullptr;
    return options;
}

}  // namespace jobstrand
