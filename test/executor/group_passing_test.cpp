#include "executor/job_passing.hpp"
#include "schema/clock.hpp"
#include "test/fixtures/job_builder.hpp"
#include "test/fixtures/mock_executor_store.hpp"
#include "test/fixtures/recording_intake.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace jobstrand::test {

namespace {

using namespace std::chrono_literals;

using executor::GroupOrder;
using executor::GroupPassing;
using executor::HeldJob;
using executor::HeldJobPtr;
using persistence::GroupsPassedOn;
using persistence::ServedJobs;
using testing::_;
using testing::ElementsAre;
using testing::Field;
using testing::IsEmpty;
using testing::NiceMock;
using testing::Not;
using testing::Return;
using testing::SizeIs;

/// What this node does with groups of which its last job has ended.
class GroupPasses : public testing::Test {
protected:
    void end_jobs_of(const std::vector<std::string>& instances) {
        for (const std::string& instance : instances) {
            schema::Job job = a_job("of " + instance).of_instance(instance);
            job.lock_expiration = clock_.now() + 30s;
            const auto held =
                std::make_shared<HeldJob>(std::move(job), clock_.steady_now() + 30s, instance);
            (void)order_.admit({held});
            const schema::Job* const ended = &held->job;
            (void)order_.ended(std::span(&ended, 1));
        }
    }

    static auto served_types(const auto& matcher) { return Field(&ServedJobs::types, matcher); }

    NiceMock<MockExecutorStore> store_;
    RecordingIntake intake_;
    schema::ManualClock clock_;
    GroupOrder order_{clock_, schema::ExclusiveOver::instance, 30s};
    GroupPassing passing_{{store_, order_, intake_, clock_}, {}};
};

TEST_F(GroupPasses, Sleep_until_a_group_has_ended) {
    EXPECT_CALL(store_, pass_on).Times(0);
    EXPECT_EQ(passing_.run_once(), executor::kUntilWoken);
}

TEST_F(GroupPasses, Take_what_waits_while_there_is_room) {
    intake_.free_places = 2;
    end_jobs_of({"a", "b", "c"});
    EXPECT_CALL(store_, pass_on(_, served_types(Not(IsEmpty())), _, SizeIs(2)))
        .WillOnce(Return(GroupsPassedOn{.jobs = {a_job("next of a")}, .busy = {}, .rest = {}}));
    EXPECT_EQ(passing_.run_once(), 0s) << "there is one more";
    EXPECT_THAT(intake_.ids(), ElementsAre("next of a"));
}

TEST_F(GroupPasses, Free_what_waits_for_others_when_there_is_no_room) {
    intake_.free_places = 0;
    end_jobs_of({"a", "b", "c"});
    EXPECT_CALL(store_, pass_on(_, served_types(IsEmpty()), _, SizeIs(3)))
        .WillOnce(Return(GroupsPassedOn{}));
    EXPECT_EQ(passing_.run_once(), executor::kUntilWoken);
}

}  // namespace

}  // namespace jobstrand::test
