#include "executor/enqueue/job_producer.hpp"

#include "executor/enqueue/job_defaults.hpp"
#include "executor/manual_run.hpp"
#include "persistence/sql/db_error.hpp"
#include "persistence/sql/sql_transaction.hpp"
#include "schema/acquisition.hpp"
#include "schema/clock.hpp"
#include "test/fixtures/job_builder.hpp"
#include "test/fixtures/open_store.hpp"
#include "test/fixtures/recording_intake.hpp"
#include "test/fixtures/recording_log.hpp"
#include "test/fixtures/sqlite_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace jobstrand::executor {

namespace {

using persistence::Transaction;
using schema::Job;
using schema::JobPlace;
using test::a_job;
using testing::ElementsAre;
using testing::IsEmpty;
using namespace std::chrono_literals;

/// A producer on a SQLite file, with an executor that only writes down what it is handed.
class ProducerTest : public testing::Test {
protected:
    persistence::SqlStore& store() { return *store_.operator->(); }

    /// The name of the place in which a job stands; "nowhere".
    std::string place_of(std::string_view id) {
        const auto found = store_->jobs().find(id);
        return found ? std::string(schema::name_of(found->place)) : "nowhere";
    }

    /// The job, which must be there.
    schema::Job job(std::string_view id) { return store_->jobs().find(id).value().job; }

    std::int64_t count(schema::JobPlace place) { return store_->jobs().count(place, {}); }

    schema::ManualClock clock_;
    test::RecordingIntake intake_;
    test::RecordingLog log_;
    WakeUps wake_ups_;

private:
    const test::SqliteFile file_;
    const test::OpenStore store_{file_.url_text()};

protected:
    JobProducer producer_{{store_->enqueuer(), intake_, clock_, wake_ups_}, {}};
};

Job a_mail(std::string id = {}) {
    Job job;
    job.id = std::move(id);
    job.handler_type = "mail";
    return job;
}

Job due_at(Job job, schema::TimePoint due) {
    job.due_date = due;
    return job;
}

Job repeating(Job job, std::string repeat = "R/PT1H") {
    job.repeat = std::move(repeat);
    return job;
}

class JobProducerTest : public ProducerTest {
protected:
    JobProducerTest() {
        wake_ups_.sleepers.acquisition = [this] { ++acquisition_woken_; };
        wake_ups_.sleepers.timer_mover = [this](schema::TimePoint due) { mover_.push_back(due); };
    }

