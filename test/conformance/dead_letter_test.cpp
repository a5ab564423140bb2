#include "test/conformance/store_test.hpp"

namespace jobstrand::test {

namespace {

using persistence::DeadLetterFailure;
using persistence::DeadLetterMark;
using persistence::DueDates;
using persistence::JobCopy;
using persistence::TypeCount;
using schema::JobEvent;

/// When jobs became dead letters, and how they are found by it.
class DeadLetterTimes : public StoreTest {
protected:
    void SetUp() override {
        StoreTest::SetUp();
        for (const char* const id : {"a", "b", "c"}) {
            insert(a_job(id).of_type("mail"));
        }
    }

    /// A node runs the job, and it fails for good.
    void make_dead(const std::string& id) {
        const auto held = acquire_one(id);
        ASSERT_EQ(held.answer, JobAnswer::done);
        expect_done(failed_outcome(held.job, {.message = "no", .retryable = false}));
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

ON_EVERY_DATABASE(DeadLetterTimes);

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
    insert(a_job("runs").of_type("mail"));
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
    insert(a_job("d").of_type("report"));
    clock_.tick(1h);
    acquire_one("b");
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
    const DueDates dates(std::vector{now + 2h, now, now + 1h});
    EXPECT_THAT(requeue({"b", "a", "c"}, 1, dates), Each(JobAnswer::done));
    EXPECT_EQ(job("b").due_date, now + 2h);
    EXPECT_EQ(job("c").due_date, now + 1h);
    EXPECT_THAT(places_of({"a", "b"}), ElementsAre("executable", "timer"));
}

/// Dead letters that are requeued: the server copies those that need no look.
class CopiedDeadLetters : public StoreTest {
protected:
    auto requeue(std::vector<std::string> ids, std::optional<schema::TimePoint> due = {}) {
        return store_.jobs().requeue(ids, 7, due, clock_.now());
    }

    /// Runs the job, which fails for the last time.
    void make_dead(const std::string& id) {
        const Job held = insert_and_acquire(a_job(id));
        expect_done(failed_outcome(held, {.message = "no network", .retryable = false}));
    }
};

ON_EVERY_DATABASE(CopiedDeadLetters);

TEST_P(CopiedDeadLetters, Keep_every_column_but_retries_due_date_and_revision) {
    Job dead = full_job("a");
    dead.series = "";
    dead.repeat = "";
    Job expected = insert(JobPlace::dead_letter, dead);
    const Job other = insert(JobPlace::dead_letter, a_job("b"));
    ASSERT_THAT(requeue({"a", "b"}, clock_.now() + 1h), Each(JobAnswer::done));
    expected.revision += 1;
    expected.retries = 7;
    expected.due_date = clock_.now() + 1h;
    expected.failed_time = {};
    ASSERT_EQ(place_of("a"), "timer");
    EXPECT_EQ(job("a"), expected);
    EXPECT_EQ(job("b").revision, other.revision + 1);
    EXPECT_EQ(count_rows("ACT_RU_DEADLETTER_JOB"), 0);
}

TEST_P(CopiedDeadLetters, Go_each_to_their_own_place) {
    const Job external = a_job("external").of_kind(schema::kExternalWorkerType);
    const Job suspended = a_job("suspended").of_tenant("acme");
    insert(JobPlace::dead_letter, {a_job("a"), a_job("b"), external, suspended});
    suspend(SuspensionScope::tenant, "acme");
    ASSERT_THAT(requeue({"a", "b", "external", "suspended"}), Each(JobAnswer::done));
    EXPECT_THAT(places_of({"a", "b"}), ElementsAre("executable", "executable"));
    EXPECT_THAT(places_of({"external", "suspended"}), ElementsAre("external", "suspended"));
    for (const char* const id : {"a", "b", "external"}) {
        EXPECT_EQ(job(id).retries, 7) << id;
        EXPECT_EQ(job(id).due_date, clock_.now()) << id;
    }
    activate(SuspensionScope::tenant, "acme");
    EXPECT_EQ(place_of("suspended"), "executable");
    EXPECT_EQ(job("suspended").retries, 7);
}

TEST_P(CopiedDeadLetters, Are_told_of_and_their_incidents_end) {
    Node full = node_with({.job_log = schema::JobLogLevel::full});
    make_dead("a");
    make_dead("b");
    EXPECT_THAT(store_.history().incidents({.is_open = true}, {}, 100), SizeIs(2));
    const std::vector<std::string> ids{"a", "b"};
    ASSERT_THAT(full.store().jobs().requeue(ids, 1, {}, clock_.now()), Each(JobAnswer::done));
    EXPECT_THAT(store_.history().incidents({.is_open = true}, {}, 100), IsEmpty());
    for (const std::string& id : ids) {
        EXPECT_THAT(events_of(id), testing::Contains(JobEvent::requeued)) << id;
        EXPECT_EQ(job(id).exception_message, "no network") << id;
    }
}

TEST_P(CopiedDeadLetters, What_a_plain_insert_leaves_out_does_not_stop_them) {
    insert(JobPlace::dead_letter, {a_job("a"), a_job("b")});
    execute("UPDATE ACT_RU_DEADLETTER_JOB SET REV_ = NULL, TENANT_ID_ = NULL WHERE ID_ = 'a'");
    ASSERT_THAT(requeue({"a", "b"}), Each(JobAnswer::done));
    EXPECT_THAT(ids_of(acquire()), ElementsAre("a", "b"));
}

/// Dead letters that were kept elsewhere come back.
class RestoreTest : public StoreTest {
protected:
    /// All columns of a dead letter, as it is read from the store.
    [[nodiscard]] JobCopy copy_of(const std::string& id) {
        JobCopy copy{.job = full_job(id), .details = "at line 7"};
        copy.job.retries = 0;
        copy.job.due_date = clock_.now();
        copy.job.create_time = clock_.now();
        copy.job.failed_time = clock_.now();
        copy.job.payload = std::string(5000, 'p');
        return copy;
    }

