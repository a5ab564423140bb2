#include "test/fixtures/sqlite_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <jobstrand/engine.hpp>

#include <chrono>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace jobstrand::test {

namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;

/// What an app does with jobs as an operator would, by the public headers alone.
class OperatorsEngine : public testing::Test {
protected:
    SqliteFile file_;
    Engine engine_{{.database_url = file_.url_text(), .log = nullptr}};
};

TEST_F(OperatorsEngine, A_query_finds_jobs_page_by_page_in_its_order) {
    const TimePoint noon = engine_.now() + 24h;
    for (int i = 0; i < 5; ++i) {
        engine_.enqueue(
            {.handler_type = i % 2 == 0 ? "mail" : "sms",
             .due_date = noon + 1h * (5 - i),
             .priority = i,
             .id = std::to_string(i)}
        );
    }
    JobQuery query{
        .place = JobPlace::timer,
        .handler_types = {"mail", "sms"},
        .priority_min = 1,
        .with_exception = false,
        .order = JobOrder::due_date,
        .limit = 3};
    EXPECT_EQ(engine_.count(query), 4);
    const auto ids = [&] {
        std::vector<std::string> found;
        for (const StoredJob& job : engine_.list(query)) {
            found.push_back(job.id);
        }
        return found;
    };
    EXPECT_THAT(ids(), ElementsAre("4", "3", "2"));
    query.behind = engine_.list(query).back();
    EXPECT_TRUE(engine_.remove("2")) << "the page goes on where it stood";
    EXPECT_THAT(ids(), ElementsAre("1"));
    query = {.place = JobPlace::timer, .order = JobOrder::priority, .descending = true, .limit = 2};
    EXPECT_THAT(ids(), ElementsAre("4", "3"));
    query = {.place = JobPlace::timer, .due_before = noon + 3h, .retries_max = 3};
    EXPECT_THAT(ids(), ElementsAre("3", "4"));
    query = {.tenant_ids = {"acme"}};
    EXPECT_EQ(engine_.count(query), 0);
}

// R019 R025 R026
TEST_F(OperatorsEngine, Job_definitions_are_set_and_cascaded) {
    const JobDefinition pack{.name = "shipping:3/pack", .priority = "7", .exclusive = false};
    engine_.set_definition(pack);
    EXPECT_EQ(engine_.find_definition("shipping:3/pack"), pack);
    EXPECT_EQ(engine_.find_definition("shipping:3"), std::nullopt);
    const std::string id = engine_.enqueue(
        {.handler_type = "a", .process_definition_id = "shipping:3", .element_id = "pack"}
    );
    EXPECT_EQ(engine_.find(id).value().priority, 7);
    EXPECT_EQ(engine_.cascade_override("shipping:3/pack"), 0) << "there is no override";
    engine_.set_definition({.name = "shipping:3/pack", .override_priority = -1});
    EXPECT_EQ(engine_.cascade_override("shipping:3/pack"), 1);
    EXPECT_EQ(engine_.find(id).value().priority, -1);
    EXPECT_EQ(engine_.definitions().size(), 1U);
    EXPECT_TRUE(engine_.definitions("shipping:3/pack").empty());
    EXPECT_TRUE(engine_.remove_definition("shipping:3/pack"));
    EXPECT_FALSE(engine_.remove_definition("shipping:3/pack"));
    EXPECT_THROW(engine_.set_definition({.name = ""}), std::invalid_argument);
    EXPECT_THROW(engine_.set_definition({.name = "a", .priority = "${"}), std::invalid_argument);
}

}  // namespace

}  // namespace jobstrand::test
