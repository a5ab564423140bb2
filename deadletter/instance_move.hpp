#pragma once

#include "deadletter/bulk_change.hpp"
#include "persistence/operator_store.hpp"
#include "schema/clock.hpp"
#include "schema/job.hpp"
#include "schema/time.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace jobstrand::deadletter {

/// How an instance is moved.
struct InstanceMoveRules {
    /// How long its running jobs may take until they have ended.
    schema::Duration patience = std::chrono::minutes(1);

    /// It is active in the end, whatever it was; else it stays suspended if it was so in either
    /// database. An earlier move that was interrupted leaves it suspended.
    bool activate = false;

    /// Waits for so long; tests turn their clock instead.
    std::function<void(schema::Duration)> wait = schema::sleep_for;

    /// Told how many jobs of the instance have moved, after each transaction. Empty: nobody is.
    std::function<void(std::int64_t moved)> on_moved = {};
};

/// What became of an instance. `done`: it is in the other database, `moved` are its jobs. `locked`:
/// its jobs still ran when the patience was over, and nothing has moved. `not_found`: it has no
/// job, and is not suspended. `refused`: see Refusal; unless jobs of it had moved before,
/// everything is as it was.
struct MovedInstance {
    ItemResult item = {};
    bool is_suspended = false;  ///< In both databases if it was not done, else in the other.
};

/// Moves instances to another database: all jobs of each, in whatever place, with all that is
/// stored of them. Their past stays where it was: job log, runs, and incidents, which end there.
///
/// An instance is suspended in both databases while it moves, so that none of its jobs runs, and
/// each page of jobs is added in one before it is removed from the other. Whoever is killed in
/// between leaves jobs in both that run in neither; the next move of the instance completes it.
/// Nothing is lost, and nothing runs twice unless somebody activates the instance meanwhile.
///
/// Throws DbError; what was done stays done. Thread safety: none. What it is made of must outlive
/// it.
class InstanceMove final {
public:
    struct Database {
        persistence::OperatorStore& store;
        const schema::Clock& clock;  ///< Shows the database's time.
    };

    InstanceMove(const Database& from, const Database& to, InstanceMoveRules rules)
        : from_(from), to_(to), rules_(std::move(rules)) {}

    [[nodiscard]] MovedInstance move(const std::string& id);

private:
    [[nodiscard]] ItemResult refusal_of(const std::string& id);

    /// Suspends the instance here, and waits until none of its jobs runs. False: some still do.
    [[nodiscard]] bool comes_to_rest(const std::string& id);
    [[nodiscard]] ItemResult move_all(const std::string& id);
    [[nodiscard]] ItemResult move_place(schema::JobPlace place, const std::string& id);
    [[nodiscard]] ItemResult move_page(
        schema::JobPlace place,
        const std::string& id,
        std::vector<persistence::JobCopy> page
    );

    /// For a job that could not be added, so that the next round can.
    [[nodiscard]] ItemResult
    make_room(schema::JobPlace place, const std::string& id, const schema::Job& job);
    void remove(schema::JobPlace place, std::span<const schema::Job> jobs);
    [[nodiscard]] static ItemResult of_series(const std::string& id, const schema::Job& job);

    const Database from_;
    const Database to_;
    const InstanceMoveRules rules_;
    std::int64_t moved_ = 0;                         ///< Of the instance that is being moved.
    std::set<std::string, std::less<>> alone_ = {};  ///< Jobs that are suspended by themselves.
};

}  // namespace jobstrand::deadletter
