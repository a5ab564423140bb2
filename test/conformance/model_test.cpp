#include "schema/job.hpp"
#include "schema/time.hpp"
#include "test/conformance/store_test.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <iostream>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace jobstrand::test {

namespace {

using schema::JobPlace;
using schema::TimePoint;

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
    [[nodiscard]] std::vector<std::string> ids(schema::JobPlace place, Lock lock = Lock::any)
        const {
        std::vector<std::string> found;
        for (const auto& [id, job] : jobs_) {
            const bool fits = lock == Lock::any || job.owner.empty() == (lock == Lock::free);
            if (job.place == place && fits) {
                found.push_back(id);
            }
        }
        return found;
    }

    /// A new job that is due at once, or at `due`.
    void insert(
        const std::string& id,
        const std::string& instance,
        std::optional<TimePoint> due,
        TimePoint now
    ) {
        Job job{.instance = instance, .due = due};
        arrive(job, due && *due > now ? JobPlace::timer : JobPlace::executable);
        jobs_.emplace(id, job);
    }

    /// All free executable jobs are locked. Returns their ids; those of suspended instances are put
    /// aside instead.
    std::vector<std::string> acquire(const std::string& owner, TimePoint until) {
        std::vector<std::string> acquired;
        for (const std::string& id : ids(JobPlace::executable, Lock::free)) {
            Job& job = jobs_.at(id);
            arrive(job, JobPlace::executable);
            if (job.place == JobPlace::executable) {
                job.owner = owner;
                job.locked_until = until;
                acquired.push_back(id);
            }
        }
        return acquired;
    }

    // What becomes of a run.
    void complete(const std::string& id) { jobs_.erase(id); }
    void fail(const std::string& id, TimePoint retry_at) {
        Job& job = jobs_.at(id);
        --job.retries;
        if (job.retries > 0) {
            wait(job, retry_at);
        } else {
            job.owner.clear();
            job.place = JobPlace::dead_letter;
        }
    }
    void interrupt(const std::string& id, TimePoint again_at) { wait(jobs_.at(id), again_at); }
    void release(const std::string& id) { jobs_.at(id).owner.clear(); }

    /// Returns how many locks had run out.
    std::int64_t reset_locks(TimePoint now) {
        std::int64_t freed = 0;
        for (auto& [id, job] : jobs_) {
            if (!job.owner.empty() && job.locked_until < now) {
                job.owner.clear();
                ++freed;
            }
        }
        return freed;
    }

    /// Returns the ids of the timers that were due, in the order of their due dates.
    std::vector<std::string> move_due_timers(TimePoint now) {
        std::vector<std::pair<TimePoint, std::string>> due;
        for (auto& [id, job] : jobs_) {
            if (job.place == JobPlace::timer && *job.due <= now) {
                job.place = JobPlace::executable;
                due.emplace_back(*job.due, id);
            }
        }
        std::ranges::sort(due);
        std::vector<std::string> ids;
        for (auto& [time, id] : due) {
            ids.push_back(std::move(id));
        }
        return ids;
    }

    void remove(const std::string& id) { jobs_.erase(id); }
    void requeue(const std::string& id, int retries, std::optional<TimePoint> due, TimePoint now) {
        Job& job = jobs_.at(id);
        job.retries = retries;
        job.due = due;
        arrive(job, due && *due > now ? JobPlace::timer : JobPlace::executable);
    }

    /// Both return how many jobs moved.
    std::int64_t suspend(const std::string& instance, TimePoint now) {
        suspended_.insert(instance);
        std::int64_t moved = 0;
        for (auto& [id, job] : jobs_) {
            const bool is_running = !job.owner.empty() && job.locked_until >= now;
            const bool can_wait = job.place == JobPlace::timer || job.place == JobPlace::executable;
            if (job.instance == instance && can_wait && !is_running) {
                job.owner.clear();
                arrive(job, job.place);
                ++moved;
            }
        }
        return moved;
    }
    std::int64_t activate(const std::string& instance) {
        suspended_.erase(instance);
        std::int64_t moved = 0;
        for (auto& [id, job] : jobs_) {
            if (job.instance == instance && job.place == JobPlace::suspended) {
                job.place = job.suspended_from;
                ++moved;
            }
        }
        return moved;
    }

private:
    void wait(Job& job, TimePoint until) {
        job.owner.clear();
        job.due = until;
        arrive(job, JobPlace::timer);
    }
    /// Jobs of a suspended instance are put aside wherever they arrive.
    void arrive(Job& job, JobPlace place) const {
        const bool is_put_aside = suspended_.contains(job.instance);
        job.place = is_put_aside ? JobPlace::suspended : place;
        job.suspended_from = place;
    }

    Jobs jobs_;
    std::set<std::string> suspended_;
};

using Lock = JobModel::Lock;

/// Draws operations and does each of them to a store and to the model.
class Model : public StoreTest {
protected:
    static constexpr int kSteps = 400;
    static constexpr std::size_t kAll = 10'000;

