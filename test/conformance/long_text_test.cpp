#include "schema/limits.hpp"
#include "test/conformance/store_test.hpp"

namespace jobstrand::test {

namespace {

using persistence::SuspensionScope;
using schema::limits::kInlinePayloadLength;

std::string repeated(std::string_view text, std::size_t times) {
    std::string all;
    for (std::size_t i = 0; i < times; ++i) {
        all += text;
    }
    return all;
}

constexpr std::string_view kFourBytes = "\xF0\x9F\x9A\x80";

class LongTexts : public StoreTest {
protected:
    std::int64_t byte_arrays() { return count_rows("ACT_GE_BYTEARRAY"); }

    void apply(const Outcome& outcome) {
        EXPECT_EQ(
            store_.executor().apply("node-1", std::vector{outcome}).at(0), OutcomeAnswer::done
        );
    }

    void fail(const Job& held, std::string details) {
        apply(failed_outcome(held, {.message = "no", .details = std::move(details)}, clock_.now()));
    }

    const std::string long_payload_ = repeated(kFourBytes, kInlinePayloadLength + 1);
};

INSTANTIATE_TEST_SUITE_P(
    OnEveryDatabase,
    LongTexts,
    testing::ValuesIn(databases_under_test()),
    name_of_database
);

TEST_P(LongTexts, A_payload_of_as_many_characters_as_the_column_holds_stays_in_the_row) {
    const std::string payload = repeated(kFourBytes, kInlinePayloadLength);
    insert(JobPlace::executable, a_job("a").with_payload(payload).build());
    EXPECT_EQ(byte_arrays(), 0);
    EXPECT_EQ(job("a").payload, payload);
    EXPECT_EQ(acquire().at(0).payload, payload);
}

TEST_P(LongTexts, A_longer_payload_is_stored_apart_and_comes_with_the_acquired_job) {
    const Job stored = insert(JobPlace::executable, a_job("a").with_payload(long_payload_).build());
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
    insert(JobPlace::executable, a_job("a").with_payload(long_payload_).build());
    EXPECT_TRUE(store_.jobs().list(JobPlace::executable, {}, "", 1).at(0).payload.empty());
}

TEST_P(LongTexts, A_completed_job_leaves_no_bytes_behind) {
    const Job held = insert_and_acquire(a_job("a").with_payload(long_payload_));
    EXPECT_EQ(held.payload, long_payload_);
    apply(completed_outcome(held));
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
    store_.jobs().suspend(SuspensionScope::instance, "i", clock_.now());
    EXPECT_EQ(payload_in("suspended"), long_payload_);
    store_.jobs().activate(SuspensionScope::instance, "i", clock_.now());
    clock_.tick(1h);
    Job held =
        store_.timers().move_due_timers(clock_.now(), 10, claim_of("node-1"), noop_).locked.at(0);
    EXPECT_EQ(held.payload, long_payload_);
    held.retries = 1;
    fail(held, "");
    EXPECT_EQ(payload_in("dead"), long_payload_);
    (void)store_.jobs().requeue(std::vector<std::string>{"a"}, 1, std::nullopt, clock_.now());
    EXPECT_EQ(payload_in("executable"), long_payload_);
    EXPECT_EQ(byte_arrays(), 1);
}

TEST_P(LongTexts, A_removed_job_leaves_no_bytes_behind) {
    Job held = insert_and_acquire(a_job("a").with_retries(1).with_payload(long_payload_));
    fail(held, "details");
    EXPECT_EQ(byte_arrays(), 2);
    (void)store_.jobs().remove(JobPlace::dead_letter, std::vector<std::string>{"a"}, clock_.now());
    EXPECT_EQ(byte_arrays(), 0);
}

TEST_P(LongTexts, A_refused_insert_leaves_no_bytes_behind) {
    insert(JobPlace::executable, a_job("a").build());
    EXPECT_THROW(
        insert(JobPlace::executable, a_job("a").with_payload(long_payload_).build()),
        persistence::DbError
    );
    EXPECT_EQ(byte_arrays(), 0);
}

TEST_P(LongTexts, A_changed_payload_moves_in_and_out_of_the_row) {
    insert(JobPlace::executable, a_job("a").with_payload("{}").build());
    const auto change = [this](const std::string& payload) {
        (void)store_.jobs().change(
            JobPlace::executable, "a", {schema::set_to(&Job::payload, payload)}, clock_.now()
        );
        EXPECT_EQ(job("a").payload, payload);
        return byte_arrays();
    };
    EXPECT_EQ(change(long_payload_), 1);
    EXPECT_EQ(change(long_payload_ + "!"), 1);
    EXPECT_EQ(change("[]"), 0);
}

TEST_P(LongTexts, A_change_of_something_else_keeps_the_payload) {
    insert(JobPlace::executable, a_job("a").with_payload(long_payload_).build());
    (void)store_.jobs().change(
        JobPlace::executable, "a", {schema::set_to(&Job::retries, 9)}, clock_.now()
    );
    EXPECT_EQ(job("a").payload, long_payload_);
}

TEST_P(LongTexts, The_details_of_a_failure_can_be_read_back) {
    const std::string details = repeated(kFourBytes, 16 * 1024);
    fail(insert_and_acquire(a_job("a")), details);
    EXPECT_EQ(store_.jobs().exception_details(job("a")), details);
}

TEST_P(LongTexts, A_job_that_never_failed_has_no_details) {
    EXPECT_EQ(
        store_.jobs().exception_details(insert(JobPlace::executable, a_job("a").build())), ""
    );
}

TEST_P(LongTexts, The_details_of_the_last_failure_replace_those_before) {
    fail(insert_and_acquire(a_job("a")), "first");
    ASSERT_EQ(store_.jobs().fire_timer("a", clock_.now()), JobAnswer::done);
    fail(acquire().at(0), "second");
    EXPECT_EQ(store_.jobs().exception_details(job("a")), "second");
    EXPECT_EQ(byte_arrays(), 1);
}

TEST_P(LongTexts, A_failure_without_details_takes_away_those_before) {
    fail(insert_and_acquire(a_job("a")), "first");
    ASSERT_EQ(store_.jobs().fire_timer("a", clock_.now()), JobAnswer::done);
    fail(acquire().at(0), "");
    EXPECT_EQ(store_.jobs().exception_details(job("a")), "");
    EXPECT_EQ(byte_arrays(), 0);
}

TEST_P(LongTexts, An_interruption_keeps_the_details_of_the_failure_before) {
    fail(insert_and_acquire(a_job("a")), "first");
    ASSERT_EQ(store_.jobs().fire_timer("a", clock_.now()), JobAnswer::done);
    const Job held = acquire().at(0);
    apply(outcome_of(held, schema::interrupted(held, 1s, clock_.now())));
    EXPECT_EQ(store_.jobs().exception_details(job("a")), "first");
    EXPECT_EQ(job("a").exception_message, "no");
}

TEST_P(LongTexts, Success_takes_away_the_details_of_the_failures_before) {
    fail(insert_and_acquire(a_job("a")), "first");
    ASSERT_EQ(store_.jobs().fire_timer("a", clock_.now()), JobAnswer::done);
    apply(completed_outcome(acquire().at(0)));
    EXPECT_EQ(byte_arrays(), 0);
}

TEST_P(LongTexts, Many_failures_keep_their_details_apart) {
    insert(JobPlace::executable, many_jobs("j", 30));
    std::vector<Outcome> outcomes;
    for (const Job& held : acquire()) {
        outcomes.push_back(
            failed_outcome(held, {.message = held.id, .details = "of " + held.id}, clock_.now())
        );
    }
    (void)store_.executor().apply("node-1", outcomes);
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
    (void)store_.jobs().remove(JobPlace::timer, std::vector<std::string>{"a"}, clock_.now());
    EXPECT_EQ(byte_arrays(), 0);
}

}  // namespace

}  // namespace jobstrand::test