    int acquisition_woken_ = 0;
    std::vector<schema::TimePoint> mover_;
};

// R152
TEST_F(JobProducerTest, A_job_that_this_node_serves_is_locked_for_it_and_handed_over) {
    intake_.free_places = 10;
    const std::vector<std::string> ids = producer_.enqueue({a_mail()});
    ASSERT_EQ(ids.size(), 1U);
    EXPECT_EQ(intake_.ids(), ids);
    EXPECT_EQ(job(ids[0]).lock_owner, "intake");
    EXPECT_EQ(job(ids[0]).lock_expiration, clock_.now() + intake_.lock_time());
    EXPECT_EQ(acquisition_woken_, 0) << "nobody has to look for it";
}

// R154
TEST_F(JobProducerTest, A_job_that_this_node_does_not_serve_is_free_for_others) {
    intake_.free_places = 10;
    Job job_of_others = a_mail("a");
    job_of_others.handler_type = "fax";
    producer_.enqueue({job_of_others});
    EXPECT_THAT(intake_.ids(), IsEmpty());
    EXPECT_EQ(job("a").lock_owner, "");
    EXPECT_EQ(place_of("a"), "executable");
    EXPECT_EQ(acquisition_woken_, 1);
}

// R053
TEST_F(JobProducerTest, A_job_outside_the_priority_range_of_this_node_is_free_for_others) {
    intake_.free_places = 10;
    intake_.served_jobs.scope = {.priority_min = 1, .priority_max = 5};
    Job job_of_others = a_mail("a");
    job_of_others.priority = 6;
    producer_.enqueue({job_of_others});
    EXPECT_THAT(intake_.ids(), IsEmpty());
    EXPECT_EQ(job("a").lock_owner, "");
    EXPECT_EQ(acquisition_woken_, 1);
}

// R154
TEST_F(JobProducerTest, What_exceeds_the_room_of_this_node_is_free_for_others) {
    intake_.free_places = 2;
    producer_.enqueue({a_mail("a"), a_mail("b"), a_mail("c")});
    EXPECT_THAT(intake_.ids(), ElementsAre("a", "b"));
    EXPECT_EQ(job("c").lock_owner, "");
    EXPECT_EQ(acquisition_woken_, 1);
}

TEST_F(JobProducerTest, Jobs_get_their_places_by_due_date_and_type) {
    Job external = a_mail("outside");
    external.type = schema::kExternalWorkerType;
    producer_.enqueue(
        {a_mail("now"),
         due_at(a_mail("past"), clock_.now() - 1h),
         due_at(a_mail("later"), clock_.now() + 1h),
         external}
    );
    EXPECT_EQ(place_of("now"), "executable");
    EXPECT_EQ(place_of("past"), "executable");
    EXPECT_EQ(place_of("later"), "timer");
    EXPECT_EQ(place_of("outside"), "external");
}

TEST_F(JobProducerTest, Only_executable_jobs_are_handed_over) {
    intake_.free_places = 10;
    Job external = a_mail("outside");
    external.type = schema::kExternalWorkerType;
    producer_.enqueue({due_at(a_mail("later"), clock_.now() + 1h), external});
    EXPECT_THAT(intake_.ids(), IsEmpty());
    EXPECT_EQ(acquisition_woken_, 0);
}

TEST_F(JobProducerTest, The_timer_mover_is_told_of_the_first_due_date_among_new_timers) {
    producer_.enqueue(
        {due_at(a_mail(), clock_.now() + 2h),
         due_at(a_mail(), clock_.now() + 1h),
         due_at(a_mail(), clock_.now() + 3h)}
    );
    EXPECT_THAT(mover_, ElementsAre(clock_.now() + 1h));
}

TEST_F(JobProducerTest, Ids_are_returned_in_the_order_of_the_jobs) {
    const std::vector<std::string> ids =
        producer_.enqueue({a_mail("z"), a_mail(), repeating(a_mail("m")), a_mail("a")});
    ASSERT_EQ(ids.size(), 4U);
    EXPECT_EQ(ids[0], "z");
    EXPECT_EQ(ids[1].size(), 36U) << "a UUID";
    EXPECT_EQ(ids[2], "m");
    EXPECT_EQ(ids[3], "a");
}

TEST_F(JobProducerTest, Nothing_at_all_is_enqueued_from_an_empty_list) {
    EXPECT_THAT(producer_.enqueue(std::vector<Job>{}), IsEmpty());
    EXPECT_EQ(acquisition_woken_, 0);
}

TEST_F(
    JobProducerTest,
    One_wrong_job_keeps_all_of_its_list_out_and_says_all_that_is_wrong_with_it
) {
    Job wrong = a_mail("a\n");
    wrong.handler_type.clear();
    try {
        producer_.enqueue({a_mail("good"), wrong});
        FAIL() << "it was enqueued";
    } catch (const std::invalid_argument& error) {
        EXPECT_NE(std::string(error.what()).find("; "), std::string::npos) << error.what();
    }
    EXPECT_EQ(place_of("good"), "nowhere");
}

TEST_F(JobProducerTest, An_id_that_is_taken_in_any_place_keeps_all_of_its_list_out) {
    producer_.enqueue({due_at(a_mail("taken"), clock_.now() + 1h)});
    for (const bool repeats : {false, true}) {
        Job second = a_mail("taken");
        second.repeat = repeats ? "R/PT1H" : "";
        EXPECT_THROW(producer_.enqueue({a_mail("fresh"), second}), persistence::DbError);
        EXPECT_EQ(place_of("fresh"), "nowhere");
    }
    EXPECT_EQ(place_of("taken"), "timer");
}

// R153
TEST_F(JobProducerTest, Jobs_of_a_transaction_are_handed_over_after_its_commit_and_not_before) {
    intake_.free_places = 10;
    store().enqueuer().in_transaction(
        [&](Transaction& transaction) {
            producer_.enqueue(transaction, {a_mail("a")});
            EXPECT_THAT(intake_.ids(), IsEmpty());
        },
        {}
    );
    EXPECT_THAT(intake_.ids(), ElementsAre("a"));
}

TEST_F(JobProducerTest, Jobs_of_a_transaction_that_ends_without_a_commit_never_existed) {
    intake_.free_places = 10;
    const auto work = [&](Transaction& transaction) {
        producer_.enqueue(transaction, {a_mail("a"), due_at(a_mail("b"), clock_.now() + 1h)});
        producer_.start_series(transaction, {}, repeating(a_mail("c")));
        throw std::runtime_error("the app changed its mind");
    };
    EXPECT_THROW(store().enqueuer().in_transaction(work, {}), std::runtime_error);
    EXPECT_THAT(intake_.ids(), IsEmpty());
    EXPECT_THAT(mover_, IsEmpty());
    for (const char* id : {"a", "b", "c"}) {
        EXPECT_EQ(place_of(id), "nowhere") << id;
    }
}

TEST_F(JobProducerTest, A_job_with_a_repeat_begins_a_series_of_its_own) {
    intake_.free_places = 10;
    producer_.enqueue({repeating(a_mail("a")), a_mail("b")});
    EXPECT_EQ(place_of("a"), "timer");
    EXPECT_EQ(job("a").series, "a");
    EXPECT_EQ(job("a").due_date, clock_.now() + 1h);
    EXPECT_THAT(intake_.ids(), ElementsAre("b"));
    EXPECT_THAT(mover_, ElementsAre(clock_.now() + 1h));
}

TEST_F(JobProducerTest, A_series_has_the_key_that_it_is_given_or_the_id_of_its_first_turn) {
    schema::Series named;
    named.key = "nightly";
    EXPECT_EQ(producer_.start_series(named, repeating(a_mail("a"))), "nightly");
    EXPECT_EQ(producer_.start_series({}, repeating(a_mail("b"))), "b");
    EXPECT_EQ(job("a").series, "nightly");
    EXPECT_EQ(count(JobPlace::timer), 2);
}

TEST_F(JobProducerTest, A_text_that_cannot_be_read_begins_no_series) {
    EXPECT_THROW(producer_.start_series({}, repeating(a_mail("a"), "R/")), std::invalid_argument);
    EXPECT_THROW(producer_.enqueue({repeating(a_mail("a"), "R/")}), std::invalid_argument);
    EXPECT_EQ(place_of("a"), "nowhere");
}

TEST_F(JobProducerTest, A_job_of_a_suspended_instance_waits_and_is_not_handed_over) {
    intake_.free_places = 10;
    persistence::OperatorStore& jobs = store().jobs();
    (void)jobs.suspend(persistence::SuspensionScope::instance, "order-1", clock_.now());
    Job of_instance = a_mail("a");
    of_instance.process_instance_id = "order-1";
    producer_.enqueue({of_instance});
    EXPECT_EQ(place_of("a"), "suspended");
    EXPECT_THAT(intake_.ids(), IsEmpty());
}

class JobDefaultsTest : public testing::Test {
protected:
    Job filled(Job job, const schema::RetryPolicy& policy = {}) {
        if (job.handler_type.empty()) {
            job.handler_type = "mail";
        }
        std::vector<Job> jobs{std::move(job)};
        JobDefaults(clock_, policy).fill_in(jobs);
        return jobs.front();
    }

