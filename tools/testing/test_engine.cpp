#include "persistence/drivers/parse_database_url.hpp"
#include "persistence/drivers/registry.hpp"
#include "tools/engine/engine_parts.hpp"
#include "tools/engine/faces.hpp"
#include "tools/testing/manual_clock.hpp"
#include "tools/testing/step_executor.hpp"
#include "tools/testing/temporary_database.hpp"

#include <jobstrand/testing.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>
#include <stdexcept>
#include <utility>

namespace jobstrand {

namespace {

constexpr TimePoint kStart = std::chrono::sys_days(std::chrono::year{2030} / 1 / 1);

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

TestRun run_of(test_kit::StepExecutor::Step step, TimePoint at) {
    return {
        .job = engine::stored_job_of(std::move(step.job), schema::JobPlace::executable),
        .end = end_of(step.transition),
        .message = step.transition.failure ? step.transition.failure->message : "",
        .at = at,
    };
}

/// What is no URL at all, the engine refuses.
void require_our_clock(const std::string& database_url) {
    const auto url = persistence::parse_database_url(database_url);
    if (url && persistence::driver_of(url.value()).dialect.has_own_clock()) {
        throw std::logic_error(
            "a test engine works on SQLite, where its clock counts: leave out database_url, or "
            "name a file"
        );
    }
}

}  // namespace

class TestEngine::Parts {
public:
    explicit Parts(EngineOptions options) : clock(kStart) {
        if (options.database_url.empty()) {
            database.emplace();
            path = database->path();
            options.database_url = database->url();
        }
        require_our_clock(options.database_url);
        auto engine_parts = std::make_unique<Engine::Parts>(options, &clock);
        inner = engine_parts.get();
        engine.reset(new Engine(std::move(engine_parts)));
    }

    [[nodiscard]] persistence::TimerStore& timers() const { return inner->wiring().timer_store(); }

    [[nodiscard]] std::vector<StoredJob> jobs_in(std::span<const JobPlace> places) const {
        std::vector<StoredJob> jobs;
        for (const JobPlace place : places) {
            for (const StoredJob& listed : engine->list(place, {}, kMost)) {
                if (std::optional<StoredJob> whole = engine->find(listed.id)) {
                    jobs.push_back(std::move(*whole));
                }
            }
        }
        std::ranges::sort(jobs, {}, &StoredJob::id);
        return jobs;
    }

    void run_what_is_due(std::size_t& left) {
        test_kit::StepExecutor executor(
            {inner->wiring().executor_store(),
             timers(),
             inner->wiring().handlers(),
             inner->wiring().served(),
             clock,
             inner->log(),
             &inner->wiring().retry_rule()},
            inner->retry()
        );
        while (true) {
            executor.move_due_timers();
            std::optional<test_kit::StepExecutor::Step> step = executor.run_next();
            if (!step) {
                return;
            }
            if (left == 0) {
                throw std::logic_error(
                    "jobs keep coming: they enqueue each other for ever, or the limit is too low"
                );
            }
            --left;
            runs.push_back(run_of(std::move(*step), clock.now()));
        }
    }

    static constexpr std::size_t kMost = 1'000'000;

    test_kit::ManualClock clock;
    std::optional<test_kit::TemporaryDatabase> database;
    std::string path;
    std::unique_ptr<Engine> engine;
    Engine::Parts* inner = nullptr;
    std::vector<TestRun> runs;
};

TestEngine::TestEngine(EngineOptions options)
    : parts_(engine::with_public_errors([&] { return std::make_unique<Parts>(std::move(options)); })
      ) {}

TestEngine::~TestEngine() = default;

Engine& TestEngine::engine() {
    return *parts_->engine;
}

const std::string& TestEngine::database_path() const {
    return parts_->path;
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
    parts_->clock.advance(by);
}

std::size_t TestEngine::run_until_idle(std::size_t limit) {
    std::size_t left = limit;
    engine::with_public_errors([&] { parts_->run_what_is_due(left); });
    return limit - left;
}

std::size_t TestEngine::run_for(Duration time, std::size_t limit) {
    const TimePoint end = now() + time;
    std::size_t left = limit;
    engine::with_public_errors([&] {
        parts_->run_what_is_due(left);
        // One that is still due cannot be moved: somebody has locked it.
        while (const auto due = parts_->timers().next_due({})) {
            if (*due <= now() || *due > end) {
                break;
            }
            set_time(*due);
            parts_->run_what_is_due(left);
        }
    });
    set_time(std::max(now(), end));
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
