#include "executor/workers/worker_broker.hpp"

#include "executor/workers/external_work.hpp"
#include "persistence/sql/db_error.hpp"
#include "schema/clock.hpp"
#include "schema/limits.hpp"
#include "test/fixtures/job_builder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace jobstrand::executor {

namespace {

using persistence::AskedTopic;
using persistence::WorkerAnswer;
using schema::Job;
using schema::TimePoint;
using test::a_job;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;
using namespace std::chrono_literals;
using Topics = std::vector<std::string>;

/// Has one job, which everybody holds, and keeps what it was asked.
class OneJobStore final : public persistence::WorkerStore {
public:
    std::vector<Job> acquire_external(
        const persistence::LockClaim& claim,
        const persistence::WantedJobs& wanted,
        persistence::PageLimit limit,
        TimePoint /*now*/
    ) override {
        until = claim.until;
        are_of_instances = wanted.are_of_instances;
        has_scope_type = wanted.scope_type.has_value();
        most = limit.jobs;
        if (pages == 0) {
            return {job};
        }
        if (are_pages_away && asked > 0) {
            throw persistence::DbError(persistence::DbErrorKind::connection_lost, "away");
        }
        const bool is_last = ++asked == pages;
        return std::vector<Job>(is_last ? 7 : schema::limits::kJobsPerTransaction, job);
    }

    std::vector<WorkerAnswer> apply_external(
        std::string_view /*worker*/,
        std::span<const persistence::WorkerOutcome> outcomes,
        TimePoint /*now*/
    ) override {
        for (const persistence::WorkerOutcome& outcome : outcomes) {
            transitions.push_back(outcome.transition(job));
        }
        return std::vector<WorkerAnswer>(outcomes.size(), answer);
    }

    bool take_back(
        const persistence::LockClaim& claim,
        std::string_view /*id*/,
        TimePoint /*now*/
    ) override {
        until = claim.until;
        return true;
    }

    std::vector<WorkerAnswer> extend_external(
        const persistence::LockClaim& claim,
        std::span<const persistence::HeldJob> jobs,
        TimePoint /*now*/
    ) override {
        until = claim.until;
        return std::vector<WorkerAnswer>(jobs.size(), answer);
    }

    std::vector<WorkerAnswer> release_external(
        std::string_view /*worker*/,
        std::span<const persistence::HeldJob> jobs,
        TimePoint /*now*/
    ) override {
        return std::vector<WorkerAnswer>(jobs.size(), answer);
    }

    std::int64_t release_all_external(
        std::string_view /*worker*/,
        const std::optional<std::string_view>& /*tenant*/,
        TimePoint /*now*/
    ) override {
        return 4;
    }

    Job job = a_job("a").of_kind(schema::kExternalWorkerType);
    WorkerAnswer answer = WorkerAnswer::done;
    TimePoint until;
    bool are_of_instances = false;
    bool has_scope_type = false;
    std::size_t most = 0;
    int pages = 0;  ///< So many transactions find jobs, all but the last a whole page; 0: one job.
    int asked = 0;
    bool are_pages_away = false;  ///< The database is, after the first of them.
    std::vector<schema::Transition> transitions;
};

class WorkerBrokerTest : public testing::Test {
protected:
    WorkerBrokerTest() {
        wake_ups_.sleepers.acquisition = [this] { ++looks_for_jobs_; };
        wake_ups_.sleepers.timer_mover = [this](TimePoint due) { due_.push_back(due); };
    }

    std::vector<WorkerAnswer> finish(decltype(WorkResult::what) what) {
        const WorkResult result{.job = {.id = "a"}, .what = std::move(what)};
        return broker_.finish("w", std::span(&result, 1));
    }