    schema::ManualClock clock_;
};

TEST_F(JobDefaultsTest, A_job_that_says_nothing_gets_id_correlation_and_creation_time) {
    const Job job = filled({});
    EXPECT_EQ(job.id.size(), 36U);
    EXPECT_EQ(job.correlation_id, job.id);
    EXPECT_EQ(job.create_time, clock_.now());
    EXPECT_EQ(job.type, schema::kMessageType);
    EXPECT_EQ(job.retries, 3);
}

TEST_F(JobDefaultsTest, What_a_job_says_is_kept) {
    const Job job = filled({.id = "a", .correlation_id = "order-1", .retries = 7});
    EXPECT_EQ(job.id, "a");
    EXPECT_EQ(job.correlation_id, "order-1");
    EXPECT_EQ(job.retries, 7);
}

// R017
TEST_F(JobDefaultsTest, Without_priorities_every_job_has_0) {
    std::vector<Job> jobs{Job{.handler_type = "mail", .priority = 7}};
    JobDefaults(clock_, {}, false).fill_in(jobs);
    EXPECT_EQ(jobs.front().priority, 0);
    EXPECT_EQ(filled({.priority = 7}).priority, 7);
}

TEST_F(JobDefaultsTest, The_time_of_creation_is_ours_whatever_the_job_says) {
    EXPECT_EQ(filled({.create_time = clock_.now() - 24h}).create_time, clock_.now());
}

TEST_F(JobDefaultsTest, A_due_date_makes_a_message_a_timer_and_nothing_else_one) {
    const schema::TimePoint later = clock_.now() + 1h;
    EXPECT_EQ(filled({.due_date = later}).type, schema::kTimerType);
    Job external;
    external.type = schema::kExternalWorkerType;
    external.due_date = later;
    EXPECT_EQ(filled(external).type, schema::kExternalWorkerType);
}

// R166
TEST_F(JobDefaultsTest, Retries_come_from_the_job_its_cycle_or_the_policy_in_this_order) {
    const schema::RetryPolicy policy{.default_attempts = 9};
    const struct {
        int retries;
        std::string cycle;
        int expected;
    } cases[] = {
        {schema::kDefaultRetries, "", 9},
        {schema::kDefaultRetries, "R5/PT1S", 5},
        {schema::kDefaultRetries, "PT1S,PT2S", 3},
        {schema::kDefaultRetries, "R0/PT1S", 1},
        {1, "R5/PT1S", 1},
        {0, "", 0},
    };
    for (const auto& [retries, cycle, expected] : cases) {
        EXPECT_EQ(filled({.retries = retries, .retry_cycle = cycle}, policy).retries, expected)
            << retries << " '" << cycle << "'";
    }
}

TEST_F(JobDefaultsTest, One_wrong_job_leaves_all_of_its_list_as_it_was) {
    std::vector<Job> jobs(2);
    jobs[0].handler_type = "mail";
    JobDefaults defaults(clock_, {});
    EXPECT_THROW(defaults.fill_in(jobs), std::invalid_argument);
    EXPECT_EQ(jobs[0].id, "");
    EXPECT_FALSE(jobs[0].create_time);
}

TEST_F(JobDefaultsTest, Made_ids_differ_and_grow_also_from_several_threads) {
    JobDefaults defaults(clock_, {});
    constexpr std::size_t kThreads = 4;
    std::vector<std::vector<Job>> lists(kThreads, std::vector<Job>(500, {.handler_type = "mail"}));
    {
        std::vector<std::jthread> threads;
        for (std::vector<Job>& jobs : lists) {
            threads.emplace_back([&] { defaults.fill_in(jobs); });
        }
    }
    std::set<std::string> ids;
    for (const std::vector<Job>& jobs : lists) {
        EXPECT_TRUE(std::ranges::is_sorted(jobs, {}, &Job::id)) << "insertion stays in key order";
        for (const Job& job : jobs) {
            ids.insert(job.id);
        }
    }
    EXPECT_EQ(ids.size(), kThreads * 500);
}

constexpr schema::Duration kLockTime = 30s;

/// Runs jobs of SQLite by hand.
class ManualRunTest : public ProducerTest {
protected:
    /// Inserts a free executable job of the type "mail".
    void enqueue(const std::string& id, int retries = 3) {
        producer_.enqueue({a_job(id).of_type("mail").with_retries(retries)});
    }

