#include "deadletter/policy_activities.hpp"
#include "test/deadletter/admin_fixture.hpp"

#include <gmock/gmock.h>

#include <stdexcept>

namespace jobstrand::deadletter {
namespace {

using namespace std::chrono_literals;
using persistence::AuditEntry;
using schema::DayWindow;
using schema::Job;
using schema::JobPlace;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

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
