#include "deadletter/dead_letters.hpp"

#include "deadletter/policy_activities.hpp"
#include "test/deadletter/admin_fixture.hpp"

#include <gmock/gmock.h>

#include <stdexcept>

namespace jobstrand::deadletter {

namespace {

using persistence::AuditEntry;
using schema::DayWindow;
using schema::Job;
using schema::JobPlace;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using namespace std::chrono_literals;

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

/// Dead letters of two causes, of which one can be tried before the others.
class DeadProbeTest : public AdminTest {
protected:
    void SetUp() override {
        add_dead("a", "host 7 is away");
        add_dead("b", "host 8 is away");
        add_dead("c", "no such user");
        add_dead("d", "host 9 is away");
    }

    void add_dead(const std::string& id, const std::string& message) {
        schema::Job job = test::a_job(id);
        job.exception_message = message;
        insert(JobPlace::dead_letter, std::move(job));
    }

    /// Calls `meanwhile` at each look, between which a second goes by.
    [[nodiscard]] ProbePatience patience(std::function<void()> meanwhile = {}) {
        return {
            .most = 1min,
            .between = 1s,
            .wait =
                [this, meanwhile = std::move(meanwhile)](schema::Duration time) {
                    if (meanwhile) {
                        meanwhile();
                    }
                    clock_.tick(time);
                },
        };
    }

    const CauseSelection away_{.cause = id_of(cause_of("noop", "host 1 is away"))};
    DeadLetters dead_{store_, clock_};
};

TEST_F(DeadProbeTest, A_cause_means_its_dead_letters_and_no_others) {
    EXPECT_EQ(dead_.count(away_), 3);
    const Preview preview = dead_.preview(away_, 2);
    EXPECT_EQ(preview.count, 3);
    ASSERT_EQ(preview.first.size(), 2U);
    EXPECT_EQ(preview.first.back().job.id, "b");
    EXPECT_EQ(dead_.requeue(away_, {.retries = 2}, watch()), (BulkCounts{.total = 3, .done = 3}));
    EXPECT_EQ(items(), "a:done b:done d:done");
    EXPECT_EQ(places(), "executable=3 dead=1");
}

TEST_F(DeadProbeTest, Of_a_cause_a_filter_may_leave_some_out) {
    CauseSelection some = away_;
    some.filter.fields.push_back(persistence::contains(&schema::Job::exception_message, "host 8"));
    EXPECT_EQ(dead_.remove(some), (BulkCounts{.total = 1, .done = 1}));
    EXPECT_EQ(places(), "dead=3");
}

TEST_F(DeadProbeTest, A_cause_that_is_slow_or_spread_is_requeued_page_by_page) {
    std::vector<schema::Duration> waits;
    const BulkPace pace{.per_second = 1, .wait = [&](schema::Duration time) {
                            waits.push_back(time);
                            clock_.tick(time);
                        }};
    EXPECT_EQ(dead_.requeue(away_, {.retries = 1, .spread = 3h, .pace = pace}).done, 3);
    EXPECT_THAT(waits, ElementsAre(1s, 1s));
    EXPECT_EQ(places(), "executable=1 timer=2 dead=1");
}

TEST_F(DeadProbeTest, A_probe_that_succeeds_is_gone_and_the_others_are_where_they_were) {
    const ProbeResult result = dead_.probe(away_, patience([this] { run_all(); }));
    EXPECT_EQ(result.end, ProbeEnd::succeeded);
    EXPECT_EQ(result.id, "a");
    EXPECT_EQ(places(), "dead=3");
}

TEST_F(DeadProbeTest, A_probe_that_fails_is_a_dead_letter_again_after_one_attempt) {
    const ProbeResult result =
        dead_.probe(JobSelection::matching({}), patience([this] { run_all("still away"); }));
    EXPECT_EQ(result.end, ProbeEnd::failed);
    EXPECT_EQ(result.place, JobPlace::dead_letter);
    EXPECT_EQ(result.message, "still away");
    EXPECT_EQ(places(), "dead=4");
}

TEST_F(DeadProbeTest, A_probe_that_nobody_runs_has_not_ended_when_patience_is_over) {
    const auto started = clock_.now();
    const ProbeResult result = dead_.probe(JobSelection::these({"c", "a"}), patience());
    EXPECT_EQ(result.end, ProbeEnd::not_ended);
    EXPECT_EQ(result.id, "c");
    EXPECT_EQ(result.place, JobPlace::executable);
    EXPECT_EQ(clock_.now() - started, 1min);
    EXPECT_EQ(places(), "executable=1 dead=3");
}

TEST_F(DeadProbeTest, A_probe_that_is_suspended_is_not_waited_for) {
    schema::Job job = test::a_job("0");
    job.process_instance_id = "order-17";
    insert(JobPlace::dead_letter, std::move(job));
    (void)store_.suspend(persistence::SuspensionScope::instance, "order-17", clock_.now());
    EXPECT_EQ(dead_.probe(JobSelection::matching({}), patience()).end, ProbeEnd::suspended);
}

TEST_F(DeadProbeTest, What_is_no_dead_letter_is_not_tried) {
    EXPECT_EQ(dead_.probe(JobSelection::these({}), patience()).end, ProbeEnd::nothing_to_try);
    EXPECT_EQ(
        dead_.probe(CauseSelection{.cause = "000000000000"}, patience()).end,
        ProbeEnd::nothing_to_try
    );
    const ProbeResult gone = dead_.probe(JobSelection::these({"gone"}), patience());
    EXPECT_EQ(gone.end, ProbeEnd::not_requeued);
    EXPECT_EQ(gone.item.answer, ItemAnswer::not_found);
}

TEST_F(DeadProbeTest, Copies_are_all_that_is_stored_and_come_back_as_they_were) {
    std::vector<persistence::JobCopy> copies;
    const auto keep = [&](const persistence::JobCopy& copy) { copies.push_back(copy); };
    EXPECT_EQ(dead_.copy(away_, keep), (BulkCounts{.total = 3, .done = 3}));
    ASSERT_EQ(copies.size(), 3U);
    EXPECT_EQ(copies.front().job, store_.find("a").value().job);
    EXPECT_EQ(dead_.copy(JobSelection::these({"c", "gone"}), keep).not_found, 1);
    (void)dead_.remove(JobSelection::matching({}));
    EXPECT_THAT(dead_.restore(copies), ElementsAre(true, true, true, true));
    EXPECT_THAT(dead_.restore(copies), ElementsAre(false, false, false, false));
    EXPECT_EQ(places(), "dead=4");
    EXPECT_EQ(store_.find("c").value().job, copies.back().job);
}

/// What a service does with dead letters by itself (B12).
class PolicyTest : public AdminTest {
protected:
    void insert_dead(
        const std::string& id,
        std::optional<schema::TimePoint> failed,
        const std::string& message = "timeout: no answer"
    ) {
        Job job = test::a_job(id);
        job.failed_time = failed;
        job.exception_message = message;
        job.create_time = clock_.now();
        insert(JobPlace::dead_letter, job);
    }

