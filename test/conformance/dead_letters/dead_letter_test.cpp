#include "test/conformance/store_test.hpp"

namespace jobstrand::test {

namespace {

using persistence::DeadLetterFailure;
using persistence::DeadLetterMark;
using persistence::DueDates;
using persistence::TypeCount;
using testing::ElementsAre;
using testing::IsEmpty;

/// When jobs became dead letters, and how they are found by it.
class DeadLetterTimes : public StoreTest {
protected:
    void SetUp() override {
        StoreTest::SetUp();
        for (const char* const id : {"a", "b", "c"}) {
            insert(JobPlace::executable, a_job(id).of_type("mail"));
        }
    }

    /// A node runs the job, and it fails for good.
    void make_dead(const std::string& id) {
        const auto held = store_.executor().acquire_one(id, claim_of("node-1"), clock_.now());
        ASSERT_EQ(held.answer, JobAnswer::done);
        const std::vector<Outcome> outcome{
            failed_outcome(held.job, {.message = "no", .retryable = false}, clock_.now())};
        ASSERT_EQ(store_.executor().apply("node-1", outcome).front(), OutcomeAnswer::done);
    }

    /// They die in the order c, a, b, a minute apart.
    void make_all_dead() {
        for (const char* const id : {"c", "a", "b"}) {
            make_dead(id);
            clock_.tick(1min);
        }
    }

