#include "test/conformance/unique/unique_fixture.hpp"

namespace jobstrand::test {

namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// How long a job has its unique key (B8).
class UniqueKeyEnd : public UniqueTest {
protected:
    UniqueKeyEnd() = default;

    void SetUp() override {
        UniqueTest::SetUp();
        (void)enqueue(a_job("a").with_key("k"));
    }
};

INSTANTIATE_TEST_SUITE_P(
    OnEveryDatabase,
    UniqueKeyEnd,
    testing::ValuesIn(databases_under_test()),
    name_of_database
);

TEST_P(UniqueKeyEnd, A_job_that_has_succeeded_frees_its_key_in_the_same_transaction) {
    complete("a");
    EXPECT_EQ(count_rows("JS_UNIQUE"), 0);
    EXPECT_TRUE(enqueue(a_job("b").with_key("k")).is_added);
}

TEST_P(UniqueKeyEnd, A_transactional_handler_that_commits_frees_the_key_with_its_job) {
    const auto acquired = store_.executor().acquire_one("a", claim_of("node-1"), clock_.now());
    store_.enqueuer().in_transaction(
        [&](Transaction& transaction) {
            (void)store_.executor().apply(transaction, "node-1", completed_outcome(acquired.job));
        },
        {}
    );
    EXPECT_EQ(count_rows("JS_UNIQUE"), 0);
}

// River #619: jobs conflicted with themselves when they were tried again.
TEST_P(UniqueKeyEnd, A_job_keeps_its_key_through_failures_timers_and_suspensions) {
    fail("a");
    EXPECT_EQ(place_of("a"), "timer");
    EXPECT_EQ(refusal_of(a_job("b").with_key("k")), "job a has the unique key k");
    EXPECT_EQ(store_.jobs().fire_timer("a", clock_.now()), JobAnswer::done);
    EXPECT_EQ(place_of("a"), "executable");
    EXPECT_EQ(job("a").unique_key, "k");
    EXPECT_EQ(refusal_of(a_job("b").with_key("k")), "job a has the unique key k");
    complete("a");
    (void)enqueue(a_job("s").with_key("k").of_instance("i"));
    store_.jobs().suspend(persistence::SuspensionScope::instance, "i", clock_.now());
    EXPECT_EQ(place_of("s"), "suspended");
    EXPECT_EQ(refusal_of(a_job("b").with_key("k")), "job s has the unique key k");
    store_.jobs().activate(persistence::SuspensionScope::instance, "i", clock_.now());
    EXPECT_EQ(refusal_of(a_job("b").with_key("k")), "job s has the unique key k");
    complete("s");
    EXPECT_EQ(count_rows("JS_UNIQUE"), 0);
}

// B8
TEST_P(UniqueKeyEnd, A_dead_letter_does_not_have_its_key_any_more) {
    make_dead("a");
    EXPECT_EQ(place_of("a"), "dead");
    EXPECT_EQ(job("a").unique_key, "k");
    EXPECT_EQ(count_rows("JS_UNIQUE"), 0);
    EXPECT_TRUE(enqueue(a_job("b").with_key("k")).is_added);
}

TEST_P(UniqueKeyEnd, A_job_that_is_cancelled_or_removed_frees_its_key) {
    const std::vector<std::string> a{"a"};
    (void)store_.jobs().cancel(JobPlace::executable, a, "wrong", clock_.now());
    EXPECT_EQ(owner_of("k"), "");
    (void)enqueue(a_job("b").with_key("k"));
    const std::vector<std::string> b{"b"};
    (void)store_.jobs().remove(JobPlace::executable, b, clock_.now());
    EXPECT_EQ(owner_of("k"), "");
    EXPECT_TRUE(enqueue(a_job("c").with_key("k")).is_added);
}

TEST_P(UniqueKeyEnd, The_removal_of_a_dead_letter_frees_nobody_elses_key) {
    make_dead("a");
    (void)enqueue(a_job("b").with_key("k"));
    (void)store_.jobs().remove(JobPlace::dead_letter, std::vector<std::string>{"a"}, clock_.now());
    EXPECT_EQ(owner_of("k"), "b");
}

TEST_P(UniqueKeyEnd, An_external_job_frees_its_key_when_its_worker_has_completed_it) {
    (void)enqueue(a_job("e").with_key("e").of_kind(schema::kExternalWorkerType));
    const auto taken = store_.workers().acquire_external(
        claim_of("worker"), {.topics = noop_}, persistence::PageLimit(1), clock_.now()
    );
    ASSERT_THAT(ids_of(taken), ElementsAre("e"));
    EXPECT_THAT(refusal_of(a_job("f").with_key("e"), kReplace), HasSubstr("is running"));
    const std::vector<persistence::WorkerOutcome> done{
        {.job = {.id = "e"}, .transition = [](const Job& job) { return schema::completed(job); }}};
    (void)store_.workers().apply_external("worker", done, clock_.now());
    EXPECT_EQ(place_of("e"), "nowhere");
    EXPECT_EQ(owner_of("e"), "");
}

TEST_P(UniqueKeyEnd, A_requeued_dead_letter_takes_its_key_back) {
    make_dead("a");
    EXPECT_EQ(requeue("a"), JobAnswer::done);
    EXPECT_EQ(owner_of("k"), "a");
    EXPECT_EQ(refusal_of(a_job("b").with_key("k")), "job a has the unique key k");
    complete("a");
    EXPECT_EQ(count_rows("JS_UNIQUE"), 0);
}

// B8
TEST_P(UniqueKeyEnd, A_dead_letter_whose_key_another_job_has_is_not_requeued) {
    make_dead("a");
    (void)enqueue(a_job("b").with_key("k"));
    EXPECT_EQ(requeue("a"), JobAnswer::key_held);
    EXPECT_EQ(place_of("a"), "dead");
    EXPECT_EQ(owner_of("k"), "b");
    complete("b");
    EXPECT_EQ(requeue("a"), JobAnswer::done);
    EXPECT_EQ(owner_of("k"), "a");
}

TEST_P(UniqueKeyEnd, Of_two_dead_letters_with_one_key_one_is_requeued) {
    make_dead("a");
    (void)enqueue(a_job("b").with_key("k"));
    make_dead("b");
    insert(JobPlace::dead_letter, a_job("c"));
    EXPECT_THAT(
        store_.jobs().requeue(std::vector<std::string>{"c", "b", "a"}, 1, {}, clock_.now()),
        ElementsAre(JobAnswer::done, JobAnswer::key_held, JobAnswer::done)
    );
    EXPECT_EQ(owner_of("k"), "a");
}

TEST_P(UniqueKeyEnd, A_dead_letter_has_the_rest_of_its_period_when_it_is_requeued) {
    (void)enqueue(a_job("p").with_key("p"), {.period = 1h});
    const auto until = clock_.now() + 1h;
    make_dead("p");
    EXPECT_THAT(refusal_of(a_job("q").with_key("p")), HasSubstr("job p has"));
    EXPECT_EQ(requeue("p"), JobAnswer::done);
    EXPECT_EQ(store_.jobs().key_owner("p")->until, until);
    make_dead("p");
    clock_.tick(2h);
    EXPECT_EQ(requeue("p"), JobAnswer::done);
    EXPECT_EQ(store_.jobs().key_owner("p")->until, std::nullopt) << "from now on while it is open";
}

// By a tool that knows nothing of keys, or a version before them.
TEST_P(UniqueKeyEnd, A_key_that_was_left_over_is_taken_by_the_next_job) {
    execute("DELETE FROM ACT_RU_JOB");
    EXPECT_EQ(owner_of("k"), "a");
    EXPECT_EQ(enqueue(a_job("b").with_key("k"), kKeep), (Enqueued{.id = "b"}));
    EXPECT_EQ(owner_of("k"), "b");
}

TEST_P(UniqueKeyEnd, A_row_that_cannot_be_read_frees_its_key_when_it_becomes_a_dead_letter) {
    execute("UPDATE ACT_RU_JOB SET REV_ = 2147483600 WHERE ID_ = 'a'");
    EXPECT_TRUE(acquire().empty());
    EXPECT_EQ(place_of("a"), "dead");
    EXPECT_EQ(owner_of("k"), "");
}

TEST_P(UniqueKeyEnd, A_turn_that_SQL_gave_a_key_does_not_pass_it_on) {
    insert(JobPlace::timer, [this] {
        Job turn = a_job("t").due_at(clock_.now()).with_key("t");
        turn.repeat = "R3/PT1H";
        return turn;
    }());
    execute("INSERT INTO JS_UNIQUE (KEY_, JOB_ID_) VALUES ('t', 't')");
    const auto due = store_.timers().move_due_timers(clock_.now(), 10, claim_of("node-1"), noop_);
    ASSERT_THAT(ids_of(due.locked), ElementsAre("t"));
    EXPECT_EQ(store_.jobs().list(JobPlace::timer, {}, "", 10).at(0).unique_key, "");
    (void)store_.executor().apply("node-1", std::vector{completed_outcome(due.locked[0])});
    EXPECT_EQ(owner_of("t"), "");
}

}  // namespace

}  // namespace jobstrand::test