    schema::ManualClock clock_;
    OneJobStore store_;
    WakeUps wake_ups_;
    RunCounts run_counts_;
    AskedTopics asked_;
    ThroughputCounts throughput_;
    WorkerBroker broker_{
        {store_, clock_, wake_ups_, &run_counts_, &asked_, &throughput_},
        {.default_attempts = 5}};
    int looks_for_jobs_ = 0;
    std::vector<TimePoint> due_;
};

TEST_F(WorkerBrokerTest, A_lock_lasts_from_now_on_by_the_databases_clock) {
    EXPECT_EQ(
        broker_.acquire({.worker = "w", .topics = {"t"}, .lock = 5min, .jobs = 7}).size(), 1U
    );
    EXPECT_EQ(store_.until, clock_.now() + 5min);
    EXPECT_EQ(store_.most, 7U);
    const persistence::HeldJob job{.id = "a"};
    EXPECT_THAT(broker_.extend("w", std::span(&job, 1), 9min), ElementsAre(WorkerAnswer::done));
    EXPECT_EQ(store_.until, clock_.now() + 9min);
}

TEST_F(WorkerBrokerTest, Many_jobs_come_by_a_transaction_after_the_other) {
    store_.pages = 3;
    EXPECT_EQ(
        broker_.acquire({.worker = "w", .topics = {"t"}, .lock = 5min, .jobs = 5000}).size(), 2007U
    );
    EXPECT_EQ(store_.asked, 3);
    EXPECT_EQ(store_.most, 3000U) << "those that are still missing";
}

TEST_F(WorkerBrokerTest, Jobs_that_are_locked_already_come_though_the_database_is_away_then) {
    store_.pages = 3;
    store_.are_pages_away = true;
    const AcquireOrder order{.worker = "w", .topics = {"t"}, .lock = 5min, .jobs = 5000};
    EXPECT_EQ(broker_.acquire(order).size(), 1000U);
    EXPECT_THROW((void)broker_.acquire(order), persistence::DbError);
}

TEST_F(WorkerBrokerTest, What_workers_end_counts_as_runs_of_the_jobs_type) {
    store_.job.handler_type = "pay";
    const schema::SteadyPoint begin = clock_.steady_now();
    EXPECT_THAT(run_counts_.last_minute(begin), IsEmpty());
    (void)finish(WorkCompleted{});
    (void)finish(WorkHandedOn{[](const Job&) { return std::string(); }});
    (void)finish(WorkFailed{{.message = "m"}});
    store_.answer = WorkerAnswer::not_held;
    (void)finish(WorkCompleted{});
    EXPECT_THAT(
        run_counts_.last_minute(begin + 2s), ElementsAre(persistence::TypeRuns{"pay", 3, 1, 2s})
    );
}

TEST_F(WorkerBrokerTest, What_workers_take_and_end_is_counted_as_what_handlers_run) {
    store_.job.handler_type = "pay";
    store_.job.create_time = clock_.now() - 3s;
    (void)broker_.acquire({.worker = "w", .topics = {"pay"}, .lock = 5min});
    clock_.tick(40ms);
    (void)finish(WorkFailed{{.message = "m", .retryable = false}});
    (void)finish(WorkCompleted{});
    store_.answer = WorkerAnswer::not_held;
    (void)finish(WorkCompleted{});
    schema::RunSums pay{.begun = 1, .completed = 1, .failed = 1, .dead = 1};
    pay.waited.add(3s);
    pay.ran.add(40ms);  // Of the second end nobody knows when it was begun.
    EXPECT_THAT(
        throughput_.take_all().front().counts.types(), ElementsAre(testing::Pair("pay", pay))
    );
}

TEST_F(WorkerBrokerTest, Begins_of_very_many_jobs_that_nobody_ends_are_forgotten) {
    ExternalBegins begins;
    const auto add = [&](std::string id) {
        begins.add(std::vector<Job>{a_job(std::move(id))}, clock_.now());
    };
    add("first");
    add("second");
    EXPECT_EQ(begins.take("first"), clock_.now());
    EXPECT_EQ(begins.take("first"), std::nullopt);
    for (std::size_t i = 0; i < ExternalBegins::kLeast; ++i) {
        add(std::to_string(i));
    }
    EXPECT_EQ(begins.take("second"), clock_.now());
    add("third");
    for (std::size_t i = 0; i < 2 * ExternalBegins::kLeast; ++i) {
        add(std::to_string(i));
    }
    EXPECT_EQ(begins.take("third"), std::nullopt);
}

TEST_F(WorkerBrokerTest, It_is_known_what_workers_have_asked_for_also_when_there_was_nothing) {
    (void)broker_.acquire({.worker = "w", .topics = {"pay", "mail"}, .lock = 1s});
    EXPECT_THAT(
        asked_.latest(clock_.now()),
        ElementsAre(
            persistence::AskedTopic{"mail", "w", clock_.now()},
            persistence::AskedTopic{"pay", "w", clock_.now()}
        )
    );
}

TEST_F(WorkerBrokerTest, The_scope_type_of_processes_means_jobs_of_instances) {
    (void)broker_.acquire({.worker = "w", .topics = {"t"}, .lock = 1s, .scope_type = "bpmn"});
    EXPECT_TRUE(store_.are_of_instances);
    EXPECT_FALSE(store_.has_scope_type);
    (void)broker_.acquire({.worker = "w", .topics = {"t"}, .lock = 1s, .scope_type = "cmmn"});
    EXPECT_FALSE(store_.are_of_instances);
    EXPECT_TRUE(store_.has_scope_type);
}

TEST_F(WorkerBrokerTest, What_cannot_be_meant_is_refused) {
    const AcquireOrder good{.worker = "w", .topics = {"t"}, .lock = 1s};
    std::vector<AcquireOrder> bad(8, good);
    bad[0].worker = "";
    bad[1].worker = std::string(201, 'w');
    bad[2].topics.clear();
    bad[3].topics.assign(101, "t");
    bad[4].lock = 0s;
    bad[5].lock = 31 * 24h;
    bad[6].jobs = 0;
    bad[7].jobs = 10'001;
    for (const AcquireOrder& order : bad) {
        EXPECT_THROW((void)broker_.acquire(order), std::invalid_argument);
    }
    const std::vector<persistence::HeldJob> many(10'001);
    EXPECT_THROW((void)broker_.give_back("w", many), std::invalid_argument);
    EXPECT_THROW((void)broker_.extend("", {}, 1s), std::invalid_argument);
    EXPECT_NO_THROW((void)broker_.acquire(good));
}

TEST_F(WorkerBrokerTest, A_failed_job_waits_as_its_retry_cycle_says_and_the_mover_hears_of_it) {
    store_.job.retry_cycle = "R3/PT1M";
    EXPECT_THAT(finish(WorkFailed{{.message = "m"}}), ElementsAre(WorkerAnswer::done));
    EXPECT_EQ(store_.transitions.front().to, schema::JobPlace::timer);
    EXPECT_THAT(due_, ElementsAre(clock_.now() + 1min));
    EXPECT_EQ(broker_.counts().failed, 1U);
}

TEST_F(WorkerBrokerTest, What_is_handed_on_has_the_configured_attempts_and_is_run_at_once) {
    const auto outcome = [](const Job& job) { return job.id + " is done"; };
    EXPECT_THAT(finish(WorkHandedOn{outcome}), ElementsAre(WorkerAnswer::done));
    EXPECT_EQ(store_.transitions.front().outcome, "a is done");
    EXPECT_EQ(store_.transitions.front().retries, 5);
    EXPECT_EQ(looks_for_jobs_, 1);
    EXPECT_THAT(due_, IsEmpty());
}

TEST_F(WorkerBrokerTest, What_was_not_held_is_counted_and_wakes_nobody) {
    store_.answer = WorkerAnswer::not_held;
    EXPECT_THAT(
        finish(WorkHandedOn{[](const Job&) { return std::string(); }}),
        ElementsAre(WorkerAnswer::not_held)
    );
    EXPECT_EQ(broker_.counts().not_held, 1U);
    EXPECT_EQ(broker_.counts().handed_on, 0U);
    EXPECT_EQ(looks_for_jobs_, 0);
}

TEST_F(WorkerBrokerTest, What_is_given_back_is_counted_and_wakes_other_workers) {
    bool are_woken = false;
    wake_ups_.sleepers.external_workers = [&] { are_woken = true; };
    EXPECT_EQ(broker_.give_back_all("w", std::nullopt), 4);
    EXPECT_EQ(broker_.counts().given_back, 4U);
    EXPECT_TRUE(are_woken);
}

const schema::TimePoint kFirstAsked = schema::TimePoint{} + 24h;

TEST(AskedTopics, Each_worker_is_known_with_each_topic_and_when_it_asked_last) {
    AskedTopics asked;
    asked.add("w2", Topics{"pay"}, kFirstAsked);
    asked.add("w1", Topics{"pay", "mail"}, kFirstAsked + 1s);
    asked.add("w2", Topics{"pay"}, kFirstAsked + 2s);
    EXPECT_THAT(
        asked.latest(kFirstAsked + 3s),
        ElementsAre(
            AskedTopic{"mail", "w1", kFirstAsked + 1s},
            AskedTopic{"pay", "w1", kFirstAsked + 1s},
            AskedTopic{"pay", "w2", kFirstAsked + 2s}
        )
    );
}

TEST(AskedTopics, Who_asks_no_more_is_forgotten) {
    AskedTopics asked;
    asked.add("w", Topics{"pay"}, kFirstAsked);
    EXPECT_EQ(asked.latest(kFirstAsked + AskedTopic::kLasts).size(), 1U);
    EXPECT_THAT(asked.latest(kFirstAsked + AskedTopic::kLasts + 1ms), IsEmpty());
}

TEST(AskedTopics, Of_very_many_the_latest_are_kept) {
    AskedTopics asked;
    for (std::size_t i = 0; i < 5 * AskedTopic::kMost; ++i) {
        asked.add("w" + std::to_string(i), Topics{"pay"}, kFirstAsked + schema::Duration(i));
    }
    const auto latest = asked.latest(kFirstAsked + 10s);
    EXPECT_EQ(latest.size(), AskedTopic::kMost);
    const auto oldest = std::ranges::min(latest, {}, &AskedTopic::last);
    EXPECT_EQ(oldest.last, kFirstAsked + schema::Duration(4 * AskedTopic::kMost));
}

TEST(ExternalLimitsTest, The_name_itself_counts_then_the_longest_beginning) {
    const std::vector<std::string> texts{
        "mail=PT30S", "invoice.*=PT5M", "invoice.pdf.*=1500", "odd=name=PT1S"};
    const ExternalLimits limits(texts);
    EXPECT_EQ(limits.of("mail"), 30s);
    EXPECT_EQ(limits.of("invoice.txt"), 5min);
    EXPECT_EQ(limits.of("invoice.pdf.long"), 1500ms);
    EXPECT_EQ(limits.of("odd=name"), 1s);
    EXPECT_FALSE(limits.of("mails"));
    EXPECT_FALSE(limits.of("invoice"));
    EXPECT_EQ(ExternalLimits(std::vector<std::string>{"*=PT1H"}).of(""), 1h);
    EXPECT_FALSE(ExternalLimits().are_any());
}

TEST(ExternalLimitsTest, What_cannot_be_meant_so_is_refused) {
    for (const std::string_view text :
         {"", "mail", "=PT1S", "mail=", "mail=soon", "mail=PT0.01S", "mail=P31D"}) {
        EXPECT_NE(ExternalLimits::problem_of(text), "") << text;
    }
    EXPECT_EQ(ExternalLimits::problem_of("mail=P30D"), "");
}

class ExternalDeadlinesTest : public testing::Test {
protected:
    [[nodiscard]] static Job a_held_job(const std::string& id, int revision = 2) {
        Job job = a_job(id).of_type("mail");
        job.revision = revision;
        job.lock_owner = "w-1";
        return job;
    }

    schema::ManualClock clock_;
    ExternalDeadlines deadlines_{ExternalLimits(std::vector<std::string>{"mail=PT30S"})};
};

TEST_F(ExternalDeadlinesTest, A_job_is_late_when_its_time_is_over_unless_it_has_ended) {
    int wakes = 0;
    deadlines_.when_earlier([&wakes] { ++wakes; });
    Job other = a_held_job("other");
    other.handler_type = "pdf";
    deadlines_.begun(std::vector{a_held_job("a"), a_held_job("b"), other}, clock_.now());
    EXPECT_EQ(wakes, 1);
    clock_.tick(1s);
    deadlines_.begun(std::vector{a_held_job("c")}, clock_.now());
    EXPECT_EQ(wakes, 1) << "it is later";
    EXPECT_EQ(deadlines_.next(), clock_.now() + 29s);
    deadlines_.ended("b");
    EXPECT_THAT(deadlines_.take_late(clock_.now() + 28s), IsEmpty());
    const auto late = deadlines_.take_late(clock_.now() + 29s);
    ASSERT_THAT(late, SizeIs(1));
    EXPECT_EQ(late[0].id, "a");
    EXPECT_EQ(late[0].worker, "w-1");
    EXPECT_EQ(late[0].revision, 2);
    EXPECT_EQ(late[0].limit, 30s);
    EXPECT_THAT(deadlines_.take_late(clock_.now() + 30s), SizeIs(1));
    EXPECT_FALSE(deadlines_.next());
}

TEST_F(ExternalDeadlinesTest, The_time_of_a_run_is_its_own_and_begins_once) {
    deadlines_.begun(std::vector{a_held_job("a")}, clock_.now());
    clock_.tick(20s);
    deadlines_.begun(std::vector{a_held_job("a")}, clock_.now());
    EXPECT_EQ(deadlines_.next(), clock_.now() + 10s);
    deadlines_.begun(std::vector{a_held_job("a", 3)}, clock_.now());
    EXPECT_EQ(deadlines_.next(), clock_.now() + 30s);
    EXPECT_THAT(deadlines_.take_late(clock_.now() + 30s), SizeIs(1));
}

}  // namespace

}  // namespace jobstrand::executor
