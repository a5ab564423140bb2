#include "test/conformance/store_test.hpp"

#include <atomic>
#include <future>
#include <map>
#include <mutex>
#include <thread>

namespace jobstrand::test {

namespace {

using persistence::SuspensionScope;

constexpr std::size_t kNodes = 4;

class Concurrency : public StoreTest {
protected:
    Concurrency() {
        for (std::size_t i = 0; i < kNodes; ++i) {
            nodes_.push_back(std::make_unique<Node>(*database_, faults_));
        }
    }

    /// Calls `run(store, name)` for all nodes at the same time and waits for all; an exception of
    /// one fails the case.
    template <typename Run>
    void on_all_nodes(Run run) {
        std::vector<std::future<void>> ends;
        for (std::size_t i = 0; i < kNodes; ++i) {
            ends.push_back(std::async(std::launch::async, [this, run, i] {
                run(nodes_[i]->store(), "node-" + std::to_string(i));
            }));
        }
        for (std::future<void>& end : ends) {
            end.get();
        }
    }

    /// Notes who got which job; a job that somebody has already fails the case.
    void note(const std::string& node, const std::vector<Job>& jobs) {
        const std::lock_guard lock(mutex_);
        for (const Job& job : jobs) {
            EXPECT_TRUE(taken_by_.emplace(job.id, node).second)
                << job.id << " was given to " << taken_by_[job.id] << " and to " << node;
        }
    }

    std::vector<std::unique_ptr<Node>> nodes_;
    std::mutex mutex_;
    std::map<std::string, std::string> taken_by_;  ///< Guarded by mutex_.
};

INSTANTIATE_TEST_SUITE_P(
    OnEveryDatabase,
    Concurrency,
    testing::ValuesIn(databases_under_test()),
    name_of_database
);

// R040 R098 R142
TEST_P(Concurrency, Nodes_that_acquire_at_once_never_get_the_same_job) {
    insert(JobPlace::executable, many_jobs("j", 1000));
    on_all_nodes([this](persistence::SqlStore& store, const std::string& node) {
        for (;;) {
            const std::vector<Job> jobs = store.executor().acquire(claim_of(node), noop_, 37);
            note(node, jobs);
            if (jobs.empty()) {
                break;
            }
        }
    });
    // A page that others hold at that moment is passed over, so somebody may have stopped early.
    note("the last", acquire(1000, "the last"));
    EXPECT_EQ(taken_by_.size(), 1000U);
    for (const auto& [id, node] : taken_by_) {
        EXPECT_EQ(job(id).lock_owner, node);
    }
}

TEST_P(Concurrency, Nodes_that_move_timers_at_once_never_get_the_same_job) {
    std::vector<Job> timers = many_jobs("t", 400);
    for (Job& timer : timers) {
        timer.due_date = clock_.now();
    }
    insert(JobPlace::timer, timers);
    on_all_nodes([this](persistence::SqlStore& store, const std::string& node) {
        for (;;) {
            const auto due =
                store.timers().move_due_timers(clock_.now(), 23, claim_of(node), noop_);
            note(node, due.locked);
            if (due.moved == 0) {
                break;
            }
        }
    });
    note(
        "the last",
        store_.timers().move_due_timers(clock_.now(), 400, claim_of("the last"), noop_).locked
    );
    EXPECT_EQ(taken_by_.size(), 400U);
    EXPECT_EQ(count_rows("ACT_RU_TIMER_JOB"), 0);
}

// R114, R121 to R125: and an operator pauses and resumes them all the while.
TEST_P(Concurrency, Nodes_that_fire_series_at_once_take_each_turn_once) {
    constexpr int series = 12;
    constexpr int turns = 10;
    std::vector<persistence::NewSeries> all;
    for (Job& job : many_jobs("s", series)) {
        const bool overlap = all.size() % 2 == 0;
        all.push_back(
            {.series = {.group = "g", .repeat = "R10/PT1S", .overlap = overlap},
             .first_turn = std::move(job)}
        );
    }
    (void)store_.enqueuer().create(std::move(all), clock_.now());
    clock_.tick(1h);
    std::atomic<int> completed = 0;
    on_all_nodes([&](persistence::SqlStore& store, const std::string& node) {
        while (completed < series * turns) {
            if (node == "node-0") {
                store.jobs().suspend(SuspensionScope::timer_group, "g", clock_.now());
                store.jobs().activate(SuspensionScope::timer_group, "g", clock_.now());
            }
            const auto due = store.timers().move_due_timers(clock_.now(), 5, claim_of(node), noop_);
            note(node, due.locked);
            for (const Job& turn : due.locked) {
                const auto answers =
                    store.executor().apply(node, std::vector{completed_outcome(turn)});
                completed += answers.front() == OutcomeAnswer::done ? 1 : 0;
            }
        }
    });
    EXPECT_EQ(taken_by_.size(), std::size_t{series * turns});
    for (const auto& one : store_.series().list_series({}, "", 100)) {
        EXPECT_EQ(one.series.fire_count, turns) << one.series.key;
        EXPECT_EQ(one.condition, persistence::SeriesCondition::ended) << one.series.key;
    }
    for (const JobPlace place : schema::kJobPlaces) {
        EXPECT_EQ(count_rows(schema::table_of(place)), 0);
    }
}

TEST_P(Concurrency, Of_many_requests_for_one_job_one_is_answered) {
    insert(JobPlace::executable, a_job("a").build());
    std::atomic<int> done = 0;
    on_all_nodes([this, &done](persistence::SqlStore& store, const std::string& node) {
        const auto acquired = store.executor().acquire_one("a", claim_of(node), clock_.now());
        done += acquired.answer == JobAnswer::done ? 1 : 0;
    });
    EXPECT_EQ(done, 1);
}

TEST_P(Concurrency, Of_an_outcome_and_a_reset_one_wins_and_the_job_is_in_one_place) {
    insert(JobPlace::executable, many_jobs("j", 100));
    const std::vector<Job> held = acquire();
    std::vector<Outcome> outcomes;
    for (const Job& job : held) {
        outcomes.push_back(completed_outcome(job));
    }
    clock_.tick(1h);
    std::vector<OutcomeAnswer> answers;
    std::thread completion([&] { answers = store_.executor().apply("node-1", outcomes); });
    const std::int64_t freed =
        nodes_[0]
            ->store()
            .executor()
            .reset_expired_locks(JobPlace::executable, {.now = clock_.now(), .page = 10})
            .freed;
    completion.join();
    const auto lost = std::ranges::count(answers, OutcomeAnswer::lost_lock);
    EXPECT_EQ(count_rows("ACT_RU_JOB"), lost);
    EXPECT_GE(freed, lost);
}

TEST_P(
    Concurrency,
    Jobs_that_are_inserted_while_an_instance_is_suspended_and_activated_all_return
) {
    std::thread operating([this] {
        for (int i = 0; i < 20; ++i) {
            store_.jobs().suspend(SuspensionScope::instance, "i", clock_.now());
            store_.jobs().activate(SuspensionScope::instance, "i", clock_.now());
        }
    });
    on_all_nodes([this](persistence::SqlStore& store, const std::string& node) {
        for (int i = 0; i < 15; ++i) {
            store.enqueuer().insert(
                {{JobPlace::executable, a_job(node + "." + std::to_string(i)).of_instance("i")}}
            );
        }
    });
    operating.join();
    EXPECT_EQ(count_rows("ACT_RU_SUSPENDED_JOB"), 0);
    EXPECT_EQ(count_rows("ACT_RU_JOB"), 60);
}

}  // namespace

}  // namespace jobstrand::test
