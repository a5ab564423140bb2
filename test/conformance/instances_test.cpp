#include "persistence/migration/table_changes.hpp"
#include "test/conformance/store_test.hpp"

#include <fmt/format.h>

namespace jobstrand::test {

namespace {

using persistence::ScopeSummary;
using persistence::SeenRows;
using schema::kMostClaimedOfGroup;

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

ON_EVERY_DATABASE(Instances);

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
        insert(place, a_job("j" + id).of_instance(id));
    }
    suspend(SuspensionScope::instance, "no-jobs");
    suspend(SuspensionScope::definition, "definition");
    EXPECT_THAT(
        ids("", 10), ElementsAre("dead", "executable", "external", "no-jobs", "suspended", "timer")
    );
}

TEST_P(Instances, A_suspended_one_says_so) {
    insert(a_job("a").of_instance("i"));
    suspend(SuspensionScope::instance, "i");
    const ScopeSummary summary = store_.jobs().scopes(SuspensionScope::instance, "", 10).at(0);
    EXPECT_EQ(summary.suspended_since, clock_.now());
    EXPECT_THAT(summary.jobs, ElementsAre(Pair(JobPlace::suspended, 1)));
}

TEST_P(Instances, Definitions_are_listed_in_the_same_way) {
    insert(JobPlace::timer, a_job("a").of_instance("i").of_definition("d1"));
    insert(a_job("b").of_definition("d2"));
    suspend(SuspensionScope::definition, "d2");
    const std::vector<ScopeSummary> listed =
        store_.jobs().scopes(SuspensionScope::definition, "", 10);
    ASSERT_EQ(listed.size(), 2U);
    EXPECT_EQ(listed[0].id, "d1");
    EXPECT_FALSE(listed[0].suspended_since);
    EXPECT_EQ(listed[1].suspended_since, clock_.now());
    EXPECT_THAT(listed[1].jobs, ElementsAre(Pair(JobPlace::suspended, 1)));
}

TEST_P(Instances, Those_that_are_suspended_are_listed_alone) {
    insert(a_job("a").of_definition("runs"));
    for (const std::string id : {"d1", "d2", "d3"}) {
        suspend(SuspensionScope::definition, id);
    }
    const auto listed = store_.jobs().suspended_scopes(SuspensionScope::definition, "d1", 1);
    ASSERT_EQ(listed.size(), 1U);
    EXPECT_EQ(listed[0].id, "d2");
    EXPECT_THAT(listed[0].jobs, IsEmpty());
}

TEST_P(Instances, A_suspended_job_has_the_suspensions_that_hold_it) {
    suspend(SuspensionScope::instance, "i");
    store_.jobs().suspend(SuspensionScope::definition, "d", clock_.now() + 1s);
    suspend(SuspensionScope::definition, "other");
    insert(a_job("a").of_instance("i").of_definition("d"));
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
        insert(JobPlace::timer, a_job("t" + instance).of_instance(instance));
        insert(a_job("e" + instance).of_instance(instance));
    }
    EXPECT_THAT(ids("", 2), ElementsAre("i1", "i2"));
    EXPECT_THAT(ids("i2", 2), ElementsAre("i3"));
    EXPECT_THAT(ids("i3", 2), IsEmpty());
}

/// Who takes an exclusive job takes the further ones of its instance along (R087), wherever they
/// stand in the table.
class InstancesTogether : public StoreTest {
protected:
    InstancesTogether() {
        if (!GetParam().missing) {
            (void)persistence::create_index(*connection_, schema::kInstanceIndex);
        }
    }

    // The tables of a server are those of the next test.
    void TearDown() override {
        if (!GetParam().missing) {
            (void)persistence::drop_index(*connection_, schema::kInstanceIndex);
        }
    }

    /// So many in order, and so many besides.
    std::vector<std::string> take(
        std::string_view owner,
        PageLimit limit,
        std::size_t further,
        std::string_view after = ""
    ) {
        limit.same_instance = further;
        limit.seen = &seen_;
        taken_ = store_.executor().acquire(claim_of(owner), noop_, limit, after);
        return ids_of(taken_);
    }

    /// The same by one of two claims that follow each other. Returns behind which row the other may
    /// look before this one is committed; empty: behind none.
    std::string found_by(std::size_t firsts, std::size_t further) {
        std::string found;
        PageLimit limit(firsts);
        limit.same_instance = further;
        limit.when_found = [&](std::string_view end) { found = end; };
        limit.enter = [] { return std::make_shared<const int>(); };
        limit.before_commit = [] {};
        (void)store_.executor().acquire(claim_of("node-1"), noop_, limit);
        return found;
    }

