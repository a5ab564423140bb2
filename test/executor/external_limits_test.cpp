#include "executor/workers/external_work.hpp"
#include "schema/clock.hpp"
#include "test/fixtures/job_builder.hpp"

#include <gmock/gmock.h>

namespace jobstrand::executor {
namespace {

using namespace std::chrono_literals;
using schema::Job;
using testing::IsEmpty;
using testing::SizeIs;

TEST(ExternalLimitsTest, The_name_itself_counts_then_the_longest_beginning) {
    const std::vector<std::string> texts{
        "mail=PT30S", "invoice.*=PT5M", "invoice.pdf.*=1500", "odd=name=PT1S"};
    const ExternalLimits limits(texts);
    EXPECT_EQ(limits.of("mail"), 30s);
    EXPECT_EQ(limits.of("invoice.txt"), 5min);
    EXPECT_EQ(limits.of("invoice.pdf.long"), 1500ms);
    EXPECT_EQ(limits.of("odd=name"), 1s);
    EXPECT_FALSE(limits.of("mails"));
    EXPECT_FALSE(limits.of("invoice"));
    EXPECT_EQ(ExternalLimits(std::vector<std::string>{"*=PT1H"}).of(""), 1h);
    EXPECT_FALSE(ExternalLimits().are_any());
}

TEST(ExternalLimitsTest, What_cannot_be_meant_so_is_refused) {
    for (const std::string_view text :
         {"", "mail", "=PT1S", "mail=", "mail=soon", "mail=PT0.01S", "mail=P31D"}) {
        EXPECT_NE(ExternalLimits::problem_of(text), "") << text;
    }
    EXPECT_EQ(ExternalLimits::problem_of("mail=P30D"), "");
}

class ExternalDeadlinesTest : public testing::Test {
protected:
    [[nodiscard]] static Job a_held_job(const std::string& id, int revision = 2) {
        Job job = test::a_job(id).of_type("mail");
        job.revision = revision;
        job.lock_owner = "w-1";
        return job;
    }

    schema::ManualClock clock_;
    ExternalDeadlines deadlines_{ExternalLimits(std::vector<std::string>{"mail=PT30S"})};
};

TEST_F(ExternalDeadlinesTest, A_job_is_late_when_its_time_is_over_unless_it_has_ended) {
    int wakes = 0;
    deadlines_.when_earlier([&wakes] { ++wakes; });
    Job other = a_held_job("other");
    other.handler_type = "pdf";
    deadlines_.begun(std::vector{a_held_job("a"), a_held_job("b"), other}, clock_.now());
    EXPECT_EQ(wakes, 1);
    clock_.tick(1s);
    deadlines_.begun(std::vector{a_held_job("c")}, clock_.now());
    EXPECT_EQ(wakes, 1) << "it is later";
    EXPECT_EQ(deadlines_.next(), clock_.now() + 29s);
    deadlines_.ended("b");
    EXPECT_THAT(deadlines_.take_late(clock_.now() + 28s), IsEmpty());
    const auto late = deadlines_.take_late(clock_.now() + 29s);
    ASSERT_THAT(late, SizeIs(1));
    EXPECT_EQ(late[0].id, "a");
    EXPECT_EQ(late[0].worker, "w-1");
    EXPECT_EQ(late[0].revision, 2);
    EXPECT_EQ(late[0].limit, 30s);
    EXPECT_THAT(deadlines_.take_late(clock_.now() + 30s), SizeIs(1));
    EXPECT_FALSE(deadlines_.next());
}

TEST_F(ExternalDeadlinesTest, The_time_of_a_run_is_its_own_and_begins_once) {
    deadlines_.begun(std::vector{a_held_job("a")}, clock_.now());
    clock_.tick(20s);
    deadlines_.begun(std::vector{a_held_job("a")}, clock_.now());
    EXPECT_EQ(deadlines_.next(), clock_.now() + 10s);
    deadlines_.begun(std::vector{a_held_job("a", 3)}, clock_.now());
    EXPECT_EQ(deadlines_.next(), clock_.now() + 30s);
    EXPECT_THAT(deadlines_.take_late(clock_.now() + 30s), SizeIs(1));
}

}  // namespace
}  // namespace jobstrand::executor
