#include "test/fixtures/signal.hpp"
#include "test/service/api_fixture.hpp"
#include "tools/service/metrics.hpp"

#include <gmock/gmock.h>

namespace jobstrand {
namespace {

using namespace std::chrono_literals;
using service::Backlog;
using test::ApiTest;
using test::get;
using testing::HasSubstr;
using testing::Not;

/// What waits in the database, as it was seen last.
class BacklogTest : public ApiTest {
protected:
    schema::SteadyPoint now{1h};
    Backlog backlog{engine, [this] { return now; }};
};

TEST_F(BacklogTest, Nothing_is_known_before_somebody_has_looked) {
    EXPECT_FALSE(backlog.last());
    EXPECT_TRUE(backlog.wants_a_look(20));
    EXPECT_FALSE(backlog.wants_a_look(20)) << "one is enough";
}

TEST_F(BacklogTest, Jobs_are_counted_by_place_and_the_oldest_is_as_old_as_it_could_have_run) {
    (void)add(R"({"handlerType":"noop","dueDate":"2020-01-01T00:00:00Z"})");
    (void)add(R"({"handlerType":"noop","dueDate":"2099-01-01T00:00:00Z"})");
    backlog.look();
    const auto seen = backlog.last();
    ASSERT_TRUE(seen);
    EXPECT_EQ(seen->jobs.at(0).place, schema::JobPlace::executable);
    EXPECT_EQ(seen->jobs.at(0).jobs, 1);
    EXPECT_EQ(seen->jobs.at(1).jobs, 1);
    EXPECT_GT(seen->executable_wait, 24h * 365);
    EXPECT_EQ(seen->external_wait, 0ms);
    EXPECT_EQ(seen->timer_overdue, 0ms);
}

TEST_F(BacklogTest, What_was_seen_counts_for_a_while) {
    backlog.look();
    EXPECT_FALSE(backlog.wants_a_look(20));
    now += Backlog::kFresh - 1ms;
    EXPECT_FALSE(backlog.wants_a_look(20));
    now += 1ms;
    EXPECT_TRUE(backlog.wants_a_look(20));
}

TEST_F(BacklogTest, The_longer_a_look_takes_the_rarer_it_is_taken_and_each_says_how_rarely) {
    Backlog slow{engine, [this] { return now += 1s; }};
    slow.look();
    now += 18s;
    EXPECT_FALSE(slow.wants_a_look(20)) << "19 s behind a look that took one";
    EXPECT_FALSE(slow.wants_a_look(100));
    EXPECT_TRUE(slow.wants_a_look(20));
    now += 80s;
    EXPECT_TRUE(slow.wants_a_look(100));
}

TEST_F(BacklogTest, A_scrape_waits_for_nothing_and_the_next_one_has_what_was_seen) {
    (void)add(R"({"handlerType":"noop","dueDate":"2099-01-01T00:00:00Z"})");
    EXPECT_THAT(ask(get("/metrics")).body, Not(HasSubstr("jobstrand_jobs")));
    EXPECT_TRUE(test::eventually([&] {
        return ask(get("/metrics")).body.find("jobstrand_jobs{place=\"timer\"} 1\n") !=
               std::string::npos;
    }));
}

}  // namespace
}  // namespace jobstrand
