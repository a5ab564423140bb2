#include "test/conformance/store_test.hpp"

namespace jobstrand::test {

namespace {

using persistence::GroupHold;
using testing::IsEmpty;
using testing::Optional;

/// Who has the exclusive jobs of an instance, as an operator asks.
class GroupHolds : public StoreTest {
protected:
    Job insert_of(std::string id, std::string instance = "order-17") {
        return insert(JobPlace::executable, a_job(std::move(id)).of_instance(std::move(instance)));
    }

    [[nodiscard]] std::vector<std::string> siblings_of(const Job& job) {
        std::vector<std::string> ids;
        const persistence::GroupHold hold = store_.jobs().group_hold(job).value();
        for (const auto& sibling : hold.siblings) {
            ids.push_back(sibling.id);
        }
        return ids;
    }
};

INSTANTIATE_TEST_SUITE_P(
    OnEveryDatabase,
    GroupHolds,
    testing::ValuesIn(databases_under_test()),
    name_of_database
);

TEST_P(GroupHolds, Are_told_with_the_sibling_that_runs) {
    insert_of("a");
    const Job first = acquire().at(0);
    insert_of("b");
    EXPECT_THAT(acquire(1, "node-2"), IsEmpty());
    store_.nodes().record_work(
        "node-1", {.runs = {{.id = "a", .revision = first.revision, .since = clock_.now()}}}
    );
    const GroupHold expected{
        .group = "order-17",
        .lock_owner = "node-1",
        .until = claim_of("node-1").until,
        .siblings = {{.id = "a", .since = clock_.now()}}};
    EXPECT_THAT(store_.jobs().group_hold(job("b")), Optional(expected)) << "it waits";
    EXPECT_THAT(store_.jobs().group_hold(insert_of("c")), Optional(expected))
        << "nobody has met it yet";
    EXPECT_THAT(siblings_of(job("a")), IsEmpty()) << "it is none of its own";
}

TEST_P(GroupHolds, Name_siblings_of_which_nobody_has_told_that_they_run) {
    insert_of("a");
    insert_of("b");
    insert_of("of-another", "order-18");
    insert(JobPlace::executable, a_job("beside").of_instance("order-17").not_exclusive());
    EXPECT_EQ(acquire().size(), 4U);
    EXPECT_THAT(siblings_of(insert_of("c")), testing::ElementsAre("a", "b"));
}

TEST_P(GroupHolds, Are_none_where_nobody_holds_the_instance) {
    EXPECT_EQ(store_.jobs().group_hold(insert_of("a")), std::nullopt);
    EXPECT_EQ(store_.jobs().group_hold(insert(JobPlace::executable, a_job("alone"))), std::nullopt);
    EXPECT_EQ(
        store_.jobs().group_hold(
            insert(JobPlace::executable, a_job("beside").of_instance("order-17").not_exclusive())
        ),
        std::nullopt
    );
}

TEST_P(GroupHolds, Of_workers_are_told_too) {
    insert(JobPlace::external_worker, a_job("a").of_instance("order-17"));
    EXPECT_EQ(
        store_.workers()
            .acquire_external(claim_of("worker-1"), {.topics = noop_}, 1, clock_.now())
            .size(),
        1U
    );
    const auto hold = store_.jobs().group_hold(insert_of("b"));
    ASSERT_TRUE(hold.has_value());
    EXPECT_EQ(hold->lock_owner, "worker worker-1");
    EXPECT_THAT(siblings_of(job("b")), testing::ElementsAre("a"));
}

}  // namespace

}  // namespace jobstrand::test
