#include "test/conformance/store_test.hpp"

namespace jobstrand::test {

namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

/// Of jobs with a rate never more start in a stretch of time than it allows, over all nodes (B7).
/// Nobody counts them.
class Rates : public StoreTest {
protected:
    Rates() : other_(*database_, faults_) {}

    void set(std::string_view name, std::string_view rate) {
        schema::JobLimit limit = schema::limit_named(name);
        limit.rate = schema::parse_start_rate(rate).value();
        store_.limits().set_limit(limit);
        store_.executor().refresh_limits();
        other_.store().executor().refresh_limits();
    }

    [[nodiscard]] std::vector<Job> acquire_there() {
        return other_.store().executor().acquire(claim_of("node-2"), noop_, 100);
    }

    [[nodiscard]] persistence::LimitedJobs take_waiting(persistence::SqlStore& store) {
        return store.executor().acquire_limited(claim_of("node-1"), noop_, 100);
    }

    void complete(const std::vector<Job>& jobs) {
        for (const Job& job : jobs) {
            const Outcome done = completed_outcome(job);
            EXPECT_THAT(
                store_.executor().apply(job.lock_owner, std::span(&done, 1)),
                ElementsAre(OutcomeAnswer::done)
            );
        }
    }

    Node other_;
};

INSTANTIATE_TEST_SUITE_P(
    OnEveryDatabase,
    Rates,
    testing::ValuesIn(databases_under_test()),
    name_of_database
);

TEST_P(Rates, Hold_over_all_nodes_though_jobs_end) {
    set("type:noop", "20/PT20S");
    insert(JobPlace::executable, many_jobs("j", 10));
    const std::vector<Job> first = acquire(1);
    const std::vector<Job> second = acquire_there();
    EXPECT_THAT(ids_of(first), ElementsAre("j000"));
    EXPECT_THAT(ids_of(second), ElementsAre("j001"));
    complete(first);
    complete(second);
    EXPECT_THAT(acquire(), IsEmpty());
    EXPECT_THAT(take_waiting(other_.store()).jobs, IsEmpty());
}

TEST_P(Rates, Let_the_next_ones_start_in_their_time) {
    set("type:noop", "1/PT10S");
    insert(JobPlace::executable, many_jobs("j", 3));
    EXPECT_THAT(ids_of(acquire()), ElementsAre("j000"));
    const persistence::LimitedJobs none = take_waiting(store_);
    EXPECT_THAT(none.jobs, IsEmpty());
    EXPECT_EQ(none.until_next, 10s);
    clock_.tick(9'999ms);
    EXPECT_THAT(take_waiting(store_).jobs, IsEmpty());
    clock_.tick(1ms);
    EXPECT_THAT(ids_of(take_waiting(other_.store()).jobs), ElementsAre("j001"));
    EXPECT_THAT(take_waiting(store_).jobs, IsEmpty());
}

TEST_P(Rates, Are_not_forgotten_while_they_are_used_up) {
    set("type:noop", "1/PT10S");
    insert(JobPlace::executable, many_jobs("j", 1));
    complete(acquire());
    EXPECT_EQ(store_.executor().forget_idle_groups({}, clock_.now()), "");
    EXPECT_EQ(count_rows("JS_LIMITED"), 1);
    clock_.tick(10s + 1ms);
    EXPECT_EQ(store_.executor().forget_idle_groups({}, clock_.now()), "");
    EXPECT_EQ(count_rows("JS_LIMITED"), 0);
}

TEST_P(Rates, Of_each_tenant_by_itself_leave_the_others_alone) {
    set("tenant:*", "1/PT1M");
    for (const std::string id : {"a1", "a2", "b1"}) {
        Job job = a_job(id);
        job.tenant_id = id.substr(0, 1);
        insert(JobPlace::executable, job);
    }
    EXPECT_THAT(ids_of(acquire()), ElementsAre("a1", "b1"));
}

TEST_P(Rates, Stand_beside_the_limits_of_those_that_run) {
    set("type:noop", "100/PT10S");
    schema::JobLimit limit = store_.limits().limits().at(0);
    limit.concurrent = 2;
    store_.limits().set_limit(limit);
    store_.executor().refresh_limits();
    insert(JobPlace::executable, many_jobs("j", 30));
    const std::vector<Job> first = acquire();
    EXPECT_THAT(first, SizeIs(2));
    EXPECT_EQ(take_waiting(store_).until_next, std::nullopt) << "no rate is in the way";
    complete(first);
    EXPECT_THAT(take_waiting(store_).jobs, SizeIs(2));
}

TEST_P(Rates, That_nobody_has_cost_nothing) {
    schema::JobLimit limit = schema::limit_named("type:noop");
    limit.concurrent = 1;
    store_.limits().set_limit(limit);
    store_.executor().refresh_limits();
    insert(JobPlace::executable, many_jobs("j", 2));
    EXPECT_THAT(acquire(), SizeIs(1));
    EXPECT_EQ(take_waiting(store_).until_next, std::nullopt);
}

TEST_P(Rates, Are_listed_as_they_were_set) {
    set("type:noop", "100/PT1M");
    ASSERT_THAT(store_.limits().limits(), SizeIs(1));
    EXPECT_EQ(schema::text_of(store_.limits().limits().at(0).rate.value()), "100/PT1M");
    EXPECT_EQ(store_.limits().limits().at(0).concurrent, std::nullopt);
}

}  // namespace

}  // namespace jobstrand::test
