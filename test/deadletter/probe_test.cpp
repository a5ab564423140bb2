#include "deadletter/dead_letters.hpp"
#include "test/deadletter/admin_fixture.hpp"

#include <gmock/gmock.h>

namespace jobstrand::deadletter {
namespace {

using namespace std::chrono_literals;

using schema::JobPlace;
using testing::ElementsAre;

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

}  // namespace
}  // namespace jobstrand::deadletter
