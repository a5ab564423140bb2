#pragma once

#include <jobstrand/handler.hpp>
#include <jobstrand/job.hpp>
#include <jobstrand/time.hpp>

#include <functional>
#include <string_view>

namespace jobstrand {

/// How a run has ended.
enum class RunResult {
    succeeded,
    failed,       ///< It is tried again.
    dead,         ///< It failed for good.
    interrupted,  ///< It runs again, and no retry is used.
};

/// A run that has ended. Borrowed: valid during the call.
struct EndedRun {
    RunningJob job;
    int attempt = 1;
    TimePoint began{};
    TimePoint ended{};
    RunResult result = RunResult::succeeded;
    std::string_view message = {};  ///< Of the failure.
};

/// What an app does beside its handlers, for jobs of all types. An empty function: nothing.
struct Hooks {
    /// Called with each job that is enqueued with this engine, and the first turn of each series,
    /// before anything is stored, in the thread that enqueues: it may change them. What it throws
    /// is thrown there, and nothing is enqueued.
    std::function<void(NewJob&)> before_enqueue = {};

    /// Called before the handler, in its thread and, of a transactional one, in its transaction.
    /// What it throws ends the attempt, as if the handler had thrown it.
    std::function<void(const JobContext&)> before_run = {};

    /// Told of each run on the threads of this engine, by the thread that has ended it. What became
    /// of it counts unless its lock is lost. It must neither block nor throw.
    std::function<void(const EndedRun&)> after_run = {};
};

}  // namespace jobstrand
