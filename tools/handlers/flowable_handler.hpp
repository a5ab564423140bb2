#pragma once

#include "executor/job_handler.hpp"
#include "persistence/engine_store.hpp"
#include "persistence/executor_store.hpp"
#include "schema/clock.hpp"
#include "schema/log.hpp"
#include "tools/calls/http_client.hpp"
#include "tools/settings/settings.hpp"

#include <memory>
#include <string>
#include <vector>

namespace jobstrand::cli {

/// Has Flowable engines run their own jobs, which this node has claimed: each is executed by one of
/// the engines over REST, and the engine writes what becomes of it, success and failure. After
/// anything but a success the row decides: one that is gone, or stands in another place, has its
/// outcome from the engine, and nothing is written. One that is still executable, with our lock,
/// met a conflict or no engine: it is free again, and no retry is used.
///
/// An exclusive job has the lock of its process instance while it runs. No thread waits for an
/// engine.
///
/// Thread safety: safe; called by all workers at once. What it depends on must outlive it; the
/// client and the log outlive all runs, too.
class FlowableHandler final {
public:
    struct Dependencies {
        const schema::Clock& clock;
        schema::Log& log;
        HttpClient& client;
        persistence::ExecutorStore& jobs;
        persistence::EngineStore& instances;
    };

    /// Throws std::runtime_error for a file that cannot be read.
    FlowableHandler(const Dependencies& dependencies, const FlowableSettings& settings);

    void operator()(const std::shared_ptr<executor::AsyncRun>& run) const;

private:
    class Calls;
    std::shared_ptr<Calls> calls_;
};

/// The handler types of a process engine's jobs, and those that the settings add.
[[nodiscard]] std::vector<std::string> flowable_types(const FlowableSettings& settings);

/// Only jobs of an engine are its jobs: what is ours under such a type is another handler's.
[[nodiscard]] executor::HandlerRegistry::Needs flowable_needs();

/// What keeps this process from calling the engines, in a sentence; empty: nothing.
[[nodiscard]] std::vector<std::string> obstacles_to_engines(const FlowableSettings& settings);

}  // namespace jobstrand::cli
