#include "executor/held_locks.hpp"
#include "persistence/sql/db_error.hpp"
#include "schema/clock.hpp"
#include "test/fixtures/job_builder.hpp"
#include "test/fixtures/mock_executor_store.hpp"
#include "test/fixtures/recording_intake.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <vector>

namespace jobstrand::executor {
namespace {

using namespace std::chrono_literals;
using persistence::DbError;
using persistence::DbErrorKind;
using test::a_job;
using testing::_;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Return;

class DoubtfulClaimsTest : public testing::Test {
protected:
    auto& expect_look() { return EXPECT_CALL(store, take_up(_)); }

    testing::StrictMock<test::MockExecutorStore> store;
    test::RecordingIntake intake;
    schema::ManualClock clock;
    DoubtfulClaims claims{store, intake, clock};
    const schema::TimePoint until = clock.now() + 30s;
};

TEST_F(DoubtfulClaimsTest, Without_a_doubt_nobody_is_asked) {
    EXPECT_EQ(claims.run_once(), kUntilWoken);
}

TEST_F(DoubtfulClaimsTest, What_was_locked_is_taken_in_also_when_it_comes_to_light_late) {
    claims.add(until, clock.steady_now());
    expect_look()
        .WillOnce(Return(std::vector<schema::Job>{}))
        .WillOnce([this](const persistence::LockClaim& claim) {
            EXPECT_EQ(claim.owner, "intake");
            EXPECT_EQ(claim.until, until);
            return std::vector<schema::Job>{a_job("a"), a_job("b")};
        });
    EXPECT_EQ(claims.run_once(), 1s);
    EXPECT_THAT(intake.ids(), IsEmpty());
    clock.tick(1s);
    EXPECT_EQ(claims.run_once(), kUntilWoken);
    EXPECT_THAT(intake.ids(), ElementsAre("a", "b"));
}

TEST_F(DoubtfulClaimsTest, What_was_not_is_looked_for_as_long_as_its_locks_would_hold) {
    claims.add(until, clock.steady_now());
    clock.tick(30s);
    EXPECT_EQ(claims.run_once(), kUntilWoken);
}

TEST_F(DoubtfulClaimsTest, A_database_that_is_away_is_asked_again) {
    claims.add(until, clock.steady_now());
    expect_look()
        .WillOnce(testing::Throw(DbError(DbErrorKind::unreachable, "gone")))
        .WillOnce(Return(std::vector<schema::Job>{a_job("a")}));
    EXPECT_THROW((void)claims.run_once(), DbError);
    (void)claims.run_once();
    EXPECT_THAT(intake.ids(), ElementsAre("a"));
}

TEST_F(DoubtfulClaimsTest, Only_a_claim_in_doubt_is_one) {
    for (const DbErrorKind kind : {DbErrorKind::in_doubt, DbErrorKind::connection_lost}) {
        EXPECT_THROW(
            run_claim(
                intake, until, clock.steady_now(), [&]() -> int { throw DbError(kind, "cut"); }
            ),
            DbError
        );
    }
    EXPECT_THAT(intake.in_doubt_until, ElementsAre(until));
    EXPECT_EQ(run_claim(intake, until, clock.steady_now(), [] { return 7; }), 7);
}

}  // namespace
}  // namespace jobstrand::executor
