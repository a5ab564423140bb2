#include "test/conformance/store_test.hpp"

namespace jobstrand::test {

namespace {

using persistence::SuspensionScope;
using testing::ElementsAre;
using testing::IsEmpty;

/// What is suspended beside whole instances and definitions.
class KindSuspensions : public StoreTest {
protected:
    std::int64_t suspend(SuspensionScope scope, std::string_view id) {
        return store_.jobs().suspend(scope, id, clock_.now());
    }

    std::int64_t activate(SuspensionScope scope, std::string_view id) {
        return store_.jobs().activate(scope, id, clock_.now());
    }

    [[nodiscard]] static Job of_element(std::string id, std::string element) {
        Job job = a_job(std::move(id));
        job.process_definition_id = "shipping:3";
        job.element_id = std::move(element);
        return job;
    }

    [[nodiscard]] static Job of_tenant(std::string id, std::string tenant) {
        Job job = a_job(std::move(id));
        job.tenant_id = std::move(tenant);
        return job;
    }

    [[nodiscard]] std::vector<std::string> scopes_that_keep(std::string_view id) {
        std::vector<std::string> ids;
        for (const persistence::Suspension& one : store_.jobs().suspensions_of(job(id))) {
            ids.push_back(one.id);
        }
        return ids;
    }
};

INSTANTIATE_TEST_SUITE_P(
    OnEveryDatabase,
    KindSuspensions,
    testing::ValuesIn(databases_under_test()),
    name_of_database
);

// R034
TEST_P(KindSuspensions, Only_the_jobs_of_an_element_are_suspended_new_ones_too) {
    insert(JobPlace::executable, of_element("charge", "charge"));
    insert(JobPlace::executable, of_element("pack", "pack"));
    EXPECT_EQ(suspend(SuspensionScope::job_definition, "shipping:3/charge"), 1);
    insert(JobPlace::executable, of_element("new", "charge"));
    EXPECT_EQ(place_of("charge"), "suspended");
    EXPECT_EQ(place_of("new"), "suspended");
    EXPECT_THAT(ids_of(acquire()), ElementsAre("pack"));
    EXPECT_THAT(scopes_that_keep("new"), ElementsAre("shipping:3/charge"));
    EXPECT_EQ(activate(SuspensionScope::job_definition, "shipping:3/charge"), 2);
    EXPECT_THAT(ids_of(acquire()), ElementsAre("charge", "new"));
}

TEST_P(KindSuspensions, Only_the_jobs_of_a_handler_type_are_suspended) {
    insert(JobPlace::executable, of_element("a", "charge"));
    Job mail = of_element("b", "charge");
    mail.handler_type = "mail";
    insert(JobPlace::timer, mail);
    EXPECT_EQ(suspend(SuspensionScope::job_definition, "shipping:3//mail"), 1);
    EXPECT_EQ(place_of("a"), "executable");
    EXPECT_EQ(place_of("b"), "suspended");
    EXPECT_EQ(suspend(SuspensionScope::job_definition, "shipping:3/charge/noop"), 1);
}

TEST_P(KindSuspensions, A_job_that_runs_is_not_disturbed_and_its_retry_lands_suspended) {
    const Job running = insert_and_acquire(of_element("charge", "charge"));
    EXPECT_EQ(suspend(SuspensionScope::job_definition, "shipping:3/charge"), 0);
    const Outcome failed = failed_outcome(running, {.message = "no"}, clock_.now());
    EXPECT_THAT(
        store_.executor().apply("node-1", std::span(&failed, 1)), ElementsAre(OutcomeAnswer::done)
    );
    EXPECT_EQ(place_of("charge"), "suspended");
    EXPECT_EQ(job("charge").retries, running.retries - 1);
}

TEST_P(KindSuspensions, The_jobs_of_a_tenant_are_suspended_new_ones_too) {
    insert(JobPlace::executable, of_tenant("a", "acme"));
    insert(JobPlace::executable, of_tenant("b", "other"));
    const Job running = insert_and_acquire(of_tenant("r", "acme"), "node-2");
    EXPECT_EQ(suspend(SuspensionScope::tenant, "acme"), 1);
    insert(JobPlace::executable, of_tenant("new", "acme"));
    EXPECT_EQ(place_of("new"), "suspended");
    EXPECT_THAT(ids_of(acquire()), ElementsAre("b"));
    const Outcome failed = failed_outcome(running, {.message = "no"}, clock_.now());
    EXPECT_THAT(
        store_.executor().apply("node-2", std::span(&failed, 1)), ElementsAre(OutcomeAnswer::done)
    );
    EXPECT_EQ(place_of("r"), "suspended");
    EXPECT_THAT(scopes_that_keep("new"), ElementsAre("acme"));
    EXPECT_EQ(activate(SuspensionScope::tenant, "acme"), 3);
}

TEST_P(KindSuspensions, Tenants_are_listed_with_their_jobs) {
    insert(JobPlace::executable, of_tenant("a", "acme"));
    suspend(SuspensionScope::tenant, "acme");
    const auto tenants = store_.jobs().scopes(SuspensionScope::tenant, "", 10);
    ASSERT_EQ(tenants.size(), 1U);
    EXPECT_EQ(tenants.front().id, "acme");
    EXPECT_TRUE(tenants.front().suspended_since);
    EXPECT_EQ(tenants.front().jobs.at(JobPlace::suspended), 1);
}

TEST_P(KindSuspensions, New_jobs_of_a_definition_wait_while_those_that_are_there_go_on) {
    insert(JobPlace::executable, of_element("old", "charge"));
    EXPECT_EQ(suspend(SuspensionScope::new_of_definition, "shipping:3"), 0);
    insert(JobPlace::executable, of_element("new", "charge"));
    const auto taken = acquire();
    EXPECT_THAT(ids_of(taken), ElementsAre("old"));
    const Outcome failed = failed_outcome(taken.front(), {.message = "no"}, clock_.now());
    EXPECT_THAT(
        store_.executor().apply("node-1", std::span(&failed, 1)), ElementsAre(OutcomeAnswer::done)
    );
    EXPECT_EQ(place_of("old"), "timer");
    EXPECT_EQ(place_of("new"), "suspended");
    EXPECT_EQ(activate(SuspensionScope::definition, "shipping:3"), 1);
    insert(JobPlace::executable, of_element("newer", "charge"));
    EXPECT_THAT(ids_of(acquire()), ElementsAre("new", "newer"));
}

TEST_P(KindSuspensions, New_jobs_of_an_element_wait_while_those_that_are_there_go_on) {
    constexpr auto kNewOnly = SuspensionScope::new_of_job_definition;
    insert(JobPlace::executable, of_element("old", "charge"));
    EXPECT_EQ(suspend(kNewOnly, "shipping:3/charge"), 0);
    insert(JobPlace::executable, of_element("new", "charge"));
    insert(JobPlace::executable, of_element("other", "pack"));
    EXPECT_THAT(ids_of(acquire()), ElementsAre("old", "other"));
    EXPECT_THAT(scopes_that_keep("new"), ElementsAre("shipping:3/charge"));
    EXPECT_EQ(activate(SuspensionScope::job_definition, "shipping:3/charge"), 1);
    insert(JobPlace::executable, of_element("newer", "charge"));
    EXPECT_THAT(ids_of(acquire()), ElementsAre("new", "newer"));
}

TEST_P(KindSuspensions, A_single_job_waits_until_it_is_activated) {
    insert(JobPlace::executable, a_job("a"));
    insert(JobPlace::executable, of_element("b", "charge"));
    EXPECT_EQ(suspend(SuspensionScope::job, "a"), 1);
    EXPECT_EQ(suspend(SuspensionScope::job, "b"), 1);
    EXPECT_THAT(scopes_that_keep("a"), ElementsAre("a"));
    suspend(SuspensionScope::definition, "shipping:3");
    EXPECT_EQ(activate(SuspensionScope::job, "b"), 0);
    EXPECT_EQ(activate(SuspensionScope::job, "a"), 1);
    EXPECT_EQ(activate(SuspensionScope::definition, "shipping:3"), 1);
    EXPECT_THAT(ids_of(acquire()), ElementsAre("a", "b"));
}

TEST_P(KindSuspensions, What_is_suspended_twice_waits_for_both) {
    insert(JobPlace::executable, of_element("a", "charge"));
    suspend(SuspensionScope::job_definition, "shipping:3/charge");
    suspend(SuspensionScope::definition, "shipping:3");
    EXPECT_EQ(activate(SuspensionScope::definition, "shipping:3"), 0);
    EXPECT_THAT(acquire(), IsEmpty());
    EXPECT_EQ(activate(SuspensionScope::job_definition, "shipping:3/charge"), 1);
}

}  // namespace

}  // namespace jobstrand::test
