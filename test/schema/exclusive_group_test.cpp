#include "schema/concurrency.hpp"
#include "test/fixtures/job_builder.hpp"

#include <gtest/gtest.h>

namespace jobstrand {
namespace {

using schema::exclusive_group;
using schema::ExclusiveOver;
using schema::Job;
using schema::kMostClaimedOfGroup;
using test::a_job;

struct GroupCase {
    Job job;
    std::string_view over_instance;
    std::string_view over_hierarchy;
};

// R082 R089 R092 R093
TEST(ExclusiveGroup, Is_the_instance_or_its_root) {
    const GroupCase cases[] = {
        {a_job("lone"), "", ""},
        {a_job("a").of_instance("i"), "i", "i"},
        {a_job("b").of_instance("i").under_root("r"), "i", "r"},
        {a_job("c").under_root("r"), "", "r"},
        {a_job("d").of_instance("i").under_root("r").not_exclusive(), "", ""},
        {a_job("e").of_instance("i  "), "i", "i"},
        {a_job("f").of_instance("  "), "", ""},
        {a_job("g").of_instance("i j"), "i j", "i j"},
    };
    for (const GroupCase& one : cases) {
        EXPECT_EQ(exclusive_group(one.job, ExclusiveOver::instance), one.over_instance)
            << one.job.id;
        EXPECT_EQ(exclusive_group(one.job, ExclusiveOver::hierarchy), one.over_hierarchy)
            << one.job.id;
        EXPECT_EQ(may_exclude(one.job), !one.over_instance.empty() || !one.over_hierarchy.empty())
            << one.job.id;
    }
}

TEST(ExclusiveGroup, Its_holder_claims_up_to_a_bound) {
    EXPECT_EQ(schema::may_claim_of_group(0, 7), 7);
    EXPECT_EQ(schema::may_claim_of_group(0, kMostClaimedOfGroup + 1), kMostClaimedOfGroup);
    EXPECT_EQ(schema::may_claim_of_group(kMostClaimedOfGroup - 2, 7), 2);
    EXPECT_EQ(schema::may_claim_of_group(kMostClaimedOfGroup, 7), 0);
    EXPECT_EQ(schema::may_claim_of_group(kMostClaimedOfGroup + 5, 7), 0);
}

TEST(ExclusiveGroup, A_job_waits_by_its_lock_owner) {
    Job job = a_job("a").of_instance("i");
    EXPECT_FALSE(schema::waits_for_exclusive(job));
    job.lock_owner = "a node";
    EXPECT_FALSE(schema::waits_for_exclusive(job));
    job.lock_owner = schema::kWaitingOwner;
    EXPECT_TRUE(schema::waits_for_exclusive(job));
}

}  // namespace
}  // namespace jobstrand
