#include "executor/job_handler.hpp"
#include "schema/limits.hpp"
#include "test/fixtures/job_builder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

namespace jobstrand::executor {
namespace {

using test::a_job;
using testing::ElementsAre;
using testing::IsEmpty;

HandlerResult succeed_anyway(const JobContext&) {
    return Succeeded{};
}

/// A registry whose type "tool" needs what the payload says.
class HandlerRegistryNeeds : public testing::Test {
protected:
    explicit HandlerRegistryNeeds() {
        registry.add("mail", succeed_anyway);
        registry.add(
            "tool",
            succeed_anyway,
            {.of = [](const schema::Job& job) { return job.payload; }, .here = {"saw", "axe"}}
        );
    }

    static schema::Job needing(std::string tool) {
        return a_job("a").of_type("tool").with_payload(std::move(tool));
    }

    HandlerRegistry registry;
};

TEST_F(HandlerRegistryNeeds, What_is_here_of_all_types_is_one_sorted_list) {
    registry.add("pen", succeed_anyway, {.of = nullptr, .here = {"ink"}});
    EXPECT_THAT(registry.needs(), ElementsAre("axe", "ink", "saw"));
    EXPECT_THAT(HandlerRegistry().needs(), IsEmpty());
    EXPECT_THAT(registry.types(), ElementsAre("mail", "pen", "tool"));
}

TEST_F(HandlerRegistryNeeds, A_job_lacks_what_it_needs_and_is_not_here) {
    EXPECT_EQ(registry.lacks(needing("saw")), "");
    EXPECT_EQ(registry.lacks(needing("drill")), "drill");
    EXPECT_EQ(registry.need_of(needing("saw")), "saw");
}

TEST_F(HandlerRegistryNeeds, A_job_that_names_nothing_can_run_anywhere) {
    EXPECT_EQ(registry.lacks(needing("")), "");
}

TEST_F(HandlerRegistryNeeds, Other_types_need_nothing_whatever_their_payload) {
    EXPECT_EQ(registry.lacks(a_job("a").of_type("mail").with_payload("drill")), "");
    EXPECT_EQ(registry.lacks(a_job("a").of_type("unknown").with_payload("drill")), "");
}

TEST_F(HandlerRegistryNeeds, One_look_tells_a_job_s_handler_and_what_it_lacks) {
    const HandlerRegistry::Match lacking = registry.match(needing("drill"));
    EXPECT_NE(lacking.handler, nullptr);
    EXPECT_EQ(lacking.lack, "drill");
    EXPECT_EQ(registry.match(needing("saw")).lack, "");
    EXPECT_EQ(registry.match(a_job("a").of_type("unknown")).handler, nullptr);
}

TEST_F(HandlerRegistryNeeds, Whatever_a_payload_names_can_be_stored) {
    EXPECT_EQ(registry.lacks(needing("\xff")), "\xEF\xBF\xBD");
    EXPECT_EQ(registry.lacks(needing(std::string(1000, 'x'))).size(), schema::limits::kNameLength);
}

TEST_F(HandlerRegistryNeeds, A_type_cannot_be_added_twice_with_needs_or_without) {
    EXPECT_THROW(registry.add("tool", succeed_anyway), std::invalid_argument);
    EXPECT_THROW(registry.add("mail", succeed_anyway, {}), std::invalid_argument);
}

}  // namespace
}  // namespace jobstrand::executor
