#pragma once

#include "schema/job.hpp"
#include "schema/time.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace jobstrand::test {

/// What the store promises, as simply as it can be said: jobs in a map, each in one place. A test
/// does the same to the model and to a store, and compares.
class JobModel final {
public:
    struct Job {
        schema::JobPlace place = schema::JobPlace::executable;
        int retries = 3;
        std::string instance = {};  ///< Empty: none.
        std::optional<schema::TimePoint> due = {};
        std::string owner = {};  ///< Empty: free.
        schema::TimePoint locked_until = {};
        schema::JobPlace suspended_from = schema::JobPlace::executable;
    };

    using Jobs = std::map<std::string, Job>;
    [[nodiscard]] const Jobs& jobs() const { return jobs_; }
    [[nodiscard]] Job& job(const std::string& id) { return jobs_.at(id); }

    /// The ids of the jobs of one place, or of those of them that have an owner or have none.
    enum class Lock { any, held, free };
    [[nodiscard]] std::vector<std::string> ids(schema::JobPlace place, Lock lock = Lock::any) const;

    /// A new job that is due at once, or at `due`.
    void insert(
        const std::string& id,
        const std::string& instance,
        std::optional<schema::TimePoint> due,
        schema::TimePoint now
    );

    /// All free executable jobs are locked. Returns their ids; those of suspended instances are put
    /// aside instead.
    std::vector<std::string> acquire(const std::string& owner, schema::TimePoint until);

    // What becomes of a run.
    void complete(const std::string& id) { jobs_.erase(id); }
    void fail(const std::string& id, schema::TimePoint retry_at);
    void interrupt(const std::string& id, schema::TimePoint again_at);
    void release(const std::string& id) { jobs_.at(id).owner.clear(); }

    /// Returns how many locks had run out.
    std::int64_t reset_locks(schema::TimePoint now);

    /// Returns the ids of the timers that were due, in the order of their due dates.
    std::vector<std::string> move_due_timers(schema::TimePoint now);

    void remove(const std::string& id) { jobs_.erase(id); }
    void requeue(
        const std::string& id,
        int retries,
        std::optional<schema::TimePoint> due,
        schema::TimePoint now
    );

    /// Both return how many jobs moved.
    std::int64_t suspend(const std::string& instance, schema::TimePoint now);
    std::int64_t activate(const std::string& instance);

private:
    void wait(Job& job, schema::TimePoint until);
    void arrive(Job& job, schema::JobPlace place) const;

    Jobs jobs_;
    std::set<std::string> suspended_;
};

}  // namespace jobstrand::test
