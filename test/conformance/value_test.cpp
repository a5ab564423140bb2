#include "persistence/sql/db_error.hpp"
#include "persistence/sql/dialect.hpp"
#include "persistence/sql/sql_values.hpp"
#include "schema/limits.hpp"
#include "test/conformance/store_test.hpp"

#include <stdexcept>

namespace jobstrand::test {

namespace {

using persistence::SuspensionScope;
using testing::HasSubstr;

std::string characters(std::string_view character, std::size_t count) {
    std::string text;
    for (std::size_t i = 0; i < count; ++i) {
        text += character;
    }
    return text;
}

class Values : public StoreTest {};

INSTANTIATE_TEST_SUITE_P(
    OnEveryDatabase,
    Values,
    testing::ValuesIn(databases_under_test()),
    name_of_database
);

TEST_P(Values, Every_column_survives_every_move) {
    Job expected = insert(JobPlace::timer, full_job("a"));
    const auto expect_stored = [&](std::string_view place) {
        EXPECT_EQ(place_of("a"), place);
        expected.revision += 1;
        EXPECT_EQ(job("a"), expected) << "in the place " << place;
    };
    store_.jobs().suspend(SuspensionScope::definition, "definition", clock_.now());
    expected.suspended_from = "timer";
    expect_stored("suspended");
    store_.jobs().activate(SuspensionScope::definition, "definition", clock_.now());
    expected.suspended_from = "";
    expect_stored("timer");
    ASSERT_EQ(store_.jobs().fire_timer("a", clock_.now()), JobAnswer::done);
    expected.repeat = "";  // The next turn of the series has it now.
    expect_stored("executable");

    const Job held = acquire().at(0);
    expected.revision += 1;
    Outcome outcome = outcome_of(held, schema::interrupted(held, 1h, clock_.now()));
    (void)store_.executor().apply("node-1", std::vector{outcome});
    expected.due_date = clock_.now() + 1h;
    expect_stored("timer");

    ASSERT_EQ(store_.jobs().fire_timer("a", clock_.now()), JobAnswer::done);
    expect_stored("executable");
    const Job again = acquire().at(0);
    expected.revision += 1;
    outcome = failed_outcome(again, {.message = "no", .retryable = false}, clock_.now());
    (void)store_.executor().apply("node-1", std::vector{outcome});
    expected.retries = 0;
    expected.attempts = 3;
    expected.exception_message = "no";
    expected.exception_stack_id = "";
    expected.due_date = outcome.transition.due_date;
    expected.failed_time = clock_.now();
    expect_stored("dead");

    (void)store_.jobs().requeue(std::vector<std::string>{"a"}, 4, clock_.now() + 2h, clock_.now());
    expected.retries = 4;
    expected.failed_time.reset();
    expected.due_date = clock_.now() + 2h;
    expect_stored("timer");
}

TEST_P(Values, Jobs_that_use_different_columns_are_stored_together) {
    std::vector<Job> jobs = many_jobs("j", 70);
    jobs[3] = full_job("k");
    jobs[66].tenant_id = "tenant";
    jobs[69].due_date = clock_.now() - 1h;
    for (const Job& stored : insert(JobPlace::executable, jobs)) {
        EXPECT_EQ(job(stored.id), stored);
    }
}

TEST_P(Values, Texts_at_their_limits_are_kept_whole) {
    const std::string id = characters("i", schema::limits::kIdLength);
    const std::string name = characters("\xF0\x9F\x9A\x80", schema::limits::kNameLength);
    Job long_texts = full_job(id);
    for (std::string Job::*member :
         {&Job::execution_id,
          &Job::process_instance_id,
          &Job::process_definition_id,
          &Job::exception_stack_id,
          &Job::custom_values_id,
          &Job::root_process_instance_id,
          &Job::deployment_id,
          &Job::job_definition_id}) {
        long_texts.*member = id;
    }
    for (std::string Job::*member :
         {&Job::category,
          &Job::element_id,
          &Job::element_name,
          &Job::scope_id,
          &Job::sub_scope_id,
          &Job::scope_type,
          &Job::scope_definition_id,
          &Job::correlation_id,
          &Job::handler_type,
          &Job::tenant_id}) {
        long_texts.*member = name;
    }
    long_texts.payload = characters("\xF0\x9F\x9A\x80", schema::limits::kInlinePayloadLength);
    long_texts.exception_message =
        characters("\xF0\x9F\x9A\x80", schema::limits::kExceptionMessageLength);
    insert(JobPlace::executable, long_texts);
    EXPECT_EQ(job(id), long_texts);
    const std::vector<std::string> types{name};
    EXPECT_EQ(store_.executor().acquire(claim_of(name), types, 10).at(0).lock_owner, name);
}

TEST_P(Values, Texts_are_data_whatever_is_in_them) {
    const std::string nasty = "'; DROP TABLE ACT_RU_JOB; -- \\ \" ? :a %s {} \n\t";
    insert(JobPlace::executable, a_job("a").with_payload(nasty).build());
    EXPECT_EQ(job("a").payload, nasty);
    EXPECT_EQ(acquire().at(0).payload, nasty);
}

TEST_P(Values, Times_keep_their_millisecond) {
    Job timer = a_job("a").due_at(clock_.now() + 1ms);
    timer.create_time = clock_.now() + 999ms;
    insert(JobPlace::timer, timer);
    EXPECT_EQ(job("a").due_date, clock_.now() + 1ms);
    EXPECT_EQ(job("a").create_time, clock_.now() + 999ms);
    EXPECT_EQ(store_.timers().next_due({}), clock_.now() + 1ms);
}

TEST_P(Values, The_last_due_date_that_the_database_holds_is_kept) {
    const schema::TimePoint last = connection_->dialect().latest_time;
    insert(JobPlace::timer, a_job("a").due_at(last).build());
    EXPECT_EQ(job("a").due_date, last);
}

TEST_P(Values, A_later_due_date_is_refused_by_name_and_changes_nothing) {
    const schema::TimePoint late = connection_->dialect().latest_time + 1ms;
    const Job timer = insert(JobPlace::timer, a_job("t").due_at(clock_.now()).build());
    insert(JobPlace::dead_letter, a_job("d").build());
    try {
        store_.enqueuer().insert(
            {{JobPlace::executable, a_job("a")}, {JobPlace::timer, a_job("b").due_at(late)}}
        );
        ADD_FAILURE() << "the date was taken";
    } catch (const std::invalid_argument& error) {
        EXPECT_THAT(error.what(), HasSubstr("the due date"));
        EXPECT_THAT(error.what(), HasSubstr(connection_->dialect().name));
    }
    EXPECT_THROW(
        (void)store_.jobs().reschedule_timer("t", late, clock_.now()), std::invalid_argument
    );
    EXPECT_THROW(
        (void)store_.jobs().requeue(std::vector<std::string>{"d"}, 1, late, clock_.now()),
        std::invalid_argument
    );
    EXPECT_EQ(place_of("a"), "nowhere");
    EXPECT_EQ(job("t"), timer);
    EXPECT_EQ(place_of("d"), "dead");
}

TEST_P(Values, An_id_that_no_job_can_have_is_not_found) {
    for (const std::string id : {"\xC3\xA9", "\xF0\x9F\x9A\x80", "\xFF", "a\xC3"}) {
        EXPECT_EQ(place_of(id), "nowhere");
        const std::vector<std::string> ids{id};
        for (const JobPlace place : schema::kJobPlaces) {
            EXPECT_EQ(store_.jobs().remove(place, ids, clock_.now()).front(), JobAnswer::not_found);
        }
        EXPECT_EQ(
            store_.jobs().requeue(ids, 1, std::nullopt, clock_.now()).front(), JobAnswer::not_found
        );
        EXPECT_EQ(
            store_.jobs().reschedule_timer(id, clock_.now(), clock_.now()), JobAnswer::not_found
        );
        EXPECT_EQ(
            store_.executor().acquire_one(id, claim_of("me"), clock_.now()).answer,
            JobAnswer::not_found
        );
    }
}

TEST_P(Values, A_due_date_before_the_first_one_of_the_database_is_refused) {
    const schema::TimePoint first = connection_->dialect().earliest_time;
    insert(JobPlace::timer, a_job("a").due_at(first));
    EXPECT_EQ(job("a").due_date, first);
    try {
        insert(JobPlace::timer, a_job("b").due_at(first - 1ms));
        ADD_FAILURE() << "it was taken";
    } catch (const std::invalid_argument& refused) {
        EXPECT_THAT(refused.what(), HasSubstr("is before"));
        EXPECT_THAT(refused.what(), HasSubstr("the first that"));
    }
    EXPECT_EQ(count_rows("ACT_RU_TIMER_JOB"), 1);
}

// Nothing keeps a producer from it.
TEST_P(Values, Two_jobs_that_name_one_long_payload_both_have_it) {
    const std::string payload(5000, 'p');
    insert(JobPlace::executable, a_job("a").with_payload(payload));
    insert(JobPlace::executable, a_job("b"));
    execute(
        "UPDATE ACT_RU_JOB SET CUSTOM_VALUES_ID_ = ? WHERE ID_ = 'b'",
        {std::string_view(job("a").custom_values_id)}
    );
    for (const Job& held : acquire()) {
        EXPECT_EQ(held.payload, payload) << held.id;
    }
}

}  // namespace

}  // namespace jobstrand::test