    void SetUp() override {
        StoreTest::SetUp();
        const char* const given = std::getenv("JOBSTRAND_TEST_SEED");
        const std::uint64_t seed = given == nullptr ? 20261122 : std::stoull(given);
        std::cout << "seed " << seed << " (JOBSTRAND_TEST_SEED)\n";
        dice_.seed(seed);
    }

    int number(int least, int most) {
        return least + static_cast<int>(dice_() % static_cast<unsigned>(most - least + 1));
    }
    template <typename Container>
    const auto& any_of(const Container& container) {
        return container[dice_() % container.size()];
    }
    std::optional<schema::TimePoint> any_due_date() {
        return number(0, 1) == 0 ? std::nullopt : std::optional(clock_.now() + number(-5, 30) * 1s);
    }
    std::string any_instance() { return number(0, 2) == 0 ? "" : fmt::format("i{}", number(1, 3)); }
    std::string any_node() { return fmt::format("node-{}", number(1, 3)); }

    void note(std::string operation) {
        history_.push_back(std::move(operation));
        if (history_.size() > 40) {
            history_.pop_front();
        }
    }

    // Operations.

    void insert_jobs() {
        std::vector<PlacedJob> jobs;
        for (int i = number(1, 5); i > 0; --i) {
            Job job = a_job(fmt::format("j{:05}", number(0, 99'999))).of_instance(any_instance());
            job.exclusive = false;  // What exclusive jobs do has a model and a suite of its own.
            job.due_date = any_due_date();
            if (model_.jobs().contains(job.id)) {
                continue;
            }
            note("insert " + job.id);
            model_.insert(job.id, job.process_instance_id, job.due_date, clock_.now());
            jobs.push_back({.place = schema::place_of_new(job, clock_.now()), .job = job});
        }
        store_.enqueuer().insert(jobs);
    }

    void acquire_all() {
        const std::string node = any_node();
        note("acquire for " + node);
        const std::vector<Job> acquired = acquire(kAll, node);
        EXPECT_EQ(ids_of(acquired), model_.acquire(node, clock_.now() + 5min));
        held_.insert(held_.end(), acquired.begin(), acquired.end());
    }

    void end_a_run() {
        if (held_.empty()) {
            return;
        }
        const auto at = held_.begin() + number(0, static_cast<int>(held_.size()) - 1);
        const Job job = *at;
        held_.erase(at);
        const auto [outcome, name] = any_outcome(job);
        note(fmt::format("{} {} of {}", name, job.id, job.lock_owner));
        const bool holds = model_.jobs().contains(job.id) &&
                           model_.job(job.id).owner == job.lock_owner &&
                           !stale_.contains({job.id, job.revision});
        const auto answer = apply({outcome}, job.lock_owner).front();
        EXPECT_EQ(answer, holds ? OutcomeAnswer::done : OutcomeAnswer::lost_lock);
        if (holds) {
            end_in_model(job.id, outcome.transition.reason);
        }
    }

    std::pair<Outcome, std::string_view> any_outcome(const Job& job) {
        switch (number(1, 6)) {
            case 1:
            case 2:
                return {completed_outcome(job), "complete"};
            case 3:
                return {outcome_of(job, schema::released(job)), "release"};
            case 4:
                return {outcome_of(job, schema::interrupted(job, 1s, clock_.now())), "interrupt"};
            default:
                return {failed_outcome(job), "fail"};
        }
    }

    void end_in_model(const std::string& id, schema::TransitionReason reason) {
        switch (reason) {
            case schema::TransitionReason::completed:
                return model_.complete(id);
            case schema::TransitionReason::released:
                return model_.release(id);
            case schema::TransitionReason::interrupted:
                return model_.interrupt(id, clock_.now() + 1s);
            default:
                return model_.fail(id, clock_.now() + 10s);
        }
    }

    void turn_clock() {
        const schema::Duration by = number(0, 9) == 0 ? 6min : number(1, 8) * 1s;
        note(fmt::format("turn the clock by {} ms", by.count()));
        clock_.tick(by);
    }

    void reset_locks() {
        note("reset locks");
        for (const Job& job : held_) {
            const auto known = model_.jobs().find(job.id);
            if (known != model_.jobs().end() && known->second.locked_until < clock_.now()) {
                stale_.insert({job.id, job.revision});
            }
        }
        const auto reset =
            store_.executor().reset_expired_locks(JobPlace::executable, {.now = clock_.now()});
        EXPECT_EQ(reset.freed, model_.reset_locks(clock_.now()));
    }

    void move_due_timers() {
        const bool is_claimed = number(0, 1) == 0;
        const std::string node = any_node();
        note(is_claimed ? "move timers for " + node : "move timers");
        const auto claim = is_claimed ? std::optional(claim_of(node)) : std::nullopt;
        const auto moved = store_.timers().move_due_timers(clock_.now(), kAll, claim, noop_);
        const std::vector<std::string> expected = model_.move_due_timers(clock_.now());
        EXPECT_EQ(moved.moved, expected.size());
        if (is_claimed) {
            std::vector<std::string> locked = ids_of(moved.locked);
            EXPECT_EQ(locked.size(), expected.size());
            for (const std::string& id : locked) {
                model_.job(id).owner = node;
                model_.job(id).locked_until = clock_.now() + 5min;
            }
            held_.insert(held_.end(), moved.locked.begin(), moved.locked.end());
        }
    }

    void change_a_timer() {
        const std::vector<std::string> timers = model_.ids(JobPlace::timer);
        if (timers.empty()) {
            return;
        }
        const std::string& id = any_of(timers);
        if (number(0, 1) == 0) {
            note("fire " + id);
            EXPECT_EQ(fire_timer(id), JobAnswer::done);
            model_.job(id).place = JobPlace::executable;
        } else {
            const schema::TimePoint due = clock_.now() + number(1, 30) * 1s;
            note("reschedule " + id);
            EXPECT_EQ(reschedule_timer(id, due), JobAnswer::done);
            model_.job(id).due = due;
        }
    }

    void remove_a_job() {
        const JobPlace place = any_of(schema::kJobPlaces);
        const std::vector<std::string> there = model_.ids(place);
        if (there.empty()) {
            return;
        }
        const std::vector<std::string> one{any_of(there)};
        note("remove " + one[0]);
        const JobModel::Job& job = model_.job(one[0]);
        const bool is_running = !job.owner.empty() && job.locked_until >= clock_.now();
        const auto answer = remove(place, one).front();
        EXPECT_EQ(answer, is_running ? JobAnswer::locked : JobAnswer::done);
        if (!is_running) {
            model_.remove(one[0]);
        }
    }

    void requeue_dead_letters() {
        const std::vector<std::string> dead = model_.ids(JobPlace::dead_letter);
        const int retries = number(1, 4);
        const auto due = any_due_date();
        note(fmt::format("requeue {}", fmt::join(dead, " ")));
        const auto answers = requeue(dead, retries, due);
        EXPECT_EQ(std::ranges::count(answers, JobAnswer::done), std::ssize(dead));
        for (const std::string& id : dead) {
            model_.requeue(id, retries, due, clock_.now());
        }
    }

    void change_suspension() {
        const std::string instance = fmt::format("i{}", number(1, 3));
        if (number(0, 1) == 0) {
            note("suspend " + instance);
            for (const Job& job : held_) {
                if (model_.jobs().contains(job.id) && model_.job(job.id).instance == instance &&
                    model_.job(job.id).locked_until < clock_.now()) {
                    stale_.insert({job.id, job.revision});
                }
            }
            EXPECT_EQ(
                suspend(SuspensionScope::instance, instance), model_.suspend(instance, clock_.now())
            );
        } else {
            note("activate " + instance);
            EXPECT_EQ(activate(SuspensionScope::instance, instance), model_.activate(instance));
        }
    }

    void do_something() {
        switch (number(1, 16)) {
            case 1:
            case 2:
            case 3:
                return insert_jobs();
            case 4:
            case 5:
                return acquire_all();
            case 6:
            case 7:
            case 8:
            case 9:
                return end_a_run();
            case 10:
                return turn_clock();
            case 11:
                return reset_locks();
            case 12:
                return move_due_timers();
            case 13:
                return change_a_timer();
            case 14:
                return remove_a_job();
            case 15:
                return requeue_dead_letters();
            default:
                return change_suspension();
        }
    }

    /// The store has each job where the model has it, and nothing else.
    void compare() {
        for (const JobPlace place : schema::kJobPlaces) {
            std::vector<std::string> found;
            for (const Job& job : store_.jobs().list(place, {}, "", kAll)) {
                found.push_back(job.id);
                const auto known = model_.jobs().find(job.id);
                if (known != model_.jobs().end() && place != JobPlace::dead_letter) {
                    EXPECT_EQ(job.retries, known->second.retries) << job.id;
                    EXPECT_EQ(job.lock_owner, known->second.owner) << job.id;
                }
            }
            EXPECT_EQ(found, model_.ids(place)) << schema::name_of(place);
        }
    }

    std::mt19937_64 dice_;
    JobModel model_;
    std::vector<Job> held_;  ///< Runs that have not ended, also those whose lock is lost.
    std::set<std::pair<std::string, int>> stale_;  ///< Runs whose lock is lost.
    std::deque<std::string> history_;
};

ON_EVERY_DATABASE(Model);

// I1 I2 I3 I5
TEST_P(Model, Whatever_happens_in_whatever_order_each_job_is_where_the_model_has_it) {
    for (int step = 0; step < kSteps; ++step) {
        do_something();
        if (step % 5 == 0) {
            compare();
        }
        if (HasFailure()) {
            FAIL() << "step " << step << ", after:\n  "
                   << fmt::format("{}", fmt::join(history_, "\n  "));
        }
    }
    compare();
}

}  // namespace

}  // namespace jobstrand::test
