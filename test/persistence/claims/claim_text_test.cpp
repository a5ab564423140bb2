#include "persistence/rows/page_claims.hpp"
#include "persistence/sql/db_error.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace jobstrand::persistence {

namespace {

using schema::Job;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

ClaimedJobs read(std::string_view text) {
    ClaimedJobs jobs;
    read_claim_text(text, jobs);
    return jobs;
}

TEST(ClaimText, Names_jobs_with_their_revisions) {
    const std::vector<Job> jobs{
        {.id = "a", .revision = 1},
        {.id = "ab", .revision = 12},
        {.id = "abc#;0", .revision = 12},
        {.id = "b", .revision = 1},
        {.id = std::string(64, 'x'), .revision = 1},
        {.id = std::string(63, 'x') + "y", .revision = 1},
    };
    EXPECT_THAT(
        read(claim_text_of(jobs)),
        ElementsAre(
            Pair("a", 1),
            Pair("ab", 12),
            Pair("abc#;0", 12),
            Pair("b", 1),
            Pair(std::string(64, 'x'), 1),
            Pair(std::string(63, 'x') + "y", 1)
        )
    );
}

TEST(ClaimText, Tells_once_what_ids_have_in_common) {
    const std::vector<Job> jobs{
        {.id = "019a0000-0000-7000-8000-000000000001"},
        {.id = "019a0000-0000-7000-8000-000000000002"},
    };
    EXPECT_EQ(claim_text_of(jobs), "0T019a0000-0000-7000-8000-000000000001S12");
}

TEST(ClaimText, May_name_none) {
    EXPECT_EQ(claim_text_of({}), "");
    EXPECT_THAT(read(""), IsEmpty());
}

TEST(ClaimText, Is_refused_when_it_is_none) {
    for (const std::string_view text : {"0", "05", "05abc", "11a", "#1", "#x;01a", " 1a"}) {
        EXPECT_THROW(read(text), DbError) << text;
    }
}

}  // namespace

}  // namespace jobstrand::persistence
