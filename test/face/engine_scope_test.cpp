#include "test/fixtures/signal.hpp"
#include "test/fixtures/sqlite_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <jobstrand/engine.hpp>

#include <stdexcept>
#include <string>

namespace jobstrand::test {
namespace {

// R100 R101
TEST(EngineScope, What_an_engine_takes_may_change_while_it_runs) {
    const SqliteFile file;
    Engine engine({.database_url = file.url_text(), .log = nullptr});
    Signal runs;
    const auto run = [&runs](const JobContext&) -> HandlerResult {
        runs.notify();
        return Succeeded{};
    };
    engine.limit_to({.tenants = {"acme"}});
    engine.start();
    const std::string theirs = engine.enqueue({.handler_type = "a", .tenant_id = "umbra"});
    engine.enqueue({.handler_type = "a", .tenant_id = "acme"});
    engine.add_handler("a", run);
    EXPECT_TRUE(runs.wait_for(1));
    EXPECT_EQ(engine.find(theirs)->place, JobPlace::executable);

    engine.limit_to({.tenants = {"umbra"}});
    EXPECT_THAT(engine.scope().tenants, testing::ElementsAre("umbra"));
    EXPECT_TRUE(runs.wait_for(2));

    EXPECT_TRUE(engine.remove_handler("a"));
    EXPECT_FALSE(engine.remove_handler("a"));
    const std::string left = engine.enqueue({.handler_type = "a", .tenant_id = "umbra"});
    EXPECT_EQ(engine.find(left)->place, JobPlace::executable);
    engine.add_handler("a", run);
    EXPECT_TRUE(runs.wait_for(3));
    EXPECT_THROW(engine.limit_to({.priority_min = 2, .priority_max = 1}), std::invalid_argument);
}

}  // namespace
}  // namespace jobstrand::test
