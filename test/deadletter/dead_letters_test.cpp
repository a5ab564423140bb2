#include "deadletter/dead_letters.hpp"

#include "test/fixtures/manual_clock.hpp"
#include "test/fixtures/mock_job_desk.hpp"

#include <gtest/gtest.h>

namespace jobstrand::deadletter {
namespace {

using persistence::JobAnswer;
using schema::JobPlace;
using testing::_;
using testing::ElementsAre;
using testing::Return;

class DeadLettersTest : public testing::Test {
protected:
    void there_are(const std::vector<std::vector<std::string>>& pages) {
        std::int64_t total = 0;
        std::string after;
        for (const auto& page : pages) {
            EXPECT_CALL(store, list_ids(JobPlace::dead_letter, _, std::string_view(after), _))
                .WillOnce(Return(page));
            total += static_cast<std::int64_t>(page.size());
            after = page.empty() ? after : page.back();
        }
        EXPECT_CALL(store, count(JobPlace::dead_letter, _)).WillOnce(Return(total));
    }

    testing::StrictMock<test::MockJobDesk> store;
    test::ManualClock clock;
    DeadLetters dead_letters{store, clock};
};

TEST_F(DeadLettersTest, Requeueing_walks_all_pages_and_reports_after_each) {
    there_are({{"a", "b"}, {"c"}, {}});
    EXPECT_CALL(store, requeue(ElementsAre("a", "b"), 5, _, clock.now()))
        .WillOnce(Return(std::vector{JobAnswer::done, JobAnswer::not_found}));
    EXPECT_CALL(store, requeue(ElementsAre("c"), 5, _, clock.now()))
        .WillOnce(Return(std::vector{JobAnswer::done}));
    std::vector<std::int64_t> reports;
    const Progress progress =
        dead_letters.requeue({}, {.retries = 5, .due_date = {}}, [&](const Progress& so_far) {
            reports.push_back(so_far.done);
            return true;
        });
    EXPECT_EQ(progress.total, 3);
    EXPECT_EQ(progress.done, 2);
    EXPECT_EQ(progress.skipped, 1);
    EXPECT_EQ(reports, (std::vector<std::int64_t>{1, 2}));
}

TEST_F(DeadLettersTest, A_bulk_operation_stops_where_its_caller_says) {
    EXPECT_CALL(store, count(_, _)).WillOnce(Return(2));
    EXPECT_CALL(store, list_ids(_, _, _, _)).WillOnce(Return(std::vector<std::string>{"a"}));
    EXPECT_CALL(store, remove(JobPlace::dead_letter, ElementsAre("a"), _))
        .WillOnce(Return(std::vector{JobAnswer::done}));
    const Progress progress = dead_letters.remove({}, [](const Progress&) { return false; });
    EXPECT_EQ(progress.done, 1);
}

}  // namespace
}  // namespace jobstrand::deadletter
