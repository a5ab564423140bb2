#include "executor/executor_settings.hpp"
#include "executor/job_acquirer.hpp"
#include "schema/clock.hpp"
#include "test/fixtures/mock_executor_store.hpp"
#include "test/fixtures/recording_intake.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace jobstrand::executor {
namespace {

using schema::LockGranularity;
using testing::_;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Return;

/// From how many jobs on the first acquisition claims a page.
void expect_pages_from(std::size_t least, LockGranularity granularity) {
    testing::StrictMock<test::MockExecutorStore> store;
    schema::ManualClock clock;
    test::RecordingIntake intake;
    intake.free_places = 2048;
    EXPECT_CALL(store, acquire(Field(&persistence::LockClaim::pages_from, least), _, _, _))
        .WillOnce(Return(std::vector<schema::Job>{}));
    (void)JobAcquirer(store, intake, clock, WakeUps{}, {.lock_granularity = granularity})
        .run_once();
}

TEST(LockGranularity, Decides_how_jobs_are_acquired) {
    expect_pages_from(0, LockGranularity::row);
    expect_pages_from(16, LockGranularity::page);
}

TEST(LockGranularity, By_the_page_goes_with_no_order) {
    ExecutorSettings settings{.order = {.by_priority = true}};
    EXPECT_THAT(validate(settings), IsEmpty());
    settings.lock_granularity = LockGranularity::page;
    EXPECT_THAT(validate(settings), ElementsAre(HasSubstr("exclude each other")));
}

}  // namespace
}  // namespace jobstrand::executor
