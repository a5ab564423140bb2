#include "test/conformance/unique/unique_fixture.hpp"

#include <array>
#include <atomic>
#include <future>
#include <map>
#include <memory>
#include <mutex>

namespace jobstrand::test {

namespace {

constexpr int kProducers = 4;
constexpr int kKeys = 20;

/// A producer with a store of its own.
struct Producer {
    Producer(TestDatabase& database, FaultPlan& faults, const schema::Clock& clock)
        : node(database, faults),
          producer(
              {.store = node.store().enqueuer(),
               .intake = intake,
               .clock = clock,
               .wake_ups = wake_ups},
              {}
          ) {}

    Node node;
    RecordingIntake intake;
    executor::WakeUps wake_ups;
    executor::JobProducer producer;
};

/// Producers and nodes that want the same keys at the same time (B8).
class UniqueKeyConcurrency : public UniqueTest {
protected:
    UniqueKeyConcurrency() {
        for (int i = 0; i < kProducers; ++i) {
            producers_.push_back(std::make_unique<Producer>(*database_, faults_, clock_));
        }
    }

    /// Calls `run(producer, number)` for all at the same time and waits for all; an exception of
    /// one fails the case.
    template <typename Run>
    void on_all(Run run) {
        std::vector<std::future<void>> ends;
        for (int i = 0; i < kProducers; ++i) {
            ends.push_back(std::async(std::launch::async, [this, run, i] {
                run(*producers_[static_cast<std::size_t>(i)], i);
            }));
        }
        for (std::future<void>& end : ends) {
            end.get();
        }
    }

