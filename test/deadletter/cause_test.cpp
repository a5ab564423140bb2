#include "deadletter/dead_letters.hpp"
#include "deadletter/failure_cause.hpp"
#include "test/deadletter/admin_fixture.hpp"

#include <gmock/gmock.h>

#include <algorithm>

namespace jobstrand::deadletter {
namespace {

using namespace std::chrono_literals;

using schema::JobPlace;

/// Dead letters of several causes.
class CauseTest : public AdminTest {
protected:
    void add_dead(
        const std::string& id,
        const std::string& type,
        const std::string& message,
        std::optional<schema::TimePoint> failed = {}
    ) {
        schema::Job job = test::a_job(id).of_type(type);
        job.exception_message = message;
        job.failed_time = failed;
        insert(JobPlace::dead_letter, std::move(job));
    }

    DeadLetters dead_{store_, clock_};
};

TEST_F(CauseTest, Groups_have_their_number_their_times_and_an_example_the_largest_first) {
    const auto now = clock_.now();
    add_dead("a", "mail", "host 7 is away", now - 2h);
    add_dead("b", "mail", "host 8 is away", now - 1h);
    add_dead("c", "mail", "host 9 is away");
    add_dead("d", "fax", "host 9 is away", now);
    insert_all(JobPlace::executable, {"runs"});
    const CauseSummary summary = dead_.causes({});
    ASSERT_EQ(summary.groups.size(), 2U);
    EXPECT_EQ(summary.others, 0);
    const CauseGroup& mail = summary.groups.front();
    EXPECT_EQ(mail.jobs, 3);
    EXPECT_EQ(mail.cause, (FailureCause{"mail", "", "host <*> is away"}));
    EXPECT_EQ(mail.id, id_of(mail.cause));
    EXPECT_EQ(mail.first_failed, now - 2h);
    EXPECT_EQ(mail.last_failed, now - 1h);
    EXPECT_EQ(mail.example, "b");
    EXPECT_EQ(summary.groups.back().example, "d");
}

TEST_F(CauseTest, A_filter_leaves_others_out) {
    add_dead("a", "mail", "x");
    add_dead("b", "fax", "x");
    const auto summary =
        dead_.causes({.fields = {persistence::equals(&schema::Job::handler_type, "fax")}});
    ASSERT_EQ(summary.groups.size(), 1U);
    EXPECT_EQ(summary.groups.front().example, "b");
}

TEST_F(CauseTest, The_watch_sees_how_many_were_read_and_may_stop_it) {
    add_dead("a", "mail", "x");
    BulkCounts seen;
    const auto summary = dead_.causes({}, {.on_page = [&](const BulkCounts& counts) {
                                          seen = counts;
                                          return false;
                                      }});
    EXPECT_EQ(seen, (BulkCounts{.total = 1, .done = 1}));
    EXPECT_EQ(summary.groups.size(), 1U);
}

TEST_F(CauseTest, Of_the_latest_only_it_is_said_how_many_were_looked_at) {
    const auto now = clock_.now();
    add_dead("a", "mail", "x", now - 2h);
    add_dead("b", "mail", "x", now - 1h);
    add_dead("c", "fax", "x", now);
    const CauseSummary two = latest_causes(store_, 2);
    EXPECT_EQ(two.looked_at, 2U);
    ASSERT_EQ(two.groups.size(), 2U);
    EXPECT_EQ(two.groups.front().looked_at, 2U);
    EXPECT_EQ(two.groups.front().jobs, 1);
    const CauseSummary all = latest_causes(store_, 3);
    EXPECT_EQ(all.looked_at, std::nullopt);
    EXPECT_EQ(all.groups.front().jobs, 2);
    EXPECT_EQ(all.groups.front().looked_at, std::nullopt);
}

TEST_F(CauseTest, A_filter_sees_no_more_than_the_latest_whether_they_match_or_not) {
    const auto now = clock_.now();
    add_dead("a", "mail", "x", now - 2h);
    add_dead("b", "fax", "x", now - 1h);
    add_dead("c", "fax", "x", now);
    const persistence::JobFilter mail{
        .fields = {persistence::equals(&schema::Job::handler_type, "mail")}};
    const CauseSummary two = latest_causes(store_, 2, mail);
    EXPECT_TRUE(two.groups.empty());
    EXPECT_EQ(two.looked_at, 2U);
    EXPECT_EQ(latest_causes(store_, 3, mail).groups.size(), 1U);
}

// Flowable's rows.
TEST_F(CauseTest, Those_that_do_not_say_when_they_died_are_not_forgotten) {
    add_dead("a", "mail", "x");
    add_dead("b", "mail", "x");
    add_dead("c", "mail", "x");
    EXPECT_EQ(latest_causes(store_, 2).looked_at, 2U);
    EXPECT_EQ(latest_causes(store_, 2).groups.front().jobs, 2);
    EXPECT_EQ(latest_causes(store_, 3).looked_at, std::nullopt);
}

// I8.
TEST(CauseTallyTest, Causes_beyond_the_bound_are_counted_and_not_kept) {
    CauseTally tally;
    std::string letters(3, 'a');
    for (std::size_t i = 0; i < kCausesKept + 5; ++i) {
        tally.add({.id = "x", .handler_type = letters, .message = "no"});
        for (auto letter = letters.rbegin(); letter != letters.rend() && ++*letter > 'z';
             ++letter) {
            *letter = 'a';
        }
    }
    tally.add({.id = "y", .handler_type = "aaa", .message = "no"});
    const CauseSummary summary = tally.take();
    EXPECT_EQ(summary.groups.size(), kCausesKept);
    EXPECT_EQ(summary.others, 5);
    EXPECT_EQ(summary.groups.front().jobs, 2);
}

}  // namespace
}  // namespace jobstrand::deadletter