    SeenRows seen_;
    std::vector<Job> taken_;
};

ON_EVERY_DATABASE(InstancesTogether);

// R087
TEST_P(InstancesTogether, Are_taken_with_the_first_of_their_jobs) {
    insert_of("i", {"a1", "a4", "a7"});
    insert_of("k", {"a2", "a5", "a8"});
    insert_of("l", {"a3", "a6"});
    EXPECT_THAT(take("node-1", 2, 10), ElementsAre("a1", "a2", "a4", "a7", "a5", "a8"));
    EXPECT_EQ(seen_.same_instance, 4U);
    EXPECT_EQ(seen_.end, "a2") << "the next page begins behind it";
    EXPECT_THAT(take("node-2", 2, 10), ElementsAre("a3", "a6"));
    EXPECT_EQ(count_rows("JS_WAITING"), 0);
}

TEST_P(InstancesTogether, Are_locked_like_those_of_the_page) {
    insert_of("i", {"a1", "a3"});
    insert_of("k", {"a2"});
    (void)take("node-1", 1, 10);
    ASSERT_THAT(taken_, SizeIs(2));
    for (const Job& job : taken_) {
        EXPECT_EQ(job, this->job(job.id));
        EXPECT_EQ(job.lock_owner, "node-1");
        expect_done(completed_outcome(job));
    }
    const persistence::GroupEnd end = end_of("i", 2);
    EXPECT_THAT(pass_on("node-1", end).busy, IsEmpty());
    EXPECT_EQ(count_rows("JS_EXCLUSIVE"), 0);
}

TEST_P(InstancesTogether, Bring_no_more_than_there_is_room_for) {
    insert_of("i", {"a1", "a2", "a3", "a4", "a5"});
    EXPECT_THAT(take("node-1", 1, 2), SizeIs(3));
    EXPECT_EQ(seen_.same_instance, 2U);
}

TEST_P(InstancesTogether, Bring_no_more_than_their_holder_may_have) {
    insert(many_jobs(
        "j", static_cast<std::size_t>(kMostClaimedOfGroup) + 50, a_job("").of_instance("i")
    ));
    EXPECT_THAT(take("node-1", 1, 999), SizeIs(kMostClaimedOfGroup));
    EXPECT_EQ(count_rows("JS_WAITING"), 0) << "what is left is free";
}

TEST_P(InstancesTogether, Let_another_claim_look_behind_the_page_when_all_of_it_is_locked) {
    insert_of("i", {"a1", "a3"});
    insert_of("k", {"a2"});
    EXPECT_EQ(found_by(1, 10), "a1");
}

// It would pass them over, and take those behind them.
TEST_P(InstancesTogether, Let_no_other_look_before_the_commit_when_jobs_are_locked_that_stay) {
    insert(many_jobs(
        "j", static_cast<std::size_t>(kMostClaimedOfGroup) + 50, a_job("").of_instance("i")
    ));
    EXPECT_EQ(found_by(2, 999), "");
}

TEST_P(InstancesTogether, Leave_what_has_no_instance_or_is_not_exclusive_in_its_turn) {
    insert_of("i", {"a1", "a5"});
    insert(a_job("a2"));
    insert(a_job("a3"));
    insert(a_job("a4").of_instance("i").not_exclusive());
    EXPECT_THAT(take("node-1", 2, 10), ElementsAre("a1", "a2", "a5"));
    EXPECT_EQ(job("a3").lock_owner, "");
    EXPECT_EQ(job("a4").lock_owner, "");
}

TEST_P(InstancesTogether, Leave_what_others_have_or_this_node_does_not_serve) {
    insert_of("i", {"a1"});
    insert(a_job("a2").of_instance("i").of_type("other"));
    Job held = a_job("a3").of_instance("i").locked_by("node-2", claim_of("").until);
    insert(std::move(held));
    EXPECT_THAT(take("node-1", 1, 10), ElementsAre("a1"));
    EXPECT_EQ(job("a2").lock_owner, "");
    EXPECT_EQ(job("a3").lock_owner, "node-2");
}

TEST_P(InstancesTogether, Stay_where_they_are_while_another_node_has_the_instance) {
    insert_of("i", {"a1", "a2", "a3", "a4"});
    EXPECT_THAT(take("node-1", 1, 1), SizeIs(2));
    EXPECT_THAT(take("node-2", 1, 10), IsEmpty());
    EXPECT_TRUE(schema::waits_for_exclusive(job("a3")));
    EXPECT_EQ(count_rows("JS_WAITING"), 2) << "each by its own page";
    EXPECT_EQ(seen_.same_instance, 0U);
}

