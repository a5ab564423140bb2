#include "executor/loop/claim_line.hpp"

#include "persistence/claim_request.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <memory>
#include <optional>

namespace jobstrand::executor {

namespace {

using persistence::NothingClaimed;
using namespace std::chrono_literals;

/// Whether something that waits is through; a moment is enough to see that it is not.
template <typename Result>
bool is_through(const std::future<Result>& waiting) {
    return waiting.wait_for(20ms) == std::future_status::ready;
}

/// A claim of a strand, and the transaction that it is in.
struct Claim {
    std::optional<ClaimLine::Place> place = {};
    std::shared_ptr<const void> transaction = {};

    void begin() {
        transaction.reset();
        transaction = place->begin();
    }

    void end_well() {
        transaction.reset();
        place->handed_over();
        place.reset();
    }

    void fail() {
        transaction.reset();
        place.reset();
    }
};

class ClaimLineTest : public testing::Test {
protected:
    void enter(Claim& claim) {
        claim.place.emplace(line_);
        claim.begin();
    }

    /// Another claim, from when nobody looks any more until it has found its page.
    std::future<void> look_behind() {
        return std::async(std::launch::async, [this] {
            enter(second_);
            second_.place->found();
        });
    }

    /// In another thread; tells whether it may commit.
    static std::future<bool> ask_to_commit(Claim& claim) {
        return std::async(std::launch::async, [&claim] {
            try {
                claim.place->wait_for_former();
                return true;
            } catch (const NothingClaimed&) {
                return false;
            }
        });
    }

    void enter_both() {
        enter(first_);
        first_.place->found();
        look_behind().get();
    }

    ClaimLine line_;
    Claim first_;
    Claim second_;
};

TEST_F(ClaimLineTest, One_alone_waits_for_nobody) {
    enter(first_);
    first_.place->found();
    first_.place->wait_for_former();
    first_.begin();
}

TEST_F(ClaimLineTest, The_next_looks_when_the_rows_of_the_former_are_locked) {
    enter(first_);
    const auto behind = look_behind();
    EXPECT_FALSE(is_through(behind));
    first_.place->found();
    behind.wait();
}

TEST_F(ClaimLineTest, The_next_looks_when_the_transaction_of_the_former_is_over) {
    enter(first_);
    const auto behind = look_behind();
    first_.transaction.reset();
    behind.wait();
}

TEST_F(ClaimLineTest, The_next_commits_when_the_former_has_handed_over) {
    enter_both();
    auto may_commit = ask_to_commit(second_);
    EXPECT_FALSE(is_through(may_commit));
    first_.end_well();
    EXPECT_TRUE(may_commit.get());
}

TEST_F(ClaimLineTest, What_stands_behind_one_that_failed_claims_nothing) {
    enter_both();
    auto may_commit = ask_to_commit(second_);
    first_.fail();
    EXPECT_FALSE(may_commit.get());
    second_.transaction.reset();
    EXPECT_THROW((void)second_.place->begin(), NothingClaimed);
}

TEST_F(ClaimLineTest, One_that_begins_anew_looks_when_those_behind_are_rolled_back) {
    enter_both();
    auto looks = std::async(std::launch::async, [this] { first_.begin(); });
    EXPECT_FALSE(ask_to_commit(second_).get()) << "what it has found may be the former's now";
    EXPECT_FALSE(is_through(looks)) << "its rows are still locked";
    second_.transaction.reset();
    looks.wait();
}

// Its rows are locked all the while.
TEST_F(ClaimLineTest, Nobody_waits_long_for_a_former_that_hangs) {
    enter_both();
    EXPECT_FALSE(ask_to_commit(second_).get());
}

}  // namespace

}  // namespace jobstrand::executor