    [[nodiscard]] std::vector<bool> restore(const std::vector<JobCopy>& copies) {
        return store_.jobs().restore(JobPlace::dead_letter, copies);
    }
};

ON_EVERY_DATABASE(RestoreTest);

TEST_P(RestoreTest, Each_field_comes_back_with_the_long_texts) {
    const JobCopy copy = copy_of("a");
    EXPECT_THAT(restore({copy}), ElementsAre(true));
    EXPECT_EQ(place_of("a"), "dead");
    Job back = job("a");
    EXPECT_EQ(store_.jobs().exception_details(back), "at line 7");
    EXPECT_NE(back.exception_stack_id, copy.job.exception_stack_id);
    EXPECT_NE(back.custom_values_id, copy.job.custom_values_id);
    back.exception_stack_id = copy.job.exception_stack_id;
    back.custom_values_id = copy.job.custom_values_id;
    Job wanted = copy.job;
    wanted.revision = 1;
    for (const schema::JobField& field : schema::job_fields()) {
        if (field.is_in(JobPlace::dead_letter)) {
            std::visit(
                [&](const auto member) { EXPECT_EQ(back.*member, wanted.*member) << field.name; },
                field.member
            );
        }
    }
}

// I1: one place.
TEST_P(RestoreTest, One_whose_id_a_job_has_in_any_place_is_left_out) {
    insert(JobPlace::timer, a_job("b").of_type("other"));
    insert(JobPlace::dead_letter, a_job("d").of_type("other"));
    EXPECT_THAT(
        restore({copy_of("d"), copy_of("c"), copy_of("b"), copy_of("a"), copy_of("c")}),
        ElementsAre(false, true, false, true, false)
    );
    EXPECT_EQ(store_.jobs().count(JobPlace::dead_letter, {}), 3);
    EXPECT_EQ(place_of("b"), "timer");
    EXPECT_EQ(job("d").handler_type, "other");
    EXPECT_EQ(count_rows("ACT_GE_BYTEARRAY"), 4);
    EXPECT_THAT(restore({copy_of("a"), copy_of("c")}), ElementsAre(false, false));
}

TEST_P(RestoreTest, One_that_is_removed_leaves_nothing_behind) {
    EXPECT_THAT(restore({copy_of("a")}), ElementsAre(true));
    remove(JobPlace::dead_letter, {"a"});
    EXPECT_EQ(count_rows("ACT_GE_BYTEARRAY"), 0);
}

TEST_P(RestoreTest, No_copies_are_no_work) {
    EXPECT_THAT(restore({}), IsEmpty());
}

// I9.
TEST_P(RestoreTest, A_commit_in_doubt_that_was_done_is_not_done_twice) {
    faults_.add({.point = FaultPoint::after_commit, .kind = DbErrorKind::in_doubt});
    EXPECT_THAT(restore({copy_of("a"), copy_of("b")}), ElementsAre(true, true));
    EXPECT_EQ(store_.jobs().count(JobPlace::dead_letter, {}), 2);
}

}  // namespace

}  // namespace jobstrand::test
