#include "persistence/migration/table_changes.hpp"
#include "test/conformance/store_test.hpp"

#include <fmt/format.h>

namespace jobstrand::test {

namespace {

using persistence::PageLimit;
using persistence::SeenRows;
using schema::kMostClaimedOfGroup;
using testing::Each;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

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

    void insert_of(const std::string& instance, const std::vector<std::string>& ids) {
        for (const std::string& id : ids) {
            insert(JobPlace::executable, a_job(id).of_instance(instance));
        }
    }

    /// So many in order, and so many besides.
    std::vector<std::string> take(std::string_view owner, std::size_t firsts, std::size_t further) {
        PageLimit limit(firsts);
        limit.same_instance = further;
        limit.seen = &seen_;
        taken_ = store_.executor().acquire(claim_of(owner), noop_, limit);
        return ids_of(taken_);
    }

    SeenRows seen_;
    std::vector<Job> taken_;
};

INSTANTIATE_TEST_SUITE_P(
    OnEveryDatabase,
    InstancesTogether,
    testing::ValuesIn(databases_under_test()),
    name_of_database
);

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
        const Outcome done = completed_outcome(job);
        EXPECT_THAT(
            store_.executor().apply("node-1", std::span(&done, 1)), ElementsAre(OutcomeAnswer::done)
        );
    }
    const persistence::GroupEnd end{.group = "i", .claimed = 2, .began = claim_of("node-1").until};
    EXPECT_THAT(
        store_.executor().pass_on(claim_of("node-1"), noop_, 1000, std::span(&end, 1)).busy,
        IsEmpty()
    );
    EXPECT_EQ(count_rows("JS_EXCLUSIVE"), 0);
}

TEST_P(InstancesTogether, Bring_no_more_than_there_is_room_for) {
    insert_of("i", {"a1", "a2", "a3", "a4", "a5"});
    EXPECT_THAT(take("node-1", 1, 2), SizeIs(3));
    EXPECT_EQ(seen_.same_instance, 2U);
}

TEST_P(InstancesTogether, Bring_no_more_than_their_holder_may_have) {
    std::vector<Job> jobs = many_jobs("j", static_cast<std::size_t>(kMostClaimedOfGroup) + 50);
    for (Job& job : jobs) {
        job.process_instance_id = "i";
    }
    insert(JobPlace::executable, jobs);
    EXPECT_THAT(take("node-1", 1, 999), SizeIs(kMostClaimedOfGroup));
    EXPECT_EQ(count_rows("JS_WAITING"), 0) << "what is left is free";
}

TEST_P(InstancesTogether, Leave_what_has_no_instance_or_is_not_exclusive_in_its_turn) {
    insert_of("i", {"a1", "a5"});
    insert(JobPlace::executable, a_job("a2"));
    insert(JobPlace::executable, a_job("a3"));
    insert(JobPlace::executable, a_job("a4").of_instance("i").not_exclusive());
    EXPECT_THAT(take("node-1", 2, 10), ElementsAre("a1", "a2", "a5"));
    EXPECT_EQ(job("a3").lock_owner, "");
    EXPECT_EQ(job("a4").lock_owner, "");
}

TEST_P(InstancesTogether, Leave_what_others_have_or_this_node_does_not_serve) {
    insert_of("i", {"a1"});
    insert(JobPlace::executable, a_job("a2").of_instance("i").of_type("other"));
    Job held = a_job("a3").of_instance("i");
    held.lock_owner = "node-2";
    held.lock_expiration = claim_of("").until;
    insert(JobPlace::executable, std::move(held));
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
    PageLimit limit(1);
    limit.same_instance = 10;
    EXPECT_THAT(
        ids_of(store_.executor().acquire(claim_of("node-1"), noop_, limit, "a2")),
        ElementsAre("a3", "a1")
    );
}

TEST_P(InstancesTogether, Are_those_of_the_same_hierarchy_where_that_is_what_excludes) {
    Node node(*database_, faults_, schema::ExclusiveOver::hierarchy);
    insert(JobPlace::executable, a_job("a1").of_instance("i").under_root("r"));
    insert(JobPlace::executable, a_job("a2").of_instance("i").under_root("s"));
    insert(JobPlace::executable, a_job("a3").of_instance("i").under_root("r"));
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
    insert(JobPlace::executable, slow);
    slow.id = "b1";
    slow.process_instance_id = "k";
    insert(JobPlace::executable, slow);
    insert_of("k", {"b2"});
    EXPECT_THAT(take("node-1", 1, 10), ElementsAre("a1", "a3"));
    EXPECT_THAT(take("node-2", 2, 10), ElementsAre("b1")) << "a2 waits for its instance";
    EXPECT_EQ(job("b2").lock_owner, "");
}

// I8
TEST_P(InstancesTogether, Bring_no_more_bytes_than_there_is_room_for) {
    for (const std::string id : {"a1", "a2", "a3"}) {
        insert(
            JobPlace::executable, a_job(id).of_instance("i").with_payload(std::string(100, 'x'))
        );
    }
    PageLimit limit(1, 250);
    limit.same_instance = 10;
    EXPECT_THAT(
        ids_of(store_.executor().acquire(claim_of("node-1"), noop_, limit)), ElementsAre("a1", "a2")
    );
    EXPECT_EQ(job("a3").lock_owner, "");
}

TEST_P(InstancesTogether, Leave_a_job_that_alone_would_be_too_much) {
    insert_of("i", {"a1"});
    insert(JobPlace::executable, a_job("a2").of_instance("i").with_payload(std::string(300, 'x')));
    PageLimit limit(1, 250);
    limit.same_instance = 10;
    EXPECT_THAT(
        ids_of(store_.executor().acquire(claim_of("node-1"), noop_, limit)), ElementsAre("a1")
    );
}

TEST_P(InstancesTogether, Leave_what_is_suspended_to_the_page_that_comes_to_it) {
    insert_of("i", {"a1", "a2"});
    store_.jobs().suspend(persistence::SuspensionScope::definition, "d", clock_.now());
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
    insert(JobPlace::executable, jobs);
    EXPECT_THAT(take("node-1", kInTurn, 1000), SizeIs(2 * kInTurn));
    std::vector<std::string> owners;
    for (const Job& job : taken_) {
        owners.push_back(job.lock_owner);
    }
    EXPECT_THAT(owners, Each("node-1"));
}

}  // namespace

}  // namespace jobstrand::test
