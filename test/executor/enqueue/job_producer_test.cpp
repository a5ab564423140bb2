#include "executor/enqueue/job_producer.hpp"

#include "persistence/sql/db_error.hpp"
#include "persistence/sql/sql_transaction.hpp"
#include "test/executor/enqueue/producer_fixture.hpp"

#include <gmock/gmock.h>

#include <stdexcept>

namespace jobstrand::executor {
namespace {

using namespace std::chrono_literals;
using persistence::Transaction;
using schema::Job;
using schema::JobPlace;
using testing::ElementsAre;
using testing::IsEmpty;

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

}  // namespace
}  // namespace jobstrand::executor