    ManualRunResult run(std::string_view id) {
        return run_by_hand(
            {store().executor(), handlers_, clock_, log_}, {.retry = policy_}, id, kLockTime
        );
    }

    HandlerRegistry handlers_;
    schema::RetryPolicy policy_;
};

TEST_F(ManualRunTest, A_job_that_succeeds_is_gone) {
    int runs = 0;
    handlers_.add("mail", [&](const JobContext& context) -> HandlerResult {
        ++runs;
        EXPECT_EQ(context.job.id, "a");
        EXPECT_EQ(context.attempt, 1);
        return Succeeded{};
    });
    enqueue("a");
    const ManualRunResult result = run("a");
    EXPECT_EQ(result.answer, ManualRunAnswer::done);
    EXPECT_TRUE(result.transition);
    EXPECT_EQ(runs, 1);
    EXPECT_EQ(place_of("a"), "nowhere");
}

TEST_F(ManualRunTest, A_job_that_fails_waits_for_its_retry_and_after_the_last_is_dead) {
    handlers_.add("mail", [](const JobContext&) -> HandlerResult { return Failed{"no server"}; });
    enqueue("a", 2);
    enqueue("b", 1);
    EXPECT_EQ(run("a").answer, ManualRunAnswer::done);
    EXPECT_EQ(place_of("a"), "timer");
    EXPECT_EQ(job("a").retries, 1);
    EXPECT_EQ(job("a").exception_message, "no server");
    EXPECT_EQ(run("b").answer, ManualRunAnswer::done);
    EXPECT_EQ(place_of("b"), "dead");
}

TEST_F(ManualRunTest, A_job_that_is_not_executable_is_not_found) {
    handlers_.add("mail", [](const JobContext&) -> HandlerResult { return Succeeded{}; });
    producer_.enqueue({a_job("later").of_type("mail").due_at(clock_.now() + 1h)});
    EXPECT_EQ(run("later").answer, ManualRunAnswer::not_found);
    EXPECT_EQ(run("missing").answer, ManualRunAnswer::not_found);
    EXPECT_EQ(place_of("later"), "timer");
}

TEST_F(ManualRunTest, A_job_that_a_node_holds_is_refused_until_its_lock_has_run_out) {
    handlers_.add("mail", [](const JobContext&) -> HandlerResult { return Succeeded{}; });
    intake_.free_places = 1;
    enqueue("a");
    ASSERT_EQ(job("a").lock_owner, "intake");
    EXPECT_EQ(run("a").answer, ManualRunAnswer::locked);
    EXPECT_EQ(job("a").lock_owner, "intake") << "the lock stays the node's";
    clock_.tick(intake_.lock_time() + 1s);
    EXPECT_EQ(run("a").answer, ManualRunAnswer::done);
}

TEST_F(ManualRunTest, While_it_runs_a_job_is_locked_for_nobody_else) {
    handlers_.add("mail", [&](const JobContext&) -> HandlerResult {
        const Job running = job("a");
        EXPECT_EQ(schema::node_of(running.lock_owner)->process, ::getpid());
        EXPECT_EQ(running.lock_expiration, clock_.now() + kLockTime);
        EXPECT_EQ(run("a").answer, ManualRunAnswer::locked);
        return Succeeded{};
    });
    enqueue("a");
    EXPECT_EQ(run("a").answer, ManualRunAnswer::done);
}

TEST_F(ManualRunTest, The_result_of_a_run_whose_job_was_changed_meanwhile_is_dropped) {
    handlers_.add("mail", [&](const JobContext&) -> HandlerResult {
        store().enqueuer().in_transaction(
            [](persistence::Transaction& transaction) {
                transaction.execute("update ACT_RU_JOB set REV_ = REV_ + 1 where ID_ = 'a'");
            },
            {}
        );
        return Succeeded{};
    });
    enqueue("a");
    EXPECT_EQ(run("a").answer, ManualRunAnswer::lost_lock);
    EXPECT_EQ(place_of("a"), "executable");
}

TEST_F(ManualRunTest, A_transactional_handler_commits_with_its_job) {
    handlers_.add_transactional(
        "mail",
        [](const JobContext&, persistence::Transaction& transaction) -> HandlerResult {
            transaction.execute("create table SENT (ID_ varchar(64))");
            return Succeeded{};
        }
    );
    enqueue("a");
    const ManualRunResult result = run("a");
    EXPECT_EQ(result.answer, ManualRunAnswer::done);
    EXPECT_FALSE(result.transition) << "it was written with the handler's own effects";
    EXPECT_EQ(place_of("a"), "nowhere");
    store().enqueuer().in_transaction(
        [](persistence::Transaction& transaction) {
            EXPECT_NO_THROW(transaction.execute("delete from SENT"));
        },
        {}
    );
}

TEST_F(ManualRunTest, An_interrupted_job_waits_and_keeps_its_retries) {
    handlers_.add("mail", [](const JobContext&) -> HandlerResult { return Interrupted{5s}; });
    enqueue("a", 2);
    EXPECT_EQ(run("a").answer, ManualRunAnswer::done);
    EXPECT_EQ(place_of("a"), "timer");
    EXPECT_EQ(job("a").retries, 2);
    EXPECT_EQ(job("a").due_date, clock_.now() + 5s);
}

}  // namespace

}  // namespace jobstrand::executor
