#include "test/conformance/store_test.hpp"

namespace jobstrand::test {

namespace {

using persistence::GroupRuns;

/// What runs of one group that a limit meets, as an operator asks.
class RunsOfGroups : public StoreTest {
protected:
    void set(schema::JobLimit limit) {
        store_.limits().set_limit(limit);
        store_.executor().refresh_limits();
    }
};

INSTANTIATE_TEST_SUITE_P(
    OnEveryDatabase,
    RunsOfGroups,
    testing::ValuesIn(databases_under_test()),
    name_of_database
);

TEST_P(RunsOfGroups, Are_counted_by_node_while_they_are_held) {
    set({.value = "noop", .concurrent = 3});
    insert(JobPlace::executable, many_jobs("j", 5));
    EXPECT_EQ(store_.limits().runs_of_group("type:noop"), GroupRuns());
    EXPECT_EQ(acquire(2).size(), 2U);
    const std::vector<Job> there = acquire(2, "node-2");
    const GroupRuns expected{.running = {{"node-1", 2}, {"node-2", 1}}};
    EXPECT_EQ(store_.limits().runs_of_group("type:noop"), expected);
    EXPECT_EQ(store_.limits().runs_of_group("type:other"), GroupRuns());
    store_.executor().release("node-2", fences_of(there));
    EXPECT_EQ(store_.limits().runs_of_group("type:noop").running.count("node-2"), 0U);
}

TEST_P(RunsOfGroups, Tell_until_when_a_rate_is_used_up) {
    set({.value = "noop", .rate = schema::StartRate{.starts = 1, .period = 1min}});
    insert(JobPlace::executable, many_jobs("j", 2));
    EXPECT_EQ(acquire().size(), 1U);
    const auto used = store_.limits().runs_of_group("type:noop").used_until;
    ASSERT_TRUE(used.has_value());
    EXPECT_GT(*used, clock_.now());
}

}  // namespace

}  // namespace jobstrand::test
