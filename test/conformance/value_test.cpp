#include "persistence/sql/db_error.hpp"
#include "persistence/sql/dialect.hpp"
#include "persistence/sql/sql_values.hpp"
#include "schema/limits.hpp"
#include "test/conformance/store_test.hpp"

#include <stdexcept>

namespace jobstrand::test {

namespace {

using schema::limits::kInlinePayloadLength;

std::string repeated(std::string_view text, std::size_t times) {
    std::string all;
    for (std::size_t i = 0; i < times; ++i) {
        all += text;
    }
    return all;
}

constexpr std::string_view kFourBytes = "\xF0\x9F\x9A\x80";

class Values : public StoreTest {};

ON_EVERY_DATABASE(Values);

TEST_P(Values, Every_column_survives_every_move) {
    Job expected = insert(JobPlace::timer, full_job("a"));
    const auto expect_stored = [&](std::string_view place) {
        EXPECT_EQ(place_of("a"), place);
        expected.revision += 1;
        EXPECT_EQ(job("a"), expected) << "in the place " << place;
    };
    suspend(SuspensionScope::definition, "definition");
    expected.suspended_from = "timer";
    expect_stored("suspended");
    activate(SuspensionScope::definition, "definition");
    expected.suspended_from = "";
    expect_stored("timer");
    ASSERT_EQ(fire_timer("a"), JobAnswer::done);
    expected.repeat = "";  // The next turn of the series has it now.
    expect_stored("executable");

    const Job held = acquire().at(0);
    expected.revision += 1;
    Outcome outcome = outcome_of(held, schema::interrupted(held, 1h, clock_.now()));
    apply({outcome});
    expected.due_date = clock_.now() + 1h;
    expect_stored("timer");

    ASSERT_EQ(fire_timer("a"), JobAnswer::done);
    expect_stored("executable");
    const Job again = acquire().at(0);
    expected.revision += 1;
    outcome = failed_outcome(again, {.message = "no", .retryable = false});
    apply({outcome});
    expected.retries = 0;
    expected.attempts = 3;
    expected.exception_message = "no";
    expected.exception_stack_id = "";
    expected.due_date = outcome.transition.due_date;
    expected.failed_time = clock_.now();
    expect_stored("dead");

    requeue({"a"}, 4, clock_.now() + 2h);
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
    for (const Job& stored : insert(jobs)) {
        EXPECT_EQ(job(stored.id), stored);
    }
}

TEST_P(Values, Texts_at_their_limits_are_kept_whole) {
    const std::string id = repeated("i", schema::limits::kIdLength);
    const std::string name = repeated(kFourBytes, schema::limits::kNameLength);
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
    long_texts.payload = repeated(kFourBytes, schema::limits::kInlinePayloadLength);
    long_texts.exception_message = repeated(kFourBytes, schema::limits::kExceptionMessageLength);
    insert(long_texts);
    EXPECT_EQ(job(id), long_texts);
    const std::vector<std::string> types{name};
    EXPECT_EQ(store_.executor().acquire(claim_of(name), types, 10).at(0).lock_owner, name);
}

TEST_P(Values, Texts_are_data_whatever_is_in_them) {
    const std::string nasty = "'; DROP TABLE ACT_RU_JOB; -- \\ \" ? :a %s {} \n\t";
    insert(a_job("a").with_payload(nasty));
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
    insert(JobPlace::timer, a_job("a").due_at(last));
    EXPECT_EQ(job("a").due_date, last);
}

TEST_P(Values, A_later_due_date_is_refused_by_name_and_changes_nothing) {
    const schema::TimePoint late = connection_->dialect().latest_time + 1ms;
    const Job timer = insert(JobPlace::timer, a_job("t").due_at(clock_.now()));
    insert(JobPlace::dead_letter, a_job("d"));
    try {
        store_.enqueuer().insert(
            {{JobPlace::executable, a_job("a")}, {JobPlace::timer, a_job("b").due_at(late)}}
        );
        ADD_FAILURE() << "the date was taken";
    } catch (const std::invalid_argument& error) {
        EXPECT_THAT(error.what(), HasSubstr("the due date"));
        EXPECT_THAT(error.what(), HasSubstr(connection_->dialect().name));
    }
    EXPECT_THROW(reschedule_timer("t", late), std::invalid_argument);
    EXPECT_THROW(requeue({"d"}, 1, late), std::invalid_argument);
    EXPECT_EQ(place_of("a"), "nowhere");
    EXPECT_EQ(job("t"), timer);
    EXPECT_EQ(place_of("d"), "dead");
}

TEST_P(Values, An_id_that_no_job_can_have_is_not_found) {
    for (const std::string id : {"\xC3\xA9", "\xF0\x9F\x9A\x80", "\xFF", "a\xC3"}) {
        EXPECT_EQ(place_of(id), "nowhere");
        const std::vector<std::string> ids{id};
        for (const JobPlace place : schema::kJobPlaces) {
            EXPECT_EQ(remove(place, ids).front(), JobAnswer::not_found);
        }
        EXPECT_EQ(requeue(ids, 1).front(), JobAnswer::not_found);
        EXPECT_EQ(reschedule_timer(id, clock_.now()), JobAnswer::not_found);
        EXPECT_EQ(acquire_one(id, "me").answer, JobAnswer::not_found);
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
    insert({a_job("a").with_payload(payload), a_job("b")});
    execute(
        "UPDATE ACT_RU_JOB SET CUSTOM_VALUES_ID_ = ? WHERE ID_ = 'b'",
        {std::string_view(job("a").custom_values_id)}
    );
    for (const Job& held : acquire()) {
        EXPECT_EQ(held.payload, payload) << held.id;
    }
}

class LongTexts : public StoreTest {
protected:
    std::int64_t byte_arrays() { return count_rows("ACT_GE_BYTEARRAY"); }

    void fail(const Job& held, std::string details) {
        expect_done(failed_outcome(held, {.message = "no", .details = std::move(details)}));
    }

    /// A job that failed with the details "first", and runs again.
    Job failed_before() {
        fail(insert_and_acquire(a_job("a")), "first");
        EXPECT_EQ(fire_timer("a"), JobAnswer::done);
        return acquire().at(0);
    }

    const std::string long_payload_ = repeated(kFourBytes, kInlinePayloadLength + 1);
};

ON_EVERY_DATABASE(LongTexts);

TEST_P(LongTexts, A_payload_of_as_many_characters_as_the_column_holds_stays_in_the_row) {
    const std::string payload = repeated(kFourBytes, kInlinePayloadLength);
    insert(a_job("a").with_payload(payload));
    EXPECT_EQ(byte_arrays(), 0);
    EXPECT_EQ(job("a").payload, payload);
    EXPECT_EQ(acquire().at(0).payload, payload);
}

TEST_P(LongTexts, A_longer_payload_is_stored_apart_and_comes_with_the_acquired_job) {
    const Job stored = insert(a_job("a").with_payload(long_payload_));
    EXPECT_EQ(byte_arrays(), 1);
    EXPECT_EQ(
        execute("DELETE FROM ACT_RU_JOB WHERE HANDLER_CFG_ IS NOT NULL OR CUSTOM_VALUES_ID_ IS NULL"
        ),
        0
    );
    EXPECT_EQ(stored, job("a"));
    EXPECT_EQ(acquire().at(0).payload, long_payload_);
}

TEST_P(LongTexts, A_list_does_not_fetch_payloads_that_are_stored_apart) {
    insert(a_job("a").with_payload(long_payload_));
    EXPECT_TRUE(store_.jobs().list(JobPlace::executable, {}, "", 1).at(0).payload.empty());
}

TEST_P(LongTexts, A_completed_job_leaves_no_bytes_behind) {
    const Job held = insert_and_acquire(a_job("a").with_payload(long_payload_));
    EXPECT_EQ(held.payload, long_payload_);
    expect_done(completed_outcome(held));
    EXPECT_EQ(byte_arrays(), 0);
}

TEST_P(LongTexts, A_payload_survives_every_move) {
    const auto payload_in = [this](std::string_view place) {
        EXPECT_EQ(place_of("a"), place);
        return job("a").payload;
    };
    const Job inserted = a_job("a").of_instance("i").not_exclusive().with_payload(long_payload_);
    fail(insert_and_acquire(inserted), "");
    EXPECT_EQ(payload_in("timer"), long_payload_);
    suspend(SuspensionScope::instance, "i");
    EXPECT_EQ(payload_in("suspended"), long_payload_);
    activate(SuspensionScope::instance, "i");
    clock_.tick(1h);
    Job held = move_due(10).locked.at(0);
    EXPECT_EQ(held.payload, long_payload_);
    held.retries = 1;
    fail(held, "");
    EXPECT_EQ(payload_in("dead"), long_payload_);
    requeue({"a"}, 1);
    EXPECT_EQ(payload_in("executable"), long_payload_);
    EXPECT_EQ(byte_arrays(), 1);
}

TEST_P(LongTexts, A_removed_job_leaves_no_bytes_behind) {
    Job held = insert_and_acquire(a_job("a").with_retries(1).with_payload(long_payload_));
    fail(held, "details");
    EXPECT_EQ(byte_arrays(), 2);
    remove(JobPlace::dead_letter, {"a"});
    EXPECT_EQ(byte_arrays(), 0);
}

TEST_P(LongTexts, A_refused_insert_leaves_no_bytes_behind) {
    insert(a_job("a"));
    EXPECT_THROW(insert(a_job("a").with_payload(long_payload_)), DbError);
    EXPECT_EQ(byte_arrays(), 0);
}

TEST_P(LongTexts, A_changed_payload_moves_in_and_out_of_the_row) {
    insert(a_job("a").with_payload("{}"));
    const auto change_to = [this](const std::string& payload) {
        change(JobPlace::executable, "a", {schema::set_to(&Job::payload, payload)});
        EXPECT_EQ(job("a").payload, payload);
        return byte_arrays();
    };
    EXPECT_EQ(change_to(long_payload_), 1);
    EXPECT_EQ(change_to(long_payload_ + "!"), 1);
    EXPECT_EQ(change_to("[]"), 0);
}

TEST_P(LongTexts, A_change_of_something_else_keeps_the_payload) {
    insert(a_job("a").with_payload(long_payload_));
    change(JobPlace::executable, "a", {schema::set_to(&Job::retries, 9)});
    EXPECT_EQ(job("a").payload, long_payload_);
}

TEST_P(LongTexts, The_details_of_a_failure_can_be_read_back) {
    const std::string details = repeated(kFourBytes, 16 * 1024);
    fail(insert_and_acquire(a_job("a")), details);
    EXPECT_EQ(store_.jobs().exception_details(job("a")), details);
}

TEST_P(LongTexts, A_job_that_never_failed_has_no_details) {
    EXPECT_EQ(store_.jobs().exception_details(insert(a_job("a"))), "");
}

TEST_P(LongTexts, The_details_of_the_last_failure_replace_those_before) {
    fail(failed_before(), "second");
    EXPECT_EQ(store_.jobs().exception_details(job("a")), "second");
    EXPECT_EQ(byte_arrays(), 1);
}

TEST_P(LongTexts, A_failure_without_details_takes_away_those_before) {
    fail(failed_before(), "");
    EXPECT_EQ(store_.jobs().exception_details(job("a")), "");
    EXPECT_EQ(byte_arrays(), 0);
}

TEST_P(LongTexts, An_interruption_keeps_the_details_of_the_failure_before) {
    const Job held = failed_before();
    expect_done(outcome_of(held, schema::interrupted(held, 1s, clock_.now())));
    EXPECT_EQ(store_.jobs().exception_details(job("a")), "first");
    EXPECT_EQ(job("a").exception_message, "no");
}

TEST_P(LongTexts, Success_takes_away_the_details_of_the_failures_before) {
    expect_done(completed_outcome(failed_before()));
    EXPECT_EQ(byte_arrays(), 0);
}

TEST_P(LongTexts, Many_failures_keep_their_details_apart) {
    insert(many_jobs("j", 30));
    std::vector<Outcome> outcomes;
    for (const Job& held : acquire()) {
        outcomes.push_back(failed_outcome(held, {.message = held.id, .details = "of " + held.id}));
    }
    apply(outcomes);
    for (const Job& waiting : store_.jobs().list(JobPlace::timer, {}, "", 100)) {
        EXPECT_EQ(waiting.exception_message, waiting.id);
        EXPECT_EQ(store_.jobs().exception_details(waiting), "of " + waiting.id);
    }
    EXPECT_EQ(byte_arrays(), 30);
}

// Flowable keeps its own custom values beside the configuration.
TEST_P(LongTexts, Custom_values_beside_an_inline_payload_live_and_die_with_the_job) {
    execute("INSERT INTO ACT_GE_BYTEARRAY (ID_, NAME_) VALUES ('values', 'jobCustomValues')");
    Job flowable = a_job("a").with_payload("inline");
    flowable.custom_values_id = "values";
    const Job held = insert_and_acquire(flowable);
    EXPECT_EQ(held.payload, "inline");
    fail(held, "");
    EXPECT_EQ(job("a").payload, "inline");
    EXPECT_EQ(job("a").custom_values_id, "values");
    EXPECT_EQ(byte_arrays(), 1);
    remove(JobPlace::timer, {"a"});
    EXPECT_EQ(byte_arrays(), 0);
}

/// What an app calls its instances and definitions: any text, in every place where it is looked
/// for.
class AppIds : public StoreTest {
protected:
    static constexpr const char* kOrder = "ørder";
    static constexpr const char* kAnother = "ÖRDER";  // Upper case of a neighbour of it.
    static constexpr const char* kChinese = "注文-17";

    void insert_of(const std::string& instance, const std::string& id) {
        insert(a_job(id).of_instance(instance).of_definition(instance));
    }

    [[nodiscard]] std::vector<std::string> of_instance(const std::string& instance) {
        const JobFilter filter{
            .fields = {persistence::equals(&Job::process_instance_id, instance)}};
        return store_.jobs().list_ids(JobPlace::executable, filter, "", 10);
    }
};

ON_EVERY_DATABASE(AppIds);

TEST_P(AppIds, Are_any_text_that_compares_by_its_characters) {
    insert_of(kOrder, "a");
    insert_of(kAnother, "b");
    insert_of(kChinese, "c");
    EXPECT_THAT(of_instance(kOrder), ElementsAre("a"));
    EXPECT_THAT(of_instance(kChinese), ElementsAre("c"));
    EXPECT_THAT(of_instance("order"), IsEmpty());
    EXPECT_EQ(job("c").process_definition_id, kChinese);
}

TEST_P(AppIds, Are_suspended_listed_and_activated) {
    insert_of(kOrder, "a");
    insert_of(kChinese, "b");
    for (const SuspensionScope scope : {SuspensionScope::instance, SuspensionScope::definition}) {
        EXPECT_EQ(suspend(scope, kChinese), 1);
        EXPECT_THAT(places_of({"b", "a"}), ElementsAre("suspended", "executable"));
        EXPECT_EQ(store_.jobs().suspensions_of(job("b")).size(), 1U);
        const auto listed = store_.jobs().scopes(scope, "", 10);
        ASSERT_EQ(listed.size(), 2U);
        EXPECT_EQ(listed[0].id, kOrder);
        EXPECT_EQ(listed[1].id, kChinese);
        EXPECT_TRUE(listed[1].suspended_since);
        EXPECT_EQ(activate(scope, kChinese), 1);
        EXPECT_EQ(place_of("b"), "executable");
    }
}

// I4
TEST_P(AppIds, Exclude_each_other_like_all_others) {
    insert_of(kChinese, "a");
    const std::vector<Job> first = acquire();
    ASSERT_EQ(first.size(), 1U);
    insert_of(kChinese, "b");
    insert_of(kOrder, "c");
    EXPECT_THAT(ids_of(acquire(100, "node-2")), ElementsAre("c"));
    EXPECT_EQ(store_.jobs().awaited_group(job("b"))->group, kChinese);
    expect_done(completed_outcome(first[0]));
    const persistence::GroupEnd end = end_of(kChinese, 1);
    const auto passed = pass_on("node-1", end);
    EXPECT_THAT(ids_of(passed.jobs), ElementsAre("b"));
}

TEST_P(AppIds, Of_the_greatest_length_can_be_stored) {
    const std::string longest = repeated("🙂", 64);
    insert_of(longest, "a");
    EXPECT_THAT(of_instance(longest), ElementsAre("a"));
    EXPECT_EQ(suspend(SuspensionScope::instance, longest), 1);
    EXPECT_EQ(place_of("a"), "suspended");
}

}  // namespace

}  // namespace jobstrand::test