TEST_P(InstancesTogether, Are_not_looked_for_where_the_node_has_the_instance_already) {
    insert_of("i", {"a1", "a2", "a3"});
    EXPECT_THAT(take("node-1", 1, 0), ElementsAre("a1"));
    EXPECT_THAT(take("node-1", 1, 10), ElementsAre("a2"));
    EXPECT_EQ(job("a3").lock_owner, "");
}

TEST_P(InstancesTogether, Are_found_in_front_of_the_page_too) {
    insert_of("i", {"a1", "a3"});
    EXPECT_THAT(take("node-1", 1, 10, "a2"), ElementsAre("a3", "a1"));
}

TEST_P(InstancesTogether, Are_those_of_the_same_hierarchy_where_that_is_what_excludes) {
    Node node(*database_, faults_, schema::ExclusiveOver::hierarchy);
    insert(a_job("a1").of_instance("i").under_root("r"));
    insert(a_job("a2").of_instance("i").under_root("s"));
    insert(a_job("a3").of_instance("i").under_root("r"));
    PageLimit limit(1);
    limit.same_instance = 10;
    EXPECT_THAT(
        ids_of(node.store().executor().acquire(claim_of("node-1"), noop_, limit)),
        ElementsAre("a1", "a3")
    );
    EXPECT_EQ(count_rows("JS_EXCLUSIVE"), 1);
}

TEST_P(InstancesTogether, Are_left_where_a_limit_decides_which_of_them_start) {
    schema::JobLimit limit = schema::limit_named("category:slow");
    limit.concurrent = 5;
    store_.limits().set_limit(limit);
    store_.executor().refresh_limits();
    insert_of("i", {"a1", "a3"});
    Job slow = a_job("a2").of_instance("i");
    slow.category = "slow";
    insert(slow);
    slow.id = "b1";
    slow.process_instance_id = "k";
    insert(slow);
    insert_of("k", {"b2"});
    EXPECT_THAT(take("node-1", 1, 10), ElementsAre("a1", "a3"));
    EXPECT_THAT(take("node-2", 2, 10), ElementsAre("b1")) << "a2 waits for its instance";
    EXPECT_EQ(job("b2").lock_owner, "");
}

// I8
TEST_P(InstancesTogether, Bring_no_more_bytes_than_there_is_room_for) {
    for (const std::string id : {"a1", "a2", "a3"}) {
        insert(a_job(id).of_instance("i").with_payload(std::string(100, 'x')));
    }
    EXPECT_THAT(take("node-1", {1, 250}, 10), ElementsAre("a1", "a2"));
    EXPECT_EQ(job("a3").lock_owner, "");
}

TEST_P(InstancesTogether, Leave_a_job_that_alone_would_be_too_much) {
    insert_of("i", {"a1"});
    insert(a_job("a2").of_instance("i").with_payload(std::string(300, 'x')));
    EXPECT_THAT(take("node-1", {1, 250}, 10), ElementsAre("a1"));
}

TEST_P(InstancesTogether, Leave_what_is_suspended_to_the_page_that_comes_to_it) {
    insert_of("i", {"a1", "a2"});
    suspend(SuspensionScope::definition, "d");
    execute("UPDATE ACT_RU_JOB SET PROC_DEF_ID_ = 'd' WHERE ID_ = 'a2'");
    EXPECT_THAT(take("node-1", 1, 10), ElementsAre("a1"));
    EXPECT_THAT(take("node-2", 1, 10), IsEmpty());
    EXPECT_EQ(place_of("a2"), "suspended");
}

TEST_P(InstancesTogether, Many_are_looked_for_with_several_statements) {
    constexpr std::size_t kInTurn = 600;
    std::vector<Job> jobs = many_jobs("j", 2 * kInTurn);
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        jobs[i].process_instance_id = fmt::format("i{}", i % kInTurn);
    }
    insert(jobs);
    EXPECT_THAT(take("node-1", kInTurn, 1000), SizeIs(2 * kInTurn));
    std::vector<std::string> owners;
    for (const Job& job : taken_) {
        owners.push_back(job.lock_owner);
    }
    EXPECT_THAT(owners, Each("node-1"));
}

}  // namespace

}  // namespace jobstrand::test
