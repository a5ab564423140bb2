#pragma once

#include "test/fixtures/open_store.hpp"
#include "test/fixtures/recording_log.hpp"
#include "test/fixtures/signal.hpp"
#include "test/fixtures/temporary_directory.hpp"
#include "tools/engine/wiring.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace jobstrand::test {

/// Engines on one SQLite file, with short times. The commit is not flushed to disk: these tests are
/// about what the engine does, and a power cut is not part of them.
class EngineTest : public testing::Test {
protected:
    [[nodiscard]] std::unique_ptr<engine::Wiring> an_engine(
        executor::ExecutorSettings settings = {}
    ) {
        using namespace std::chrono_literals;
        settings.acquire_wait = 20ms;
        settings.timer_wait = 20ms;
        settings.reset_interval = 50ms;
        return std::make_unique<engine::Wiring>(
            engine::WiringOptions{.database_url = url(), .executor = std::move(settings)},
            clock,
            log
        );
    }

    [[nodiscard]] std::string url() const {
        return "sqlite:" + (directory.path() / "jobs.db").string() + "?synchronous=off";
    }

    [[nodiscard]] static std::int64_t count(engine::Wiring& engine, schema::JobPlace place) {
        return engine.store().count(place, {});
    }

    /// Whether all tables become empty in time.
    [[nodiscard]] static bool all_jobs_end(engine::Wiring& engine) {
        return eventually([&] {
            std::int64_t jobs = 0;
            engine.in_transaction([&](persistence::Transaction& transaction) {
                jobs = count_all_jobs(transaction);
            });
            return jobs == 0;
        });
    }

    [[nodiscard]] static bool
    arrives(engine::Wiring& engine, const std::string& id, schema::JobPlace place) {
        return eventually([&] {
            const auto found = engine.store().find(id);
            return found && found->place == place && found->job.lock_owner.empty();
        });
    }

    /// Its runs say that they have started, and last until they may end.
    [[nodiscard]] executor::JobHandler holding() {
        return [this](const executor::JobContext&) -> executor::HandlerResult {
            started.notify();
            EXPECT_TRUE(may_end.wait_for(1));
            return executor::Succeeded{};
        };
    }

    TemporaryDirectory directory;
    schema::SystemClock clock;
    RecordingLog log;
    Signal started;
    Signal may_end;
};

/// Each run is told.
[[nodiscard]] inline executor::JobHandler counting(Signal& runs) {
    return [&runs](const executor::JobContext&) -> executor::HandlerResult {
        runs.notify();
        return executor::Succeeded{};
    };
}

inline executor::HandlerResult succeed(const executor::JobContext&) {
    return executor::Succeeded{};
}

}  // namespace jobstrand::test
