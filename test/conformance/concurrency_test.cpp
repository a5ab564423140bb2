#include "persistence/limits/limit_slots.hpp"
#include "test/conformance/batch_fixture.hpp"
#include "test/conformance/store_test.hpp"
#include "test/conformance/unique_fixture.hpp"
#include "test/fixtures/at_once.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <future>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <thread>

namespace jobstrand::test {

namespace {

constexpr std::size_t kNodes = 4;

class Concurrency : public StoreTest {
protected:
    Concurrency() {
        for (std::size_t i = 0; i < kNodes; ++i) {
            nodes_.push_back(std::make_unique<Node>(*database_, faults_));
        }
    }

    /// Calls `run(store, name)` for all nodes at the same time.
    template <typename Run>
    void on_all_nodes(Run run) {
        at_once(kNodes, [&](std::size_t i) {
            run(nodes_[i]->store(), "node-" + std::to_string(i));
        });
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

ON_EVERY_DATABASE(Concurrency);

// R040 R098 R142
TEST_P(Concurrency, Nodes_that_acquire_at_once_never_get_the_same_job) {
    insert(many_jobs("j", 1000));
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
    insert(JobPlace::timer, many_jobs("t", 400, a_job("").due_at(clock_.now())));
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
    note("the last", move_due(400, "the last").locked);
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
    insert(a_job("a"));
    std::atomic<int> done = 0;
    on_all_nodes([this, &done](persistence::SqlStore& store, const std::string& node) {
        const auto acquired = store.executor().acquire_one("a", claim_of(node), clock_.now());
        done += acquired.answer == JobAnswer::done ? 1 : 0;
    });
    EXPECT_EQ(done, 1);
}

TEST_P(Concurrency, Of_an_outcome_and_a_reset_one_wins_and_the_job_is_in_one_place) {
    insert(many_jobs("j", 100));
    const std::vector<Job> held = acquire();
    std::vector<Outcome> outcomes;
    for (const Job& job : held) {
        outcomes.push_back(completed_outcome(job));
    }
    clock_.tick(1h);
    std::vector<OutcomeAnswer> answers;
    std::thread completion([&] { answers = apply(outcomes); });
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
            suspend(SuspensionScope::instance, "i");
            activate(SuspensionScope::instance, "i");
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

/// Of the definition that is changed: every second one of the first, and all behind them.
constexpr std::size_t kMixed = 3000;
constexpr std::size_t kBehind = 1000;

/// A whole definition is changed while two nodes work on another one, in the same tables.
class DefinitionConcurrency : public StoreTest {
protected:
    DefinitionConcurrency() : one_(*database_, faults_), other_(*database_, faults_) {}

    void insert_jobs() {
        std::vector<Job> jobs = many_jobs("j", kMixed + kBehind);
        for (std::size_t i = 0; i < jobs.size(); ++i) {
            const bool is_meant = i >= kMixed || i % 2 == 0;
            jobs[i].process_definition_id = is_meant ? "shipping:3" : "billing:1";
            jobs[i].handler_type = is_meant ? "ship" : "noop";
            others_ += is_meant ? 0 : 1;
        }
        insert(std::move(jobs));
    }

    /// Takes and completes jobs of the other definition until there are none.
    std::set<std::string> work(persistence::SqlStore& store, const std::string& node) {
        std::set<std::string> done;
        while (true) {
            const std::vector<Job> jobs = store.executor().acquire(claim_of(node), noop_, 50);
            if (jobs.empty() && !is_changing_) {
                return done;
            }
            std::vector<Outcome> outcomes;
            for (const Job& job : jobs) {
                outcomes.push_back(completed_outcome(job));
                EXPECT_TRUE(done.insert(job.id).second) << job.id << " ran twice";
            }
            (void)store.executor().apply(node, outcomes);
        }
    }

    std::int64_t cascade(std::int64_t priority) {
        std::int64_t changed = 0;
        std::optional<persistence::OverridePosition> position{std::in_place};
        while (position) {
            const auto step = store_.definitions().override_priorities(
                schema::job_definition_named("shipping:3"), priority, *position, clock_.now()
            );
            changed += step.changed;
            position = step.next;
        }
        return changed;
    }

    Node one_;
    Node other_;
    std::atomic<bool> is_changing_{true};
    std::size_t others_ = 0;
};

ON_EVERY_DATABASE(DefinitionConcurrency);

// R026
TEST_P(DefinitionConcurrency, Cascade_and_suspension_lose_nothing_beside_nodes_at_work) {
    insert_jobs();
    const auto meant = static_cast<std::int64_t>(kMixed + kBehind - others_);
    auto first = std::async(std::launch::async, [this] { return work(one_.store(), "node-1"); });
    auto second = std::async(std::launch::async, [this] { return work(other_.store(), "node-2"); });
    std::int64_t changed = cascade(-10);
    const std::int64_t moved = suspend(SuspensionScope::definition, "shipping:3");
    const std::int64_t back = activate(SuspensionScope::definition, "shipping:3");
    is_changing_ = false;
    std::set<std::string> done = first.get();
    done.merge(second.get());
    EXPECT_EQ(done.size(), others_);
    // What was passed over, because a claim was reading it, is met by the next one.
    changed += cascade(-10);
    EXPECT_EQ(changed, meant);
    EXPECT_LE(moved, meant);
    EXPECT_EQ(moved, back);
    EXPECT_EQ(count_rows("ACT_RU_JOB"), meant);
}

constexpr std::size_t kJobsToRun = 300;
constexpr int kAtOnce = 5;

/// Four nodes that take limited jobs at the same time, and clean up behind each other.
class LimitConcurrency : public StoreTest {
protected:
    LimitConcurrency() {
        schema::JobLimit limit = schema::limit_named("type:noop");
        limit.concurrent = kAtOnce;
        store_.limits().set_limit(limit);
        for (int i = 0; i < 4; ++i) {
            nodes_.push_back(std::make_unique<Node>(*database_, faults_));
            nodes_.back()->store().executor().refresh_limits();
        }
    }

    /// From when a job is locked to before its outcome is written.
    void run(persistence::SqlStore& store, const std::string& node, const std::vector<Job>& jobs) {
        const int size = static_cast<int>(jobs.size());
        const int now = running_ += size;
        EXPECT_LE(now, kAtOnce);
        std::vector<Outcome> outcomes;
        std::ranges::transform(jobs, std::back_inserter(outcomes), completed_outcome);
        running_ -= size;
        for (const OutcomeAnswer answer : store.executor().apply(node, outcomes)) {
            EXPECT_EQ(answer, OutcomeAnswer::done);
            ++completed_;
        }
    }

    std::vector<std::unique_ptr<Node>> nodes_;
    std::atomic<int> running_{0};
    std::atomic<std::size_t> completed_{0};
};

ON_EVERY_DATABASE(LimitConcurrency);

// B7: exact, and nothing that waits is forgotten.
TEST_P(LimitConcurrency, A_limit_is_never_exceeded_and_all_run_in_the_end) {
    insert(many_jobs("j", kJobsToRun));
    at_once(nodes_.size(), [this](std::size_t i) {
        const std::string node = fmt::format("node-{}", i);
        persistence::SqlStore& store = nodes_[i]->store();
        while (completed_ < kJobsToRun && !HasFailure()) {
            const LockClaim claim = claim_of(node);
            EXPECT_EQ(store.executor().forget_idle_groups({}, clock_.now()), "");
            if (const auto fresh = store.executor().acquire(claim, noop_, 7 + i); !fresh.empty()) {
                run(store, node, fresh);
            }
            if (const auto next = store.executor().acquire_limited(claim, noop_, 3);
                !next.jobs.empty()) {
                run(store, node, next.jobs);
            }
        }
    });
    EXPECT_EQ(completed_, kJobsToRun);
    EXPECT_EQ(count_rows("ACT_RU_JOB"), 0);
    EXPECT_EQ(count_rows("JS_LIMIT_WAITING"), 0);
    EXPECT_LE(count_rows("JS_SLOT"), kAtOnce);
}

TEST_P(LimitConcurrency, A_claim_waits_while_another_node_counts_the_same_group) {
    insert(many_jobs("j", 2));
    ASSERT_EQ(nodes_[0]->store().executor().acquire(claim_of("node-0"), noop_, 1).size(), 1U);
    Transaction counting(*connection_);
    const std::vector<std::string_view> group{"type:noop"};
    (void)persistence::lock_limited(counting, group);
    auto claimed = std::async(std::launch::async, [this] {
        return nodes_[1]->store().executor().acquire(claim_of("node-1"), noop_, 1);
    });
    EXPECT_EQ(claimed.wait_for(200ms), std::future_status::timeout);
    counting.commit();
    EXPECT_EQ(claimed.get().size(), 1U);
}

class BatchConcurrency : public BatchTest {};

ON_EVERY_DATABASE(BatchConcurrency);

TEST_P(BatchConcurrency, Four_that_carry_out_the_same_batch_do_each_page_once) {
    constexpr std::size_t jobs = 400;
    insert_dead(jobs);
    const Batch begun = begin_requeue();
    at_once(4, [&](std::size_t) {
        Node node(*database_, faults_);
        persistence::BatchStore& store = node.store().batches();
        while (store.step_batch(begun.id, {.jobs = 7}, clock_.now())->state == BatchState::running
        ) {
        }
    });
    EXPECT_EQ(found(begun.id).done, static_cast<std::int64_t>(jobs));
    EXPECT_EQ(count_rows("ACT_RU_JOB"), static_cast<std::int64_t>(jobs));
    EXPECT_EQ(count_rows("ACT_RU_DEADLETTER_JOB"), 0);
}

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

    /// Calls `run(producer, number)` for all at the same time.
    template <typename Run>
    void on_all(Run run) {
        at_once(kProducers, [&](std::size_t i) { run(*producers_[i], static_cast<int>(i)); });
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

ON_EVERY_DATABASE(UniqueKeyConcurrency);

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
                        kind == 0 ? completed_outcome(held)
                                  : failed_outcome(held, {.message = "no", .retryable = kind == 1});
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
