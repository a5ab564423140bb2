#include "persistence/migration/table_changes.hpp"
#include "schema/limits.hpp"
#include "test/conformance/store_test.hpp"

namespace jobstrand::test {

namespace {

using persistence::PageLimit;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

/// An acquisition takes no more payload than its caller has room for (I8).
class PageBytes : public StoreTest {
protected:
    void insert_with(const std::string& id, std::size_t bytes) {
        insert(JobPlace::executable, a_job(id).with_payload(std::string(bytes, 'x')));
    }

    [[nodiscard]] std::vector<std::string> acquired(PageLimit limit) {
        return ids_of(store_.executor().acquire(claim_of("node-1"), noop_, limit));
    }

    /// Too long for a row: it is stored apart.
    static constexpr std::size_t kLong = schema::limits::kInlinePayloadLength + 1;
};

INSTANTIATE_TEST_SUITE_P(
    OnEveryDatabase,
    PageBytes,
    testing::ValuesIn(databases_under_test()),
    name_of_database
);

TEST_P(PageBytes, A_page_ends_before_the_job_that_would_be_too_much) {
    insert_with("a", 100);
    insert_with("b", 100);
    insert_with("c", 100);
    EXPECT_THAT(acquired({10, 299}), ElementsAre("a", "b"));
    EXPECT_THAT(acquired({10, 100}), ElementsAre("c"));
}

TEST_P(PageBytes, What_fits_exactly_is_taken) {
    insert_with("a", 100);
    insert_with("b", 200);
    EXPECT_THAT(acquired({10, 300}), ElementsAre("a", "b"));
}

TEST_P(PageBytes, A_first_job_that_is_too_large_alone_is_taken_alone) {
    insert_with("a", 3000);
    insert_with("b", 1);
    EXPECT_THAT(acquired({10, 1}), ElementsAre("a"));
    EXPECT_THAT(acquired({10, 1}), ElementsAre("b"));
    EXPECT_THAT(acquired({10, 1}), IsEmpty());
}

TEST_P(PageBytes, Payloads_that_are_stored_apart_count_before_they_are_read) {
    insert_with("a", kLong);
    insert_with("b", 10);
    insert_with("c", kLong);
    insert_with("d", kLong);
    const std::vector<Job> page =
        store_.executor().acquire(claim_of("node-1"), noop_, {10, 2 * kLong + 10});
    EXPECT_THAT(ids_of(page), ElementsAre("a", "b", "c"));
    EXPECT_THAT(page[2].payload, SizeIs(kLong));
    EXPECT_EQ(job("d").lock_owner, "");
}

// A character of a text is not always a byte.
TEST_P(PageBytes, Bytes_are_counted_and_not_characters) {
    std::string euros;
    for (std::size_t i = 0; i < kLong; ++i) {
        euros += "\xE2\x82\xAC";
    }
    insert(JobPlace::executable, a_job("a").with_payload(euros));
    insert(JobPlace::executable, a_job("b").with_payload(euros));
    EXPECT_THAT(acquired({10, 2 * euros.size() - 1}), ElementsAre("a"));
}

TEST_P(PageBytes, In_a_long_page_the_bound_holds_too) {
    std::vector<Job> jobs = many_jobs("j", 60);
    for (Job& job : jobs) {
        job.payload = std::string(kLong, 'x');
    }
    insert(JobPlace::executable, std::move(jobs));
    EXPECT_THAT(acquired({100, 37 * kLong}), SizeIs(37));
    EXPECT_THAT(acquired({100, 32 * kLong}), SizeIs(23));
}

TEST_P(PageBytes, By_priority_the_bound_is_the_same) {
    ASSERT_TRUE(persistence::create_index(*connection_, schema::kPriorityIndex));
    insert(JobPlace::executable, a_job("low").with_payload(std::string(100, 'x')));
    insert(
        JobPlace::executable, a_job("high").with_priority(9).with_payload(std::string(kLong, 'x'))
    );
    const auto by_priority = [&](PageLimit limit) {
        return ids_of(store_.executor().acquire_in_order(
            claim_of("node-1"), noop_, {.by_priority = true}, limit
        ));
    };
    EXPECT_THAT(by_priority({10, kLong}), ElementsAre("high"));
    EXPECT_THAT(by_priority({10, kLong}), ElementsAre("low"));
    EXPECT_TRUE(persistence::drop_index(*connection_, schema::kPriorityIndex));
}

TEST_P(PageBytes, The_bound_holds_for_due_timers_that_arrive_locked) {
    for (const char* const id : {"a", "b", "c"}) {
        insert(
            JobPlace::timer, a_job(id).with_payload(std::string(kLong, 'x')).due_at(clock_.now())
        );
        clock_.tick(1ms);
    }
    const auto due =
        store_.timers().move_due_timers(clock_.now(), {10, 2 * kLong}, claim_of("node-1"), noop_);
    EXPECT_EQ(due.moved, 2U);
    EXPECT_TRUE(due.is_cut);
    EXPECT_EQ(due.end, clock_.now() - 2ms);
    ASSERT_THAT(ids_of(due.locked), ElementsAre("a", "b"));
    EXPECT_THAT(due.locked[1].payload, SizeIs(kLong));
    EXPECT_EQ(place_of("c"), "timer");
    const auto last =
        store_.timers().move_due_timers(clock_.now(), {10, 1}, claim_of("node-1"), noop_);
    EXPECT_THAT(ids_of(last.locked), ElementsAre("c")) << "or it would never run";
    EXPECT_FALSE(last.is_cut);
}

TEST_P(PageBytes, Due_timers_that_arrive_free_have_no_bound) {
    for (const char* const id : {"a", "b"}) {
        insert(
            JobPlace::timer, a_job(id).with_payload(std::string(kLong, 'x')).due_at(clock_.now())
        );
    }
    EXPECT_EQ(
        store_.timers().move_due_timers(clock_.now(), {10, 1}, std::nullopt, noop_).moved, 2U
    );
}

}  // namespace

}  // namespace jobstrand::test
