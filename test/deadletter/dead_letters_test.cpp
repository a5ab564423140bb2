#include "deadletter/dead_letters.hpp"

#include "test/deadletter/admin_fixture.hpp"

namespace jobstrand::deadletter {
namespace {

using namespace std::chrono_literals;

using schema::JobPlace;

class DeadLettersTest : public AdminTest {
protected:
    void SetUp() override {
        insert_all(JobPlace::dead_letter, {"a", "b"});
        insert(JobPlace::dead_letter, test::a_job("c").of_type("mail"));
        insert_all(JobPlace::executable, {"runs"});
    }

    const JobSelection all_ = JobSelection::matching({});
    DeadLetters dead_{store_, clock_};
};

TEST_F(DeadLettersTest, They_are_found_and_other_jobs_are_not) {
    EXPECT_EQ(dead_.find("a").value().placed.job.id, "a");
    EXPECT_FALSE(dead_.find("runs"));
    EXPECT_FALSE(dead_.find("nobody"));
}

TEST_F(DeadLettersTest, A_list_says_whether_there_is_more) {
    const auto first = dead_.list({}, "", 2);
    ASSERT_EQ(first.items.size(), 2U);
    EXPECT_EQ(first.items.back().job.id, "b");
    EXPECT_TRUE(first.has_more);
    const auto rest = dead_.list({}, "b", 2);
    ASSERT_EQ(rest.items.size(), 1U);
    EXPECT_FALSE(rest.has_more);
}

TEST_F(DeadLettersTest, A_dry_run_counts_shows_the_first_and_changes_nothing) {
    const Preview preview = dead_.preview(all_, 2);
    EXPECT_EQ(preview.count, 3);
    ASSERT_EQ(preview.first.size(), 2U);
    EXPECT_EQ(preview.first.front().job.id, "a");
    EXPECT_EQ(dead_.preview(JobSelection::these({"b", "runs"}), 2).count, 1);
    EXPECT_EQ(places(), "executable=1 dead=3");
}

TEST_F(DeadLettersTest, Requeueing_a_filter_takes_what_matches) {
    const BulkCounts counts = dead_.requeue(
        JobSelection::matching({.fields = {persistence::equals(&schema::Job::handler_type, "noop")}}
        ),
        {.retries = 5}
    );
    EXPECT_EQ(counts, (BulkCounts{.total = 2, .done = 2}));
    EXPECT_EQ(places(), "executable=3 dead=1");
    EXPECT_EQ(store_.find("a").value().job.retries, 5);
}

TEST_F(DeadLettersTest, Requeueing_may_wait_for_a_date) {
    const auto later = clock_.now() + std::chrono::hours(1);
    dead_.requeue(all_, {.retries = 1, .due_date = later});
    EXPECT_EQ(places(), "executable=1 timer=3");
}

TEST_F(DeadLettersTest, Their_due_dates_may_be_spread_evenly_over_a_time) {
    insert_all(JobPlace::dead_letter, {"d"});
    dead_.requeue(all_, {.retries = 1, .spread = 1h});
    EXPECT_EQ(places(), "executable=2 timer=3");
    const auto now = clock_.now();
    EXPECT_EQ(store_.find("a").value().job.due_date, now);
    EXPECT_EQ(store_.find("b").value().job.due_date, now + 15min);
    EXPECT_EQ(store_.find("c").value().job.due_date, now + 30min);
    EXPECT_EQ(store_.find("d").value().job.due_date, now + 45min);
}

TEST_F(DeadLettersTest, Those_that_were_named_are_spread_from_the_due_date_on) {
    const auto later = clock_.now() + 24h;
    const auto named = JobSelection::these({"c", "a"});
    dead_.requeue(named, {.retries = 1, .due_date = later, .spread = 1h});
    EXPECT_EQ(store_.find("c").value().job.due_date, later);
    EXPECT_EQ(store_.find("a").value().job.due_date, later + 30min);
}

TEST_F(DeadLettersTest, They_are_requeued_no_faster_than_the_pace) {
    std::vector<schema::Duration> waits;
    const BulkPace pace{.per_second = 2, .wait = [&](schema::Duration time) {
                            waits.push_back(time);
                            clock_.tick(time);
                        }};
    insert_all(JobPlace::dead_letter, {"d", "e"});
    EXPECT_EQ(dead_.requeue(all_, {.retries = 1, .pace = pace}).done, 5);
    EXPECT_EQ(waits, (std::vector<schema::Duration>{1s, 1s}));  // Two, two and one.
    waits.clear();
    const auto named = JobSelection::these({"x", "y"});
    dead_.requeue(named, {.retries = 1, .pace = pace});
    EXPECT_EQ(waits, std::vector<schema::Duration>{500ms});
}

TEST_F(DeadLettersTest, A_list_of_the_newest_cannot_go_on_behind_what_is_gone) {
    EXPECT_EQ(dead_.newest({}, "", 2)->items.front().job.id, "c");
    EXPECT_TRUE(dead_.newest({}, "", 2)->has_more);
    EXPECT_EQ(dead_.newest({}, "b", 2)->items.front().job.id, "a");
    EXPECT_FALSE(dead_.newest({}, "runs", 2));
}

TEST_F(DeadLettersTest, Requeueing_named_jobs_may_be_repeated) {
    const auto some = JobSelection::these({"b", "runs", "nobody"});
    EXPECT_EQ(
        dead_.requeue(some, {}, watch()),
        (BulkCounts{.total = 3, .done = 1, .skipped = 1, .not_found = 1})
    );
    EXPECT_EQ(items(), "b:done runs:skipped nobody:not_found");
    EXPECT_EQ(dead_.requeue(some, {}, watch()).skipped, 2);
    EXPECT_EQ(places(), "executable=2 dead=2");
}

TEST_F(DeadLettersTest, Removing_named_jobs_touches_dead_letters_only) {
    EXPECT_EQ(
        dead_.remove(JobSelection::these({"b", "runs"}), watch()),
        (BulkCounts{.total = 2, .done = 1, .not_found = 1})
    );
    EXPECT_EQ(last().place, JobPlace::executable);
    EXPECT_EQ(places(), "executable=1 dead=2");
}

TEST_F(DeadLettersTest, Removing_all_leaves_none) {
    EXPECT_EQ(dead_.remove(all_), (BulkCounts{.total = 3, .done = 3}));
    EXPECT_EQ(places(), "executable=1");
}

TEST_F(DeadLettersTest, No_ids_mean_no_jobs_and_never_all) {
    const auto none = JobSelection::these({});
    EXPECT_EQ(dead_.count(none), 0);
    EXPECT_EQ(dead_.preview(none, 10).count, 0);
    EXPECT_EQ(dead_.requeue(none, {}), BulkCounts{});
    EXPECT_EQ(dead_.remove(none), BulkCounts{});
    EXPECT_EQ(places(), "executable=1 dead=3");
}

}  // namespace
}  // namespace jobstrand::deadletter
