#pragma once

#include "schema/job.hpp"
#include "schema/time.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// Bulk operations that are written down: each is carried out page by page, and every page commits
/// together with how far the batch has come, so that each job is changed exactly once whatever dies
/// in between.
namespace jobstrand::schema {

/// What a batch does with its jobs.
enum class BatchOperation {
    requeue,  ///< Dead letters get new attempts.
    remove,   ///< They are deleted for good.
    change,   ///< They get other retries, another priority or another due date.
};

enum class BatchState {
    running,    ///< Somebody carries it out, or may: whoever did can have died.
    paused,     ///< Nobody carries it out until it is resumed.
    cancelled,  ///< For good: what is done stays done.
    done,
};

/// The words in the table, in JSON and on the command line.
[[nodiscard]] std::string_view name_of(BatchOperation operation);
[[nodiscard]] std::string_view name_of(BatchState state);

/// The inverse; nullopt for any other word.
[[nodiscard]] std::optional<BatchOperation> batch_operation_named(std::string_view name);
[[nodiscard]] std::optional<BatchState> batch_state_named(std::string_view name);

/// What was asked for.
struct BatchOrder {
    BatchOperation operation = BatchOperation::requeue;
    JobPlace place = JobPlace::dead_letter;  ///< Where its jobs stand.

    std::optional<int> retries = {};            ///< Required of requeue: the new attempts.
    std::optional<std::int64_t> priority = {};  ///< Of change.
    std::optional<TimePoint> due_date = {};     ///< Of requeue and change.
    Duration spread{0};                         ///< Of requeue: due dates over this time.

    std::int64_t per_second = 0;  ///< Jobs at most; 0: as fast as can be.
    std::string cause = {};       ///< Only dead letters of this cause; empty: of any.
    std::string who = {};
    std::string reason = {};

    bool operator==(const BatchOrder&) const = default;
};

/// A batch and how far it has come. It means what matched when it began: jobs with ids up to
/// `until`, and of dead letters those that had died by `until_time`, so that what dies while it
/// goes on is not taken as well. The public one tells only how far it has come.
struct Batch {
    std::string id = {};
    BatchOrder order = {};
    std::string selection = {};  ///< Which jobs, as the store wrote it down; for people.
    BatchState state = BatchState::running;
    TimePoint created{};
    std::optional<TimePoint> ended = {};
    std::string until = {};  ///< The last id that is meant; empty: there was no job.
    std::optional<TimePoint> until_time = {};
    std::string cursor = {};  ///< The last id that was looked at; empty: none yet.
    std::int64_t total = 0;   ///< Jobs that were meant when it began.
    std::int64_t done = 0;
    std::int64_t skipped = 0;  ///< A node held them, or they were changed by somebody else.
    std::int64_t refused = 0;  ///< They must not be changed, such as one whose unique key is held.

    bool operator==(const Batch&) const = default;
};

/// Jobs that it has looked at.
[[nodiscard]] inline std::int64_t handled(const Batch& batch) {
    return batch.done + batch.skipped + batch.refused;
}

}  // namespace jobstrand::schema
