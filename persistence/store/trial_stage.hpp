#pragma once

#include "persistence/store/sql_store.hpp"
#include "persistence/store/statement_trial.hpp"
#include "schema/clock.hpp"
#include "schema/job.hpp"
#include "schema/log.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace jobstrand::persistence {

/// What trials work with: a store whose clock stands still in January 1970, so that its jobs come
/// before all others, and whoever looks for the first finds them. Names are drawn, so that two
/// programs that try at once do not wait for each other.
class TrialStage final {
public:
    struct Parts {
        SessionPool& pool;
        const schema::SeriesSchedule& schedule;
        const TriedSettings& settings;
    };

    explicit TrialStage(const Parts& parts);

    [[nodiscard]] SqlStore& store() { return store_; }
    [[nodiscard]] const TriedSettings& settings() const { return settings_; }
    [[nodiscard]] schema::TimePoint now() const { return clock_.now(); }

    /// A text that nobody else uses: for owners, keys, instances and handler types.
    [[nodiscard]] const std::string& name() const { return name_; }

    [[nodiscard]] ServedJobs served() const { return {{name_}}; }

    /// Takes locks that last for a minute.
    [[nodiscard]] LockClaim claim() const;

    /// A new job of no instance, with an id behind those of earlier ones.
    [[nodiscard]] schema::Job job();

    /// One that excludes all others of the stage.
    [[nodiscard]] schema::Job exclusive_job();

    /// As it was stored.
    schema::Job insert(schema::JobPlace place, schema::Job job);

    /// Stores executable jobs and takes them.
    [[nodiscard]] std::vector<schema::Job> insert_and_take(std::vector<schema::Job> jobs);

    /// What was looked for, of which there must be so many. Throws DbError `other`: the database
    /// takes the statements, and does something else.
    [[nodiscard]] static std::vector<schema::Job>
    all_of(std::size_t count, std::vector<schema::Job> found);

    /// Writes what became of taken jobs. Throws DbError `other` when their locks are not there.
    void apply(const std::vector<std::pair<schema::Job, schema::Transition>>& outcomes);

private:
    /// Only this store asks it.
    class StillClock final : public schema::Clock {
    public:
        explicit StillClock(schema::TimePoint time) : time_(time) {}
        [[nodiscard]] schema::TimePoint now() const override { return time_; }
        [[nodiscard]] schema::SteadyPoint steady_now() const override {
            return std::chrono::steady_clock::now();
        }

    private:
        const schema::TimePoint time_;
    };

    const TriedSettings& settings_;
    const StillClock clock_;
    schema::SilentLog log_;
    SqlStore store_;
    const std::string name_;
};

/// An activity of nodes or enqueuers, done once.
struct Trial {
    std::string_view activity;  ///< What it does, after "to": `take jobs`.
    void (*run)(TrialStage& stage);
};

/// All of them. A test compares their statements with those of the conformance suite.
[[nodiscard]] std::span<const Trial> trials();

}  // namespace jobstrand::persistence
