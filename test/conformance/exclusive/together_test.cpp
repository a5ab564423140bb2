#include "persistence/migration/optional_index.hpp"
#include "test/conformance/store_test.hpp"

#include <fmt/format.h>

namespace jobstrand::test {

namespace {

using persistence::PageFound;
using persistence::PageLimit;
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
    std::vector<std::string>
    take(std::string_view owner, std::size_t firsts, std::size_t companions) {
        PageLimit limit(firsts);
        limit.companions = companions;
        limit.found = &found_;
        taken_ = store_.acquire(claim_of(owner), noop_, limit);
        return ids_of(taken_);
    }

    PageFound found_;
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
    EXPECT_THAT(take("node-1", 2, 10), ElementsAre("a1", "a2", "a4", "a5", "a7", "a8"));
    EXPECT_EQ(found_.companions, 4U);
    EXPECT_EQ(found_.last, "a2") << "the next page begins behind it";
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
        EXPECT_THAT(store_.apply("node-1", std::span(&done, 1)), ElementsAre(OutcomeAnswer::done));
    }
    const persistence::GroupEnd end{.group = "i", .claimed = 2, .began = claim_of("node-1").until};
    EXPECT_THAT(
        store_.pass_on(claim_of("node-1"), noop_, 1000, std::span(&end, 1)).busy, IsEmpty()
    );
    EXPECT_EQ(count_rows("JS_EXCLUSIVE"), 0);
}

TEST_P(InstancesTogether, Bring_no_more_than_there_is_room_for) {
    insert_of("i", {"a1", "a2", "a3", "a4", "a5"});
    EXPECT_THAT(take("node-1", 1, 2), SizeIs(3));
    EXPECT_EQ(found_.companions, 2U);
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
}

TEST_P(InstancesTogether, Leave_what_others_have_or_this_node_does_not_serve) {
    insert_of("i", {"a1"});
    insert(JobPlace::executable, a_job("a2").of_instance("i").of_type("other"));
    Job held = a_job("a3").of_instance("i");
    held.lock_owner = "node-2";
    held.lock_expiration = claim_of("").until;
    insert(JobPlace::executable, std::move(held));
    EXPECT_THAT(take("node-1", 1, 10), ElementsAre("a1"));
}

TEST_P(InstancesTogether, Are_found_behind_the_page_only) {
    insert_of("i", {"a1", "a3"});
    PageLimit limit(1);
    limit.companions = 10;
    EXPECT_THAT(ids_of(store_.acquire(claim_of("node-1"), noop_, limit, "a2")), ElementsAre("a3"));
}

TEST_P(InstancesTogether, Whose_jobs_stand_together_anyway_are_not_looked_for) {
    insert_of("i", {"a1", "a2", "a3"});
    EXPECT_THAT(take("node-1", 2, 10), ElementsAre("a1", "a2"));
}

TEST_P(InstancesTogether, Are_suspended_as_a_whole) {
    insert_of("i", {"a1", "a3"});
    insert_of("k", {"a2"});
    store_.suspend(persistence::SuspensionScope::instance, "i", clock_.now());
    insert_of("i", {"a4", "a5"});
    EXPECT_THAT(take("node-1", 2, 10), ElementsAre("a2"));
    EXPECT_EQ(place_of("a5"), "suspended");
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
