#include "executor/job_handler.hpp"
#include "executor/manual_run.hpp"
#include "schema/limits.hpp"
#include "test/fixtures/job_builder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

namespace jobstrand::executor {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

HandlerResult succeed(const JobContext&) {
    return Succeeded{};
}

HandlerResult succeed_in(const JobContext&, persistence::Transaction&) {
    return Succeeded{};
}

TEST(HandlerRegistry, Types_are_listed_in_alphabetical_order) {
    HandlerRegistry handlers;
    EXPECT_THAT(handlers.types(), IsEmpty());
    handlers.add("mail", succeed);
    handlers.add_transactional("bill", succeed_in);
    handlers.add("Zip", succeed);
    EXPECT_THAT(handlers.types(), ElementsAre("Zip", "bill", "mail"));
}

TEST(HandlerRegistry, It_tells_whose_runs_do_not_end_with_the_return_of_the_handler) {
    HandlerRegistry handlers;
    handlers.add("mail", succeed);
    handlers.add_transactional("bill", succeed_in);
    EXPECT_THAT(handlers.types_that_end_elsewhere(), ElementsAre("bill"));
}

TEST(HandlerRegistry, A_type_is_found_as_what_it_was_added_as) {
    HandlerRegistry handlers;
    handlers.add("mail", succeed);
    handlers.add_transactional("bill", succeed_in);
    ASSERT_NE(handlers.find("mail"), nullptr);
    EXPECT_TRUE(std::holds_alternative<JobHandler>(*handlers.find("mail")));
    EXPECT_TRUE(std::holds_alternative<TransactionalJobHandler>(*handlers.find("bill")));
    EXPECT_EQ(handlers.find("Mail"), nullptr) << "letters count as they are";
    EXPECT_EQ(handlers.find(""), nullptr);
}

TEST(HandlerRegistry, A_type_has_one_handler_of_either_kind) {
    HandlerRegistry handlers;
    handlers.add("mail", succeed);
    EXPECT_THROW(handlers.add("mail", succeed), std::invalid_argument);
    EXPECT_THROW(handlers.add_transactional("mail", succeed_in), std::invalid_argument);
    EXPECT_TRUE(std::holds_alternative<JobHandler>(*handlers.find("mail"))) << "the first stays";
}

// R101
TEST(HandlerRegistry, A_removed_type_is_gone_and_its_run_under_way_goes_on) {
    HandlerRegistry handlers;
    int runs = 0;
    handlers.add("mail", [&runs](const JobContext&) -> HandlerResult {
        ++runs;
        return Succeeded{};
    });
    const auto under_way = handlers.find("mail");
    EXPECT_TRUE(handlers.remove("mail"));
    EXPECT_FALSE(handlers.remove("mail"));
    EXPECT_EQ(handlers.find("mail"), nullptr);
    EXPECT_THAT(handlers.types(), IsEmpty());
    const schema::Job job;
    (void)std::get<JobHandler> (*under_way)({.job = job, .attempt = 1, .deadline = {}, .stop = {}});
    EXPECT_EQ(runs, 1);
    handlers.add("mail", [](const JobContext&) -> HandlerResult { return Succeeded{}; });
    EXPECT_THAT(handlers.types(), ElementsAre("mail"));
}

TEST(HandlerRegistry, A_replaced_handler_runs_what_begins_later) {
    HandlerRegistry handlers;
    handlers.add("mail", succeed, {.of = {}, .here = {"old"}});
    const auto under_way = handlers.find("mail");
    handlers.replace(
        "mail",
        JobHandler([](const JobContext&) -> HandlerResult { return Failed{.message = "new"}; }),
        {.of = {}, .here = {"new"}}
    );
    EXPECT_THAT(handlers.needs(), ElementsAre("new"));
    const schema::Job job;
    const auto run = [&job](const auto& handler) {
        return std::get<JobHandler>(*handler)({.job = job, .deadline = {}, .stop = {}});
    };
    EXPECT_TRUE(std::holds_alternative<Succeeded>(run(under_way)));
    EXPECT_TRUE(std::holds_alternative<Failed>(run(handlers.find("mail"))));
    EXPECT_THROW(handlers.replace("bill", JobHandler(succeed), {}), std::invalid_argument);
}

TEST(HandlerRegistry, A_type_fits_its_column) {
    HandlerRegistry handlers;
    EXPECT_THROW(handlers.add("", succeed), std::invalid_argument);
    const std::string longest(schema::limits::kNameLength, 'x');
    handlers.add(longest, succeed);
    EXPECT_THROW(handlers.add(longest + "x", succeed), std::invalid_argument);
    EXPECT_THAT(handlers.types(), ElementsAre(longest));
}

// R006
TEST(ObstacleToRun, Only_an_executable_job_of_a_known_type_can_be_run_by_hand) {
    HandlerRegistry handlers;
    handlers.add("mail", succeed);
    using schema::JobPlace;
    const struct {
        JobPlace place;
        std::string type;
        RunObstacle obstacle;
    } cases[] = {
        {JobPlace::executable, "mail", RunObstacle::none},
        {JobPlace::executable, "fax", RunObstacle::unknown_type},
        {JobPlace::timer, "mail", RunObstacle::stands_elsewhere},
        {JobPlace::suspended, "mail", RunObstacle::stands_elsewhere},
        {JobPlace::dead_letter, "mail", RunObstacle::stands_elsewhere},
        {JobPlace::external_worker, "mail", RunObstacle::stands_elsewhere},
        {JobPlace::timer, "fax", RunObstacle::stands_elsewhere},
    };
    for (const auto& [place, type, obstacle] : cases) {
        EXPECT_EQ(
            obstacle_to_run({.place = place, .job = test::a_job("a").of_type(type)}, handlers),
            obstacle
        ) << schema::name_of(place)
          << " " << type;
    }
}

}  // namespace
}  // namespace jobstrand::executor
