#pragma once

#include "persistence/named_lock_store.hpp"
#include "persistence/operator_store.hpp"
#include "schema/clock.hpp"
#include "schema/job.hpp"
#include "schema/time.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace jobstrand::deadletter {

/// How instances are moved.
struct InstanceMoveRules {
    /// How long running jobs of an instance may take to end, and another program that moves it.
    schema::Duration patience = std::chrono::minutes(1);

    /// Waits for so long; tests turn their clock instead.
    std::function<void(schema::Duration)> wait = schema::sleep_for;

    /// Told how many jobs of the instance have moved, after each transaction. Empty: nobody is.
    std::function<void(std::int64_t moved)> on_moved = {};
};

enum class MoveEnd {
    done,
    not_found,         ///< It has no job here, and is not suspended.
    still_runs,        ///< Its jobs still ran when the patience was over.
    busy,              ///< Others change its jobs again and again.
    of_engine,         ///< Only its Flowable engine suspends it.
    of_series,         ///< It has a job of a series, `what`.
    key_held,          ///< The other database has `what`, a unique key of a job, for job `holder`.
    id_taken,          ///< The other database has another job with the id `what`.
    differs,           ///< Job `what` stands in both and was changed in both since it was copied.
    not_storable,      ///< The other database refuses it, in the words `what`.
    moved_by_another,  ///< A program that has the lock, `holder`.
    goes_elsewhere,    ///< Another move, `what` (`from a to b`), was interrupted.
};

/// What became of an instance.
struct MovedInstance {
    MoveEnd end = MoveEnd::done;
    std::int64_t jobs = 0;  ///< That were moved, by this call.

    /// Done: it is so in the other database. Else: in both, because jobs of it have moved, and it
    /// is to be moved again.
    bool is_suspended = false;

    std::int64_t left = 0;  ///< Done: jobs that have come here meanwhile.

    std::string what = {};
    std::string holder = {};
    std::optional<schema::TimePoint> until = {};  ///< How long a key is held; nullopt: by a job.
};

/// Moves instances to another database: all jobs of each, in whatever place, with all that is
/// stored of them. Their past stays where it was: job log, runs, and incidents, which end there.
///
/// An instance is suspended in both databases while it moves, so that none of its jobs runs, and
/// each page of jobs is added in one before it is removed from the other. Two named locks in both
/// databases guard it: one, of some seconds, so that one program alone moves an instance; and one,
/// held until the move is complete, that says from where it goes to where and whether it was
/// suspended before. So whoever is killed, or meets a DbError, leaves jobs in both databases that
/// run in neither, and the next move of the instance, there or back, completes it. Nothing is lost;
/// a job runs twice, or comes back though it was removed, only if somebody activates the instance
/// or removes jobs of it before that.
///
/// Thread safety: none. What it is made of must outlive it.
class InstanceMove final {
public:
    /// `from a to b`: a move of the instance that is not complete; nullopt: there is none. Whoever
    /// would activate it asks.
    [[nodiscard]] static std::optional<std::string>
    incomplete(persistence::NamedLockStore& locks, const std::string& id, schema::TimePoint now);

    struct Side {
        std::string engine;
        persistence::OperatorStore& store;
        persistence::NamedLockStore& locks;
        const schema::Clock& clock;  ///< Shows the database's time.
    };

    InstanceMove(Side from, Side to, InstanceMoveRules rules)
        : from_(std::move(from)), to_(std::move(to)), rules_(std::move(rules)) {}

    /// Throws DbError.
    [[nodiscard]] MovedInstance move(const std::string& id);

private:
    class Turn;
    struct Mark;

    /// An obstacle; nullopt: there is none.
    using Obstacle = std::optional<MovedInstance>;

    [[nodiscard]] Mark mark(const std::string& id);
    [[nodiscard]] MovedInstance move_marked(const std::string& id, const Mark& mark, Turn& turn);
    [[nodiscard]] MovedInstance move_at_rest(const std::string& id, const Mark& mark, Turn& turn);
    [[nodiscard]] bool is_there(const std::string& id);
    [[nodiscard]] Obstacle obstacle_to(const std::string& id, bool may_be_copies);
    [[nodiscard]] Obstacle
    obstacle_to_page(const std::vector<schema::Job>& jobs, bool may_be_copies);
    [[nodiscard]] Obstacle key_obstacle(const schema::Job& job);
    [[nodiscard]] bool comes_to_rest(const std::string& id, Turn& turn);
    [[nodiscard]] Obstacle move_all(const std::string& id, Turn& turn);
    [[nodiscard]] Obstacle move_place(schema::JobPlace place, const std::string& id, Turn& turn);
    [[nodiscard]] Obstacle
    move_page(schema::JobPlace place, std::vector<persistence::JobCopy> page, Turn& turn);
    [[nodiscard]] Obstacle
    settle(schema::JobPlace place, const schema::Job& job, std::vector<schema::Job>& settled);
    void remove(schema::JobPlace place, const std::vector<schema::Job>& jobs);
    [[nodiscard]] std::optional<persistence::JobCopy>
    copy_of(schema::JobPlace place, schema::Job job);
    void suspend(const Side& side, const std::string& id, Turn& turn);
    void activate(const Side& side, const std::string& id, Turn& turn);

    const Side from_;
    const Side to_;
    const InstanceMoveRules rules_;
    std::int64_t moved_ = 0;  ///< Of the instance that is being moved.
};

}  // namespace jobstrand::deadletter