    /// How many open jobs each key has.
    std::map<std::string, int> open_jobs_by_key() {
        std::map<std::string, int> open;
        for (const JobPlace place : {JobPlace::executable, JobPlace::timer}) {
            for (const Job& job : store_.jobs().list(place, {}, "", 10'000)) {
                ++open[job.unique_key];
            }
        }
        return open;
    }

    /// No key has two, and each that is held is held by the job that has it.
    void expect_one_open_job_for_each_key() {
        const auto open = open_jobs_by_key();
        for (const auto& [key, jobs] : open) {
            EXPECT_EQ(jobs, 1) << key;
            EXPECT_EQ(job(owner_of(key)).unique_key, key);
        }
        EXPECT_EQ(count_rows("JS_UNIQUE"), static_cast<std::int64_t>(open.size()));
    }

    [[nodiscard]] static std::string key(int number) { return "key-" + std::to_string(number); }

    std::vector<std::unique_ptr<Producer>> producers_;
};

INSTANTIATE_TEST_SUITE_P(
    OnEveryDatabase,
    UniqueKeyConcurrency,
    testing::ValuesIn(databases_under_test()),
    name_of_database
);

TEST_P(UniqueKeyConcurrency, Of_producers_that_want_one_key_exactly_one_gets_it) {
    std::mutex mutex;
    std::map<std::string, int> winners;
    std::atomic<int> refused = 0;
    on_all([&](Producer& one, int number) {
        for (int i = 0; i < kKeys; ++i) {
            const std::string id = key(i) + "-of-" + std::to_string(number);
            const KeyRule rule = number % 2 == 0 ? kReject : kKeep;
            try {
                const auto enqueued =
                    one.producer.enqueue_unique({{.job = a_job(id).with_key(key(i)), .rule = rule}}
                    );
                const std::lock_guard lock(mutex);
                winners[key(i)] += enqueued.front().is_added ? 1 : 0;
            } catch (const persistence::KeyHeld&) {
                ++refused;
            }
        }
    });
    for (int i = 0; i < kKeys; ++i) {
        EXPECT_EQ(winners[key(i)], 1) << key(i);
    }
    EXPECT_EQ(count_rows("ACT_RU_JOB"), kKeys);
    expect_one_open_job_for_each_key();
}

// In orders of their own: whoever sorted by them would wait for each other in a circle.
TEST_P(UniqueKeyConcurrency, Lists_with_the_same_keys_share_them) {
    std::atomic<int> added = 0;
    on_all([&](Producer& one, int number) {
        std::vector<UniqueJob> jobs;
        for (int i = 0; i < 300; ++i) {
            const int mine = number % 2 == 0 ? i : 299 - i;
            const std::string id = key(mine) + "-of-" + std::to_string(number);
            jobs.push_back({.job = a_job(id).with_key(key(mine)), .rule = kKeep});
        }
        for (const Enqueued& enqueued : one.producer.enqueue_unique(jobs)) {
            added += enqueued.is_added ? 1 : 0;
        }
    });
    EXPECT_EQ(added, 300);
    EXPECT_EQ(count_rows("ACT_RU_JOB"), 300);
    expect_one_open_job_for_each_key();
}

// What the last one wants is done: a change is never lost, as long as its job waits.
TEST_P(UniqueKeyConcurrency, Producers_that_replace_each_others_jobs_leave_one) {
    std::atomic<int> added = 0;
    std::atomic<int> replaced = 0;
    std::atomic<int> refused = 0;
    on_all([&](Producer& one, int number) {
        for (int i = 0; i < 50; ++i) {
            const std::string id = std::to_string(i) + "-of-" + std::to_string(number);
            try {
                const auto enqueued = one.producer.enqueue_unique(
                    {{.job = a_job(id).with_key(key(i % 2)), .rule = kReplace}}
                );
                ++added;
                replaced += enqueued.front().replaced.empty() ? 0 : 1;
            } catch (const persistence::KeyHeld&) {
                ++refused;
            }
        }
    });
    EXPECT_EQ(refused, 0) << "nobody runs them";
    EXPECT_EQ(added - replaced, 2);
    EXPECT_EQ(count_rows("ACT_RU_JOB"), 2);
    expect_one_open_job_for_each_key();
}

TEST_P(UniqueKeyConcurrency, Keys_are_exact_while_jobs_run_fail_die_and_come_back) {
    std::atomic<int> producing = kProducers - 1;
    std::atomic<int> added = 0;
    std::atomic<int> gone = 0;
    on_all([&](Producer& one, int number) {
        const std::string node = "node-" + std::to_string(number);
        if (number == 0) {
            // A node that completes, fails and gives up what it gets, and an operator who requeues.
            int turn = 0;
            while (producing > 0) {
                for (const Job& held :
                     one.node.store().executor().acquire(claim_of(node), noop_, 3)) {
                    const int kind = turn++ % 3;
                    const Outcome outcome =
                        kind == 0
                            ? completed_outcome(held)
                            : failed_outcome(
                                  held, {.message = "no", .retryable = kind == 1}, clock_.now()
                              );
                    const auto answer =
                        one.node.store().executor().apply(node, std::vector{outcome}).front();
                    EXPECT_EQ(answer, OutcomeAnswer::done);
                    gone += kind == 0 ? 1 : 0;
                }
                const auto dead =
                    one.node.store().jobs().list_ids(JobPlace::dead_letter, {}, "", 2);
                (void)one.node.store().jobs().requeue(dead, 1, {}, clock_.now());
            }
            return;
        }
        for (int i = 0; i < 100; ++i) {
            const std::string id = std::to_string(i) + "-of-" + std::to_string(number);
            const KeyRule rule =
                std::array{kReject, kKeep, kReplace}.at(static_cast<std::size_t>(i + number) % 3);
            try {
                const auto enqueued = one.producer.enqueue_unique(
                    {{.job = a_job(id).with_key(key(i % 5)), .rule = rule}}
                );
                added += enqueued.front().is_added ? 1 : 0;
                gone += enqueued.front().replaced.empty() ? 0 : 1;
            } catch (const persistence::KeyHeld&) {
                continue;
            }
        }
        --producing;
    });
    EXPECT_GE(added, 5);
    const auto open = open_jobs_by_key();
    const std::int64_t left =
        static_cast<std::int64_t>(open.size()) + count_rows("ACT_RU_DEADLETTER_JOB");
    EXPECT_EQ(left, added - gone) << "none is lost";
    expect_one_open_job_for_each_key();
}

}  // namespace

}  // namespace jobstrand::test
