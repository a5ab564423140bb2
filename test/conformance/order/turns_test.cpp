#include "test/conformance/order/order_fixture.hpp"

#include <fmt/format.h>

namespace jobstrand::test {

namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

/// Tenants take turns, so that nobody waits behind the backlog of another one (B7).
class TurnsOfTenants : public Orders {
protected:
    TurnsOfTenants() {
        if (!GetParam().missing) {
            use({.tenants_in_turn = true});
        }
    }

    void add_of(const std::string& tenant, const std::vector<std::string>& ids) {
        for (const std::string& id : ids) {
            Job job = a_job(id);
            job.tenant_id = tenant;
            insert(JobPlace::executable, std::move(job));
        }
    }
};

INSTANTIATE_TEST_SUITE_P(
    OnEveryDatabase,
    TurnsOfTenants,
    testing::ValuesIn(databases_under_test()),
    name_of_database
);

TEST_P(TurnsOfTenants, Give_each_the_same_however_long_the_backlog_of_one_is) {
    add_of("big", ids_of(many_jobs("a", 50)));
    add_of("small", {"x1", "x2"});
    add_of("", {"y1"});
    EXPECT_THAT(take(6), ElementsAre("y1", "a000", "x1", "a001", "x2", "a002"));
    EXPECT_THAT(take(2), ElementsAre("a003", "a004"));
}

TEST_P(TurnsOfTenants, Go_on_behind_what_was_taken_and_see_what_came_since) {
    add_of("a", {"a1", "a2", "a3"});
    add_of("b", {"b1"});
    EXPECT_THAT(take(2), ElementsAre("a1", "b1"));
    add_of("b", {"b2"});
    add_of("c", {"c1"});
    EXPECT_THAT(take(3), ElementsAre("a2", "b2", "c1"));
    EXPECT_THAT(take(), ElementsAre("a3"));
    EXPECT_THAT(take(), IsEmpty());
}

TEST_P(TurnsOfTenants, Reach_jobs_that_SQL_has_given_no_tenant) {
    connection_->run_script(
        "INSERT INTO ACT_RU_JOB (ID_, HANDLER_TYPE_, TENANT_ID_) VALUES ('n1', 'noop', NULL)"
    );
    connection_->run_script(
        "INSERT INTO ACT_RU_JOB (ID_, HANDLER_TYPE_, TENANT_ID_) VALUES ('n2', 'noop', NULL)"
    );
    add_of("a", {"a1"});
    EXPECT_THAT(take(1), ElementsAre("a1"));
    EXPECT_THAT(take(1), ElementsAre("n1"));
    EXPECT_THAT(take(), ElementsAre("n2"));
}

TEST_P(TurnsOfTenants, Leave_what_is_not_served_or_held_by_others) {
    add_of("a", {"a1", "a2"});
    add_of("b", {"b1"});
    EXPECT_THAT(ids_of(acquire(1, "node-2")), ElementsAre("a1"));
    Job other = a_job("b0").of_type("other");
    other.tenant_id = "b";
    insert(JobPlace::executable, other);
    EXPECT_THAT(take(), ElementsAre("a2", "b1"));
}

// What a page reads must not grow with the backlog.
TEST_P(TurnsOfTenants, Of_many_tenants_share_one_page) {
    for (int i = 0; i < 30; ++i) {
        add_of(fmt::format("t{:02}", i), {fmt::format("j{:02}a", i), fmt::format("j{:02}b", i)});
    }
    EXPECT_THAT(take(30), SizeIs(30));
    const std::vector<std::string> second = take(30);
    EXPECT_EQ(second.front(), "j00b");
    EXPECT_EQ(second.back(), "j29b");
}

}  // namespace

}  // namespace jobstrand::test
