#include "test/fixtures/sqlite_file.hpp"

#include <gtest/gtest.h>
#include <jobstrand/engine.hpp>

#include <chrono>
#include <stdexcept>
#include <string>

namespace jobstrand::test {

namespace {

using namespace std::chrono_literals;

/// Jobs with unique keys as an app enqueues them (B8).
class UniqueJobs : public testing::Test {
protected:
    const SqliteFile file_;
    Engine engine_{{.database_url = file_.url_text(), .log = nullptr}};
    NewJob job_{.handler_type = "invoice", .unique_key = "order 17"};
};

TEST_F(UniqueJobs, A_second_one_is_refused_and_the_first_is_named) {
    const std::string first = engine_.enqueue(job_);
    try {
        engine_.enqueue(job_);
        ADD_FAILURE() << "enqueued twice";
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::duplicate_key);
        EXPECT_EQ(std::string(error.what()), "job " + first + " has the unique key order 17");
    }
    EXPECT_EQ(engine_.find(first)->unique_key, "order 17");
    EXPECT_EQ(engine_.count(JobPlace::executable), 1);
}

TEST_F(UniqueJobs, One_that_is_kept_is_the_answer) {
    const std::string first = engine_.enqueue(job_);
    job_.on_duplicate = OnDuplicate::keep;
    EXPECT_EQ(engine_.enqueue(job_), first);
    EXPECT_EQ(engine_.enqueue_unique(job_), (Enqueued{.id = first, .is_added = false}));
    EXPECT_EQ(engine_.count(JobPlace::executable), 1);
}

TEST_F(UniqueJobs, One_makes_room_in_the_transaction_of_the_other) {
    const std::string first = engine_.enqueue(job_);
    job_.on_duplicate = OnDuplicate::replace;
    job_.unique_for = 1h;
    const auto fail = [&] {
        engine_.in_transaction([&](Transaction& transaction) {
            EXPECT_EQ(engine_.enqueue_unique(transaction, job_).replaced, first);
            throw std::range_error("the app's own");
        });
    };
    EXPECT_THROW(fail(), std::range_error);
    EXPECT_TRUE(engine_.find(first)) << "nothing has happened";
    Enqueued enqueued;
    engine_.in_transaction([&](Transaction& transaction) {
        enqueued = engine_.enqueue_unique(transaction, job_);
    });
    EXPECT_EQ(enqueued.replaced, first);
    EXPECT_TRUE(engine_.find(enqueued.id));
    EXPECT_EQ(engine_.count(JobPlace::executable), 1);
}

TEST_F(UniqueJobs, A_rule_without_a_key_and_a_series_with_one_are_refused) {
    EXPECT_THROW(
        engine_.enqueue({.handler_type = "a", .on_duplicate = OnDuplicate::keep}),
        std::invalid_argument
    );
    EXPECT_THROW(
        engine_.enqueue({.handler_type = "a", .unique_key = "k", .unique_for = -1ms}),
        std::invalid_argument
    );
    EXPECT_THROW(engine_.start_series({.turn = job_, .repeat = "R/PT1H"}), std::invalid_argument);
}

}  // namespace

}  // namespace jobstrand::test
