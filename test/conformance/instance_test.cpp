#include "test/conformance/store_test.hpp"

namespace jobstrand::test {

namespace {

using persistence::ScopeSummary;
using persistence::SuspensionScope;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

class Instances : public StoreTest {
protected:
    std::vector<std::string> ids(std::string_view after, std::size_t limit) {
        std::vector<std::string> found;
        for (const ScopeSummary& summary :
             store_.jobs().scopes(SuspensionScope::instance, after, limit)) {
            found.push_back(summary.id);
        }
        return found;
    }
};

INSTANTIATE_TEST_SUITE_P(
    OnEveryDatabase,
    Instances,
    testing::ValuesIn(databases_under_test()),
    name_of_database
);

TEST_P(Instances, Each_one_shows_how_many_jobs_it_has_in_which_place) {
    store_.enqueuer().insert(
        {{JobPlace::executable, a_job("a").of_instance("i")},
         {JobPlace::executable, a_job("b").of_instance("i")},
         {JobPlace::dead_letter, a_job("c").of_instance("i")},
         {JobPlace::executable, a_job("d")}}
    );
    const std::vector<ScopeSummary> listed =
        store_.jobs().scopes(SuspensionScope::instance, "", 10);
    ASSERT_EQ(listed.size(), 1U);
    EXPECT_EQ(listed[0].id, "i");
    EXPECT_FALSE(listed[0].suspended_since);
    EXPECT_THAT(
        listed[0].jobs, ElementsAre(Pair(JobPlace::executable, 2), Pair(JobPlace::dead_letter, 1))
    );
}

TEST_P(Instances, Jobs_in_any_place_and_a_suspension_without_jobs_make_one) {
    for (const JobPlace place : schema::kJobPlaces) {
        const std::string id(schema::name_of(place));
        insert(place, a_job("j" + id).of_instance(id).build());
    }
    store_.jobs().suspend(SuspensionScope::instance, "no-jobs", clock_.now());
    store_.jobs().suspend(SuspensionScope::definition, "definition", clock_.now());
    EXPECT_THAT(
        ids("", 10), ElementsAre("dead", "executable", "external", "no-jobs", "suspended", "timer")
    );
}

TEST_P(Instances, A_suspended_one_says_so) {
    insert(JobPlace::executable, a_job("a").of_instance("i").build());
    store_.jobs().suspend(SuspensionScope::instance, "i", clock_.now());
    const ScopeSummary summary = store_.jobs().scopes(SuspensionScope::instance, "", 10).at(0);
    EXPECT_EQ(summary.suspended_since, clock_.now());
    EXPECT_THAT(summary.jobs, ElementsAre(Pair(JobPlace::suspended, 1)));
}

TEST_P(Instances, Definitions_are_listed_in_the_same_way) {
    insert(JobPlace::timer, a_job("a").of_instance("i").of_definition("d1").build());
    insert(JobPlace::executable, a_job("b").of_definition("d2").build());
    store_.jobs().suspend(SuspensionScope::definition, "d2", clock_.now());
    const std::vector<ScopeSummary> listed =
        store_.jobs().scopes(SuspensionScope::definition, "", 10);
    ASSERT_EQ(listed.size(), 2U);
    EXPECT_EQ(listed[0].id, "d1");
    EXPECT_FALSE(listed[0].suspended_since);
    EXPECT_EQ(listed[1].suspended_since, clock_.now());
    EXPECT_THAT(listed[1].jobs, ElementsAre(Pair(JobPlace::suspended, 1)));
}

TEST_P(Instances, Those_that_are_suspended_are_listed_alone) {
    insert(JobPlace::executable, a_job("a").of_definition("runs").build());
    for (const std::string id : {"d1", "d2", "d3"}) {
        store_.jobs().suspend(SuspensionScope::definition, id, clock_.now());
    }
    const auto listed = store_.jobs().suspended_scopes(SuspensionScope::definition, "d1", 1);
    ASSERT_EQ(listed.size(), 1U);
    EXPECT_EQ(listed[0].id, "d2");
    EXPECT_THAT(listed[0].jobs, IsEmpty());
}

TEST_P(Instances, A_suspended_job_has_the_suspensions_that_hold_it) {
    store_.jobs().suspend(SuspensionScope::instance, "i", clock_.now());
    store_.jobs().suspend(SuspensionScope::definition, "d", clock_.now() + 1s);
    store_.jobs().suspend(SuspensionScope::definition, "other", clock_.now());
    insert(JobPlace::executable, a_job("a").of_instance("i").of_definition("d").build());
    ASSERT_EQ(place_of("a"), "suspended");
    const auto holding = store_.jobs().suspensions_of(job("a"));
    ASSERT_EQ(holding.size(), 2U);
    EXPECT_EQ(holding[0].scope, SuspensionScope::instance);
    EXPECT_EQ(holding[0].since, clock_.now());
    EXPECT_EQ(holding[1].id, "d");
    EXPECT_EQ(holding[1].since, clock_.now() + 1s);
}

TEST_P(Instances, A_page_ends_at_the_limit_and_the_next_begins_behind_it) {
    for (const std::string instance : {"i1", "i2", "i3"}) {
        insert(JobPlace::timer, a_job("t" + instance).of_instance(instance).build());
        insert(JobPlace::executable, a_job("e" + instance).of_instance(instance).build());
    }
    EXPECT_THAT(ids("", 2), ElementsAre("i1", "i2"));
    EXPECT_THAT(ids("i2", 2), ElementsAre("i3"));
    EXPECT_THAT(ids("i3", 2), IsEmpty());
}

}  // namespace

}  // namespace jobstrand::test