    DeadLetterCleaning cleaning(DeadLetterRetention retention, DayWindow window = {}) {
        return {{store_, audit_, clock_, "node-1"}, retention, window, 10min};
    }

    AutomaticRequeue requeueing(RequeueRule rule) {
        rule.name = "retry-timeouts";
        return {{store_, audit_, clock_, "node-1"}, std::move(rule), 1min};
    }

    /// The dead letters that are left, in the order of their ids.
    std::vector<std::string> dead() { return store_.list_ids(JobPlace::dead_letter, {}, "", 100); }

    /// The latest first.
    std::vector<AuditEntry> audited() { return audit_store_.audit({}, "", 100); }

    AuditTrail audit_{audit_store_, clock_};
};

TEST_F(PolicyTest, Dead_letters_that_are_too_old_are_removed_and_that_is_written_down) {
    const schema::TimePoint now = clock_.now();
    insert_dead("a", now - 91 * 24h);
    insert_dead("b", now - 90 * 24h);
    insert_dead("c", std::nullopt);
    DeadLetterCleaning cleaned = cleaning({.age = 90 * 24h});
    EXPECT_LT(cleaned.run_once(), 1s) << "there may be more";
    EXPECT_THAT(dead(), ElementsAre("b", "c"));
    EXPECT_EQ(cleaned.run_once(), 10min);
    const auto entries = audited();
    ASSERT_EQ(entries.size(), 1U) << "a pass that removes nothing leaves no trace";
    EXPECT_EQ(entries[0].action.who, "node-1");
    EXPECT_EQ(entries[0].action.via, "policy");
    EXPECT_EQ(entries[0].action.action, "dead rm");
    EXPECT_EQ(entries[0].action.arguments, "deadLetterRetention = PT2160H, deadLetterMaxRows = 0");
    EXPECT_EQ(entries[0].result, "done");
    EXPECT_EQ(entries[0].changed, 1);
    clock_.tick(1ms);
    (void)cleaned.run_once();
    EXPECT_THAT(dead(), ElementsAre("c"));
}

TEST_F(PolicyTest, Of_too_many_dead_letters_the_latest_are_kept) {
    const schema::TimePoint now = clock_.now();
    insert_dead("a", now);
    insert_dead("b", now - 2h);
    insert_dead("c", now - 1h);
    insert_dead("d", std::nullopt);
    DeadLetterCleaning cleaned = cleaning({.rows = 2});
    while (cleaned.run_once() < 1s) {
    }
    EXPECT_THAT(dead(), ElementsAre("a", "c"));
    std::int64_t removed = 0;
    for (const AuditEntry& entry : audited()) {
        removed += entry.changed.value_or(0);
    }
    EXPECT_EQ(removed, 2);
}

TEST_F(PolicyTest, Many_dead_letters_are_removed_page_by_page) {
    std::vector<std::string> ids;
    for (int i = 0; i < 1'203; ++i) {
        ids.push_back("j" + std::to_string(i));
    }
    insert_all(JobPlace::dead_letter, ids);
    DeadLetterCleaning cleaned = cleaning({.rows = 2});
    EXPECT_LT(cleaned.run_once(), 1s);
    EXPECT_EQ(dead().size(), 2U);
    ASSERT_EQ(audited().size(), 1U);
    EXPECT_EQ(audited()[0].changed, 1'201);
}

TEST_F(PolicyTest, Nothing_is_removed_outside_of_the_window) {
    insert_dead("a", clock_.now() - 48h);
    const DayWindow from_two_to_four(2h, 4h);
    DeadLetterCleaning cleaned = cleaning({.age = 24h}, from_two_to_four);
    EXPECT_EQ(cleaned.run_once(), 10min);
    clock_.tick(1h + 55min);
    EXPECT_EQ(cleaned.run_once(), 5min);
    EXPECT_THAT(dead(), ElementsAre("a"));
    clock_.tick(5min);
    (void)cleaned.run_once();
    EXPECT_THAT(dead(), IsEmpty());
}

TEST_F(PolicyTest, A_rule_requeues_what_it_means_after_its_wait) {
    insert_dead("a", clock_.now());
    insert_dead("b", clock_.now(), "timeout is what it said: no");
    insert_dead("c", clock_.now(), "cancelled by ada: timeout");
    AutomaticRequeue requeued = requeueing({.error_class = "timeout", .wait = 1h, .retries = 2});
    clock_.tick(1h);
    EXPECT_EQ(requeued.run_once(), 1min);
    EXPECT_EQ(places(), "dead=3");
    EXPECT_THAT(audited(), IsEmpty());
    clock_.tick(1ms);
    EXPECT_EQ(requeued.run_once(), 1min);
    EXPECT_EQ(places(), "executable=1 dead=2");
    EXPECT_EQ(store_.find("a").value().job.retries, 2);
    const auto entries = audited();
    ASSERT_EQ(entries.size(), 1U);
    EXPECT_EQ(entries[0].action.via, "policy");
    EXPECT_EQ(entries[0].action.action, "dead requeue");
    EXPECT_THAT(entries[0].action.arguments, HasSubstr("[requeues.retry-timeouts] errorClass"));
    EXPECT_EQ(entries[0].changed, 1);
}

TEST_F(PolicyTest, A_job_that_dies_again_comes_back_until_it_is_too_old) {
    insert_dead("a", clock_.now());
    AutomaticRequeue requeued =
        requeueing({.message = "no answer", .wait = 1h, .until = 3h + 30min});
    int revivals = 0;
    for (int hour = 0; hour < 10; ++hour) {
        clock_.tick(1h + 1ms);
        (void)requeued.run_once();
        if (places() == "executable=1") {
            ++revivals;
            run_all("timeout: no answer");
        }
    }
    EXPECT_EQ(revivals, 3);
    EXPECT_EQ(places(), "dead=1");
}

TEST_F(PolicyTest, Other_handler_types_and_messages_stay) {
    insert_dead("a", clock_.now() - 2h);
    insert_dead("b", clock_.now() - 2h, "timeout: refused");
    AutomaticRequeue other_type = requeueing({.handler_type = "mail", .error_class = "timeout"});
    (void)other_type.run_once();
    EXPECT_EQ(places(), "dead=2");
    AutomaticRequeue both =
        requeueing({.handler_type = "noop", .error_class = "timeout", .message = "refused"});
    (void)both.run_once();
    EXPECT_THAT(dead(), ElementsAre("a"));
}

TEST_F(PolicyTest, They_may_come_back_one_after_the_other_and_within_hours_of_the_day) {
    insert_dead("a", clock_.now() - 2h);
    insert_dead("b", clock_.now() - 2h);
    AutomaticRequeue requeued = requeueing(
        {.error_class = "timeout",
         .until = 48h,
         .spread = 10min,
         .window_start = "22:00",
         .window_end = "06:00"}
    );
    clock_.tick(12h);
    EXPECT_EQ(requeued.run_once(), 1min);
    EXPECT_EQ(places(), "dead=2");
    clock_.tick(10h);
    (void)requeued.run_once();
    EXPECT_EQ(places(), "executable=1 timer=1");
    EXPECT_EQ(store_.find("b").value().job.due_date, clock_.now() + 5min);
}

TEST_F(PolicyTest, One_whose_unique_key_is_taken_stays_and_is_told_of_once) {
    Job job = test::a_job("a").with_key("k");
    job.failed_time = clock_.now() - 2h;
    job.exception_message = "timeout: no answer";
    insert(JobPlace::dead_letter, job);
    insert(JobPlace::executable, test::a_job("b").with_key("k"));
    execute("INSERT INTO JS_UNIQUE (KEY_, JOB_ID_) VALUES ('k', 'b')");
    AutomaticRequeue requeued = requeueing({.error_class = "timeout"});
    (void)requeued.run_once();
    (void)requeued.run_once();
    EXPECT_EQ(places(), "executable=1 dead=1");
    ASSERT_EQ(audited().size(), 1U);
    EXPECT_EQ(audited()[0].changed, 0);
}

TEST_F(PolicyTest, More_than_a_pass_reads_is_left_to_the_next_one) {
    std::vector<std::string> ids;
    for (int i = 0; i < 10'500; ++i) {
        ids.push_back("j" + std::to_string(100'000 + i));
    }
    insert_all(JobPlace::dead_letter, ids);
    execute(
        "UPDATE ACT_RU_DEADLETTER_JOB SET EXCEPTION_MSG_ = 'timeout: no', FAILED_TIME_ = "
        "CREATE_TIME_"
    );
    clock_.tick(2h);
    AutomaticRequeue requeued = requeueing({.error_class = "timeout"});
    EXPECT_LT(requeued.run_once(), 1s);
    EXPECT_EQ(places(), "executable=10000 dead=500");
    EXPECT_EQ(requeued.run_once(), 1min);
    EXPECT_EQ(places(), "executable=10500");
}

TEST_F(PolicyTest, A_rule_that_would_mean_everything_is_refused) {
    EXPECT_THROW(requeueing({.handler_type = "mail"}), std::invalid_argument);
    EXPECT_THAT(mistake_in({.handler_type = "mail"}), HasSubstr("needs errorClass or message"));
    EXPECT_THAT(mistake_in({.message = "x", .wait = 0s}), HasSubstr("wait and until must be"));
    EXPECT_THAT(mistake_in({.message = "x", .retries = 0}), HasSubstr("retries must be 1 to"));
    EXPECT_THAT(mistake_in({.message = "x", .spread = 25h}), HasSubstr("spread must be"));
    EXPECT_THAT(mistake_in({.message = "x", .window_start = "22:00"}), HasSubstr("two times"));
    EXPECT_THAT(mistake_in({.message = "x"}), IsEmpty());
}

}  // namespace

}  // namespace jobstrand::deadletter