    std::vector<std::string>
    newest(std::optional<DeadLetterMark> behind = {}, std::size_t limit = 10) {
        return ids_of(store_.jobs().newest_dead_letters({}, behind, limit));
    }
};

INSTANTIATE_TEST_SUITE_P(
    OnEveryDatabase,
    DeadLetterTimes,
    testing::ValuesIn(databases_under_test()),
    name_of_database
);

TEST_P(DeadLetterTimes, A_dead_letter_says_when_it_became_one_and_a_requeued_job_does_not) {
    const auto died = clock_.now();
    make_dead("a");
    clock_.tick(1h);
    EXPECT_EQ(job("a").failed_time, died);
    (void)store_.jobs().requeue(std::vector<std::string>{"a"}, 1, {}, clock_.now());
    EXPECT_EQ(job("a").failed_time, std::nullopt);
    make_dead("a");
    EXPECT_EQ(job("a").failed_time, died + 1h);
}

TEST_P(DeadLetterTimes, The_newest_come_first_whatever_their_ids_are) {
    make_all_dead();
    EXPECT_THAT(newest(), ElementsAre("b", "a", "c"));
    EXPECT_THAT(newest({}, 2), ElementsAre("b", "a"));
    EXPECT_THAT(newest(DeadLetterMark{job("a").failed_time, "a"}), ElementsAre("c"));
    EXPECT_THAT(newest(DeadLetterMark{job("c").failed_time, "c"}), IsEmpty());
}

TEST_P(DeadLetterTimes, Those_of_one_instant_are_all_listed_page_by_page) {
    for (const char* const id : {"a", "b", "c"}) {
        make_dead(id);
    }
    const auto died = clock_.now();
    EXPECT_THAT(newest({}, 1), ElementsAre("c"));
    EXPECT_THAT(newest(DeadLetterMark{died, "c"}, 1), ElementsAre("b"));
    EXPECT_THAT(newest(DeadLetterMark{died, "b"}, 1), ElementsAre("a"));
}

// Flowable's rows, and those from before there was the column.
TEST_P(DeadLetterTimes, Those_that_do_not_say_when_come_last) {
    make_all_dead();
    execute("INSERT INTO ACT_RU_DEADLETTER_JOB (ID_, TYPE_) VALUES ('x', 'message')");
    execute("INSERT INTO ACT_RU_DEADLETTER_JOB (ID_, TYPE_) VALUES ('y', 'message')");
    EXPECT_EQ(job("x").failed_time, std::nullopt);
    EXPECT_THAT(newest(), ElementsAre("b", "a", "c", "y", "x"));
    EXPECT_THAT(newest({}, 4), ElementsAre("b", "a", "c", "y"));
    EXPECT_THAT(newest(DeadLetterMark{job("c").failed_time, "c"}), ElementsAre("y", "x"));
    EXPECT_THAT(newest(DeadLetterMark{.id = "y"}), ElementsAre("x"));
}

TEST_P(DeadLetterTimes, They_are_found_by_when_they_became_ones) {
    const auto start = clock_.now();
    make_all_dead();
    const JobFilter late{.fields = {persistence::is_after(&Job::failed_time, start + 30s)}};
    EXPECT_THAT(store_.jobs().list_ids(JobPlace::dead_letter, late, "", 10), ElementsAre("a", "b"));
    EXPECT_THAT(ids_of(store_.jobs().newest_dead_letters(late, {}, 10)), ElementsAre("b", "a"));
    const JobFilter early{.fields = {persistence::is_before(&Job::failed_time, start + 30s)}};
    EXPECT_THAT(store_.jobs().list_ids(JobPlace::dead_letter, early, "", 10), ElementsAre("c"));
    EXPECT_EQ(store_.jobs().count(JobPlace::executable, early), 0);
}

TEST_P(DeadLetterTimes, What_they_died_of_is_read_the_newest_first) {
    const auto start = clock_.now();
    make_all_dead();
    execute("INSERT INTO ACT_RU_DEADLETTER_JOB (ID_, TYPE_) VALUES ('x', 'message')");
    EXPECT_THAT(
        store_.jobs().newest_failures({}, {}, 2),
        ElementsAre(
            DeadLetterFailure{"b", "mail", "no", start + 2min},
            DeadLetterFailure{"a", "mail", "no", start + 1min}
        )
    );
    EXPECT_THAT(
        store_.jobs().newest_failures({}, DeadLetterMark{start + 1min, "a"}, 10),
        ElementsAre(DeadLetterFailure{"c", "mail", "no", start}, DeadLetterFailure{.id = "x"})
    );
    const JobFilter early{.fields = {persistence::is_before(&Job::failed_time, start + 30s)}};
    EXPECT_THAT(
        store_.jobs().newest_failures(early, {}, 10),
        ElementsAre(DeadLetterFailure{"c", "mail", "no", start})
    );
}

TEST_P(DeadLetterTimes, What_they_died_of_is_read_page_by_page_in_the_order_of_their_ids) {
    const auto start = clock_.now();
    make_all_dead();
    insert(JobPlace::executable, a_job("runs").of_type("mail"));
    EXPECT_THAT(
        store_.jobs().list_failures({}, "", 2),
        ElementsAre(
            DeadLetterFailure{"a", "mail", "no", start + 1min},
            DeadLetterFailure{"b", "mail", "no", start + 2min}
        )
    );
    EXPECT_THAT(
        store_.jobs().list_failures({}, "b", 2),
        ElementsAre(DeadLetterFailure{"c", "mail", "no", start})
    );
    const JobFilter late{.fields = {persistence::is_after(&Job::failed_time, start + 90s)}};
    EXPECT_THAT(
        store_.jobs().list_failures(late, "", 10),
        ElementsAre(DeadLetterFailure{"b", "mail", "no", start + 2min})
    );
}

TEST_P(DeadLetterTimes, Of_a_row_that_says_little_little_is_read) {
    execute("INSERT INTO ACT_RU_DEADLETTER_JOB (ID_, TYPE_) VALUES ('x', 'message')");
    EXPECT_THAT(store_.jobs().list_failures({}, "", 10), ElementsAre(DeadLetterFailure{.id = "x"}));
}

TEST_P(DeadLetterTimes, Types_are_counted_with_their_oldest_and_the_locked_the_most_first) {
    insert(JobPlace::executable, a_job("d").of_type("report"));
    clock_.tick(1h);
    (void)store_.executor().acquire_one("b", claim_of("node-1"), clock_.now());
    const auto created = job("a").create_time;
    EXPECT_THAT(
        store_.jobs().count_types(JobPlace::executable, {}),
        ElementsAre(TypeCount{"mail", 3, 1, created}, TypeCount{"report", 1, 0, created})
    );
    const JobFilter reports{.fields = {persistence::equals(&Job::handler_type, "report")}};
    EXPECT_THAT(
        store_.jobs().count_types(JobPlace::executable, reports),
        ElementsAre(TypeCount{"report", 1, 0, created})
    );
    EXPECT_THAT(store_.jobs().count_types(JobPlace::dead_letter, {}), IsEmpty());
}

TEST_P(DeadLetterTimes, Each_of_several_that_are_requeued_may_have_its_own_due_date) {
    make_all_dead();
    const auto now = clock_.now();
    const std::vector<std::string> ids{"b", "a", "c"};
    const DueDates dates(std::vector{now + 2h, now, now + 1h});
    EXPECT_THAT(store_.jobs().requeue(ids, 1, dates, now), testing::Each(JobAnswer::done));
    EXPECT_EQ(job("b").due_date, now + 2h);
    EXPECT_EQ(job("c").due_date, now + 1h);
    EXPECT_EQ(place_of("a"), "executable");
    EXPECT_EQ(place_of("b"), "timer");
}

}  // namespace

}  // namespace jobstrand::test
